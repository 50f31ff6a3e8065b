import type { CallItem, FunctionCallItem, HostedItem, Item } from '../../../protocol/item.ts'
import type { Response } from '../../../protocol/response.ts'
import { type Served, servedLosses } from '../../../protocol/served.ts'
import { usageLosses } from '../../../protocol/usage.ts'
import { isUsableCall } from '../../../responses/call-arguments.ts'
import { originLosses, phaseLosses } from '../../../responses/capabilities.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { ClientSupport } from '../../client-contract.ts'
import { hasInexactNumber } from '../large-numbers.ts'

/** The loss of arguments whose numbers were rounded. */
const ROUNDED_ARGUMENTS = 'a number beyond 2^53 in arguments'

function lossesOfCall(item: FunctionCallItem, parsed: boolean): readonly string[] {
  // Also for clients that receive the text: they cannot run the call, and the answer is incomplete for them.
  if (!isUsableCall(item)) return ['a call whose arguments are not a JSON object']
  return parsed && hasInexactNumber(item.arguments) ? [ROUNDED_ARGUMENTS] : []
}

const detailLosses = (item: CallItem, { namespaces }: ClientSupport): readonly string[] => [
  ...(namespaces || item.namespace === undefined ? [] : ['the namespace of a call']),
  ...originLosses(item),
]

/** Members of an item that the client receives without them. The vendor's own blocks are complete. */
function lossesOfHosted(
  { type, fields }: HostedItem,
  { openedPages, imageAddresses }: ClientSupport,
): readonly string[] {
  const { action, outputs, encrypted_content: sealed } = fields
  switch (type) {
    case 'web_search_call': {
      if (isNonEmptyString(sealed) || !isObject(action)) return []
      const { type: kind, query, queries } = action
      if (kind === 'search' && !openedPages && isNonEmptyString(query) && toArray(queries).some((one) => one !== query))
        return ['web_search_call.queries']
      if (kind !== 'open_page' && kind !== 'find_in_page') return []
      if (!openedPages) return ['web_search_call.action']
      return kind === 'find_in_page' ? ['web_search_call.pattern'] : []
    }
    case 'code_interpreter_call': {
      const isText = (output: unknown): boolean => isObject(output) && typeof output.logs === 'string'
      return isNonEmptyString(sealed) || toArray(outputs).every(isText) ? [] : ['code_interpreter_call.outputs']
    }
    case 'image_generation_call':
      return (imageAddresses === true ? IMAGE_FIELDS : [...IMAGE_FIELDS, 'url'])
        .filter((name) => isNonEmptyString(fields[name]) || isObject(fields[name]))
        .map((name) => `image_generation_call.${name}`)
    default:
      return []
  }
}

const IMAGE_FIELDS = ['prompt', 'revised_prompt', 'error', 'svg_usage'] as const

function lossesOfItem(
  item: Item,
  output: readonly Item[],
  supports: ClientSupport,
  streamed: boolean,
): readonly string[] {
  const { hosted, hasOwnForm, annotations, logprobs, sealed, argumentObjects } = supports
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
      if (hasOwnForm?.(item, output) === true) return []
      return hosted.includes(item.type) ? lossesOfHosted(item, supports) : [item.type]
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
  ...output.flatMap((item) => lossesOfItem(item, output, supports, streamed)),
  ...usageLosses(usage, supports),
  ...servedLosses(served, supports.served),
]
