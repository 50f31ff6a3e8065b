import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { ContentDelta, ContentKind, Delta } from '../../../protocol/delta.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { readTokens, type Usage } from '../../../protocol/usage.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import type { Quirks } from '../../quirks.ts'
import { emitWrongKind, readCallId, readObjects, readTextField } from '../../shared/upstream/answers/answer-values.ts'
import { type BareFailure, failureIn } from '../../shared/upstream/answers/failure-in-success.ts'
import { emitFinish } from '../../shared/upstream/answers/finish-reasons.ts'
import { emitImage } from '../../shared/upstream/answers/generated-image.ts'
import { hasTooManyUnreadable, readUnreadable } from '../../shared/upstream/answers/unreadable-frames.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import {
  heldText,
  initialThinkTags,
  splitThinkTags,
  type ThinkTagState,
  withReasoningField,
} from '../../shared/upstream/think-tags.ts'
import { upstreamErrorOf } from '../errors.ts'
import { CALL_REASONS, DONE_REASONS } from '../terms.ts'

/** The state from earlier lines. A line of text does not change it. */
interface OllamaState {
  readonly model: string
  /**
   * The number of calls and images so far. It forms their keys, because the upstream's own indices are not reliable.
   */
  readonly calls: number
  readonly images: number
  readonly think: ThinkTagState
  /** The number of lines that could not be read. */
  readonly noise: number
  readonly over: boolean
}

const initialState = (quirks: Quirks): OllamaState => ({
  model: '',
  calls: 0,
  images: 0,
  think: initialThinkTags(quirks),
  noise: 0,
  over: false,
})

/**
 * Decodes lines (docs/wires/ollama-chat.md, 2). Only a line with `done` finishes an answer; an answer without one was
 * cut off. O(k) for a line of k characters.
 */
export const decodeStream = (quirks: Quirks): Machine<OllamaState, Frame, Delta> => ({
  initial: initialState(quirks),

  step(state, frame): Step<OllamaState, Delta> {
    if (isOver(state)) return { state, events: NOTHING }
    const line = jsonOf(frame)
    if (isObject(line)) return applyLine(state, line)
    return readUnreadable({ decoder: this, ...NOISE }, state, frame)
  },

  remainder: (state) => (isOver(state) ? 'nothing' : 'more'),

  end: ({ think }) => heldText(think).map(({ kind, text }) => content(kind, text)),
})

const NOISE = {
  noiseOf: ({ noise }: OllamaState): number => noise,
  withNoise: (state: OllamaState, noise: number): OllamaState => ({ ...state, noise }),
  toError: upstreamErrorOf,
}

const isOver = ({ over, noise }: OllamaState): boolean => over || hasTooManyUnreadable(noise)

/** Decodes a whole answer, which is a stream of one line. */
export function decodeBody(body: unknown, quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return failed(failureIn(body))
  const { state, events } = applyLine(initialState(quirks), body)
  return [...events, ...decodeStream(quirks).end(state)]
}

const content = (kind: ContentKind, text: string, logprobs: readonly Logprob[] | null = null): ContentDelta => ({
  kind,
  key: kind === 'text' ? 'message' : 'thought',
  part: '',
  text,
  logprobs,
})

function applyLine(state: OllamaState, line: JsonRecord): Step<OllamaState, Delta> {
  const deltas: Deltas = []
  const named = applyModel(state, line, deltas)
  deltas.push(...failed(failureOf(line)))
  const afterMessage = applyMessage(named, messageOf(line), line, deltas)
  if (line.done !== true) return { state: afterMessage, events: deltas }
  applyDone(line, state.noise > 0, deltas)
  return { state: { ...afterMessage, over: true }, events: deltas }
}

/** A line without any part of an answer may report a failure without the field `error`. */
function failureOf(line: JsonRecord): JsonRecord | BareFailure | null {
  if (line.error) return line
  const isAnswer = isObject(line.message) || line.response !== undefined || line.done !== undefined
  return isAnswer ? null : failureIn(line)
}

const failed = (failure: JsonRecord | BareFailure | null): readonly Delta[] =>
  failure === null ? NOTHING : [{ kind: 'error', error: upstreamErrorOf(failure) }]

function applyModel(state: OllamaState, { model }: JsonRecord, deltas: Deltas): OllamaState {
  if (!isNonEmptyString(model) || model === state.model) return state
  deltas.push({ kind: 'start', model })
  return { ...state, model }
}

