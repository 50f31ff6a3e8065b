import { EMPTY_LIST, type List, listAppend, listAt, listOf, listToArray } from '../../collections/list.ts'
import { mapGet } from '../../collections/sorted-map.ts'
import type { Event, EventOf } from '../../protocol/event.ts'
import type { ItemType, MessageItem } from '../../protocol/item.ts'
import { toStep } from '../parts.ts'
import { itemAt, type RespondState, type ResponseState, withItem } from '../state.ts'

/**
 * Items after which an earlier text was not the answer: further text, and calls that the client answers. Sources and
 * images of an answer may follow it, and so may encrypted reasoning.
 */
const CONTINUING: ReadonlySet<ItemType> = new Set([
  'message',
  'function_call',
  'custom_tool_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
  'computer_call',
  'tool_search_call',
  'mcp_approval_request',
])

/** Returns the index of the item if the event shows that the model goes on after its earlier texts; else -1. */
function continuingAt(event: Event): number {
  switch (event.type) {
    case 'output_item.added':
      return CONTINUING.has(event.item.type) ? event.output_index : -1
    case 'reasoning_summary_part.added':
      return event.output_index
    case 'content_part.added':
      return event.part.type === 'reasoning_text' ? event.output_index : -1
    default:
      return -1
  }
}

type MessageEnd = EventOf<'output_item.done'> & { readonly item: MessageItem }

const isUndecided = (event: Event | undefined): event is MessageEnd =>
  event?.type === 'output_item.done' && event.item.type === 'message' && event.item.phase === undefined

/** Decides the phase of a message that has ended. Returns the event of its end with that phase. */
function decide(
  response: ResponseState,
  event: MessageEnd,
  phase: string,
): { readonly response: ResponseState; readonly event: Event } {
  const { output_index: at, item } = event
  const { type, id, status, role, content } = item
  const decided: MessageItem = { type, id, status, role, phase, content }
  return {
    response: withItem(response, at, { ...itemAt(response, at), phase, item: decided }),
    event: { ...event, item: decided },
  }
}

/** Emits the waiting events. `phase`: that of the message; null if it stays unknown. */
function release(response: ResponseState, phase: string | null, events: Event[]): ResponseState {
  const { waiting, latest } = response.phasing
  const [first, ...rest] = listToArray(waiting)
  const decided = isUndecided(first) && phase !== null ? decide(response, first, phase) : { response, event: first }
  if (decided.event !== undefined) events.push(decided.event)
  for (const event of rest) events.push(event)
  return { ...decided.response, phasing: { latest, waiting: EMPTY_LIST } }
}

const withWaiting = (response: ResponseState, waiting: List<Event>): ResponseState => ({
  ...response,
  phasing: { latest: response.phasing.latest, waiting },
})

/** Passes the events of one step through the waiting ones. Their order stays the same. */
function pass(response: ResponseState, events: Event[]): ResponseState {
  let now = response
  for (const event of events.splice(0)) {
    const at = continuingAt(event)
    const { latest, waiting } = now.phasing
    if (at > latest) now = { ...now, phasing: { latest: at, waiting } }
    if (at >= 0 && waiting.length > 0) now = release(now, 'commentary', events)
    if (now.phasing.waiting.length > 0) now = withWaiting(now, listAppend(waiting, event))
    else if (!isUndecided(event)) events.push(event)
    else if (event.output_index < now.phasing.latest) {
      const decided = decide(now, event, 'commentary')
      now = decided.response
      events.push(decided.event)
    } else now = withWaiting(now, listOf([event]))
  }
  return now
}

const concernsPhases = (event: Event): boolean => continuingAt(event) >= 0 || isUndecided(event)

/** Whether the last waiting event belongs to an item that the upstream still works on. */
function isAtWork({ index, phasing: { waiting } }: ResponseState): boolean {
  const last = listAt(waiting, waiting.length - 1)
  if (last === undefined || !('output_index' in last)) return false
  return last.output_index !== undefined && mapGet(index.open, last.output_index) === true && !isSealed(last)
}

/** Encrypted reasoning may belong to the text before it. */
const isSealed = (event: Event): boolean => event.type === 'output_item.added' && event.item.type === 'reasoning'

/**
 * Infers the phases of messages for an upstream that reports none, from the events of one step, which are replaced: a
 * text before which nothing else follows is the answer, any other one is commentary. The end of a message waits until
 * that is known, and later events wait behind it, at most until the model writes something that is streamed. A step
 * costs O(log n), and O(k) for k events that it releases.
 */
export function inferPhases(state: RespondState, events: Event[]): RespondState {
  const { active, text, response } = state
  // Most steps emit a piece of a text.
  if (response.phasing.waiting.length === 0 && !events.some(concernsPhases)) return state
  const passed = pass(response, events)
  if (passed.phasing.waiting.length === 0) return toStep(passed, active, text)
  // The pieces of an active part do not wait.
  const isOver = active !== null || isAtWork(passed)
  return toStep(isOver ? release(passed, 'commentary', events) : passed, active, text)
}

/** The same for the last events of an answer. The last text of a failed answer may have been anything. */
export function inferLastPhases(response: ResponseState, hasFailed: boolean, events: Event[]): ResponseState {
  const passed = pass(response, events)
  return passed.phasing.waiting.length === 0 ? passed : release(passed, hasFailed ? null : 'final_answer', events)
}
