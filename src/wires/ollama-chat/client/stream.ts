import { mapDelete, mapGet, mapSet, type SortedMap } from '../../../collections/sorted-map.ts'
import type { Frame } from '../../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../../machine/machine.ts'
import type { CallDelta, ContentDelta, Delta, FinishReason, StopDelta } from '../../../protocol/delta.ts'
import type { GatewayError } from '../../../protocol/error.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import type { Usage } from '../../../protocol/usage.ts'
import { toClientArguments } from '../../../responses/call-arguments.ts'
import { appendFlat } from '../../../text/flat-string.ts'
import { formatJson, isNonEmptyString } from '../../../text/json.ts'
import type { EncodeContext } from '../../client-contract.ts'
import { PART_BORDER } from '../../shared/client/part-border.ts'
import { toErrorLine } from '../errors.ts'
import { DONE_WORDS } from '../terms.ts'

/** One line for the client: a piece of the message, the end, or a failure. */
type LinePart =
  | {
      readonly kind: 'message'
      readonly message: Readonly<{
        content?: string
        thinking?: string
        tool_calls?: readonly Json[]
        images?: readonly string[]
      }>
      readonly logprobs: readonly Logprob[] | null
    }
  | { readonly kind: 'done'; readonly reason: FinishReason; readonly usage: Usage | null }
  | { readonly kind: 'error'; readonly error: GatewayError }

/** An open call. Calls are emitted whole, so arguments are collected until the call ends. */
interface OpenCall {
  readonly type: CallDelta['type']
  readonly id: string
  readonly name: string
  readonly arguments: string
}

interface EncoderState {
  readonly model: string
  /** Open calls, by key. */
  readonly open: SortedMap<string, OpenCall>
  readonly calls: number
  /** The item and the part of the last reasoning; null before it. */
  readonly thinking: { readonly key: string; readonly part: string } | null
  readonly usage: Usage | null
  readonly finish: FinishReason | null
  /** A call was left out, so the answer is incomplete. */
  readonly broken: boolean
  readonly failed: boolean
}

const INITIAL: EncoderState = {
  model: '',
  open: null,
  calls: 0,
  thinking: null,
  usage: null,
  finish: null,
  broken: false,
  failed: false,
}

const messagePart = (
  message: Extract<LinePart, { kind: 'message' }>['message'],
  logprobs: readonly Logprob[] | null = null,
): LinePart => ({
  kind: 'message',
  message,
  logprobs,
})

const write = (state: EncoderState, part: LinePart): Step<EncoderState, LinePart> => ({ state, events: [part] })

const become = (state: EncoderState): Step<EncoderState, LinePart> => ({ state, events: NOTHING })

/** The client has one text of the reasoning: a blank line is between two parts of it. */
function writeThinking(state: EncoderState, { kind, key, part, text }: ContentDelta): Step<EncoderState, LinePart> {
  const { thinking } = state
  const own = `${kind} ${part}`
  const isNext = thinking !== null && thinking.key === key && thinking.part !== own
  const isSame = thinking !== null && thinking.key === key && thinking.part === own
  return write(
    isSame ? state : { ...state, thinking: { key, part: own } },
    messagePart({ thinking: isNext ? PART_BORDER + text : text }),
  )
}

/**
 * Converts deltas to lines. A refusal becomes text. Citations, encrypted content, and items of hosted tools except
 * images are left out, because Ollama has no fields for them. O(1) for a piece of text, O(log n) for a piece of a call
 * while n calls are open.
 */
