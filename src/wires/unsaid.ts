import type { FunctionCallItem, HostedItemType, Item } from '../protocol/item.ts'
import type { AnnotationType } from '../protocol/part.ts'
import type { Response } from '../protocol/response.ts'
import { toArgumentObject } from '../responses/call-arguments.ts'

/** What of an answer the clients of a wire are told, beside text, thoughts and whole calls, which all are. */
export interface Hears {
  /** Of what an upstream ran itself. */
  readonly hosted: readonly HostedItemType[]
  readonly annotations: readonly AnnotationType[]
  readonly logprobs: boolean
  /** What only its upstream can read of its thoughts. */
  readonly sealed: boolean
}

const isUsable = ({ status, arguments: text }: FunctionCallItem): boolean =>
  status === 'completed' && toArgumentObject(text) !== null

function unsaidOf(item: Item, { hosted, annotations, logprobs, sealed }: Hears): readonly string[] {
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
      return isUsable(item) ? [] : ['a call whose arguments are no JSON object']
    case 'custom_tool_call':
      return []
    default:
      return hosted.includes(item.type) ? [] : [item.type]
  }
}

/** What this answer has said and its client is not told, in the words of losses: types of items and annotations, fields. */
export const unsaidIn = ({ output }: Response, hears: Hears): readonly string[] =>
  output.flatMap((item) => unsaidOf(item, hears))
