import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Remainder, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import type { Served } from '../../../protocol/served.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import { failureBeside, failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { readFinishReason, stoppedWith } from '../../shared/upstream/answers/finish-reasons.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { upstreamErrorOf } from '../errors.ts'
import { type ANSWER_EVENTS, PARTIAL_STOPS, STOP_REASONS } from '../terms.ts'
import { applyBlockDelta } from './block-deltas.ts'
import { applyModel, beginText, closeBlock, closeBlocks, dropBlocks, openBlock } from './blocks.ts'
import {
  contentDelta,
  findBlock,
  INITIAL,
  type MessagesState,
  openBlocks,
  repeatsStart,
  updateProgress,
} from './state.ts'
import { mergeCounts, servedIn, toUsage } from './usage.ts'

/**
 * Decodes the events of a message stream into deltas (docs/wires/anthropic-messages.md, 2). Reads only the payload's
 * own `type`, never the event's name. O(1) for a text or thinking delta, O(log n) for any other event while n blocks
 * are open or n tools wait for their results.
 */
export const decodeStream = ({ passedAnswer = false }: Quirks): Machine<MessagesState, Frame, Delta> => ({
  initial: passedAnswer ? updateProgress(INITIAL, { passed: true }) : INITIAL,

  step(state, frame): Step<MessagesState, Delta> {
    if (isOver(state)) return { state, events: NOTHING }
    const event = jsonOf(frame)
    if (!isObject(event)) return applyOther(this, state, frame)
    const deltas: Delta[] = []
    return { state: applyEvent(state, event, deltas), events: deltas }
  },

  /** Only `message_stop` follows a stop reason. */
  remainder: (state): Remainder => (isOver(state) ? 'nothing' : state.progress.finish === null ? 'more' : 'details'),

  end(state) {
    if (state.progress.over) return NOTHING
    const deltas: Delta[] = []
    const { progress } = dropBlocks(state, deltas)
    // The stop reason is the last part of an answer: an answer without one was cut off.
    if (progress.finish !== null) deltas.push(finishOf(progress))
    return deltas
  },
})

const isOver = ({ progress }: MessagesState): boolean => progress.over || hasTooManyUnreadable(progress.noise)

const isAnswer = ({ content }: JsonRecord): boolean => content !== undefined && content !== null

/** Decodes a whole message as if `message_start` contained it. */
export function decodeBody(body: unknown): readonly Delta[] {
  const deltas: Delta[] = []
  if (!isObject(body) || !isAnswer(body)) {
    emitFailure(isObject(body) && body.error ? body.error : failureIn(body), deltas)
    return deltas
  }
  const { progress } = applyMessage(INITIAL, body, deltas)
  if (progress.finish !== null || blocksOf(body.content).length > 0) deltas.push(finishOf(progress))
  return deltas
}

/** Applies a frame that is no JSON object. */
function applyOther(
  decoder: Pick<Machine<MessagesState, Frame, Delta>, 'step'>,
  state: MessagesState,
  frame: Frame,
): Step<MessagesState, Delta> {
  const { event, data } = frame
  // Some gateways append the `[DONE]` of other protocols to this stream.
  if (data.trim() === '[DONE]') return { state, events: NOTHING }
  const read = readUnreadable({ decoder, ...NOISE }, state, frame)
  if (event !== 'error' || read.state.progress.noise === state.progress.noise) return read
  const deltas: Delta[] = []
  return { state: applyError(state, data, deltas), events: deltas }
}

const NOISE = {
  noiseOf: ({ progress }: MessagesState): number => progress.noise,
  withNoise: (state: MessagesState, noise: number): MessagesState => updateProgress(state, { noise }),
  toError: (text: string) => upstreamErrorOf(text),
}

type ApplyEvent = (state: MessagesState, event: JsonRecord, deltas: Deltas) => MessagesState

