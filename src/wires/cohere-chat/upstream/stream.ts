import { type Frame, isDone, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import { feed } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { hasTooManyUnreadable, unreadableFrame } from '../../shared/upstream/unreadable-frames.ts'
import { upstreamErrorOf } from '../errors.ts'
import { FINISH_REASONS } from '../terms.ts'
import { applyCall, applyCallEnd } from './calls.ts'
import { applyCitations } from './citations.ts'
import { applyContent, applyPlan } from './content.ts'
import { type CohereState, INITIAL } from './state.ts'
import { toUsage } from './usage.ts'

/**
 * Decodes events (docs/wires/cohere-chat.md, 2). More of the same text changes only one number of the state. O(k) for
 * an event of k characters, because only a few earlier blocks are kept.
 */
export const decodeStream = (): Machine<CohereState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<CohereState, Delta> {
    const { progress } = state
    if (isOver(state)) return { state, events: NOTHING }
    if (isDone(frame)) {
      return { state: { length: state.length, progress: { ...progress, over: true } }, events: NOTHING }
    }
    const value = jsonOf(frame)
    if (isObject(value)) return applyEvent(state, value, frame.event)
    const next = { length: state.length, progress: { ...progress, noise: progress.noise + 1 } }
    return { state: next, events: unreadableFrame(progress.noise) }
  },

  remainder: (state) => (isOver(state) ? 'nothing' : 'more'),

  end: () => NOTHING,
})

const isOver = ({ progress }: CohereState): boolean => progress.over || hasTooManyUnreadable(progress.noise)

/** Decodes a whole answer as the stream of events that is equivalent to it (`toEvents`). */
const WHOLE: Machine<CohereState, JsonRecord, Delta> = {
  initial: INITIAL,
  step: (state, event) => applyEvent(state, event, ''),
  end: () => NOTHING,
}

export function decodeBody(body: unknown): readonly Delta[] {
  return isObject(body) ? feed(WHOLE, INITIAL, toEvents(body)).events : NOTHING
}

function toEvents(body: JsonRecord): readonly JsonRecord[] {
  if (!isObject(body.message)) return [body]
  const { content, tool_plan, tool_calls, citations } = body.message
  const cited = toArray(citations).filter(isObject)
  const event = (type: string, message: JsonRecord, index?: number): JsonRecord => ({ type, index, delta: { message } })
  const citing = (list: readonly JsonRecord[]): JsonRecord => event('citation-start', { citations: list })
  return [
    ...[content].flat().map((block, i) => event('content-start', { content: block }, i)),
    citing(cited.filter(({ type }) => type !== 'PLAN')),
    event('tool-plan-delta', { tool_plan }),
    citing(cited.filter(({ type }) => type === 'PLAN')),
    ...toArray(tool_calls).flatMap((call, i) => [
      event('tool-call-start', { tool_calls: call }, i),
      event('tool-call-end', {}, i),
    ]),
    { type: 'message-end', delta: body },
  ]
}

type ApplyEvent = (state: CohereState, event: JsonRecord, message: JsonRecord, deltas: Deltas) => CohereState

/** Event → its decoder. The reducer opens and closes items by itself. */
const EVENTS: Readonly<Record<string, ApplyEvent>> = {
  'content-start': applyContent,
  'content-delta': applyContent,
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
    return { length: state.length, progress: { ...state.progress, over: true } }
  },
}

function applyEvent(state: CohereState, event: JsonRecord, name: string): Step<CohereState, Delta> {
  const deltas: Deltas = []
  const apply = lookup(EVENTS, scalarToString(event.type) || name)
  if (apply === undefined) return { state, events: unreadIn(event) }
  const delta = isObject(event.delta) ? event.delta : {}
  return { state: apply(state, event, isObject(delta.message) ? delta.message : {}, deltas), events: deltas }
}

/** Events that only open and close items. */
const BRACKETS: ReadonlySet<unknown> = new Set(['message-start', 'content-end', 'citation-end'])

/** Decodes an event without a decoder: a failure, or the loss of an event of another kind. */
function unreadIn(event: JsonRecord): readonly Delta[] {
  const failed = failureIn(event)
  const { type } = event
  if (failed.length > 0 || !isNonEmptyString(type) || BRACKETS.has(type)) return failed
  return [{ kind: 'loss', feature: `event ${type}` }]
}

/** Decodes a failure in place of an event: `{message: "text"}`, as in the body of an HTTP error, or `{error}`. */
function failureIn(event: JsonRecord): readonly Delta[] {
  const failed = Boolean(event.error) || (isNonEmptyString(event.message) && event.delta === undefined)
  return failed ? [{ kind: 'error', error: upstreamErrorOf(event) }] : NOTHING
}

function applyEnd({ usage: counts, finish_reason: word, error, error_type }: JsonRecord, deltas: Deltas): void {
  const usage = toUsage(counts)
  if (usage !== null) deltas.push({ kind: 'usage', usage })
  const reason = isNonEmptyString(word) ? lookup(FINISH_REASONS, word) : undefined
  if (error || reason === null) {
    const message = isNonEmptyString(error) ? error : `The upstream stopped with "${scalarToString(word)}".`
    deltas.push({ kind: 'error', error: upstreamErrorOf({ message, error_type: error_type ?? word }) })
  } else if (isNonEmptyString(word)) deltas.push({ kind: 'finish', reason: reason ?? 'stop' })
}
