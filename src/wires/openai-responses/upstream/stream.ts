import { type Frame, isDone, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import { appendFlat, BLOCK } from '../../../text/flat-string.ts'
import { isDeeperThan, isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import {
  DROPPED,
  eventOfResponse,
  ITEM_OF,
  PARTS,
  PIECES,
  reportsFailure,
  SILENT,
  TERMINALS,
  WHOLES,
} from '../terms.ts'
import { applyStart, emitMore, emitUnknown, emitWrongDelta, isCall, pieceOf, pieceText, settleItem } from './deltas.ts'
import { applyAdded, applyAnnotation, applyDone, applyPart, applyWhole, emitProgress, withHostedText } from './items.ts'
import {
  commitText,
  type DecoderProgress,
  ensureRun,
  findItem,
  INITIAL,
  idsOf,
  initialState,
  innerIndex,
  type LiveRun,
  NOISE,
  type PartRun,
  partRunOf,
  type ResponsesState,
  receivedItemAt,
  toIndex,
  toState,
} from './state.ts'
import { applyEnd, errorDelta } from './terminal.ts'

/**
 * Decodes Responses events (docs/wires/openai-responses.md, 2). The same text comes several times: in pieces, in
 * finished parts, in finished items and in the finished response. It is emitted once, from the event that has it first;
 * later events add only what is missing.
 *
 * O(1) for more of the active part, O(log n) for any other event after n items and parts. A whole text that is repeated
 * costs its own length.
 */
export const decodeStream = (quirks: Quirks): Machine<ResponsesState, Frame, Delta> => ({
  initial: initialState(quirks),

  step(state, frame): Step<ResponsesState, Delta> {
    if (isOver(state)) return { state, events: NOTHING }
    // OpenRouter and the dialects of this gateway end a stream with `[DONE]`.
    if (isDone(frame)) {
      return { state: toState({ ...commitText(state), over: true }), events: NOTHING }
    }
    const value = jsonOf(frame)
    if (!isObject(value)) {
      const read = readUnreadable({ decoder: this, ...NOISE }, state, frame)
      return frame.event === 'error' && read.state.progress.noise > state.progress.noise
        ? { state, events: [errorDelta(value ?? frame.data)] }
        : read
    }
    const event = eventOfResponse(value as JsonObject, frame.event)
    const { live } = state
    if (live !== null && goesOn(live, event)) {
      const piece = event.delta as string
      const { text, progress } = state.text.length < BLOCK ? state : toState(commitText(state), live)
      return {
        state: { live, text: appendFlat(text, piece), progress },
        events: live.held ? NOTHING : [pieceOf(live.of, live.key, live.part, piece, logprobsOf(event))],
      }
    }
    const deltas: Delta[] = []
    const next = applyEvent(commitText(state), event, frame.event, deltas, quirks)
    // A heartbeat leaves the state as it is.
    const isSame = next.progress === state.progress && next.live === live
    return { state: isSame ? state : next, events: deltas }
  },

  remainder: (state) => (isOver(state) ? 'nothing' : 'more'),

  // The terminal event reports how a response ended. A stream without one was cut off.
  end(state) {
    const deltas: Delta[] = []
    const progress = commitText(state)
    for (let at = 0; at < progress.items.length; at += 1) settleItem(progress, at, deltas)
    return deltas
  },
})

const isOver = ({ progress }: ResponsesState): boolean => progress.over || hasTooManyUnreadable(progress.noise)

const TOO_DEEP: readonly Delta[] = [
  {
    kind: 'error',
    error: upstreamError(
      'upstream_invalid',
      `The upstream response is nested deeper than ${MAX_LENGTHS.nesting} levels.`,
    ),
  },
]

/**
 * Decodes a whole response like a terminal event. Its items may be passed through, so it must not be nested too deep.
 */
export function decodeBody(body: unknown, quirks: Quirks): readonly Delta[] {
  const failure = isAnswer(body) ? null : failureIn(body)
  if (failure !== null) return [errorDelta(failure)]
  if (!isObject(body)) return NOTHING
  if (isDeeperThan(MAX_LENGTHS.nesting, body)) return TOO_DEEP
  const deltas: Delta[] = []
  applyEnd(applyModel(INITIAL.progress, body, deltas), body, 'open', deltas, quirks)
  return deltas
}

/** Whether a body is a response, failed or not. */
const isAnswer = (body: unknown): boolean =>
  isObject(body) &&
  (Array.isArray(body.output) ||
    Boolean(body.output_text) ||
    Boolean(body.error) ||
    isObject(body.incomplete_details) ||
    body.object === 'response')

const goesOn = (live: LiveRun, event: JsonRecord): boolean =>
  event.type === live.event &&
  event.output_index === live.index &&
  innerIndex(event, live.of) === live.inner &&
  isNonEmptyString(event.delta) &&
  idsOf(event, live.of) === live.ids &&
  !(live.held && logprobsOf(event) !== null)

const logprobsOf = ({ logprobs }: JsonRecord) =>
  Array.isArray(logprobs) && logprobs.length > 0 ? toLogprobs(logprobs) : null

function applyEvent(
  progress: DecoderProgress,
  event: JsonRecord,
  name: string,
  deltas: Deltas,
  quirks: Quirks,
): ResponsesState {
  const type = isNonEmptyString(event.type) ? event.type : name
  const of = lookup(PIECES, type)
  return of === undefined
    ? toState(applyOther(progress, event, type, deltas, quirks))
    : applyPiece(progress, event, type, of, deltas)
}

function applyPiece(
  progress: DecoderProgress,
  event: JsonRecord,
  type: string,
  of: PartRun['of'],
  deltas: Deltas,
): ResponsesState {
  const text = pieceText(of, event.delta, deltas)
  if (text === '') {
    emitWrongDelta(event.delta, deltas)
    return toState(openEmpty(progress, event, of))
  }
  const placed = ensureRun(progress, event, of, true)
  const emitted = emitMore(placed.progress, placed.item, placed.run, text, logprobsOf(event), deltas)
  const { key, hosted, id: itemId, place: itemPlace } = receivedItemAt(emitted, placed.item)
  const index = toIndex(event.output_index)
  const { name: part, place, held } = partRunOf(emitted, placed.item, placed.run)
  if (index === null || hosted !== null || (held && !emitted.whole)) return toState(emitted)
  const inner = innerIndex(event, of)
  return toState(emitted, {
    event: type,
    index,
    inner,
    item: placed.item,
    run: placed.run,
    of,
    key,
    part,
    place,
    itemPlace,
    itemId,
    held,
    ids: idsOf(event, of),
  })
}

/** An empty piece opens the part of an item, too: clients see it in the part. */
function openEmpty(progress: DecoderProgress, event: JsonRecord, of: PartRun['of']): DecoderProgress {
  const isPiece = event.delta === '' && !isCall(of) && findItem(progress, event, event.item_id, ITEM_OF[of], true) >= 0
  return isPiece ? ensureRun(progress, event, of, true).progress : progress
}

function applyOther(
  progress: DecoderProgress,
  event: JsonRecord,
  type: string,
  deltas: Deltas,
  quirks: Quirks,
): DecoderProgress {
  const whole = lookup(WHOLES, type)
  if (whole !== undefined) return applyWhole(progress, event, whole.of, event[whole.field], event.logprobs, deltas)
  const part = lookup(PARTS, type)
  if (part !== undefined) return applyPart(progress, event, part, deltas)
  const ending = lookup(TERMINALS, type)
  if (ending !== undefined) {
    const response = withError(isObject(event.response) ? event.response : {}, event.error)
    return { ...applyEnd(applyModel(progress, response, deltas), response, ending, deltas, quirks), over: true }
  }
  switch (type) {
    case 'response.output_item.added':
      return applyAdded(progress, event, deltas, quirks)
    case 'response.output_item.done':
      return applyDone(progress, event, deltas, quirks)
    case 'response.output_text.annotation.added':
      return applyAnnotation(progress, event, deltas)
    default:
      return applyRest(withHostedText(progress, event, type), event, type, deltas)
  }
}

/** A terminal event may have the failure beside the response. */
const withError = (response: JsonRecord, error: unknown): JsonRecord =>
  reportsFailure(error) && !response.error ? { ...response, error } : response

/** Applies failures, events that carry the response, and events that are dropped. */
function applyRest(progress: DecoderProgress, event: JsonRecord, type: string, deltas: Deltas): DecoderProgress {
  if (type === 'error' || (event.error && !isNonEmptyString(event.type)) || reportsFailure(event.error)) {
    deltas.push(errorDelta(event))
    return progress
  }
  const failure = type.startsWith('response.') || isObject(event.response) ? null : failureIn(event)
  if (failure !== null) deltas.push(errorDelta(failure))
  const isKnown = emitProgress(progress, event, type, deltas) || SILENT.has(type)
  const reason = lookup(DROPPED, type)
  if (reason !== undefined) emitLoss(reason, deltas)
  else if (!isKnown && failure === null) emitUnknown(type, deltas)
  if (!isObject(event.response) || type === 'response.queued') return progress
  const started =
    type === 'response.created' ? applyStart(withCreated(progress, event.response), event.response, deltas) : progress
  return applyModel(started, event.response, deltas)
}

/** Without what the request has as well, which would be most of the state. */
function withCreated(progress: DecoderProgress, response: JsonRecord): DecoderProgress {
  if (progress.created !== null) return progress
  const { output: _, instructions: __, tools: ___, ...created } = response as JsonObject
  return { ...progress, created }
}

function applyModel(progress: DecoderProgress, { model, id }: JsonRecord, deltas: Deltas): DecoderProgress {
  if (!isNonEmptyString(model) || model === progress.model) return progress
  emitWords({ id }, deltas)
  deltas.push({ kind: 'start', model })
  return { ...progress, model }
}
