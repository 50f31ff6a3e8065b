import { type Frame, isDone, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Remainder, type Step } from '../../../machine/machine.ts'
import { run } from '../../../machine/run.ts'
import type { Delta } from '../../../protocol/delta.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import { SERVED_MEMBERS } from '../../../protocol/served.ts'
import { joinCalls } from '../../../responses/join-calls.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { Quirks } from '../../quirks.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import { type BareFailure, failureBeside, failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { finalsOf } from '../../shared/upstream/answers/final-values.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import { type Deltas, emitLoss, emitWords } from '../../shared/upstream/deltas.ts'
import { heldText } from '../../shared/upstream/think-tags.ts'
import { upstreamErrorOf } from '../errors.ts'
import { mergeUsage, readServed, toUsage } from '../usage.ts'
import {
  applyCalls,
  applyChoiceContent,
  applyFinish,
  applyLateContent,
  applySources,
  contentOf,
  messageOf,
} from './choice.ts'
import { applyReasoning, emitLater, seal } from './reasoning.ts'
import {
  type ChatState,
  chunksOf,
  contentDelta,
  hasOpenChoices,
  initialState,
  isAlternative,
  otherChoices,
  repeatedBy,
  splitChoices,
  startedChoices,
  withReadMembers,
} from './state.ts'

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
    return readUnreadable({ decoder: this, ...NOISE }, state, frame)
  },

  /** Usage, and in a few streams further calls, follow a finish reason. */
  remainder(state): Remainder {
    if (isOver(state)) return 'nothing'
    return state.finished && !isUnfinished(state) ? 'details' : 'more'
  },

  held: ({ others }) => others.size,

  end: (state) => finish(state, quirks),
})

const isOver = ({ over, noise }: ChatState): boolean => over || hasTooManyUnreadable(noise)

/** Whether a client that reads all choices still waits for one. */
const isUnfinished = (state: ChatState): boolean => state.passed && hasOpenChoices(state)

const NOISE = {
  noiseOf: ({ noise }: ChatState): number => noise,
  withNoise: (state: ChatState, noise: number): ChatState => ({ ...state, noise }),
  toError: upstreamErrorOf,
}

function finish(state: ChatState, quirks: Quirks): readonly Delta[] {
  const deltas: Delta[] = []
  const joined = joinChoices(state, quirks, deltas)
  for (const { kind, text } of heldText(joined.think)) deltas.push(contentDelta(kind, text))
  emitLater(seal(joined, deltas), deltas)
  // Snowflake sends no finish reason: an answer with content is complete if `[DONE]` or, last of all, usage was read, and
  // every frame before it.
  const ends = joined.over || (joined.counted && !(state.passed && startedChoices(state) > 1))
  const whole = ends && joined.noise === 0 && (joined.hasContent || deltas.length > 0)
  if (!joined.finished && whole) deltas.push({ kind: 'finish', reason: 'stop' })
  if (joined.finish !== null && ((joined.over && joined.noise === 0) || !isUnfinished(state)))
    deltas.push(joined.finish)
  return deltas
}

/** Decodes the choices beside the first one, which are further parts of the answer or alternatives to it. */
function joinChoices(state: ChatState, { splitsAnswers }: Quirks, deltas: Deltas): ChatState {
  const others = otherChoices(state.others)
  const { called } = state
  let now = state
  for (const [position, [index, other]] of others.entries()) {
    const isFirst = position === 0 && !state.others.hasFirst
    if (!isFirst && isAlternative(other, { hasText: now.hasText, called }, splitsAnswers === true)) {
      emitLoss('choices', deltas)
      continue
    }
    now = { ...now, call: '', callId: '', members: null }
    for (const choice of chunksOf(other)) now = applyChoice(now, choice, isFirst ? '' : `choice ${index} `, deltas)
  }
  return now
}

/** A whole chat completion is decoded as a stream of one chunk, whose delta is its message. */
export function decodeBody(body: unknown, quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return failed(failureIn(body))
  const { state, events } = applyChunk({ ...initialState(quirks), whole: true }, body, quirks)
  return [...events, ...finish({ ...state, over: true }, quirks)]
}

function applyChunk(state: ChatState, chunk: JsonRecord, quirks: Quirks): Step<ChatState, Delta> {
  const deltas: Delta[] = []
  const { first, others } = splitChoices(state.others, chunk.choices, state.hasText, deltas)
  const choice = first[0] ?? null
  // The usage of the first chunk is emitted before the start delta, so that the first event can include it.
  const begins = state.model === ''
  const headed = withHead(state, chunk)
  const known = others === state.others ? headed : { ...headed, others }
  const served = applyServed(known, chunk, choice, deltas)
  const named = applyModel(begins ? applyUsages(served, chunk, choice, deltas) : served, chunk, deltas)
  applyErrors(chunk, choice, deltas)
  const afterChoice = first.reduce<ChatState>((now, piece) => applyChoice(now, piece, '', deltas), named)
  const afterMessage =
    choice === null ? afterChoice : applyRepeated(afterChoice, repeatedBy(named, choice), deltas, quirks)
  const cited = applySources(afterMessage, chunk, deltas, quirks)
  const counted = chunk.usage !== undefined && chunk.usage !== null && choice === null && others === state.others
  const last = counted === cited.counted ? cited : { ...cited, counted }
  return { state: begins ? last : applyUsages(last, chunk, choice, deltas), events: deltas }
}

/** Keeps the members that every chunk repeats, of the first one. */
function withHead(state: ChatState, chunk: JsonRecord): ChatState {
  // Returns before the fields are read: later chunks may have others.
  if (state.head !== null) return state
  const { id, object, created, model } = chunk
  const head: Record<string, Json> = {}
  if (isNonEmptyString(id)) head.id = id
  if (isNonEmptyString(object)) head.object = object
  if (typeof created === 'number') head.created = created
  if (isNonEmptyString(model)) head.model = model
  return { ...state, head }
}

