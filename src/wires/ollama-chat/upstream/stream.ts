import { type Frame, jsonOf } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { ContentDelta, ContentKind, Delta } from '../../../protocol/delta.ts'
import type { Bag } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import { formatJson, isObject, isText, toArray, wordOf } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Quirks } from '../../quirks.ts'
import type { Say } from '../../shared/upstream/deltas.ts'
import { toLogprobs } from '../../shared/upstream/logprobs.ts'
import {
  heldThoughts,
  splitThoughts,
  type ThinkState,
  thinkApart,
  thinkStart,
} from '../../shared/upstream/think-tags.ts'
import { isTooNoisy, noiseAfter } from '../../shared/upstream/unreadable-frames.ts'
import { upstreamErrorOf } from '../errors.ts'
import { DONE_REASONS } from '../terms.ts'
import { toUsage } from './usage.ts'

/** The state from earlier lines. A line of text does not change it. */
export interface OllamaState {
  readonly model: string
  /**
   * The number of calls and images so far. It forms their keys, because the upstream's own indices are not reliable.
   */
  readonly calls: number
  readonly images: number
  readonly think: ThinkState
  /** The number of lines that could not be read. */
  readonly noise: number
}

const NO_TEXT: Delta = { kind: 'loss', feature: 'content that is no text' }

const initialState = (quirks: Quirks): OllamaState => ({
  model: '',
  calls: 0,
  images: 0,
  think: thinkStart(quirks),
  noise: 0,
})

/**
 * Decodes lines (docs/wires/ollama-chat.md, 2). Only a line with `done` finishes an answer; an answer without one was
 * cut off. O(k) for a line of k characters.
 */
export const decodeStream = (quirks: Quirks): Machine<OllamaState, Frame, Delta> => ({
  initial: initialState(quirks),

  step(state, frame): Step<OllamaState, Delta> {
    if (isTooNoisy(state.noise)) return { state, events: NOTHING }
    const line = jsonOf(frame)
    if (isObject(line)) return hearLine(state, line)
    return { state: { ...state, noise: state.noise + 1 }, events: noiseAfter(state.noise) }
  },

  end: ({ think }) => heldThoughts(think).map(({ kind, text }) => content(kind, text)),
})

/** Decodes a whole answer, which is a stream of one line. */
export function decodeBody(body: unknown, quirks: Quirks): readonly Delta[] {
  if (!isObject(body)) return NOTHING
  const { state, events } = hearLine(initialState(quirks), body)
  return [...events, ...decodeStream(quirks).end(state)]
}

const content = (kind: ContentKind, text: string, logprobs: readonly Logprob[] | null = null): ContentDelta => ({
  kind,
  key: kind === 'text' ? 'message' : 'thought',
  part: '',
  text,
  logprobs,
})

function hearLine(state: OllamaState, line: Bag): Step<OllamaState, Delta> {
  const say: Say = []
  const named = hearModel(state, line, say)
  if (line.error) say.push({ kind: 'error', error: upstreamErrorOf(line) })
  const heard = hearMessage(named, messageOf(line), line, say)
  if (line.done === true) hearDone(line, say)
  return { state: heard, events: say }
}

function hearModel(state: OllamaState, { model }: Bag, say: Say): OllamaState {
  if (!isText(model) || model === state.model) return state
  say.push({ kind: 'start', model })
  return { ...state, model }
}

/** Gateways that use the endpoint /api/generate have the text at the top of the line. */
const messageOf = (line: Bag): Bag =>
  isObject(line.message) ? line.message : { content: line.response, thinking: line.thinking }

function hearMessage(state: OllamaState, message: Bag, line: Bag, say: Say): OllamaState {
  const thought = isText(message.thinking) ? hearThought(state, message.thinking, say) : state
  const told = isText(message.content) ? hearText(thought, message.content, line, say) : thought
  if (typeof message.content === 'object' && message.content !== null) say.push(NO_TEXT)
  const shown = message.images ? hearImages(told, message.images, say) : told
  return message.tool_calls ? hearCalls(shown, message.tool_calls, say) : shown
}

function hearThought(state: OllamaState, said: string, say: Say): OllamaState {
  say.push(content('reasoning', said))
  const think = thinkApart(state.think)
  return think === state.think ? state : { ...state, think }
}

function hearText(state: OllamaState, said: string, line: Bag, say: Say): OllamaState {
  if (state.think.mode === 'text') {
    say.push(content('text', said, line.logprobs ? toLogprobs(line.logprobs) : null))
    return state
  }
  const { state: think, pieces } = splitThoughts(state.think, said)
  for (const { kind, text } of pieces) say.push(content(kind, text))
  return think === state.think ? state : { ...state, think }
}

/** Emits images, which are base64 without a prefix. */
function hearImages(state: OllamaState, found: unknown, say: Say): OllamaState {
  const images = toArray(found).filter(isText)
  images.forEach((result, i) => {
    say.push({
      kind: 'hosted',
      key: `image ${state.images + i}`,
      item: { type: 'image_generation_call', id: '', status: 'completed', fields: { result } },
      done: true,
    })
  })
  return images.length === 0 ? state : { ...state, images: state.images + images.length }
}

/** Emits calls. Each entry is a whole call of its own: no call is repeated, and `index` is not reliable. */
function hearCalls(state: OllamaState, found: unknown, say: Say): OllamaState {
  const calls = toArray(found).filter(isObject)
  calls.forEach((call, i) => {
    const body = isObject(call.function) ? call.function : {}
    const id = [call.id, body.id].find(isText)
    say.push({
      kind: 'call',
      key: `call ${state.calls + i}`,
      type: 'function_call',
      callId: id ?? null,
      name: isText(body.name) ? body.name : null,
      arguments: toArguments(body.arguments),
    })
  })
  return calls.length === 0 ? state : { ...state, calls: state.calls + calls.length }
}

/** Returns arguments as JSON text. They are an object; JSON text of some proxies is not serialised a second time. */
function toArguments(args: unknown): string {
  if (isText(args)) return args
  return args === undefined || args === null || args === '' ? '{}' : formatJson(args)
}

function hearDone(line: Bag, say: Say): void {
  const usage = toUsage(line)
  if (usage !== null) say.push({ kind: 'usage', usage })
  say.push({ kind: 'finish', reason: lookup(DONE_REASONS, wordOf(line.done_reason)) ?? 'stop' })
}