const DECODERS: Readonly<Record<(typeof ANSWER_EVENTS)[number], ApplyEvent>> = {
  content_block_delta(state, { index, delta }, deltas) {
    if (isObject(delta)) return applyBlockDelta(state, scalarToString(index), delta, deltas)
    emitWrongKind('delta', delta, deltas)
    return state
  },
  content_block_start(state, { index, content_block: block }, deltas) {
    if (isObject(block)) return openBlock(state, scalarToString(index), block, deltas)
    emitWrongKind('content_block', block, deltas)
    return state
  },
  content_block_stop(state, { index }, deltas) {
    const block = findBlock(state, scalarToString(index))
    return block === undefined ? state : closeBlock(state, block, deltas)
  },
  message_start(state, event, deltas) {
    emitFailure(failureBeside(event), deltas)
    return isObject(event.message) ? applyStart(state, event.message, deltas) : state
  },
  message_delta(state, event, deltas) {
    emitFailure(failureBeside(event), deltas)
    return applyUsage(isObject(event.delta) ? applyStop(state, event.delta, deltas) : state, event.usage, deltas)
  },
  message_stop(state, event, deltas) {
    emitFailure(failureBeside(event), deltas)
    return applyEnd(state, deltas)
  },
  ping: (state) => state,
}

function applyEvent(state: MessagesState, event: JsonRecord, deltas: Deltas): MessagesState {
  const apply = lookup<ApplyEvent>(DECODERS, scalarToString(event.type))
  if (apply !== undefined) return apply(state, event, deltas)
  // A proxy that cannot stream sends the whole message as one event.
  if (event.type === 'message' && isAnswer(event) && !state.progress.started)
    return applyEnd(applyMessage(state, event, deltas), deltas)
  if (event.error || event.type === 'error') return applyError(state, event.error ?? event, deltas)
  applyUnknown(event, deltas)
  return state
}

function applyUnknown(event: JsonRecord, deltas: Deltas): void {
  const failure = failureIn(event)
  if (failure !== null) emitFailure(failure, deltas)
  else emitLoss(isNonEmptyString(event.type) ? `event ${event.type}` : 'an event without a type', deltas)
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.values(value).every(isEmpty))

/** A failure ends the stream in place of `message_stop`. */
function applyError(state: MessagesState, error: unknown, deltas: Deltas): MessagesState {
  emitFailure(error, deltas)
  return updateProgress(dropBlocks(state, deltas), { over: true })
}

function emitFailure(failure: unknown, deltas: Deltas): void {
  if (failure !== null) deltas.push({ kind: 'error', error: upstreamErrorOf(failure) })
}

const finishOf = ({ finish, called }: MessagesState['progress']): Delta => ({
  kind: 'finish',
  reason: finish ?? 'stop',
  ...(called ? { called } : {}),
})

const RESTARTED = { type: 'api_error', message: 'The upstream restarted its response inside a call.' }

/**
 * A second start of the same message only updates usage. A start of another message means that a proxy retried in the
 * middle of an answer: indices start again, and the open blocks will not be closed.
 */
function applyStart(state: MessagesState, message: JsonRecord, deltas: Deltas): MessagesState {
  if (!state.progress.started) return applyMessage(state, message, deltas)
  if (repeatsStart(state, message)) return applyUsage(state, message.usage, deltas)
  emitLoss('an answer that the upstream restarted', deltas)
  const { passed, starts, calls } = state.progress
  // A client that has the beginning of a call would run it.
  if (passed && openBlocks(state).some(({ kind }) => kind === 'call')) return applyError(state, RESTARTED, deltas)
  // It also has all blocks so far, before those of the new message, whose indices name none of them.
  const sent = passed ? { starts, calls } : { starts: 0, calls: 'none' as const }
  const emptied = updateProgress(dropBlocks(state, deltas), {
    finish: null,
    stop: null,
    called: false,
    blockCount: 0,
    kinds: null,
    ...sent,
  })
  return applyMessage(emptied, message, deltas)
}

/**
 * The message of a start is empty, except after a programmatic tool call (made by code), where it contains the whole
 * answer.
 */
function applyMessage(state: MessagesState, message: JsonRecord, deltas: Deltas): MessagesState {
  const started = updateProgress(state, { started: true, message: scalarToString(message.id) })
  emitFailure(failureBeside(message), deltas)
  emitWords({ id: message.id }, deltas)
  // OpenRouter names the provider that it chose.
  if (isNonEmptyString(message.provider)) deltas.push({ kind: 'served', served: { provider: message.provider } })
  // Usage precedes the start, so that the first event of the answer can include it.
  const counted = applyContainer(
    applyModel(applyUsage(started, message.usage, deltas), message.model, deltas),
    message.container,
    deltas,
  )
  for (const entry of [message.content].flat())
    if (!isObject(entry) && typeof entry !== 'string') emitWrongKind('content', entry, deltas)
  const filled = blocksOf(message.content).reduce<MessagesState>(
    (now, block) => closeBlocks(openBlock(now, '', block, deltas), deltas),
    counted,
  )
  return applyStop(filled, message, deltas)
}

