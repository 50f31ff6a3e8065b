import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import { feed } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Bag } from '../../../protocol/json.ts'
import { isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Say } from '../../shared/upstream/deltas.ts'
import { isTooNoisy, noiseAfter } from '../../shared/upstream/unreadable-frames.ts'
import { upstreamErrorOf } from '../errors.ts'
import { FINISH_REASONS } from '../terms.ts'
import { hearCall, hearCallEnd } from './calls.ts'
import { hearCitations } from './citations.ts'
import { hearContent, hearPlan } from './content.ts'
import { type CohereState, INITIAL } from './state.ts'
import { toUsage } from './usage.ts'

/**
 * Decodes events (docs/wires/cohere-chat.md, 2). More of the same text changes only one number of the state. O(k) for
 * an event of k characters, because only a few earlier blocks are kept.
 */
export const decodeStream = (): Machine<CohereState, Frame, Delta> => ({
  initial: INITIAL,

  step(state, frame): Step<CohereState, Delta> {
    const { event, data } = frame
    const { story } = state
    if (story.over || isTooNoisy(story.noise)) return { state, events: NOTHING }
    if (data.length < 16 && data.trim() === '[DONE]') {
      return { state: { length: state.length, story: { ...story, over: true } }, events: NOTHING }
    }
    const value = jsonOf(frame)
    if (isObject(value)) return hearEvent(state, value, event)
    const next = { length: state.length, story: { ...story, noise: story.noise + 1 } }
    return { state: next, events: noiseAfter(story.noise) }
  },

  end: () => NOTHING,
})

/** Decodes a whole answer as the stream of events that is equivalent to it (`toEvents`). */
const WHOLE: Machine<CohereState, Bag, Delta> = {
  initial: INITIAL,
  step: (state, event) => hearEvent(state, event, ''),
  end: () => NOTHING,
}

export function decodeBody(body: unknown): readonly Delta[] {
  return isObject(body) ? feed(WHOLE, INITIAL, toEvents(body)).events : NOTHING
}

function toEvents(body: Bag): readonly Bag[] {
  if (!isObject(body.message)) return [body]
  const { content, tool_plan, tool_calls, citations } = body.message
  const cited = toArray(citations).filter(isObject)
  const event = (type: string, message: Bag, index?: number): Bag => ({ type, index, delta: { message } })
  const citing = (list: readonly Bag[]): Bag => event('citation-start', { citations: list })
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

type Hear = (state: CohereState, event: Bag, message: Bag, say: Say) => CohereState

/** Event → its decoder. Other events only open and close items, which the reducer does by itself. */
const EVENTS: Readonly<Record<string, Hear>> = {
  'content-start': hearContent,
  'content-delta': hearContent,
  'tool-plan-delta': hearPlan,
  'tool-call-start': hearCall,
  'tool-call-delta': hearCall,
  'tool-call-end': (state, event, _, say) => {
    hearCallEnd(event, say)
    return state
  },
  'citation-start': (state, _, message, say) => {
    hearCitations(state, message, say)
    return state
  },
  'message-end': (state, { delta }, _, say) => {
    if (isObject(delta)) hearEnd(delta, say)
    return state
  },
}

function hearEvent(state: CohereState, event: Bag, name: string): Step<CohereState, Delta> {
  const say: Say = []
  const hear = lookup(EVENTS, wordOf(event.type) || name)
  if (hear === undefined) return { state, events: failureIn(event) }
  const delta = isObject(event.delta) ? event.delta : {}
  return { state: hear(state, event, isObject(delta.message) ? delta.message : {}, say), events: say }
}

/** Decodes a failure in place of an event: `{message: "text"}`, as in the body of an HTTP error, or `{error}`. */
function failureIn(event: Bag): readonly Delta[] {
  const failed = Boolean(event.error) || (isText(event.message) && event.delta === undefined)
  return failed ? [{ kind: 'error', error: upstreamErrorOf(event) }] : NOTHING
}

function hearEnd({ usage: counts, finish_reason: word, error, error_type }: Bag, say: Say): void {
  const usage = toUsage(counts)
  if (usage !== null) say.push({ kind: 'usage', usage })
  const reason = isText(word) ? lookup(FINISH_REASONS, word) : undefined
  if (error || reason === null) {
    const message = isText(error) ? error : `The upstream stopped with "${wordOf(word)}".`
    say.push({ kind: 'error', error: upstreamErrorOf({ message, error_type: error_type ?? word }) })
  } else if (isText(word)) say.push({ kind: 'finish', reason: reason ?? 'stop' })
}
