import { BROKEN, ERROR, EXCEPTION } from '../../../framing/eventstream.ts'
import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Remainder, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { toServiceTier } from '../../../protocol/served.ts'
import { formatJson, isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { hasTooManyUnreadable, unreadableFrame } from '../../shared/upstream/unreadable-frames.ts'
import { brokenFailureOf, streamFailureOf } from '../errors.ts'
import { STOP_REASONS } from '../terms.ts'
import { closeBlock, openBlockOf } from './blocks.ts'
import { applyBlock, applyBlockDelta, applyStart } from './content.ts'
import { type ConverseState, INITIAL, updateProgress } from './state.ts'
import { toUsage } from './usage.ts'

/**
 * Decodes events of a ConverseStream into deltas (docs/wires/bedrock-converse.md, 2). O(1) for a piece of text or
 * reasoning, O(log n) for any other piece of a block of n pieces, or while n tools wait for their results.
 */
export const decodeStream = (_quirks: Quirks): Machine<ConverseState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<ConverseState, Delta> {
    const { event } = frame
    const { noise } = state.progress
    if (isOver(state)) return { state, events: NOTHING }
    if (event.startsWith(':'))
      return { state: updateProgress(state, { failed: true }), events: failed(event, frame.data) }
    const apply = lookup(EVENTS, event)
    if (apply === undefined) return { state, events: NOTHING }
    const payload = jsonOf(frame)
    if (!isObject(payload))
      return { state: updateProgress(state, { noise: noise + 1 }), events: unreadableFrame(noise) }
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
function failed(event: string, data: string): readonly Delta[] {
  if (event === BROKEN) return [{ kind: 'cut', error: brokenFailureOf(data) }]
  const type = event.startsWith(EXCEPTION) ? event.slice(EXCEPTION.length) : event.slice(ERROR.length)
  return [{ kind: 'error', error: streamFailureOf(type, data) }]
}

type ApplyEvent = (state: ConverseState, payload: JsonRecord, deltas: Deltas) => ConverseState

const indexOf = (payload: JsonRecord): string => scalarToString(payload.contentBlockIndex)

const EVENTS: Readonly<Record<string, ApplyEvent>> = {
  contentBlockDelta: (state, payload, deltas) =>
    isObject(payload.delta) ? applyBlockDelta(state, indexOf(payload), payload.delta, deltas) : state,

  contentBlockStart: (state, payload, deltas) =>
    isObject(payload.start) ? applyStart(state, indexOf(payload), payload.start, deltas) : state,

  contentBlockStop: (state, payload, deltas) => {
    const { block } = state.progress
    if (block === null || block.index !== indexOf(payload)) return state
    // A call without arguments may really have none, or the answer may have been cut before them: the stop reason
    // decides.
    return openBlockOf(state, 'call', block.index)?.empty === true ? state : closeBlock(state, deltas)
  },

  messageStop: (state, payload, deltas) => {
    emitUnread(payload, deltas)
    return applyStop(state, payload.stopReason, deltas)
  },

  metadata: (state, payload, deltas) => {
    applyTier(payload, deltas)
    emitUnread(payload, deltas)
    if (isObject(payload.usage)) deltas.push({ kind: 'usage', usage: toUsage(payload.usage) })
    return updateProgress(state, { counted: true })
  },
}

function applyStop(state: ConverseState, word: unknown, deltas: Deltas): ConverseState {
  if (!isNonEmptyString(word)) return state
  const reason = lookup(STOP_REASONS, word)
  const { block } = state.progress
  const closed = block?.kind === 'call' && block.empty && reason !== 'stop' ? state : closeBlock(state, deltas)
  if (reason === null) {
    deltas.push({ kind: 'error', error: upstreamError('server_error', `The upstream stopped with "${word}".`) })
  } else deltas.push({ kind: 'finish', reason: reason ?? 'stop' })
  return updateProgress(closed, { stopped: true })
}

/** Decodes a whole answer of Converse. */
export function decodeBody(body: unknown, _quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return NOTHING
  const deltas: Delta[] = []
  const refused = typeOfRefusal(body)
  if (refused !== '') return [{ kind: 'error', error: streamFailureOf(refused, formatJson(body)) }]
  const output = isObject(body.output) ? body.output : {}
  const content = isObject(output.message) ? [output.message.content].flat() : []
  const decoded = content
    .map((block) => (isNonEmptyString(block) ? { text: block } : block))
    .filter(isObject)
    .reduce<ConverseState>((state, block, index) => applyBlock(state, `${index}`, block, deltas), INITIAL)
  applyStop(decoded, body.stopReason, deltas)
  applyTier(body, deltas)
  emitUnread(body, deltas)
  if (isObject(body.usage)) deltas.push({ kind: 'usage', usage: toUsage(body.usage) })
  return deltas
}

/** Members of an answer that no other protocol has. A trace may contain what a guardrail removed. */
const UNREAD = ['additionalModelResponseFields', 'trace'] as const

function emitUnread(record: JsonRecord, deltas: Deltas): void {
  for (const name of UNREAD) {
    const value = record[name]
    if (isObject(value) && Object.keys(value).length > 0) emitLoss(name, deltas)
  }
  const { performanceConfig: config } = record
  if (isObject(config) && config.latency === 'optimized') emitLoss('performanceConfig', deltas)
}

function applyTier({ serviceTier: tier }: JsonRecord, deltas: Deltas): void {
  const service_tier = isObject(tier) ? toServiceTier(tier.type) : null
  if (service_tier !== null) deltas.push({ kind: 'served', served: { service_tier } })
}

/**
 * Returns the type of a failure that AWS, or a proxy before it, sends with status 200; empty if the body is an answer.
 */
function typeOfRefusal(body: JsonRecord): string {
  const inner = isObject(body.Output) ? body.Output.__type : null
  const bare = body.output === undefined && isNonEmptyString(body.message) ? 'internalFailure' : ''
  return scalarToString(body.__type) || scalarToString(inner) || bare
}
