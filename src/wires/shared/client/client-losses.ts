import type { CallItem, FunctionCallItem, HostedItem, HostedItemType, Item } from '../../../protocol/item.ts'
import type { AnnotationType } from '../../../protocol/part.ts'
import type { Response } from '../../../protocol/response.ts'
import { type Served, type ServedMember, servedLosses } from '../../../protocol/served.ts'
import { type UsageDetail, usageLosses } from '../../../protocol/usage.ts'
import { toArgumentObject } from '../../../responses/call-arguments.ts'
import { originLosses, phaseLosses } from '../../../responses/capabilities.ts'
import { isObject } from '../../../text/json.ts'
import { hasInexactNumber } from '../large-numbers.ts'

/** The kinds that clients of a wire support beside text, reasoning and whole calls, which all clients support. */
export interface ClientSupport {
  /** Item types of tools that the upstream ran itself. */
  readonly hosted: readonly HostedItemType[]
  /** Pages that the upstream opened without a search. */
  readonly pages: boolean
  readonly annotations: readonly AnnotationType[]
  readonly logprobs: boolean
  /** Which of its answers have arguments as objects, not as JSON text: their numbers are doubles. */
  readonly argumentObjects: 'none' | 'bodies' | 'all'
  /** Reasoning that only its upstream can read (encrypted content). */
  readonly sealed: boolean
  /** The namespace of a call. */
  readonly namespaces: boolean
  /** The price of the answer. */
  readonly cost: boolean
  readonly details: readonly UsageDetail[]
  /** Members that describe how the upstream served the request. */
  readonly served: readonly ServedMember[]
}

const isUsable = ({ status, arguments: text }: FunctionCallItem): boolean =>
  status === 'completed' && toArgumentObject(text) !== null

/** The loss of arguments whose numbers were rounded. */
const ROUNDED_ARGUMENTS = 'a number beyond 2^53 in arguments'

function lossesOfCall(item: FunctionCallItem, parsed: boolean): readonly string[] {
  if (!isUsable(item)) return ['a call whose arguments are not a JSON object']
  return parsed && hasInexactNumber(item.arguments) ? [ROUNDED_ARGUMENTS] : []
}

const detailLosses = (item: CallItem, { namespaces }: ClientSupport): readonly string[] => [
  ...(namespaces || item.namespace === undefined ? [] : ['the namespace of a call']),
  ...originLosses(item),
]

/** Whether the item is an opened page without the blocks of its vendor. */
const isPage = ({ type, fields }: HostedItem): boolean =>
  type === 'web_search_call' &&
  fields.encrypted_content === undefined &&
  isObject(fields.action) &&
  fields.action.type === 'open_page'

function lossesOfItem(item: Item, supports: ClientSupport, streamed: boolean): readonly string[] {
  const { hosted, annotations, logprobs, sealed, argumentObjects } = supports
  switch (item.type) {
    case 'message':
      return [
        ...phaseLosses(item),
        ...item.content.flatMap((part) => {
          if (part.type === 'refusal') return []
          const cited = part.annotations.map(({ type }) => type).filter((type) => !annotations.includes(type))
          return logprobs || part.logprobs.length === 0 ? cited : [...cited, 'logprobs']
        }),
      ]
    case 'reasoning':
      return sealed || item.encrypted_content === null ? [] : ['encrypted_content']
    case 'function_call': {
      const parsed = argumentObjects === 'all' || (argumentObjects === 'bodies' && !streamed)
      return [...detailLosses(item, supports), ...lossesOfCall(item, parsed)]
    }
    case 'custom_tool_call':
      return detailLosses(item, supports)
    default:
      return hosted.includes(item.type) && (supports.pages || !isPage(item)) ? [] : [item.type]
  }
}

/**
 * Returns the parts of an answer that its client does not receive, as names of losses: types of items and annotations,
 * and fields. `streamed`: the client receives a stream.
 */
export const lossesFor = (
  { output, usage }: Response,
  served: Served,
  supports: ClientSupport,
  streamed: boolean,
): readonly string[] => [
  ...output.flatMap((item) => lossesOfItem(item, supports, streamed)),
  ...usageLosses(usage, supports),
  ...servedLosses(served, supports.served),
]
