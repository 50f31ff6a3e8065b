import { listAppend } from '../collections/list.ts'
import type { ContentKind } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import { annotateWaiting, forgetCitations, takeEarly } from './apply-citations.ts'
import type { RespondContext } from './capabilities.ts'
import { addressOf, deltaEvent, isContent, partEvent, textDoneEvent, toPart } from './events.ts'
import {
  itemAt,
  type Live,
  lastPart,
  newPart,
  type PartState,
  type RespondState,
  type RunType,
  type Story,
  withItem,
  withParts,
} from './state.ts'

/** Returns the state after a delta: the part that is active then, and the text that the delta has added to it. */
export const told = (story: Story, live: Live | null = null, text = ''): RespondState => ({ live, text, story })

export interface Opened {
  readonly story: Story
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
  { story, at }: Opened,
  name: string,
  type: RunType,
  say: Event[],
  speech: RespondContext,
): Story {
  const last = lastPart(itemAt(story, at))
  if (last !== undefined && last.name === name && last.type === type) return story
  const closed = last === undefined ? story : forgetCitations(closePart(story, at, say, speech), at)
  const item = itemAt(closed, at)
  const isSummary = type === 'summary_text'
  const part = newPart(name, type, isSummary ? item.summaries : item.parts.length - item.summaries)
  const summaries = isSummary ? item.summaries + 1 : item.summaries
  const opened = withItem(closed, at, withParts(item, listAppend(item.parts, part), summaries))
  say.push(partEvent(addressOf(opened, at, part), 'added', toPart(part)))
  return type === 'output_text' ? takeEarly(opened, at, name) : opened
}

export function liveAt(story: Story, at: number, kind: Live['kind'], part: string): Live {
  const item = itemAt(story, at)
  const position = item.parts.length - 1
  return { kind, key: item.key, part, position, ...addressOf(story, at, lastPart(item) as PartState) }
}

export function appendText(story: Story, at: number, text: string, say: Event[]): RespondState {
  const live = liveAt(story, at, 'call', '')
  say.push(deltaEvent(live, text, null))
  return told(story, live, text)
}

/** Ends the last part of an item: places its waiting citations, then emits its whole text and its closing event. */
export function closePart(story: Story, at: number, say: Event[], speech: RespondContext): Story {
  const open = lastPart(itemAt(story, at))
  if (open === undefined) return story
  const cited = open.cited === null ? story : annotateWaiting(story, at, say, speech)
  const item = itemAt(cited, at)
  const part = lastPart(item) as PartState
  const address = addressOf(cited, at, part)
  say.push(textDoneEvent(address, part, item.call?.name ?? ''))
  if (isContent(part.type)) say.push(partEvent(address, 'done', toPart(part)))
  return cited
}
