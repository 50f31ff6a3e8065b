import { BROKEN, ERROR, EXCEPTION } from '../../../framing/eventstream.ts'
import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Remainder, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { toServiceTier } from '../../../protocol/served.ts'
import { cacheWrites, readTokens, type Usage } from '../../../protocol/usage.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import { type BareFailure, failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { emitFinish, finishReasonOf, shortWord } from '../../shared/upstream/answers/finish-reasons.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { brokenFailureOf, streamFailureOf, upstreamErrorOf } from '../errors.ts'
import { CALL_REASONS, STOP_REASONS } from '../terms.ts'
import { closeBlock, openBlockOf } from './blocks.ts'
import { applyBlock, applyBlockDelta, applyStart } from './content.ts'
import { type ConverseState, INITIAL, updateProgress } from './state.ts'

/**
 * Decodes events of a ConverseStream into deltas (docs/wires/bedrock-converse.md, 2). O(1) for a piece of text or
 * reasoning, O(log n) for any other piece of a block of n pieces, or while n tools wait for their results.
 */
export const decodeStream = (_quirks: Quirks): Machine<ConverseState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<ConverseState, Delta> {
    const { event } = frame
    if (isOver(state)) return { state, events: NOTHING }
    if (event.startsWith(':'))
      return { state: updateProgress(state, { failed: true }), events: failedBy(event, frame.data) }
    const apply = lookup(EVENTS, event)
    if (apply === undefined) return { state, events: lossesIn(event, jsonOf(frame)) }
    const payload = jsonOf(frame)
    if (!isObject(payload)) return readUnreadable({ decoder: this, ...NOISE }, state, frame)
    const deltas: Delta[] = []
    return { state: apply(state, payload, deltas), events: deltas }
  },

  /** Metadata follows the stop reason. */
  remainder: (state): Remainder => (isOver(state) ? 'nothing' : state.progress.stopped ? 'details' : 'more'),

  // A call that is still open gets no stop: its arguments decide whether it is complete.
  end(state) {
    const deltas: Delta[] = []
    if (state.progress.block?.kind !== 'call') closeBlock(state, deltas)
    return deltas
  },
})

const isOver = ({ progress: { noise, stopped, counted, failed } }: ConverseState): boolean =>
  failed || (stopped && counted) || hasTooManyUnreadable(noise)

/**
 * Decodes frames that are not events: an exception, an error, or bytes that are not messages. Such bytes do not
 * invalidate an answer that is already finished.
 */
function failedBy(event: string, data: string): readonly Delta[] {
  if (event === BROKEN) return [{ kind: 'cut', error: brokenFailureOf(data) }]
  const type = event.startsWith(EXCEPTION) ? event.slice(EXCEPTION.length) : event.slice(ERROR.length)
  return [{ kind: 'error', error: streamFailureOf(type, data) }]
}

/** The only event that has nothing to decode. */
const BEGINNING = 'messageStart'

/** Decodes an event without a decoder: a failure, or the loss of an event of another kind. */
function lossesIn(event: string, payload: unknown): readonly Delta[] {
  const failure = failureIn(payload)
  if (failure !== null || event === '' || event === BEGINNING) return failed(failure)
  return [{ kind: 'loss', feature: `event ${shortWord(event)}` }]
}

const failed = (failure: BareFailure | null): readonly Delta[] =>
  failure === null ? NOTHING : [{ kind: 'error', error: upstreamErrorOf(failure) }]

const NOISE = {
  noiseOf: ({ progress }: ConverseState): number => progress.noise,
  withNoise: (state: ConverseState, noise: number): ConverseState => updateProgress(state, { noise }),
  toError: (text: string) => upstreamErrorOf(text),
}

type ApplyEvent = (state: ConverseState, payload: JsonRecord, deltas: Deltas) => ConverseState

const indexOf = (payload: JsonRecord): string => scalarToString(payload.contentBlockIndex)

function withWrongKind(state: ConverseState, field: string, value: unknown, deltas: Deltas): ConverseState {
  emitWrongKind(field, value, deltas)
  return state
}

