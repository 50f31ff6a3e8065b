import { mapGet, mapValues } from '../../../collections/sorted-map.ts'
import { type Frame, isDone, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Remainder, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { toServiceTier } from '../../../protocol/served.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import { failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { shortWord, stoppedWith } from '../../shared/upstream/answers/finish-reasons.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { isEmptyError, isFiltered, upstreamErrorOf } from '../errors.ts'
import { AWAITS_RESULTS, type EVENTS, isBody, STATUSES } from '../terms.ts'
import { toUsage } from '../usage.ts'
import { INITIAL, type InteractionState } from './state.ts'
import { applyDelta, applyFailure, beginStep, emitGiven, endStep, endSteps } from './steps.ts'

/**
 * Decodes events (docs/wires/gemini-interactions.md, 2). Steps may interleave: each has the index that its events name.
 * O(k) for an event of k characters, and O(log n) more after n other steps.
 */
export const decodeStream = (): Machine<InteractionState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<InteractionState, Delta> {
    if (isOver(state)) return { state, events: NOTHING }
    if (isDone(frame)) return { state: { ...state, over: true }, events: filterEnd(state) }
    const value = jsonOf(frame)
    if (isObject(value)) return applyEvent(state, value, frame.event)
    return readUnreadable({ decoder: this, ...NOISE }, state, frame)
  },

  remainder: (state): Remainder =>
    isOver(state) ? 'nothing' : state.failed || state.filtered !== null ? 'details' : 'more',

  end(state) {
    if (state.over) return NOTHING
    const deltas: Deltas = []
    for (const step of mapValues(state.steps)) emitGiven(step, deltas)
    return [...deltas, ...filterEnd(state)]
  },
})

/** The end of a stream that has no last event after the verdict of a filter. */
function filterEnd({ filtered, hasContent, failed }: InteractionState): readonly Delta[] {
  if (filtered === null || failed) return NOTHING
  return [hasContent ? { kind: 'finish', reason: 'content_filter' } : { kind: 'error', error: filtered }]
}

const NOISE = {
  noiseOf: ({ noise }: InteractionState): number => noise,
  withNoise: (state: InteractionState, noise: number): InteractionState => ({ ...state, noise }),
  toError: upstreamErrorOf,
}

const isOver = ({ over, noise }: InteractionState): boolean => over || hasTooManyUnreadable(noise)

type ApplyEvent = (state: InteractionState, event: JsonRecord, deltas: Deltas) => InteractionState

/** Event → its decoder. Some documents name the status in the event in place of `interaction.status_update`. */
const DECODERS: Readonly<Record<(typeof EVENTS)[number], ApplyEvent>> = {
  'interaction.created': (state, { interaction }, deltas) => {
    const created = { ...state, created: headOf(interaction) }
    return isObject(interaction)
      ? applyUsage(applyModel(created, interaction, deltas), interaction.usage, deltas)
      : created
  },
  'interaction.status_update': applyStatus,
  'interaction.queued': applyStatus,
  'interaction.in_progress': applyStatus,
  'interaction.requires_action': applyStatus,
  'step.start': (state, event, deltas) =>
    isObject(event.step) ? applyStart(state, indexOf(event, state), event.step, deltas) : state,
  'step.delta': applyStepDelta,
  'step.stop': (state, event, deltas) => {
    const index = indexOf(event, state)
    const counted = applyUsage(state, event.usage, deltas)
    const step = mapGet(counted.steps, index)
    return step === undefined ? counted : endStep(counted, index, step, deltas, event.status === 'incomplete')
  },
  'interaction.completed': (state, { interaction }, deltas) =>
    applyEnd(state, isObject(interaction) ? interaction : {}, 'completed', deltas),
  error: (state, { error }, deltas) => applyError(state, error, deltas),
}

function headOf(interaction: unknown): JsonObject {
  const { id, model } = isObject(interaction) ? interaction : {}
  return { ...(isNonEmptyString(id) ? { id } : {}), ...(isNonEmptyString(model) ? { model } : {}) }
}

function applyEvent(state: InteractionState, event: JsonRecord, name: string): Step<InteractionState, Delta> {
  const deltas: Deltas = []
  const type = isNonEmptyString(event.event_type) ? event.event_type : name
  const apply = lookup<ApplyEvent>(DECODERS, type)
  if (apply !== undefined) return { state: apply(state, event, deltas), events: deltas }
  // Some failures come as bare JSON without an event (googleapis/js-genai#1973), and some proxies send a whole body.
  if (event.error) return { state: applyError(state, event.error, deltas), events: deltas }
  if (isBody(event)) return { state: applyBody(state, event, deltas), events: deltas }
  return { state, events: lossesIn(event, type) }
}

/** Decodes an event without a decoder: a failure, or the loss of an event of another kind. */
function lossesIn(event: JsonRecord, type: string): readonly Delta[] {
  const failure = failureIn(event)
  if (failure !== null) return [{ kind: 'error', error: upstreamErrorOf(failure) }]
  return type === '' || type === 'done' ? NOTHING : [{ kind: 'loss', feature: `event ${shortWord(type)}` }]
}

/** The index of an event; without one, the event is about the last step. */
const indexOf = ({ index }: JsonRecord, { count }: InteractionState): string =>
  typeof index === 'number' || isNonEmptyString(index) ? `${index}` : `last ${count}`