/** Gateways that use the endpoint /api/generate have the text at the top of the line. */
const messageOf = (line: JsonRecord): JsonRecord =>
  isObject(line.message) ? line.message : { content: line.response, thinking: line.thinking }

function applyMessage(state: OllamaState, message: JsonRecord, line: JsonRecord, deltas: Deltas): OllamaState {
  const thinking = readTextField(message.thinking, 'thinking', deltas)
  const afterReasoning = thinking === '' ? state : applyReasoning(state, thinking, deltas)
  const words = readTextField(message.content, 'content', deltas)
  const afterText = words === '' ? afterReasoning : applyText(afterReasoning, words, line, deltas)
  const shown = message.images ? applyImages(afterText, message.images, deltas) : afterText
  return message.tool_calls ? applyCalls(shown, message.tool_calls, deltas) : shown
}

function applyReasoning(state: OllamaState, text: string, deltas: Deltas): OllamaState {
  const think = withReasoningField(state.think)
  if (think === null) return state
  deltas.push(content('reasoning', text))
  return think === state.think ? state : { ...state, think }
}

function applyText(state: OllamaState, text: string, line: JsonRecord, deltas: Deltas): OllamaState {
  if (state.think.mode === 'text') {
    deltas.push(content('text', text, line.logprobs ? toLogprobs(line.logprobs) : null))
    return state
  }
  const { state: think, pieces } = splitThinkTags(state.think, text)
  // A piece that is the whole line keeps its tokens; those of a line with a tag belong to no single piece.
  const logprobs = line.logprobs ? toLogprobs(line.logprobs) : null
  const isWhole = pieces.length === 1 && pieces[0]?.text === text
  if (logprobs !== null && !isWhole) emitLoss('logprobs', deltas)
  for (const piece of pieces) deltas.push(content(piece.kind, piece.text, isWhole ? logprobs : null))
  return think === state.think ? state : { ...state, think }
}

/** Emits images, which Ollama sends as base64 without a prefix. */
function applyImages(state: OllamaState, found: unknown, deltas: Deltas): OllamaState {
  const images = [found].flat().filter(isNonEmptyString)
  if (images.length === 0) emitWrongKind('images', found, deltas)
  images.forEach((source, i) => {
    emitImage(`image ${state.images + i}`, source, '', deltas)
  })
  return images.length === 0 ? state : { ...state, images: state.images + images.length }
}

/** Emits calls. Each entry is a whole call of its own: no call is repeated, and `index` is not reliable. */
function applyCalls(state: OllamaState, found: unknown, deltas: Deltas): OllamaState {
  const calls = readObjects(found, 'tool_calls', deltas)
  calls.forEach((call, i) => {
    const body = isObject(call.function) ? call.function : call
    const key = `call ${state.calls + i}`
    const callId = readCallId(call.id) ?? readCallId(body.id)
    const name = isNonEmptyString(body.name) ? body.name : null
    deltas.push(
      { kind: 'call', key, type: 'function_call', callId, name, arguments: toArguments(body.arguments, deltas) },
      { kind: 'stop', key },
    )
  })
  return calls.length === 0 ? state : { ...state, calls: state.calls + calls.length }
}

/** Returns arguments as JSON text. They are an object; JSON text of some proxies is not serialised a second time. */
function toArguments(args: unknown, deltas: Deltas): string {
  if (typeof args === 'string') return args
  return args === undefined || args === null ? '' : formatArguments(args, deltas)
}

/** A line without a reason ends an answer only if every line was read (`isDamaged`). */
function applyDone(line: JsonRecord, isDamaged: boolean, deltas: Deltas): void {
  const usage = toUsage(line)
  if (usage !== null) deltas.push({ kind: 'usage', usage })
  const word = scalarToString(line.done_reason)
  if (word !== '') emitFinish(DONE_REASONS, word, 'done_reason', CALL_REASONS, deltas)
  else if (!isDamaged) deltas.push({ kind: 'finish', reason: 'stop' })
}

/** Returns the counts of the `done` line. Either may be missing; null if both are. Reasoning is part of the output. */
function toUsage(line: Readonly<Record<string, unknown>>): Usage | null {
  const input = readTokens(line.prompt_eval_count)
  const output = readTokens(line.eval_count)
  if (input === null && output === null) return null
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input === null || output === null ? null : input + output,
    cached_tokens: null,
    reasoning_tokens: null,
  }
}
