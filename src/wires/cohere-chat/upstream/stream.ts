import { type Frame, isDone, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import { feed } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { readTokens, type Usage } from '../../../protocol/usage.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { type BareFailure, failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { finalsOf } from '../../shared/upstream/answers/final-values.ts'
import { emitFinish, finishReasonOf } from '../../shared/upstream/answers/finish-reasons.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { upstreamErrorOf } from '../errors.ts'
import { CALL_REASONS, FINISH_REASONS } from '../terms.ts'
import { applyCall, applyCallEnd } from './calls.ts'
import { applyCitations } from './citations.ts'
import { applyContentDelta, applyContentStart, applyMessageStart, applyPlan } from './content.ts'
import { type CohereState, INITIAL } from './state.ts'

/**
 * Decodes events (docs/wires/cohere-chat.md, 2). More of the same text changes only one number of the state. O(k) for
 * an event of k characters, because only a few earlier blocks are kept.
 */
export const decodeStream = (): Machine<CohereState, Frame, Delta> => EVENTS_DECODER

const EVENTS_DECODER: Machine<CohereState, Frame, Delta> = {
  initial: INITIAL,

  step(state, frame): Step<CohereState, Delta> {
    const { progress } = state
    if (isOver(state)) return { state, events: NOTHING }
    if (isDone(frame)) {
      return { state: { length: state.length, progress: { ...progress, over: true } }, events: NOTHING }
    }
    const value = jsonOf(frame)
    if (isObject(value)) return applyEvent(state, value, frame.event)
    return readUnreadable({ decoder: this, ...NOISE }, state, frame)
  },

  remainder: (state) => (isOver(state) ? 'nothing' : 'more'),

  end: () => NOTHING,
}

const NOISE = {
  noiseOf: ({ progress }: CohereState): number => progress.noise,
  withNoise: ({ length, progress }: CohereState, noise: number): CohereState => ({
    length,
    progress: { ...progress, noise },
  }),
  toError: upstreamErrorOf,
}

const isOver = ({ progress }: CohereState): boolean => progress.over || hasTooManyUnreadable(progress.noise)

/** Decodes a whole answer as the stream of events that is equivalent to it (`toEvents`). */
const WHOLE: Machine<CohereState, JsonRecord, Delta> = {
  initial: INITIAL,
  step: (state, event) => applyEvent(state, event, ''),
  end: () => NOTHING,
}

export function decodeBody(body: unknown): readonly Delta[] {
  return isObject(body) ? feed(WHOLE, INITIAL, toEvents(body)).events : failed(failureIn(body))
}

function toEvents(body: JsonRecord): readonly JsonRecord[] {
  if (!isObject(body.message)) return [body]
  const { content, tool_plan, tool_calls, citations } = body.message
  const cited = toArray(citations).filter(isObject)
  const event = (type: string, message: JsonRecord, index?: number): JsonRecord => ({ type, index, delta: { message } })
  const citing = (list: readonly JsonRecord[]): JsonRecord => event('citation-start', { citations: list })
  return [
    { ...event('message-start', {}), id: body.id },
    ...[content].flat().map((block, i) => event('content-start', { content: block }, i)),
    citing(cited.filter(({ type }) => type !== 'PLAN')),
    event('tool-plan-delta', { tool_plan }),
    citing(cited.filter(({ type }) => type === 'PLAN')),
    ...listIn(tool_calls).flatMap((call, i) => [
      event('tool-call-start', { tool_calls: call }, i),
      event('tool-call-end', {}, i),
    ]),
    { type: 'message-end', delta: { ...body, message: null } },
  ]
}

/** A single call stands for a list. */
const listIn = (value: unknown): readonly unknown[] => (value === undefined || value === null ? [] : [value].flat())

type ApplyEvent = (state: CohereState, event: JsonRecord, message: JsonRecord, deltas: Deltas) => CohereState

/** Event → its decoder. The reducer opens and closes items by itself. */
const EVENTS: Readonly<Record<string, ApplyEvent>> = {
  'message-start': applyMessageStart,
  'content-start': applyContentStart,
  'content-delta': applyContentDelta,
  'tool-plan-delta': applyPlan,
  'tool-call-start': applyCall,
  'tool-call-delta': applyCall,
  'tool-call-end': (state, event, _, deltas) => {
    applyCallEnd(event, deltas)
    return state
  },
  'citation-start': (state, _, message, deltas) => {
    applyCitations(state, message, deltas)
    return state
  },
  'message-end': (state, { delta }, _, deltas) => {
    if (isObject(delta)) applyEnd(delta, deltas)
    // Some proxies repeat the whole message at the end.
    if (isObject(delta) && isObject(delta.message))
      deltas.push(...finalsOf(feed(WHOLE, INITIAL, toEvents(delta)).events))
    return { length: state.length, progress: { ...state.progress, over: true } }
  },
}

function applyEvent(state: CohereState, event: JsonRecord, name: string): Step<CohereState, Delta> {
  const deltas: Deltas = []
  const apply = lookup(EVENTS, scalarToString(event.type) || name)
  if (apply === undefined) return { state, events: lossesIn(event) }
  const delta = isObject(event.delta) ? event.delta : {}
  return { state: apply(state, event, isObject(delta.message) ? delta.message : {}, deltas), events: deltas }
}

/** Events that only open and close items. */
const BRACKETS: ReadonlySet<unknown> = new Set(['content-end', 'citation-end'])

/** Decodes an event without a decoder: a failure, or the loss of an event of another kind. */
function lossesIn(event: JsonRecord): readonly Delta[] {
  const { type } = event
  const isBracket = isNonEmptyString(type) && BRACKETS.has(type)
  const failure = event.error ? event : isBracket || event.delta !== undefined ? null : failureIn(event)
  if (failure !== null || !isNonEmptyString(type) || isBracket) return failed(failure)
  return [{ kind: 'loss', feature: `event ${type}` }]
}

const failed = (failure: BareFailure | null): readonly Delta[] =>
  failure === null ? NOTHING : [{ kind: 'error', error: upstreamErrorOf(failure) }]

function applyEnd({ usage: counts, finish_reason: word, error, error_type }: JsonRecord, deltas: Deltas): void {
  const usage = toUsage(counts)
  if (usage !== null) deltas.push({ kind: 'usage', usage })
  const failed = isNonEmptyString(word) && finishReasonOf(FINISH_REASONS, word) === null
  if (error || failed) {
    const message = isNonEmptyString(error) ? error : `The upstream stopped with "${scalarToString(word)}".`
    deltas.push({ kind: 'error', error: upstreamErrorOf({ message, error_type: error_type ?? word }) })
  } else if (isNonEmptyString(word)) emitFinish(FINISH_REASONS, word, 'finish_reason', CALL_REASONS, deltas)
}

/** Returns the totals, which are inclusive already; null without `tokens`, since `billed_units` omits free tokens. */
function toUsage(usage: unknown): Usage | null {
  if (!isObject(usage) || !isObject(usage.tokens)) return null
  const input = readTokens(usage.tokens.input_tokens)
  const output = readTokens(usage.tokens.output_tokens)
  if (input === null && output === null) return null
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input === null || output === null ? null : input + output,
    cached_tokens: readTokens(usage.cached_tokens),
    reasoning_tokens: readTokens(usage.tokens.reasoning_tokens),
  }
}