function applyStart(state: InteractionState, index: string, step: JsonRecord, deltas: Deltas): InteractionState {
  const open = mapGet(state.steps, index)
  const free = open === undefined ? state : endStep(state, index, open, deltas)
  return beginStep(free, index, step, deltas)
}

function applyStepDelta(state: InteractionState, event: JsonRecord, deltas: Deltas): InteractionState {
  const { delta, metadata } = event
  if (!isObject(delta)) {
    emitWrongKind('delta', delta, deltas)
    return state
  }
  const index = indexOf(event, state)
  const next = applyDelta(state, index, mapGet(state.steps, index), delta, deltas)
  return isObject(metadata) ? applyUsage(next, metadata.total_usage, deltas) : next
}

// ---------------------------------------------------------------- the interaction

/** Usage before the end is cumulative: the last one counts. */
function applyUsage(state: InteractionState, found: unknown, deltas: Deltas): InteractionState {
  if (!isObject(found)) {
    emitWrongKind('usage', found, deltas)
    return state
  }
  const usage = toUsage(found)
  if (usage !== null) deltas.push({ kind: 'usage', usage })
  return state
}

function applyModel(state: InteractionState, { model, id }: JsonRecord, deltas: Deltas): InteractionState {
  if (!isNonEmptyString(model) || model === state.model) return state
  emitWords({ id }, deltas)
  deltas.push({ kind: 'start', model })
  return { ...state, model }
}

function emitToken({ continuation_token: token }: JsonRecord, deltas: Deltas): void {
  if (isNonEmptyString(token)) deltas.push({ kind: 'served', served: { continuation_token: token } })
}

function applyStatus(state: InteractionState, event: JsonRecord, deltas: Deltas): InteractionState {
  emitToken(event, deltas)
  return applyUsage(state, event.usage, deltas)
}

/** An empty failure decides nothing if the answer ends all the same. */
function applyError(state: InteractionState, error: unknown, deltas: Deltas): InteractionState {
  if (!isEmptyError(error)) return applyFailure(state, error, deltas)
  deltas.push({ kind: 'cut', error: upstreamErrorOf(error) })
  return state
}

/** The end has no steps, unless an upstream repeats them, or sends none before. */
function applyEnd(state: InteractionState, interaction: JsonRecord, usual: string, deltas: Deltas): InteractionState {
  const named = applyModel(state, interaction, deltas)
  const filled = named.count === 0 ? applySteps(named, interaction.steps, deltas) : named
  const ended = endSteps(filled, deltas)
  const counted = applyUsage(ended, interaction.usage, deltas)
  const tier = toServiceTier(interaction.service_tier)
  if (tier !== null) deltas.push({ kind: 'served', served: { service_tier: tier } })
  emitToken(interaction, deltas)
  return { ...emitEnd(counted, interaction, usual, deltas), over: true }
}

const applySteps = (state: InteractionState, steps: unknown, deltas: Deltas): InteractionState =>
  toArray(steps).reduce<InteractionState>((now, found, at) => {
    if (!isObject(found)) {
      emitWrongKind('steps', found, deltas)
      return now
    }
    const index = `${at}`
    const started = beginStep(now, index, found, deltas)
    const step = mapGet(started.steps, index)
    return step === undefined ? started : endStep(started, index, step, deltas)
  }, state)

const NOT_FINISHED = (status: string) =>
  upstreamError('upstream_truncated', `The upstream has not finished its answer: its status is "${status}".`)

/** Emits how the answer ended, by its status. */
function emitEnd(
  state: InteractionState,
  { status, errors }: JsonRecord,
  usual: string,
  deltas: Deltas,
): InteractionState {
  if (state.failed) return state
  const word = scalarToString(status) || usual
  const [failure] = toArray(errors)
  emitWords({ finishReason: shortWord(word) }, deltas)
  const isCut = lookup(STATUSES, word) === 'max_output_tokens'
  if (isCut && (state.filtered !== null || isFiltered(failure))) {
    deltas.push({ kind: 'finish', reason: 'content_filter' })
    return state
  }
  if (state.filtered !== null) {
    deltas.push({ kind: 'error', error: state.filtered })
    return state
  }
  const reason = word === '' && state.hasContent ? 'stop' : lookup(STATUSES, word)
  if (reason === 'failed' || (reason === undefined && !state.hasContent)) {
    deltas.push(isObject(failure) ? { kind: 'error', error: upstreamErrorOf(failure) } : stoppedWith(word))
  } else if (reason === 'open') deltas.push({ kind: 'cut', error: NOT_FINISHED(word) })
  else {
    if (reason === undefined) emitLoss(`status ${shortWord(word)}`, deltas)
    const called = word === AWAITS_RESULTS ? { called: true } : {}
    deltas.push({ kind: 'finish', reason: reason ?? 'stop', ...called })
  }
  return state
}

// ---------------------------------------------------------------- whole bodies

function applyBody(state: InteractionState, body: JsonRecord, deltas: Deltas): InteractionState {
  return applyEnd(state, body, '', deltas)
}

/** Decodes a body: its steps as a stream of steps that are whole from their start. */
export function decodeBody(body: unknown): readonly Delta[] {
  const deltas: Deltas = []
  if (isObject(body) && body.error) deltas.push(...filterEnd(applyError(INITIAL, body.error, deltas)))
  else if (isObject(body) && (isBody(body) || Array.isArray(body.steps))) applyBody(INITIAL, body, deltas)
  else {
    const failure = failureIn(body)
    return failure === null ? NOTHING : [{ kind: 'error', error: upstreamErrorOf(failure) }]
  }
  return deltas
}
