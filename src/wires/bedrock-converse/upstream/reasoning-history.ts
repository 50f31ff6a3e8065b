import type { Json } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { UpstreamContext } from '../../contract.ts'
import type { LocatedInput, ReasoningInput } from '../../shared/upstream/conversation.ts'
import type { RequestBlock } from '../json.ts'

/** Restores the original blocks from a sealed payload; empty if the payload has another form. */
function blocksOf(payload: Json | undefined): readonly RequestBlock[] {
  if (!isObject(payload)) return []
  const { text, signature, redacted } = payload
  const readable: RequestBlock[] =
    typeof text === 'string' && isNonEmptyString(signature)
      ? [{ reasoningContent: { reasoningText: { text, signature } } }]
      : []
  const hidden = toArray(redacted)
    .filter(isNonEmptyString)
    .map((redactedContent): RequestBlock => ({ reasoningContent: { redactedContent } }))
  return [...readable, ...hidden]
}

/** Encodes a reasoning item. Bedrock takes reasoning back only with its own signature; any other is dropped. */
export function encodeReasoningItem(
  { at, item }: LocatedInput<ReasoningInput>,
  { open }: Pick<UpstreamContext, 'open'>,
): { readonly blocks: readonly RequestBlock[]; readonly losses: readonly Loss[] } {
  const sealed = item.encrypted_content
  const blocks = sealed === null ? [] : blocksOf(open(sealed))
  if (blocks.length > 0) return { blocks, losses: [] }
  const why =
    sealed === null
      ? 'this upstream accepts only signed reasoning'
      : 'its encrypted_content is damaged or was issued by another upstream'
  return { blocks, losses: [dropped(`input[${at}]`, why)] }
}
