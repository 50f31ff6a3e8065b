import { mapGet, mapKeys } from '../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { ContentDelta, ContentKind, Delta, StopDelta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { ItemType } from '../protocol/item.ts'
import type { Head } from '../protocol/response.ts'
import { append, BLOCK } from '../text/flat-string.ts'
import { applyCitation, applyMark } from './apply-citations.ts'
import { announceKey, announceNamed, hearCall, openItem } from './calls.ts'
import type { RespondContext, Speech } from './capabilities.ts'
import { OWN_ORIGIN, type Seal, sealReasoning } from './encrypted-content.ts'
import { deltaEvent } from './events.ts'
import { dropUnplaced, verdict } from './final-status.ts'
import { hearHosted, hearOpaque } from './hosted-tools.ts'
import { lastOpen } from './item-index.ts'
import { closeItem, toResponse } from './items.ts'
import { liveAt, openPart, partTypeOf, told } from './parts.ts'
import {
  counted,
  isKnownLoss,
  itemAt,
  type Live,
  openingStory,
  type RespondState,
  type Story,
  settle,
  withItem,
  withLoss,
  withTokens,
} from './state.ts'

/** The default seal, for translations whose answers do not come back: its envelopes are bound to no origin. */
const PLAIN_SEAL: Seal = (payload) => sealReasoning(OWN_ORIGIN, payload)

/**
 * The Responses API as one pure reducer: deltas in any order → a well-bracketed stream of events.
 *
 * The order, all of it:
 * - `created`, `in_progress`, then items, then exactly one of `completed`, `incomplete`, `failed`.
 * - Text of a new kind or key opens a new item; before it opens, every open item that is complete is done. A message or
 *   a reasoning item is always complete, unless it is held; a call is complete when its arguments are whole JSON. Items
 *   therefore follow one another. Only calls that their upstream really interleaves overlap, and items that the
 *   upstream holds open for more content.
 * - A call is announced when its name is settled: at its first argument, or when anything else happens.
 * - No delta ends the stream. The end of the input does, and `end` then emits everything that is still missing.
 *
 * Cost: a piece of the active part costs O(1), any other delta O(log n) for n items and parts so far and O(k) for its
 * own k characters. A delta that ends a text also costs O(k) for all of that text. No step copies or searches anything
 * that grows with the answer, however many items are open, so that an answer of n characters costs O(n log n) however
 * it is cut.
 */
export function respond(
  head: Head,
  words: Speech,
  seal: Seal = PLAIN_SEAL,
  sealOwn: Seal = PLAIN_SEAL,
): Machine<RespondState, Delta, Event> {
  const speech: RespondContext = { ...words, seal, sealOwn }
  return {
    initial: { live: null, text: '', story: openingStory(head) },

    step(state, delta): Step<RespondState, Event> {
      const { live } = state
      const piece = live === null ? '' : pieceFor(live, delta)
      if (live === null || piece === '') {
        // Many upstreams send usage in every chunk, which must not interrupt the active part. `created` carries usage
        // that arrives before it.
        if (delta.kind === 'usage' && (live !== null || !state.story.created))
          return { state: counted(state, delta.usage), events: NOTHING }
        if (delta.kind === 'loss' && isKnownLoss(state.story, delta.feature)) return { state, events: NOTHING }
        return slowStep(state, delta, speech)
      }
      const { text, story } = state.text.length < BLOCK ? state : told(settle(state), live)
      return {
        state: { live, text: append(text, piece), story },
        events: [deltaEvent(live, piece, null)],
      }
    },

    end(state) {
      const say: Event[] = []
      finish(begin(settle(state), say, speech), say, speech)
      return say
    },
  }
}

/** Returns the text that this delta adds to the active part; empty if the delta does anything else. */
export function pieceFor(live: Live, delta: Delta): string {
  switch (delta.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return delta.kind === live.kind && delta.key === live.key && delta.part === live.part && delta.logprobs === null
        ? delta.text
        : ''
    case 'call':
      return live.kind === 'call' && delta.key === live.key && delta.callId === null && delta.name === null
        ? delta.arguments
        : ''
    default:
      return ''
  }
}