/** A string stands for a text block, as in requests. An entry of any other kind is dropped. */
const blocksOf = (content: unknown): readonly JsonRecord[] =>
  [content]
    .flat()
    .map((block) => (isNonEmptyString(block) ? { type: 'text', text: block } : block))
    .filter(isObject)

function applyContainer(state: MessagesState, container: unknown, deltas: Deltas): MessagesState {
  const id = isObject(container) ? scalarToString(container.id) : ''
  if (isObject(container) && !isEmpty(container.skills)) emitLoss('container.skills', deltas)
  return id === '' || id === state.progress.container ? state : updateProgress(state, { container: id })
}

/** Applies the stop reason of a message, or of the delta that ends the message. All blocks end before it. */
function applyStop(state: MessagesState, message: JsonRecord, deltas: Deltas): MessagesState {
  const updated = applyContainer(state, message.container, deltas)
  const { stop_reason: reason } = message
  if (!isNonEmptyString(reason)) return updated
  const sequence = reason === 'stop_sequence' ? message.stop_sequence : null
  if (isNonEmptyString(sequence)) deltas.push({ kind: 'served', served: { stop_sequence: sequence } })
  else if (PARTIAL_STOPS.has(reason)) emitLoss(`stop_reason ${reason}`, deltas)
  const ended = closeBlocks(updated, deltas)
  const finish = readFinishReason(STOP_REASONS, reason, 'stop_reason', deltas)
  if (finish === null) deltas.push(stoppedWith(reason))
  const closed = updateProgress(ended, {
    finish: finish ?? 'stop',
    stop: { stop_reason: reason, stop_sequence: (sequence ?? null) as Json },
    called: reason === 'tool_use',
  })
  return reason === 'refusal' ? emitRefusal(closed, message.stop_details, deltas) : closed
}

/** The credit with which the client may repeat a refused request at another model. */
const creditIn = ({ fallback_credit_token: token, fallback_has_prefill_claim: claim }: JsonRecord): Served => ({
  ...(isNonEmptyString(token) ? { fallback_credit_token: token } : {}),
  ...(typeof claim === 'boolean' ? { fallback_has_prefill_claim: `${claim}` } : {}),
})

/** A refusal has no content of its own, but sometimes an explanation. */
function emitRefusal(state: MessagesState, details: unknown, deltas: Deltas): MessagesState {
  const why = isObject(details) ? details.explanation : null
  const category = isObject(details) ? details.category : null
  const credit = isObject(details) ? creditIn(details) : {}
  const served: Served = { ...(isNonEmptyString(category) ? { refusal_category: category } : {}), ...credit }
  if (Object.keys(served).length > 0) deltas.push({ kind: 'served', served })
  if (!isNonEmptyString(why)) return state
  const opened = beginText(state)
  deltas.push(contentDelta('refusal', opened.progress.run, why))
  return opened
}

function applyUsage(state: MessagesState, usage: unknown, deltas: Deltas): MessagesState {
  if (!isObject(usage)) {
    emitWrongKind('usage', usage, deltas)
    return state
  }
  const counts = mergeCounts(state.progress.counts, usage)
  const served = servedIn(usage)
  if (Object.keys(served).length > 0) deltas.push({ kind: 'served', served })
  if (counts.input !== null || counts.output !== null) deltas.push({ kind: 'usage', usage: toUsage(counts) })
  return updateProgress(state, { counts })
}

function applyEnd(state: MessagesState, deltas: Deltas): MessagesState {
  const closed = closeBlocks(state, deltas)
  const { started, finish, items, noise } = closed.progress
  // Without a stop reason, the end of the stream is the end of the answer only if every frame was read.
  if (finish !== null || ((started || items > 0) && noise === 0)) deltas.push(finishOf(closed.progress))
  return updateProgress(closed, { over: true })
}