const EVENTS: Readonly<Record<string, ApplyEvent>> = {
  contentBlockDelta: (state, payload, deltas) =>
    isObject(payload.delta)
      ? applyBlockDelta(state, indexOf(payload), payload.delta, deltas)
      : withWrongKind(state, 'delta', payload.delta, deltas),

  contentBlockStart: (state, payload, deltas) =>
    isObject(payload.start)
      ? applyStart(state, indexOf(payload), payload.start, deltas)
      : withWrongKind(state, 'start', payload.start, deltas),

  contentBlockStop: (state, payload, deltas) => {
    const { block } = state.progress
    if (block === null || block.index !== indexOf(payload)) return state
    // A call without arguments may really have none, or the answer may have been cut before them: the stop reason
    // decides.
    return openBlockOf(state, 'call', block.index)?.empty === true ? state : closeBlock(state, deltas)
  },

  messageStop: (state, payload, deltas) => {
    emitConfig(payload, deltas)
    return applyStop(state, payload, deltas)
  },

  metadata: (state, payload, deltas) => {
    applyTier(payload, deltas)
    emitConfig(payload, deltas)
    if (isObject(payload.usage)) deltas.push({ kind: 'usage', usage: toUsage(payload.usage) })
    else emitWrongKind('usage', payload.usage, deltas)
    return updateProgress(state, { counted: true })
  },
}

function applyStop(state: ConverseState, found: JsonRecord, deltas: Deltas): ConverseState {
  const { stopReason: word, additionalModelResponseFields: own } = found
  if (!isNonEmptyString(word)) return state
  if (word === 'stop_sequence' && isObject(own) && isNonEmptyString(own.stop_sequence))
    deltas.push({ kind: 'served', served: { stop_sequence: own.stop_sequence } })
  const { block } = state.progress
  const isCut = block?.kind === 'call' && block.empty && finishReasonOf(STOP_REASONS, word) !== 'stop'
  const closed = isCut ? state : closeBlock(state, deltas)
  emitFinish(STOP_REASONS, word, 'stopReason', CALL_REASONS, deltas)
  return updateProgress(closed, { stopped: true })
}

/** Decodes a whole answer of Converse. */
export function decodeBody(body: unknown, _quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return failed(failureIn(body))
  const deltas: Delta[] = []
  const refused = typeOfRefusal(body)
  if (refused !== '') return [{ kind: 'error', error: streamFailureOf(refused, formatJson(body)) }]
  const failure = body.output === undefined || body.output === null ? failureIn(body) : null
  if (failure !== null) return failed(failure)
  const output = isObject(body.output) ? body.output : {}
  const content = isObject(output.message) ? [output.message.content].flat() : []
  for (const entry of content)
    if (!isObject(entry) && typeof entry !== 'string') emitWrongKind('content', entry, deltas)
  const decoded = content
    .map((block) => (isNonEmptyString(block) ? { text: block } : block))
    .filter(isObject)
    .reduce<ConverseState>((state, block, index) => applyBlock(state, `${index}`, block, deltas), INITIAL)
  applyStop(decoded, body, deltas)
  applyTier(body, deltas)
  emitConfig(body, deltas)
  if (isObject(body.usage)) deltas.push({ kind: 'usage', usage: toUsage(body.usage) })
  else emitWrongKind('usage', body.usage, deltas)
  return deltas
}

function emitConfig({ performanceConfig: config }: JsonRecord, deltas: Deltas): void {
  if (isObject(config) && config.latency === 'optimized') emitLoss('performanceConfig', deltas)
}

function applyTier({ serviceTier: tier }: JsonRecord, deltas: Deltas): void {
  const service_tier = isObject(tier) ? toServiceTier(tier.type) : null
  if (service_tier !== null) deltas.push({ kind: 'served', served: { service_tier } })
}

/**
 * Returns the type of a failure that AWS, or a proxy before it, sends with status 200; empty if the body has none.
 */
function typeOfRefusal(body: JsonRecord): string {
  const inner = isObject(body.Output) ? body.Output.__type : null
  return scalarToString(body.__type) || scalarToString(inner)
}

const firstNumber = (...values: readonly unknown[]): number | null =>
  values.map(readTokens).find((count) => count !== null) ?? null

const writtenFor = (ttl: string, { cacheDetails }: JsonRecord): number | null =>
  firstNumber(
    ...toArray(cacheDetails).map((detail) => (isObject(detail) && detail.ttl === ttl ? detail.inputTokens : null)),
  )

/**
 * Converts to inclusive totals: Bedrock counts the cache beside the input, and both in its total. It does not report
 * how much of the output was reasoning.
 */
function toUsage(usage: JsonRecord): Usage {
  const read = firstNumber(usage.cacheReadInputTokens, usage.cacheReadInputTokenCount)
  const written = firstNumber(usage.cacheWriteInputTokens, usage.cacheWriteInputTokenCount)
  const fresh = firstNumber(usage.inputTokens)
  const output = firstNumber(usage.outputTokens)
  const input = fresh === null ? null : fresh + (read ?? 0) + (written ?? 0)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: firstNumber(usage.totalTokens) ?? (input === null || output === null ? null : input + output),
    cached_tokens: read,
    reasoning_tokens: null,
    ...cacheWrites(written, { '5m': writtenFor('5m', usage), '1h': writtenFor('1h', usage) }),
  }
}
