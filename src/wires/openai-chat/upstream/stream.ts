import { listToArray } from '../../../collections/list.ts'
import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { Bag } from '../../../protocol/json.ts'
import { isObject, isText, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { loss, type Say } from '../../shared/upstream/deltas.ts'
import { heldThoughts, thinkApart } from '../../shared/upstream/think-tags.ts'
import { isTooNoisy, noiseAfter } from '../../shared/upstream/unreadable-frames.ts'
import { upstreamErrorOf } from '../errors.ts'
import { hasReasoning, isWorthSealing, mergeDetails, NO_ENTRIES, readableReasoning } from '../reasoning-details.ts'
import { FINISH_REASONS } from '../terms.ts'
import { mergeUsage, toUsage } from '../usage.ts'
import { hearCalls } from './calls.ts'
import { hearContent, spoken } from './choice.ts'
import { hearSources } from './citations.ts'
import { content, THOUGHT } from './deltas.ts'
import { type ChatState, initialState } from './state.ts'

/**
 * Decodes chat completion chunks into deltas (docs/wires/openai-chat.md, 2). A chunk that only continues the text
 * leaves the state as it is. O(k) for a chunk of k characters, and O(log n) more for each of its fragments of reasoning
 * after n others.
 */
export const decodeStream = (quirks: Quirks): Machine<ChatState, Frame, Delta> => ({
  initial: initialState(quirks),

  step(state, frame): Step<ChatState, Delta> {
    if (state.over || isTooNoisy(state.noise)) return { state, events: NOTHING }
    if (frame.data.length < 16 && frame.data.trim() === '[DONE]') {
      return { state: { ...state, over: true }, events: NOTHING }
    }
    const chunk = jsonOf(frame)
    if (frame.event === 'error') return { state, events: [errorDelta(chunk ?? frame.data)] }
    if (isObject(chunk)) return hearChunk(state, chunk, quirks)
    return { state: { ...state, noise: state.noise + 1 }, events: noiseAfter(state.noise) }
  },

  end: finish,
})

function finish(state: ChatState): readonly Delta[] {
  const say: Delta[] = heldThoughts(state.think).map(({ kind, text }) => content(kind, text))
  seal(state, say)
  // Snowflake sends no finish reason: an answer with content is complete if `[DONE]` or usage was read.
  const whole = (state.over || state.usage !== null) && (state.spoke || say.length > 0)
  if (!state.finished && whole) say.push({ kind: 'finish', reason: 'stop' })
  return say
}

/** A whole chat completion is decoded as a stream of one chunk, whose delta is its message. */
export function decodeBody(body: unknown, quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return NOTHING
  const { state, events } = hearChunk({ ...initialState(quirks), whole: true }, body, quirks)
  return [...events, ...finish({ ...state, over: true })]
}

function hearChunk(state: ChatState, chunk: Bag, quirks: Quirks): Step<ChatState, Delta> {
  const say: Delta[] = []
  const choice = firstChoice(chunk.choices, say)
  // The usage of the first chunk is emitted before the start delta, so that the first event can include it.
  const begins = state.model === ''
  const named = hearModel(begins ? hearUsages(state, chunk, choice, say) : state, chunk, say)
  hearErrors(chunk, choice, say)
  const heard = choice === null ? named : hearChoice(named, choice, say)
  const cited = hearSources(heard, chunk, say, quirks)
  return { state: begins ? cited : hearUsages(cited, chunk, choice, say), events: say }
}

/** The index may be missing if there is one choice; one vendor sends it as a string. */
const isFirst = (index: unknown): boolean => index === undefined || index === null || index === 0 || index === '0'

/** Only choice 0 is decoded; requests never ask for more than one. */
function firstChoice(choices: unknown, say: Say): Bag | null {
  if (!Array.isArray(choices) || choices.length === 0) return null
  if (choices.length > 1) loss('choices', say)
  for (const choice of choices) if (isObject(choice) && isFirst(choice.index)) return choice
  if (choices.length === 1) loss('choices', say)
  return null
}

function hearModel(state: ChatState, { model }: Bag, say: Say): ChatState {
  if (!isText(model) || model === state.model) return state
  say.push({ kind: 'start', model })
  return { ...state, model }
}

function hearChoice(state: ChatState, choice: Bag, say: Say): ChatState {
  const delta = spoken(choice, state)
  const before = say.length
  const thought = hearReasoning(state, delta, say)
  const ready = isSpeech(delta) || isText(choice.finish_reason) ? seal(thought, say) : thought
  const told = hearContent(ready, delta, choice, say)
  const called = delta.tool_calls || delta.function_call ? hearCalls(told, delta, say) : told
  return hearFinish(say.length > before ? spokeNow(called) : called, choice.finish_reason, say)
}

const spokeNow = (state: ChatState): ChatState => (state.spoke ? state : { ...state, spoke: true })

const isSpeech = ({ content: text, tool_calls: calls, refusal }: Bag): boolean =>
  isText(text) ||
  isText(refusal) ||
  (Array.isArray(text) ? text.length > 0 : isObject(text)) ||
  (Array.isArray(calls) && calls.length > 0)

function hearReasoning(state: ChatState, delta: Bag, say: Say): ChatState {
  if (!hasReasoning(delta)) return state
  const { kind, text } = readableReasoning(delta)
  if (text !== '') say.push(content(kind, text))
  const found = toArray(delta.reasoning_details)
  const think = thinkApart(state.think)
  if (found.length === 0) return think === state.think ? state : { ...state, think }
  const details = mergeDetails(state.details, found)
  if (details.cut && !state.details.cut) loss('members of reasoning_details', say)
  return { ...state, think, details }
}

/** Encrypted reasoning precedes the content it led to, so it is emitted as soon as other content begins. */
function seal(state: ChatState, say: Say): ChatState {
  if (state.details.entries.length === 0) return state
  const payload = listToArray(state.details.entries)
  if (isWorthSealing(payload)) say.push({ kind: 'opaque', key: THOUGHT, payload })
  return { ...state, details: NO_ENTRIES }
}

function hearFinish(state: ChatState, word: unknown, say: Say): ChatState {
  if (!isText(word)) return state
  const reason = lookup(FINISH_REASONS, word)
  if (reason === null) {
    say.push({ kind: 'error', error: upstreamError('server_error', `The upstream stopped with "${word}".`) })
  } else say.push({ kind: 'finish', reason: reason ?? 'stop' })
  return state.finished ? state : { ...state, finished: true }
}

/** Usage may be in any chunk, and in a vendor's own place: `x_groq` at Groq, the choice at Moonshot. */
function hearUsages(state: ChatState, chunk: Bag, choice: Bag | null, say: Say): ChatState {
  const groq = isObject(chunk.x_groq) ? hearUsage(state, chunk.x_groq.usage, say) : state
  const whole = chunk.usage ? hearUsage(groq, chunk.usage, say) : groq
  return choice?.usage ? hearUsage(whole, choice.usage, say) : whole
}

function hearUsage(state: ChatState, found: unknown, say: Say): ChatState {
  const usage = isObject(found) ? mergeUsage(state.usage, found) : null
  if (usage === null) return state
  say.push({ kind: 'usage', usage: toUsage(usage) })
  return { ...state, usage }
}

/** An error in an answer with status 200 is beside the choices, inside one, or in place of them (Mistral). */
function hearErrors(chunk: Bag, choice: Bag | null, say: Say): void {
  const error = chunk.error || choice?.error || (chunk.object === 'error' ? chunk : null)
  if (error) say.push(errorDelta(error))
}

const errorDelta = (error: unknown): Delta => ({ kind: 'error', error: upstreamErrorOf(unwrap(error)) })

const unwrap = (error: unknown): unknown => (isObject(error) && error.error ? error.error : error)