export const lineParts: Machine<EncoderState, Delta, LinePart> = {
  initial: INITIAL,

  step(state, delta): Step<EncoderState, LinePart> {
    if (state.failed) return become(state)
    switch (delta.kind) {
      case 'text':
      case 'refusal':
        return write(state, messagePart({ content: delta.text }, delta.logprobs))
      case 'reasoning':
      case 'summary':
        return writeThinking(state, delta)
      case 'call':
        return become({ ...state, open: grown(state.open, delta) })
      case 'stop':
        return endCall(state, delta)
      case 'hosted': {
        const { result } = delta.item.fields
        const isPicture = delta.done && delta.item.type === 'image_generation_call' && isNonEmptyString(result)
        return isPicture ? write(state, messagePart({ images: [result] })) : become(state)
      }
      case 'start':
        return become({ ...state, model: delta.model })
      case 'usage':
        return become({ ...state, usage: delta.usage })
      case 'finish':
        return become({ ...state, finish: delta.reason })
      case 'error':
        return write({ ...state, failed: true }, { kind: 'error', error: delta.error })
      default:
        return become(state)
    }
  },

  end({ failed, finish, broken, usage }) {
    if (failed || finish === null) return NOTHING
    return [{ kind: 'done', reason: broken && finish === 'stop' ? 'max_output_tokens' : finish, usage }]
  },
}

function grown(
  open: EncoderState['open'],
  { key, type, callId, name, arguments: piece }: CallDelta,
): EncoderState['open'] {
  const known = mapGet(open, key)
  const call: OpenCall =
    known === undefined
      ? { type, id: callId ?? '', name: name ?? '', arguments: piece }
      : { ...known, arguments: appendFlat(known.arguments, piece) }
  return mapSet(open, key, call)
}

/** Returns the arguments as an object; null if they are cut off or no object: such a call must not be executed. */
const argumentsOf = ({ type, arguments: text }: OpenCall, cut: boolean): JsonObject | null =>
  type === 'custom_tool_call' ? { input: text } : cut ? null : toClientArguments(text)

function endCall(state: EncoderState, { key, cut = false }: StopDelta): Step<EncoderState, LinePart> {
  const call = mapGet(state.open, key)
  if (call === undefined) return become(state)
  const open = mapDelete(state.open, key)
  const args = argumentsOf(call, cut)
  if (args === null) return become({ ...state, open, broken: true })
  const { id, name } = call
  const toolCall = { id, function: { index: state.calls, name, arguments: args } }
  return write({ ...state, open, calls: state.calls + 1 }, messagePart({ content: '', tool_calls: [toolCall] }))
}

/** Returns the counts of the last line, without those that are unknown. */
function counts(usage: Usage | null): JsonObject {
  const { input_tokens: input = null, output_tokens: output = null } = usage ?? {}
  return {
    ...(input === null ? {} : { prompt_eval_count: input }),
    ...(output === null ? {} : { eval_count: output }),
  }
}

interface Head {
  readonly model: string
  readonly created_at: string
}

export const lineHeadOf = ({ model, created_at }: EncodeContext, named: string): Head => ({
  model: named === '' ? model : named,
  created_at: new Date(created_at * 1000).toISOString(),
})

export function toLine(part: LinePart, head: Head): JsonObject {
  switch (part.kind) {
    case 'message': {
      const logprobs = part.logprobs === null ? {} : { logprobs: part.logprobs as unknown as Json }
      return { ...head, message: { role: 'assistant', content: '', ...part.message }, ...logprobs, done: false }
    }
    case 'done':
      return {
        ...head,
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: DONE_WORDS[part.reason],
        ...counts(part.usage),
      }
    case 'error':
      return toErrorLine(part.error)
  }
}

/** Encodes deltas as lines. A failure is the last line. A stream without a `done` line was cut off. */
export function encodeStream(context: EncodeContext): Machine<EncoderState, Delta, Frame> {
  const write = (parts: readonly LinePart[], model: string): readonly Frame[] =>
    parts.map((one) => ({ event: '', data: formatJson(toLine(one, lineHeadOf(context, model))) }))
  return {
    initial: lineParts.initial,

    step(state, delta): Step<EncoderState, Frame> {
      const { state: next, events } = lineParts.step(state, delta)
      return { state: next, events: write(events, next.model) }
    },

    end: (state) => write(lineParts.end(state), state.model),
  }
}
