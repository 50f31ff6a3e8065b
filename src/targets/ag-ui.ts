import { mapDelete, mapGet, mapSet, type SortedMap } from '../collections/sorted-map.ts'
import type { Target } from '../engine/target.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import type { CallItem, HostedItem, Item, ReasoningItem } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Annotation } from '../protocol/part.ts'
import type { Response } from '../protocol/response.ts'
import { isUsableCall, wrapEnd, wrapPiece } from '../responses/call-arguments.ts'
import {
  type EndOfAnswer,
  type FrontEnd,
  type FrontEndContext,
  frontEndTarget,
  INTERFACE_SUPPORT,
  OWN_NAMESPACE,
} from './front-end.ts'
import { flatItem, hostedTool, toExecutedCall } from './hosted-calls.ts'
import { joinReasoning, type ReasoningParts } from './reasoning-text.ts'

interface OpenCall {
  readonly id: string
  /** A piece of its free text was written. */
  readonly hasInput: boolean
}

interface RunState {
  /** Open calls, by item. */
  readonly calls: SortedMap<string, OpenCall>
  readonly reasoned: ReasoningParts
  /** The message that further calls belong to; null where they begin one: at the start, and behind reasoning. */
  readonly message: string | null
}

const INITIAL: RunState = { calls: null, reasoned: null, message: null }

type RunStep = Step<RunState, JsonObject>

const write = (state: RunState, ...events: readonly JsonObject[]): RunStep => ({ state, events })
const skip = (state: RunState): RunStep => ({ state, events: NOTHING })

/**
 * The events of an AG-UI run, with the parts of `@ag-ui/core` 1.0: messages, reasoning with its encrypted value, calls,
 * results of the vendor's own tools, usage. What the protocol does not have is a custom event. The settings `threadId`
 * and `runId` are those of the input of the run.
 */
const AG_UI: FrontEnd<RunState> = {
  name: 'ag-ui',
  supports: INTERFACE_SUPPORT,
  open: runEvents,
  toBody: (events) => ({ events }),
}

/** The target `ag-ui`. */
export const agUi = (settings?: JsonObject): Target => frontEndTarget(AG_UI, settings)

function runEvents(context: FrontEndContext): Machine<RunState, Event, JsonObject> {
  return {
    initial: INITIAL,
    step(state, event): RunStep {
      switch (event.type) {
        case 'created':
          return write(state, { type: 'RUN_STARTED', ...runOf(context) })
        case 'output_item.added':
          return begin(state, event.item)
        case 'output_item.done':
          return end(state, event.item)
        case 'content_part.added':
          return event.part.type === 'reasoning_text' ? skip(state) : beginText(state, event)
        case 'content_part.done':
          return event.part.type === 'reasoning_text'
            ? skip(state)
            : write(state, { type: 'TEXT_MESSAGE_END', messageId: messageIdOf(event) })
        case 'output_text.delta':
        case 'refusal.delta':
          return content(state, 'TEXT_MESSAGE_CONTENT', messageIdOf(event), event.delta)
        case 'reasoning_text.delta':
        case 'reasoning_summary_text.delta':
          return reasoning(state, event)
        case 'function_call_arguments.delta':
          return event.delta === '' ? skip(state) : write(state, args(callOf(state, event.item_id).id, event.delta))
        case 'custom_tool_call_input.delta':
          return freeInput(state, event.item_id, event.delta)
        case 'output_text.annotation.added':
          return write(state, custom('citation', { messageId: messageIdOf(event), ...flatCitation(event.annotation) }))
        case 'completed':
        case 'incomplete':
        case 'failed':
          return write(state, ...closing(event, context))
        default:
          return skip(state)
      }
    },
    end: () => NOTHING,
  }
}

const textOr = (value: unknown, other: string): string => (typeof value === 'string' ? value : other)

