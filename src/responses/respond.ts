import { mapGet, mapKeys } from '../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type {
  CitationDelta,
  ContentDelta,
  ContentKind,
  Delta,
  FinalDelta,
  LossDelta,
  ServedDelta,
  StopDelta,
} from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { Head } from '../protocol/response.ts'
import { laterUsage } from '../protocol/usage.ts'
import { appendFlat, BLOCK } from '../text/flat-string.ts'
import { CITATIONS } from './apply-citations.ts'
import { announceKey, announceNamed, applyCallDelta, argumentsFor, ensureItem } from './calls.ts'
import { type Capabilities, citationType, type RespondContext, toRespondContext } from './capabilities.ts'
import { OWN_ORIGIN, type Seal, sealReasoning } from './encrypted-content.ts'
import { deltaEvent } from './events.ts'
import { dropUnanchoredCitations, finalStatus } from './final-status.ts'
import { DIFFERENT, missingOf } from './final-values.ts'
import { applyOpaque, HOSTED_ITEMS, openUnnumbered } from './hosted-tools.ts'
import { lastOpen } from './item-index.ts'
import { applyPhase, closeItem, toResponse } from './items.ts'
import { liveAt, openPart, partTypeOf, toStep } from './parts.ts'
import { inferLastPhases, inferPhases } from './phases/infer-phases.ts'
import {
  type ActivePart,
  commitActivePart,
  initialResponse,
  isKnownLoss,
  itemAt,
  type RespondState,
  type ResponseState,
  withItem,
  withLoss,
  withTokens,
  withUsage,
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
 * - If phases are inferred, the end of a message waits until its phase is known, with all events after it. The order is
 *   the same. `reportsPhases`: the upstream reports phases, so that none is inferred.
 *
 * Cost: a piece of the active part costs O(1), any other delta O(log n) for n items and parts so far and O(k) for its
 * own k characters. A delta that ends a text also costs O(k) for all of that text. No step copies or searches anything
 * that grows with the answer, however many items are open, so that an answer of n characters costs O(n log n) however
 * it is cut.
 */
export function respond(
  head: Head,
  words: Capabilities,
  seal: Seal = PLAIN_SEAL,
  sealOwn: Seal = PLAIN_SEAL,
  reportsPhases = false,
): Machine<RespondState, Delta, Event> {
  return new Reducer(head, toRespondContext(words, { seal, sealOwn }, reportsPhases, CITATIONS, HOSTED_ITEMS))
}

/** The machine of `respond`. A class, because every stream has one. */
export class Reducer implements Machine<RespondState, Delta, Event> {
  protected readonly head: Head
  protected readonly context: RespondContext

  constructor(head: Head, context: RespondContext) {
    this.head = head
    this.context = context
  }

  get initial(): RespondState {
    return { active: null, text: '', response: initialResponse(this.head) }
  }

  step(state: RespondState, delta: Delta): Step<RespondState, Event> {
    const { active } = state
    const piece = active === null ? '' : pieceFor(active, delta)
    if (active === null || piece === '') {
      // Many upstreams send usage in every chunk, which must not interrupt the active part. `created` carries usage
      // that arrives before it.
      if (delta.kind === 'usage' && (active !== null || !state.response.created))
        return { state: withUsage(state, delta.usage), events: NOTHING }
      if (delta.kind === 'served') {
        const { text, response } = state
        return { state: { active, text, response: withServed(response, delta) }, events: NOTHING }
      }
      // A loss begins no response, whose model may be named later, and interrupts no part.
      if (delta.kind === 'loss') {
        const { text, response } = state
        const isKnown = isKnownLoss(response, delta.feature)
        return {
          state: isKnown ? state : { active, text, response: withLoss(response, delta.feature) },
          events: NOTHING,
        }
      }
      return slowStep(state, delta, this.context)
    }
    const { text, response } = state.text.length < BLOCK ? state : toStep(commitActivePart(state), active)
    return {
      state: { active, text: appendFlat(text, piece), response },
      events: [deltaEvent(active, piece, null)],
    }
  }

  end(state: RespondState): readonly Event[] {
    const { context } = this
    const events: Event[] = []
    finish(begin(commitActivePart(state), events, context), events, context)
    return events
  }
}

/** Returns the text that this delta adds to the active part; empty if the delta does anything else. */
export function pieceFor(live: ActivePart, delta: Delta): string {
  switch (delta.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return delta.kind === live.kind && delta.key === live.key && delta.part === live.part && delta.logprobs === null
        ? delta.text
        : ''
    case 'call':
      return argumentsFor(live, delta)
    default:
      return ''
  }
}

/** Any delta that may begin the response. */
type OutputDelta = Exclude<Delta, ServedDelta | LossDelta>

function slowStep(state: RespondState, delta: OutputDelta, capabilities: RespondContext): Step<RespondState, Event> {
  const events: Event[] = []
  const settled = commitActivePart(state)
  const response = begin(delta.kind === 'start' ? withModel(settled, delta.model) : settled, events, capabilities)
  const next = apply(response, delta, events, capabilities)
  return { state: capabilities.infersPhases === true ? inferPhases(next, events) : next, events }
}

function begin(state: ResponseState, events: Event[], { earlyUsage = false }: RespondContext): ResponseState {
  if (state.created) return state
  const response = toResponse(state, 'in_progress', earlyUsage)
  events.push({ type: 'created', response, ...servedOf(state) }, { type: 'in_progress', response })
  return { ...state, created: true }
}

const withModel = (response: ResponseState, model: string): ResponseState => ({
  ...response,
  model,
  words: response.words === null ? { model } : { ...response.words, model },
})

const withServed = (response: ResponseState, { served, words }: ServedDelta): ResponseState => ({
  ...response,
  served: Object.keys(served).length === 0 ? response.served : { ...response.served, ...served },
  words: words === undefined ? response.words : { ...response.words, ...words },
})

const servedOf = ({ served }: ResponseState) => (served === null ? {} : { served })

function apply(
  response: ResponseState,
  delta: OutputDelta,
  events: Event[],
  capabilities: RespondContext,
): RespondState {
  switch (delta.kind) {
    case 'start':
      return toStep(response)
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return applyContent(response, delta, events, capabilities)
    case 'call':
      return applyCallDelta(response, delta, events, capabilities)
    case 'final':
      return applyFinal(response, delta, events, capabilities)
    case 'opaque':
      return toStep(applyOpaque(response, delta, events, capabilities))
    case 'phase':
      return toStep(applyPhase(response, delta, capabilities))
    case 'mark':
      return toStep(capabilities.citing?.mark(response, delta.key) ?? response)
    case 'citation':
      return toStep(applyCitation(response, delta, events, capabilities))
    case 'hosted':
      return toStep(
        capabilities.hosting?.apply(response, delta, events, capabilities) ?? withLoss(response, delta.item.type),
      )
    case 'progress':
      // The loss of the item includes its events.
      return toStep(capabilities.hosting?.progress?.(response, delta, events, capabilities) ?? response)
    case 'hold':
      return toStep(applyHold(response, delta.key, events, capabilities))
    case 'stop':
      return toStep(applyStop(response, delta, events, capabilities))
    case 'usage':
      return toStep({ ...response, usage: laterUsage(response.usage, delta.usage) })
    case 'finish':
      // Where calls are dropped, such as from a summary, none is missing.
      return toStep({
        ...response,
        finish: delta.reason,
        called: delta.called === true && capabilities.items.includes('function_call'),
      })
    case 'error':
      return toStep({ ...response, error: response.error ?? delta.error })
    case 'cut':
      return toStep({ ...response, cut: response.cut ?? delta.error })
  }
}

const applyCitation = (
  response: ResponseState,
  delta: CitationDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState =>
  capabilities.citing?.apply(response, delta, events, capabilities) ?? withLoss(response, citationType(delta.citation))

const ITEM_OF = {
  text: 'message',
  refusal: 'message',
  reasoning: 'reasoning',
  summary: 'reasoning',
} satisfies Record<ContentKind, 'message' | 'reasoning'>

function applyContent(
  response: ResponseState,
  delta: ContentDelta,
  events: Event[],
  capabilities: RespondContext,
): RespondState {
  if (delta.text === '') return toStep(response)
  const open = ensureItem(response, ITEM_OF[delta.kind], delta.key, events, capabilities)
  if (open === null) return toStep(withLoss(response, ITEM_OF[delta.kind]))
  const type = partTypeOf(delta.kind, capabilities)
  const ready = openPart(open, delta.part, type, events, capabilities)
  const live = liveAt(ready, open.at, delta.kind, delta.part)
  events.push(deltaEvent(live, delta.text, delta.logprobs))
  return delta.logprobs === null
    ? toStep(ready, live, delta.text)
    : toStep(withTokens(ready, live, delta.text, delta.logprobs), live)
}

function applyFinal(
  response: ResponseState,
  { whole }: FinalDelta,
  events: Event[],
  capabilities: RespondContext,
): RespondState {
  const ready = announceKey(response, whole.key, events, capabilities)
  const { rest, differs } = missingOf(ready, whole)
  return rest === null ? toStep(differs ? withLoss(ready, DIFFERENT) : ready) : apply(ready, rest, events, capabilities)
}

function applyHold(response: ResponseState, key: string, events: Event[], capabilities: RespondContext): ResponseState {
  const ready = announceKey(response, key, events, capabilities)
  const at = lastOpen(ready.index, 'message', key)
  return at < 0 ? ready : withItem(ready, at, { ...itemAt(ready, at), held: true })
}

function applyStop(
  response: ResponseState,
  { key, cut = false }: StopDelta,
  events: Event[],
  capabilities: RespondContext,
): ResponseState {
  let now = openUnnumbered(announceKey(response, key, events, capabilities), key, events, capabilities)
  for (const at of mapKeys(mapGet(now.index.openUnder, key) ?? null))
    now = closeItem(now, at, cut, events, capabilities)
  return now
}

function finish(response: ResponseState, events: Event[], capabilities: RespondContext): void {
  const started = mapKeys(response.calls.unnumbered).reduce(
    (now, key) => openUnnumbered(now, key, events, capabilities),
    announceNamed(response, events, capabilities),
  )
  const announced = dropUnanchoredCitations(started)
  const { status, error } = finalStatus(announced)
  let closed = announced
  for (const at of mapKeys(announced.index.open))
    closed = closeItem(closed, at, status !== 'completed', events, capabilities)
  if (capabilities.infersPhases === true) closed = inferLastPhases(closed, status === 'failed', events)
  if (error !== null) {
    const { code, message, param } = error
    events.push({ type: 'error', code, message, param, error: { type: code, code, message, param } })
  }
  events.push({ type: status, response: toResponse({ ...closed, error }, status), ...servedOf(closed) })
}
