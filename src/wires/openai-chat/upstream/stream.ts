import { type Frame, isDone, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Remainder, type Step } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { heldText } from '../../shared/upstream/think-tags.ts'
import { hasTooManyUnreadable, unreadableFrame } from '../../shared/upstream/unreadable-frames.ts'
import { upstreamErrorOf } from '../errors.ts'
import { FINISH_REASONS } from '../terms.ts'
import { applyModel, applyServed, applyUsages } from './apply-usage.ts'
import { applyCalls } from './calls.ts'
import { applyChoiceContent, messageOf } from './choice.ts'
import { applySources } from './citations.ts'
import { contentDelta } from './deltas.ts'
import { applyReasoning, seal } from './reasoning.ts'
import { type ChatState, initialState } from './state.ts'

/**
 * Decodes chat completion chunks into deltas (docs/wires/openai-chat.md, 2). A chunk that only continues the text
 * leaves the state as it is. O(k) for a chunk of k characters, and O(log n) more for each of its fragments of reasoning
 * after n others.
 */
export const decodeStream = (quirks: Quirks): Machine<ChatState, Frame, Delta> => ({
  initial: initialState(quirks),

  step(state, frame): Step<ChatState, Delta> {
    if (isOver(state)) return { state, events: NOTHING }
    if (isDone(frame)) {
      return { state: { ...state, over: true }, events: NOTHING }
    }
    const chunk = jsonOf(frame)
    if (frame.event === 'error') return { state, events: [errorDelta(chunk ?? frame.data)] }
    if (isObject(chunk)) return applyChunk(state, chunk, quirks)
    return { state: { ...state, noise: state.noise + 1 }, events: unreadableFrame(state.noise) }
  },

  /** Usage, and in a few streams further calls, follow a finish reason. */
  remainder: (state): Remainder => (isOver(state) ? 'nothing' : state.finished ? 'details' : 'more'),

  end: finish,
})

const isOver = ({ over, noise }: ChatState): boolean => over || hasTooManyUnreadable(noise)

function finish(state: ChatState): readonly Delta[] {
  const deltas: Delta[] = heldText(state.think).map(({ kind, text }) => contentDelta(kind, text))
  seal(state, deltas)
  // Snowflake sends no finish reason: an answer with content is complete if `[DONE]` or usage was read.
  const whole = (state.over || state.usage !== null) && (state.hasContent || deltas.length > 0)
  if (!state.finished && whole) deltas.push({ kind: 'finish', reason: 'stop' })
  return deltas
}

/** A whole chat completion is decoded as a stream of one chunk, whose delta is its message. */
export function decodeBody(body: unknown, quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return NOTHING
  const { state, events } = applyChunk({ ...initialState(quirks), whole: true }, body, quirks)
  return [...events, ...finish({ ...state, over: true })]
}

function applyChunk(state: ChatState, chunk: JsonRecord, quirks: Quirks): Step<ChatState, Delta> {
  const deltas: Delta[] = []
  const choice = firstChoice(chunk.choices, deltas)
  // The usage of the first chunk is emitted before the start delta, so that the first event can include it.
  const begins = state.model === ''
  const served = applyServed(state, chunk, choice, deltas)
  const named = applyModel(begins ? applyUsages(served, chunk, choice, deltas) : served, chunk, deltas)
  applyErrors(chunk, choice, deltas)
  const afterChoice = choice === null ? named : applyChoice(named, choice, deltas)
  const cited = applySources(afterChoice, chunk, deltas, quirks)
  if (state.whole || choice === null || choice.finish_reason || chunk.usage) emitUnread(chunk, deltas)
  return { state: begins ? cited : applyUsages(cited, chunk, choice, deltas), events: deltas }
}

/** Members that no Responses stream can carry. A stream has them in a chunk without text. */
function emitUnread({ moderation, openrouter_metadata: routing }: JsonRecord, deltas: Deltas): void {
  if (isObject(moderation)) emitLoss('moderation', deltas)
  if (isObject(routing)) emitLoss('openrouter_metadata', deltas)
}

/** The index may be missing if there is one choice; one vendor sends it as a string. */
const isFirst = (index: unknown): boolean => index === undefined || index === null || index === 0 || index === '0'

/** Only choice 0 is decoded; requests never ask for more than one. */
function firstChoice(choices: unknown, deltas: Deltas): JsonRecord | null {
  if (!Array.isArray(choices) || choices.length === 0) return null
  if (choices.length > 1) emitLoss('choices', deltas)
  for (const choice of choices) if (isObject(choice) && isFirst(choice.index)) return choice
  if (choices.length === 1) emitLoss('choices', deltas)
  return null
}

function applyChoice(state: ChatState, choice: JsonRecord, deltas: Deltas): ChatState {
  const delta = messageOf(choice, state)
  const before = deltas.length
  const afterReasoning = applyReasoning(state, delta, deltas)
  const ready =
    hasOutput(delta) || isNonEmptyString(choice.finish_reason) ? seal(afterReasoning, deltas) : afterReasoning
  const afterContent = applyChoiceContent(ready, delta, choice, deltas)
  const called = delta.tool_calls || delta.function_call ? applyCalls(afterContent, delta, deltas) : afterContent
  return applyFinish(deltas.length > before ? withContent(called) : called, choice.finish_reason, deltas)
}

const withContent = (state: ChatState): ChatState => (state.hasContent ? state : { ...state, hasContent: true })

const hasOutput = ({ content: text, tool_calls: calls, refusal }: JsonRecord): boolean =>
  isNonEmptyString(text) ||
  isNonEmptyString(refusal) ||
  (Array.isArray(text) ? text.length > 0 : isObject(text)) ||
  (Array.isArray(calls) && calls.length > 0)

function applyFinish(state: ChatState, word: unknown, deltas: Deltas): ChatState {
  if (!isNonEmptyString(word)) return state
  const reason = lookup(FINISH_REASONS, word)
  if (reason === null) {
    deltas.push({ kind: 'error', error: upstreamError('server_error', `The upstream stopped with "${word}".`) })
  } else deltas.push({ kind: 'finish', reason: reason ?? 'stop' })
  return state.finished ? state : { ...state, finished: true }
}

/** An error in an answer with status 200 is beside the choices, inside one, or in place of them (Mistral). */
function applyErrors(chunk: JsonRecord, choice: JsonRecord | null, deltas: Deltas): void {
  const error = chunk.error || choice?.error || (chunk.object === 'error' ? chunk : null)
  if (error) deltas.push(errorDelta(error))
}

const errorDelta = (error: unknown): Delta => ({ kind: 'error', error: upstreamErrorOf(unwrap(error)) })

const unwrap = (error: unknown): unknown => (isObject(error) && error.error ? error.error : error)