const runOf = ({ id, settings: { threadId, runId } }: FrontEndContext): JsonObject => ({
  threadId: textOr(threadId, `thread_${id}`),
  runId: textOr(runId, `run_${id}`),
})

/** An event for what the protocol has no other one for. */
const custom = (name: string, value: JsonObject): JsonObject => ({
  type: 'CUSTOM',
  name: `${OWN_NAMESPACE}.${name}`,
  value,
})

/** Members that come back with a message or a call of the next input, under a name of their own. */
const own = (members: JsonObject): JsonObject =>
  Object.keys(members).length === 0 ? {} : { metadata: { [OWN_NAMESPACE]: members } }

// ---------------------------------------------------------------- text and reasoning

/** A message has one text, so that each further part of an item is a message of its own. */
const messageIdOf = ({
  item_id,
  content_index,
}: {
  readonly item_id: string
  readonly content_index: number
}): string => (content_index === 0 ? item_id : `${item_id}_${content_index}`)

function beginText(state: RunState, event: EventOf<'content_part.added'>): RunStep {
  const messageId = messageIdOf(event)
  const metadata = event.part.type === 'refusal' ? own({ refusal: true }) : {}
  const start = { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', ...metadata }
  return write({ ...state, message: messageId }, start)
}

const content = (state: RunState, type: string, messageId: string, delta: string): RunStep =>
  delta === '' ? skip(state) : write(state, { type, messageId, delta })

function reasoning(state: RunState, event: Parameters<typeof joinReasoning>[1]): RunStep {
  const { parts, text } = joinReasoning(state.reasoned, event)
  const next = parts === state.reasoned ? state : { ...state, reasoned: parts }
  return content(next, 'REASONING_MESSAGE_CONTENT', event.item_id, text)
}

const flatCitation = (annotation: Annotation): JsonObject => ({ ...annotation })

// ---------------------------------------------------------------- items

function begin(state: RunState, item: Item): RunStep {
  switch (item.type) {
    case 'message':
      return skip(state)
    case 'reasoning': {
      const messageId = item.id
      const message = { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' }
      // Clients put a call into the message that it names, which must not stand before this reasoning.
      return write({ ...state, message: null }, { type: 'REASONING_START', messageId }, message)
    }
    case 'function_call':
    case 'custom_tool_call': {
      const calls = mapSet(state.calls, item.id, { id: item.call_id, hasInput: false })
      const { type, namespace } = item
      const members = {
        ...(type === 'custom_tool_call' ? { custom: true } : {}),
        ...(namespace === undefined ? {} : { namespace }),
      }
      const message = messageFor(state, item)
      return write({ ...state, calls, message }, { ...callStart(item.call_id, item.name, message), ...own(members) })
    }
    default: {
      const tool = hostedTool(item)
      if (tool === null) return skip(state)
      const message = messageFor(state, item)
      return write({ ...state, message }, { ...callStart(item.id, tool, message), ...own({ itemType: item.type }) })
    }
  }
}

/** The message of a call: that of the text before it, of the call before it, or one of its own. */
const messageFor = ({ message }: RunState, { id }: Item): string => message ?? `msg_${id}`

const callStart = (toolCallId: string, toolCallName: string, parentMessageId: string): JsonObject => ({
  type: 'TOOL_CALL_START',
  toolCallId,
  toolCallName,
  parentMessageId,
})

function end(state: RunState, item: Item): RunStep {
  switch (item.type) {
    case 'message':
      return skip(state)
    case 'reasoning':
      return write({ ...state, reasoned: mapDelete(state.reasoned, item.id) }, ...endOfReasoning(item))
    case 'function_call':
    case 'custom_tool_call':
      return write({ ...state, calls: mapDelete(state.calls, item.id) }, ...endOfCall(item, callOf(state, item.id)))
    default:
      return write(state, ...hostedEvents(item))
  }
}

const endOfReasoning = ({ id: messageId, encrypted_content: encryptedValue }: ReasoningItem): readonly JsonObject[] => [
  ...(encryptedValue === null
    ? []
    : [{ type: 'REASONING_ENCRYPTED_VALUE', subtype: 'message', entityId: messageId, encryptedValue }]),
  { type: 'REASONING_MESSAGE_END', messageId },
  { type: 'REASONING_END', messageId },
]

// ---------------------------------------------------------------- calls

const callOf = ({ calls }: RunState, item: string): OpenCall => mapGet(calls, item) ?? { id: item, hasInput: false }

const args = (toolCallId: string, delta: string): JsonObject => ({ type: 'TOOL_CALL_ARGS', toolCallId, delta })

/** Arguments are JSON, so that a free text becomes a member of an object. */
function freeInput(state: RunState, item: string, delta: string): RunStep {
  if (delta === '') return skip(state)
  const { id, hasInput } = callOf(state, item)
  const calls = mapSet(state.calls, item, { id, hasInput: true })
  return write({ ...state, calls }, args(id, wrapPiece(delta, !hasInput)))
}

function endOfCall(item: CallItem, { id, hasInput }: OpenCall): readonly JsonObject[] {
  const last = item.type === 'custom_tool_call' ? [args(id, wrapEnd(hasInput ? item.input : ''))] : []
  // A call with a result waits for none, so that no interface executes it.
  const refused = isUsableCall(item) ? [] : [resultOf(id, UNUSABLE)]
  return [...last, { type: 'TOOL_CALL_END', toolCallId: id }, ...refused]
}

const UNUSABLE = 'The call was not executed: its arguments are not a whole JSON object.'

const resultOf = (toolCallId: string, content: string): JsonObject => ({
  type: 'TOOL_CALL_RESULT',
  messageId: `${toolCallId}_result`,
  toolCallId,
  content,
  role: 'tool',
})

/** Clients of version 0.0 refuse a result that is no text, so that an image is a data URL in it. */
function hostedEvents(item: HostedItem): readonly JsonObject[] {
  const call = toExecutedCall(item)
  if (call === null) return [custom('item', flatItem(item))]
  const { input, output, image } = call
  const picture = image === null ? {} : { image: `data:${image.mediaType};base64,${image.data}` }
  return [
    args(item.id, JSON.stringify(input)),
    { type: 'TOOL_CALL_END', toolCallId: item.id },
    resultOf(item.id, JSON.stringify({ ...output, ...picture })),
  ]
}

// ---------------------------------------------------------------- the end

function closing(event: EndOfAnswer, context: FrontEndContext): readonly JsonObject[] {
  const { response } = event
  const losses = context.lossesOf(event)
  const notes = losses.length === 0 ? [] : [custom('losses', { losses })]
  const usage = usageOf(response)
  if (event.type === 'failed') {
    const { code = 'server_error', message = '' } = response.error ?? {}
    return [...notes, { type: 'RUN_ERROR', message, code, ...usage }]
  }
  const isPending = response.output.some((item) => 'call_id' in item && isUsableCall(item))
  const metadata = { finishReason: response.incomplete_details?.reason ?? (isPending ? 'tool_calls' : 'stop') }
  // Clients derive the calls that wait for a result: 0.0 refuses a list of them, and the outcome is a success without one.
  return [...notes, { type: 'RUN_FINISHED', ...runOf(context), ...usage, metadata }]
}

/** The counts that are known, under the names of the protocol. */
function usageOf({ usage, model }: Response): JsonObject {
  if (usage === null) return {}
  const counts = {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    reasoningTokens: usage.reasoning_tokens,
    cachedInputTokens: usage.cached_tokens,
    cacheWriteInputTokens: usage.cache_write_tokens ?? null,
  }
  const known = Object.entries(counts).filter((entry): entry is [string, number] => entry[1] !== null)
  return { usage: [{ model, ...Object.fromEntries(known) }] }
}
