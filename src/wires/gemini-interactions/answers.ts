import type { HostedItem, Item } from '../../protocol/item.ts'
import { openUnsealed } from '../../responses/encrypted-content.ts'
import type { AnswerCodec } from '../client-contract.ts'
import { GOOGLE_DETAILS } from '../shared/google/answers.ts'
import { encodeBody, encodeBodyInSteps } from './client/body.ts'
import { encodeStream } from './client/stream.ts'
import { encodeError } from './errors.ts'
import { readPayload } from './payloads.ts'
import { interactionSealedTexts } from './sealed-texts.ts'

/** Whether a reasoning item holds the steps of Google's tools. */
function holdsSteps(item: Item | undefined): boolean {
  if (item?.type !== 'reasoning' || item.encrypted_content === null) return false
  return readPayload(openUnsealed(item.encrypted_content))?.on === 'steps'
}

/** Whether clients receive a tool that Google ran as Google's own steps, which follow its item. */
function hasOwnSteps(item: HostedItem, output: readonly Item[]): boolean {
  const at = output.indexOf(item)
  const next = output
    .slice(at + 1)
    .find(({ type }) => type === 'reasoning' || type === 'message' || type === 'function_call')
  return at >= 0 && holdsSteps(next)
}

/** Encodes answers for its clients, without the code for their requests. */
export const geminiInteractionsAnswers: AnswerCodec = {
  format: 'sse',
  settings: ['reasoning', 'store'],
  encodeStream,
  encodeBody,
  encodeBodyInSteps,
  encodeError,
  supports: {
    hosted: ['web_search_call', 'code_interpreter_call', 'image_generation_call', 'file_search_call', 'mcp_call'],
    hasOwnForm: hasOwnSteps,
    annotations: ['url_citation', 'file_citation'],
    logprobs: false,
    argumentObjects: 'bodies',
    namespaces: false,
    sealed: true,
    cost: false,
    details: GOOGLE_DETAILS,
    parts: ['cached_tokens', 'reasoning_tokens'],
    lifetimes: [],
    openedPages: true,
    imageAddresses: true,
    served: ['service_tier'],
  },
  sealedTexts: interactionSealedTexts,
  keepAlive: null,
}
