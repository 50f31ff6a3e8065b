import { listAppend } from '../collections/list.ts'
import type { ContentKind } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { RespondContext } from './capabilities.ts'
import { addressOf, deltaEvent, isContent, partEvent, textDoneEvent, toPart } from './events.ts'
import {
  type ActivePart,
  commitActivePart,
  itemAt,
  lastPart,
  newPart,
  type PartState,
  type RespondState,
  type ResponseState,
  type RunType,
  runOf,
  withItem,
  withPart,
  withParts,
} from './state.ts'

/** Returns the state after a delta: the part that is active then, and the text that the delta has added to it. */
export const toStep = (response: ResponseState, live: ActivePart | null = null, text = ''): RespondState => ({
  active: live,
  text,
  response,
})

export interface Opened {
  readonly response: ResponseState
  readonly at: number
}

export function partTypeOf(kind: ContentKind, { parts }: RespondContext): RunType {
  switch (kind) {
    case 'text':
      return 'output_text'
    case 'refusal':
      return parts.includes('refusal') ? 'refusal' : 'output_text'
    case 'reasoning':
      return parts.includes('reasoning_text') ? 'reasoning_text' : 'summary_text'
    case 'summary':
      return 'summary_text'
  }
}

/** Continues the last part of the item if it has that name and type; otherwise closes it and opens a new one. */
export function openPart(
  { response, at }: Opened,
  name: string,
  type: RunType,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const last = lastPart(itemAt(response, at))
  if (last !== undefined && last.name === name && last.type === type) return response
  const closed =
    last === undefined ? response : forgetCitations(closePart(response, at, events, capabilities), at, capabilities)
  const item = itemAt(closed, at)
  const isSummary = type === 'summary_text'
  const part = newPart(name, type, isSummary ? item.summaries : item.parts.length - item.summaries)
  const summaries = isSummary ? item.summaries + 1 : item.summaries
  const opened = withItem(closed, at, withParts(item, listAppend(item.parts, part), summaries))
  events.push(partEvent(addressOf(opened, at, part), 'added', toPart(part)))
  return type === 'output_text' ? (capabilities.citing?.takeEarly(opened, at, name) ?? opened) : opened
}

const forgetCitations = (response: ResponseState, at: number, { citing }: RespondContext): ResponseState =>
  citing?.forget(response, at) ?? response

export function liveAt(response: ResponseState, at: number, kind: ActivePart['kind'], part: string): ActivePart {
  const item = itemAt(response, at)
  const position = item.parts.length - 1
  return { kind, key: item.key, part, position, ...addressOf(response, at, lastPart(item) as PartState) }
}

export function appendToPart(response: ResponseState, at: number, text: string, events: Event[]): RespondState {
  const live = liveAt(response, at, 'call', '')
  events.push(deltaEvent(live, text, null))
  return toStep(response, live, text)
}

const placeCitations = (
  response: ResponseState,
  at: number,
  { cited }: PartState,
  events: Event[],
  capabilities: RespondContext,
): ResponseState =>
  cited === null ? response : (capabilities.citing?.placeWaiting(response, at, events, capabilities) ?? response)

/** Ends the last part of an item: places its waiting citations, then emits its whole text and its closing event. */
export function closePart(
  response: ResponseState,
  at: number,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  const open = lastPart(itemAt(response, at))
  if (open === undefined) return response
  const cited = placeCitations(response, at, open, events, capabilities)
  const item = itemAt(cited, at)
  const part = lastPart(item) as PartState
  const address = addressOf(cited, at, part)
  events.push(textDoneEvent(address, part, item.call?.name ?? ''))
  if (isContent(part.type)) events.push(partEvent(address, 'done', toPart(part)))
  return cited
}

/** All text of the active part so far. */
export const liveText = ({ active, text, response }: RespondState): string =>
  active === null ? '' : runOf(response, active).text + text

export const liveLength = ({ active, text, response }: RespondState): number =>
  active === null ? 0 : runOf(response, active).text.length + text.length

/**
 * The same state, in which the text of the active part is one string. A text in two parts would become another string
 * each time it is read, and V8 copies both of them to see that they are equal.
 */
export function withWholeText(state: RespondState): RespondState {
  const { active, text, response } = state
  const isSplit = active !== null && text !== '' && runOf(response, active).text !== ''
  return isSplit ? toStep(commitActivePart(state), active) : state
}

/**
 * The state without the text of the active part, for an answer that is never written. The arguments of a call are kept,
 * because they decide whether it is complete, and a text with citations, whose offsets are counted in it.
 */
export function withoutText(state: RespondState): RespondState {
  const { active, response } = state
  if (active === null || active.kind === 'call') return state
  const part = runOf(response, active)
  if (part.cited !== null) return state
  const rest =
    part.text === '' ? response : withPart(response, active.output_index, active.position, { ...part, text: '' })
  return { active, text: '', response: rest }
}
