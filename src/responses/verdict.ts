import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { ResponseStatus } from '../protocol/response.ts'
import { isCompleteJson } from '../text/json.ts'
import { type ItemState, type Story, withLoss } from './state.ts'

export const isOpen = (item: ItemState): boolean => item.item === null

/** Could this item be done now? A message or a reasoning item always, a call when its arguments are whole. */
export function isComplete(item: ItemState): boolean {
  switch (item.type) {
    case 'message':
    case 'reasoning':
      return true
    case 'function_call':
      return isCompleteJson(item.parts[0]?.text ?? '')
    default:
      return false
  }
}

export interface Verdict {
  readonly status: Exclude<ResponseStatus, 'in_progress'>
  readonly error: GatewayError | null
}

const TRUNCATED = upstreamError(
  'upstream_truncated',
  'The upstream ended its answer without saying that it was complete.',
)

/**
 * How the answer ends if nothing more comes. A transport that broke after the upstream had finished, with every call
 * whole, has spoiled nothing.
 */
export function verdict(story: Story): Verdict {
  const { error, cut, finish } = story
  if (error !== null) return { status: 'failed', error }
  if (finish === null) return { status: 'failed', error: cut ?? TRUNCATED }
  if (cut !== null && !story.items.every(isWhole)) return { status: 'failed', error: cut }
  return { status: finish === 'stop' ? 'completed' : 'incomplete', error: null }
}

const isWhole = (item: ItemState): boolean =>
  item.type !== 'function_call' || isComplete(item) || (item.parts[0]?.text ?? '').trim() === ''

/** What never found its place: a call without a name, a citation without a text. */
export function dropUnplaced(story: Story): Story {
  const calls = story.pending.length === 0 ? story : withLoss(story, 'a call without a name')
  return story.early.length === 0 ? calls : withLoss(calls, 'url_citation')
}
