import type { FunctionCallItem, HostedItemType, Item } from '../../../protocol/item.ts'
import type { AnnotationType } from '../../../protocol/part.ts'
import type { Response } from '../../../protocol/response.ts'
import { toArgumentObject } from '../../../responses/call-arguments.ts'

/** The kinds that clients of a wire support beside text, reasoning and whole calls, which all clients support. */
export interface ClientSupport {
  /** Item types of tools that the upstream ran itself. */
  readonly hosted: readonly HostedItemType[]
  readonly annotations: readonly AnnotationType[]
  readonly logprobs: boolean
  /** Reasoning that only its upstream can read (encrypted content). */
  readonly sealed: boolean
}

const isUsable = ({ status, arguments: text }: FunctionCallItem): boolean =>
  status === 'completed' && toArgumentObject(text) !== null

function lossesOfItem(item: Item, { hosted, annotations, logprobs, sealed }: ClientSupport): readonly string[] {
  switch (item.type) {
    case 'message':
      return item.content.flatMap((part) => {
        if (part.type === 'refusal') return []
        const cited = part.annotations.map(({ type }) => type).filter((type) => !annotations.includes(type))
        return logprobs || part.logprobs.length === 0 ? cited : [...cited, 'logprobs']
      })
    case 'reasoning':
      return sealed || item.encrypted_content === null ? [] : ['encrypted_content']
    case 'function_call':
      return isUsable(item) ? [] : ['a call whose arguments are not a JSON object']
    case 'custom_tool_call':
      return []
    default:
      return hosted.includes(item.type) ? [] : [item.type]
  }
}

/**
 * Returns the parts of an answer that its client does not receive, as names of losses: types of items and annotations,
 * and fields.
 */
export const lossesFor = ({ output }: Response, supports: ClientSupport): readonly string[] =>
  output.flatMap((item) => lossesOfItem(item, supports))