function slowStep(state: RespondState, delta: Delta, speech: RespondContext): Step<RespondState, Event> {
  const say: Event[] = []
  const settled = settle(state)
  const story = begin(delta.kind === 'start' ? { ...settled, model: delta.model } : settled, say, speech)
  const next = hear(story, delta, say, speech)
  return { state: next, events: say }
}

function begin(story: Story, say: Event[], { earlyUsage = false }: RespondContext): Story {
  if (story.created) return story
  const response = { ...toResponse(story, 'in_progress'), usage: earlyUsage ? story.usage : null }
  say.push({ type: 'created', response }, { type: 'in_progress', response })
  return { ...story, created: true }
}

function hear(story: Story, delta: Delta, say: Event[], speech: RespondContext): RespondState {
  switch (delta.kind) {
    case 'start':
      return told(story)
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return hearContent(story, delta, say, speech)
    case 'call':
      return hearCall(story, delta, say, speech)
    case 'opaque':
      return told(hearOpaque(story, delta, say, speech))
    case 'mark':
      return told(applyMark(story, delta.key))
    case 'citation':
      return told(applyCitation(story, delta, say, speech))
    case 'hosted':
      return told(hearHosted(story, delta, say, speech))
    case 'hold':
      return told(hearHold(story, delta.key, say, speech))
    case 'stop':
      return told(hearStop(story, delta, say, speech))
    case 'usage':
      return told({ ...story, usage: delta.usage })
    case 'finish':
      return told({ ...story, finish: delta.reason })
    case 'error':
      return told({ ...story, error: story.error ?? delta.error })
    case 'cut':
      return told({ ...story, cut: story.cut ?? delta.error })
    case 'loss':
      return told(withLoss(story, delta.feature))
  }
}

const ITEM_OF = {
  text: 'message',
  refusal: 'message',
  reasoning: 'reasoning',
  summary: 'reasoning',
} satisfies Record<ContentKind, ItemType>

function hearContent(story: Story, delta: ContentDelta, say: Event[], speech: RespondContext): RespondState {
  if (delta.text === '') return told(story)
  const open = openItem(story, ITEM_OF[delta.kind], delta.key, say, speech)
  if (open === null) return told(withLoss(story, ITEM_OF[delta.kind]))
  const type = partTypeOf(delta.kind, speech)
  const ready = openPart(open, delta.part, type, say, speech)
  const live = liveAt(ready, open.at, delta.kind, delta.part)
  say.push(deltaEvent(live, delta.text, delta.logprobs))
  return delta.logprobs === null
    ? told(ready, live, delta.text)
    : told(withTokens(ready, live, delta.text, delta.logprobs), live)
}

function hearHold(story: Story, key: string, say: Event[], speech: RespondContext): Story {
  const ready = announceKey(story, key, say, speech)
  const at = lastOpen(ready.index, 'message', key)
  return at < 0 ? ready : withItem(ready, at, { ...itemAt(ready, at), held: true })
}

function hearStop(story: Story, { key, cut = false }: StopDelta, say: Event[], speech: RespondContext): Story {
  let now = announceKey(story, key, say, speech)
  for (const at of mapKeys(mapGet(now.index.openUnder, key) ?? null)) now = closeItem(now, at, cut, say, speech)
  return now
}

function finish(story: Story, say: Event[], speech: RespondContext): void {
  const announced = dropUnplaced(announceNamed(story, say, speech))
  const { status, error } = verdict(announced)
  let closed = announced
  for (const at of mapKeys(announced.index.open)) closed = closeItem(closed, at, status !== 'completed', say, speech)
  if (error !== null) {
    const { code, message, param } = error
    say.push({ type: 'error', code, message, param, error: { type: code, code, message, param } })
  }
  say.push({ type: status, response: toResponse({ ...closed, error }, status) })
}
