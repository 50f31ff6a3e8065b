import { listToArray } from '../collections/list.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { ResponseStatus } from '../protocol/response.ts'
import { isCompleteJson } from '../text/json.ts'
import { type ItemState, lastPart, type ResponseState, withLoss } from './state.ts'

export const isOpen = (item: ItemState): boolean => item.item === null

/** Returns the arguments of an open call. */
export const callJson = (item: ItemState): string => lastPart(item)?.text ?? ''

/** Returns whether the arguments of a call were not cut. O(n). */
export const isWholeCall = (json: string): boolean => isCompleteJson(json)

interface FinalStatus {
  readonly status: Exclude<ResponseStatus, 'in_progress'>
  readonly error: GatewayError | null
}

export const NO_CALL = upstreamError('server_error', 'The upstream stopped for a tool call, but sent none.')

const TRUNCATED = upstreamError('upstream_truncated', 'The upstream response ended before it was complete.')

/**
 * Returns the final status if no more deltas arrive. A transport that broke after the upstream had finished, with every
 * call whole, does not make the answer fail.
 */
export function finalStatus(response: ResponseState): FinalStatus {
  const { error, cut, finish } = response
  if (error !== null) return { status: 'failed', error }
  if (finish === null) return { status: 'failed', error: cut ?? TRUNCATED }
  if (cut !== null && !listToArray(response.items).every(isWhole)) return { status: 'failed', error: cut }
  if (finish !== 'stop') return { status: 'incomplete', error: null }
  return response.called && !hasCall(response) && !hasText(response)
    ? { status: 'failed', error: NO_CALL }
    : { status: 'completed', error: null }
}

/** Whether the answer has any call, or an item of a tool. A call that has no name is a call, too. */
const hasCall = ({ items, calls }: ResponseState): boolean =>
  calls.named !== null ||
  calls.nameless !== null ||
  listToArray(items).some(({ type }) => type !== 'message' && type !== 'reasoning')

/** An answer with text is one, whatever word some servers end it with. */
const hasText = ({ items }: ResponseState): boolean =>
  listToArray(items).some(({ type, item, parts }) => {
    if (type !== 'message') return false
    const content = item === null ? listToArray(parts) : item.type === 'message' ? item.content : []
    return content.some((part) => ('text' in part ? part.text : part.refusal).trim() !== '')
  })

function isWhole(state: ItemState): boolean {
  const { type, item } = state
  if (type !== 'function_call') return true
  if (item === null && state.call?.wraps === true) return true
  if (item === null) return isWholeCall(callJson(state)) || callJson(state).trim() === ''
  return item.type !== 'function_call' || item.status === 'completed' || item.arguments.trim() === ''
}

/** Records a loss for calls that never received a name, and for citations that never received a text. */
export function dropUnanchoredCitations(response: ResponseState): ResponseState {
  const calls = response.calls.nameless === null ? response : withLoss(response, 'a call without a name')
  return response.citing.early === null ? calls : withLoss(calls, 'url_citation')
}