function applyRepeated(
  state: ChatState,
  repeated: ReturnType<typeof repeatedBy>,
  deltas: Deltas,
  quirks: Quirks,
): ChatState {
  if (repeated === null) return state
  deltas.push(...finalsOf(decodeMessage(state, repeated.message, quirks)))
  return applyLateContent(state, repeated.beside, deltas)
}

/** Decodes a message that repeats an answer. Its calls are joined as those of the stream, so that they have its keys. */
function decodeMessage({ call }: ChatState, message: JsonRecord, quirks: Quirks): readonly Delta[] {
  const calls = toArray(message.tool_calls).filter(isObject)
  const isNumbered = call.startsWith('index ')
  const tool_calls = calls.map((one, i) => ({ ...one, index: isNumbered ? (one.index ?? i) : null }))
  const deltas: Delta[] = []
  const alone = { ...initialState(quirks), whole: true }
  const { think } = applyChoice(alone, { message: { ...message, tool_calls } }, '', deltas)
  return [...run(joinCalls, deltas), ...heldText(think).map(({ kind, text }) => contentDelta(kind, text))]
}

/** Decodes a piece of a choice. `place` begins the keys of its calls. */
function applyChoice(state: ChatState, choice: JsonRecord, place: string, deltas: Deltas): ChatState {
  const delta = messageOf(choice, state, state.whole)
  const before = deltas.length
  const afterReasoning = applyReasoning(withReadMembers(state, choice), delta, deltas)
  const ready =
    hasOutput(delta) || isNonEmptyString(choice.finish_reason) ? seal(afterReasoning, deltas) : afterReasoning
  const afterContent = applyChoiceContent(ready, delta, choice, deltas)
  const called = delta.tool_calls || delta.function_call ? applyCalls(afterContent, delta, place, deltas) : afterContent
  return applyFinish(deltas.length > before ? withContent(called, before, deltas) : called, choice, place, deltas)
}

/** Notes that the answer has content, and text. */
function withContent(state: ChatState, before: number, deltas: Deltas): ChatState {
  const hasText = state.hasText || deltas.slice(before).some(({ kind }) => kind === 'text' || kind === 'refusal')
  return state.hasContent && hasText === state.hasText ? state : { ...state, hasContent: true, hasText }
}

function hasOutput(delta: JsonRecord): boolean {
  const { tool_calls: calls, refusal } = delta
  const text = contentOf(delta)
  return (
    isNonEmptyString(text) ||
    isNonEmptyString(refusal) ||
    (Array.isArray(text) ? text.length > 0 : isObject(text)) ||
    (Array.isArray(calls) && calls.length > 0)
  )
}

/** An error in an answer with status 200 is beside the choices, inside one, or in place of them (Mistral). */
function applyErrors(chunk: JsonRecord, choice: JsonRecord | null, deltas: Deltas): void {
  const error = chunk.error || choice?.error || (chunk.object === 'error' ? chunk : null)
  if (error) deltas.push(errorDelta(error))
  else deltas.push(...failed(choice === null ? failureIn(chunk) : failureBeside(chunk)))
}

const failed = (failure: BareFailure | null): readonly Delta[] => (failure === null ? NOTHING : [errorDelta(failure)])

const errorDelta = (error: unknown): Delta => ({ kind: 'error', error: upstreamErrorOf(unwrap(error)) })

const unwrap = (error: unknown): unknown => (isObject(error) && error.error ? error.error : error)

function applyModel(state: ChatState, chunk: JsonRecord, deltas: Deltas): ChatState {
  const { model } = chunk
  if (!isNonEmptyString(model) || model === state.model) return state
  // Each chunk repeats the id: reading it in each of them would keep them off the fast path.
  emitWords({ id: chunk.id }, deltas)
  deltas.push({ kind: 'start', model })
  return { ...state, model }
}

/** Most vendors repeat these members in every chunk. */
function applyServed(state: ChatState, chunk: JsonRecord, choice: JsonRecord | null, deltas: Deltas): ChatState {
  const found = readServed(chunk, choice)
  // The number of a token that ended the answer (vLLM).
  if (typeof choice?.stop_reason === 'number') emitLoss('choices[].stop_reason', deltas)
  if (SERVED_MEMBERS.every((name) => found[name] === undefined || found[name] === state.served[name])) return state
  const served = { ...state.served, ...found }
  deltas.push({ kind: 'served', served })
  return { ...state, served }
}

/** Usage may be in any chunk, and in a vendor's own place: `x_groq` at Groq, the choice at Moonshot. */
function applyUsages(state: ChatState, chunk: JsonRecord, choice: JsonRecord | null, deltas: Deltas): ChatState {
  const groq = isObject(chunk.x_groq) ? applyUsage(state, chunk.x_groq.usage, deltas) : state
  const whole = chunk.usage ? applyUsage(groq, withCost(chunk.usage, chunk.cost), deltas) : groq
  return choice?.usage ? applyUsage(whole, choice.usage, deltas) : whole
}

/** Venice reports the price beside the usage. */
const withCost = (usage: unknown, cost: unknown): unknown =>
  isObject(usage) && cost !== undefined && usage.cost === undefined ? { ...usage, cost } : usage

function applyUsage(state: ChatState, found: unknown, deltas: Deltas): ChatState {
  if (!isObject(found)) {
    emitWrongKind('usage', found, deltas)
    return state
  }
  const usage = mergeUsage(state.usage, found)
  if (usage === null) return state
  deltas.push({ kind: 'usage', usage: toUsage(usage) })
  return { ...state, usage }
}
