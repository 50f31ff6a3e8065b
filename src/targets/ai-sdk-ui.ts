import { mapDelete, mapGet, mapSet, type SortedMap } from '../collections/sorted-map.ts'
import type { Target } from '../engine/target.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import type { CallItem, HostedItem, Item } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Annotation, OutputText } from '../protocol/part.ts'
import type { Usage } from '../protocol/usage.ts'
import { toArgumentObject } from '../responses/call-arguments.ts'
import { toUiMessage } from './ai-sdk-ui-message.ts'
import { type EndOfAnswer, type FrontEnd, type FrontEndContext, frontEndTarget, OWN_NAMESPACE } from './front-end.ts'
import { flatItem, hostedTool, toExecutedCall } from './hosted-calls.ts'
import { joinReasoning, type ReasoningParts } from './reasoning-text.ts'
import { withoutPrototypeNames } from './without-prototype-names.ts'

interface UiState {
  /** The ids of the open calls, by item. */
  readonly calls: SortedMap<string, string>
  readonly reasoned: ReasoningParts
  /** The ids of the sources, by URL or by file. */
  readonly sources: SortedMap<string, string>
  readonly sourceCount: number
}

const INITIAL: UiState = { calls: null, reasoned: null, sources: null, sourceCount: 0 }

type UiStep = Step<UiState, JsonObject>

const write = (state: UiState, ...events: readonly JsonObject[]): UiStep => ({ state, events })
const skip = (state: UiState): UiStep => ({ state, events: NOTHING })

/**
 * The UI message stream of the AI SDK, in what versions 6 and 7 of `ai` have in common: text, reasoning, calls, sources,
 * files, and the vendor's own tools as calls that the provider executed. What readers of either version do not have is
 * a data part. The settings `messageId` and `usage` name the message, and add the usage to its metadata.
 */
const AI_SDK_UI: FrontEnd<UiState> = {
  name: 'ai-sdk-ui',
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  terminator: '[DONE]',
  supports: {
    hosted: [],
    // Each item is whole: as a call with its result, or as a data part.
    hasOwnForm: () => true,
    annotations: ['url_citation', 'file_citation'],
    logprobs: false,
    argumentObjects: 'all',
    sealed: true,
    openedPages: true,
    namespaces: true,
    served: [],
    cost: false,
    // Each of these requests is a call of the answer.
    details: ['web_search_requests', 'web_fetch_requests'],
    parts: ['cached_tokens', 'reasoning_tokens', 'cache_write_tokens'],
    lifetimes: [],
  },
  open: uiChunks,
  toBody: toUiMessage,
}

/** The target `ai-sdk-ui`. */
export const aiSdkUi = (settings?: JsonObject): Target => frontEndTarget(AI_SDK_UI, settings)

function uiChunks(context: FrontEndContext): Machine<UiState, Event, JsonObject> {
  return {
    initial: INITIAL,
    step(state, event): UiStep {
      switch (event.type) {
        case 'created':
          return write(state, { type: 'start', messageId: messageIdOf(context) }, { type: 'start-step' })
        case 'output_item.added':
          return begin(state, event.item)
        case 'output_item.done':
          return end(state, event.item)
        case 'content_part.added':
          return event.part.type === 'reasoning_text' ? skip(state) : write(state, textStart(event))
        case 'content_part.done':
          return event.part.type === 'output_text' || event.part.type === 'refusal'
            ? write(state, textEnd(state, event))
            : skip(state)
        case 'output_text.delta':
        case 'refusal.delta':
          return event.delta === ''
            ? skip(state)
            : write(state, { type: 'text-delta', id: partId(event), delta: event.delta })
        case 'reasoning_text.delta':
        case 'reasoning_summary_text.delta':
          return reasoning(state, event)
        case 'function_call_arguments.delta':
        case 'custom_tool_call_input.delta':
          return event.delta === '' ? skip(state) : write(state, inputDelta(state, event.item_id, event.delta))
        case 'output_text.annotation.added':
          return addSource(state, event.annotation)
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

const messageIdOf = ({ id, settings: { messageId } }: FrontEndContext): string =>
  typeof messageId === 'string' ? messageId : `msg_${id}`

/** Members that the interface sends back with a part of a message. */
const own = (members: JsonObject): JsonObject => ({ providerMetadata: { [OWN_NAMESPACE]: members } })

// ---------------------------------------------------------------- text and its sources

const partId = ({ item_id, content_index }: { readonly item_id: string; readonly content_index: number }): string =>
  `${item_id}_${content_index}`

const textStart = (event: EventOf<'content_part.added'>): JsonObject => ({
  type: 'text-start',
  id: partId(event),
  ...(event.part.type === 'refusal' ? own({ refusal: true }) : {}),
})

function textEnd({ sources }: UiState, event: EventOf<'content_part.done'>): JsonObject {
  const annotations = (event.part as Partial<OutputText>).annotations ?? []
  const citations = annotations.map((annotation) => toCitation(annotation, mapGet(sources, sourceKey(annotation))))
  return { type: 'text-end', id: partId(event), ...(citations.length === 0 ? {} : { citations }) }
}

const sourceKey = (annotation: Annotation): string =>
  annotation.type === 'url_citation' ? annotation.url : `file:${annotation.file_id}`

/** Readers of version 6 ignore the places of citations. */
function toCitation(annotation: Annotation, id = ''): JsonObject {
  const source = { type: 'source', id, ...sourceOf(annotation) }
  if (annotation.type === 'file_citation') return { source, endIndex: annotation.index }
  const { start_index: startIndex, end_index: endIndex, content } = annotation
  return { source, startIndex, endIndex, ...(content === null ? {} : { citedText: content }) }
}

/** A file is known by its name alone. */
const UNKNOWN_MEDIA = 'application/octet-stream'

function sourceOf(annotation: Annotation): JsonObject {
  if (annotation.type === 'file_citation') {
    const { file_id: fileId, filename } = annotation
    return { sourceType: 'document', mediaType: UNKNOWN_MEDIA, title: filename || fileId, filename, ...own({ fileId }) }
  }
  const { url, title } = annotation
  return { sourceType: 'url', url, ...(title === null ? {} : { title }) }
}

/** A page that is cited several times is one source. */
function addSource(state: UiState, annotation: Annotation): UiStep {
  const key = sourceKey(annotation)
  if (mapGet(state.sources, key) !== undefined) return skip(state)
  const sourceId = `source_${state.sourceCount}`
  const { sourceType, ...source } = sourceOf(annotation)
  const sources = mapSet(state.sources, key, sourceId)
  return write(
    { ...state, sources, sourceCount: state.sourceCount + 1 },
    {
      type: `source-${sourceType}`,
      sourceId,
      ...source,
    },
  )
}

// ---------------------------------------------------------------- items

function begin(state: UiState, item: Item): UiStep {
  switch (item.type) {
    case 'message':
      return skip(state)
    case 'reasoning':
      return write(state, { type: 'reasoning-start', id: item.id })
    case 'function_call':
    case 'custom_tool_call': {
      const calls = mapSet(state.calls, item.id, item.call_id)
      const encoding = item.type === 'custom_tool_call' ? { inputEncoding: 'text' } : {}
      return write(
        { ...state, calls },
        {
          type: 'tool-input-start',
          toolCallId: item.call_id,
          toolName: item.name,
          ...encoding,
        },
      )
    }
    default: {
      const toolName = hostedTool(item)
      return toolName === null
        ? skip(state)
        : write(state, { type: 'tool-input-start', toolCallId: item.id, toolName, ...BY_PROVIDER })
    }
  }
}

/** No program has a definition of the vendor's own tools. */
const BY_PROVIDER = { providerExecuted: true, dynamic: true } as const

function end(state: UiState, item: Item): UiStep {
  switch (item.type) {
    case 'message':
      return skip(state)
    case 'reasoning': {
      const sealed = item.encrypted_content
      const reasoned = mapDelete(state.reasoned, item.id)
      const metadata = sealed === null ? {} : own({ encryptedContent: sealed })
      return write({ ...state, reasoned }, { type: 'reasoning-end', id: item.id, ...metadata })
    }
    case 'function_call':
    case 'custom_tool_call':
      return write({ ...state, calls: mapDelete(state.calls, item.id) }, callInput(item))
    default:
      return write(state, ...hostedChunks(item))
  }
}

function reasoning(state: UiState, event: Parameters<typeof joinReasoning>[1]): UiStep {
  const { parts, text } = joinReasoning(state.reasoned, event)
  if (text === '') return skip(state)
  const next = parts === state.reasoned ? state : { ...state, reasoned: parts }
  return write(next, { type: 'reasoning-delta', id: event.item_id, delta: text })
}

// ---------------------------------------------------------------- calls

const inputDelta = ({ calls }: UiState, item: string, inputTextDelta: string): JsonObject => ({
  type: 'tool-input-delta',
  toolCallId: mapGet(calls, item) ?? item,
  inputTextDelta,
})

/** The input of a whole call. Input that no program may execute is an error of the call. */
function callInput(item: CallItem): JsonObject {
  const { call_id: toolCallId, name: toolName, namespace, status } = item
  const text = item.type === 'function_call' ? item.arguments : item.input
  const parsed = item.type === 'function_call' ? toArgumentObject(text) : text
  const isUsable = parsed !== null && withoutPrototypeNames(parsed) === parsed && status === 'completed'
  const input = isUsable ? parsed : null
  const call = { toolCallId, toolName, input: input ?? text, ...(namespace === undefined ? {} : own({ namespace })) }
  return input === null
    ? { type: 'tool-input-error', ...call, errorText: status === 'completed' ? NO_OBJECT : CUT_OFF }
    : { type: 'tool-input-available', ...call }
}

const NO_OBJECT = 'The input of the call is not a JSON object that can be executed.'
const CUT_OFF = 'The answer ended inside the call.'

function hostedChunks(item: HostedItem): readonly JsonObject[] {
  const call = toExecutedCall(item)
  if (call === null)
    return [{ type: `data-${OWN_NAMESPACE}-item`, id: item.id, data: withoutPrototypeNames(flatItem(item)) }]
  const { tool: toolName, image, isFailed } = call
  const { input, output } = withoutPrototypeNames({ input: call.input, output: call.output })
  const address = { toolCallId: item.id, providerExecuted: true, dynamic: true }
  const file = image === null ? [] : [{ type: 'file', mediaType: image.mediaType, url: dataUrl(image) }]
  return [
    { type: 'tool-input-available', ...address, toolName, input, ...own({ itemType: item.type }) },
    isFailed
      ? { type: 'tool-output-error', ...address, errorText: JSON.stringify(output) }
      : { type: 'tool-output-available', ...address, output },
    ...file,
  ]
}

const dataUrl = ({ mediaType, data }: { readonly mediaType: string; readonly data: string }): string =>
  `data:${mediaType};base64,${data}`

// ---------------------------------------------------------------- the end

function closing(event: EndOfAnswer, context: FrontEndContext): readonly JsonObject[] {
  const { response } = event
  const losses = context.lossesOf(event)
  const notes = losses.length === 0 ? [] : [{ type: `data-${OWN_NAMESPACE}-losses`, data: { losses } }]
  const error = event.type === 'failed' ? [{ type: 'error', errorText: response.error?.message ?? '' }] : []
  const metadata =
    context.settings.usage === true && response.usage !== null
      ? { messageMetadata: { model: response.model, usage: usageOf(response.usage) } }
      : {}
  return [...notes, ...error, { type: 'finish-step' }, { type: 'finish', finishReason: reasonOf(event), ...metadata }]
}

function reasonOf({ type, response: { output, incomplete_details: details } }: EndOfAnswer): string {
  if (type === 'failed') return 'error'
  if (details !== null) return details.reason === 'content_filter' ? 'content-filter' : 'length'
  return output.some((item) => item.type === 'function_call' || item.type === 'custom_tool_call')
    ? 'tool-calls'
    : 'stop'
}

/** The counts that are known, under the names of the AI SDK. */
function usageOf({ input_tokens, output_tokens, total_tokens, ...parts }: Usage): JsonObject {
  const { cached_tokens, cache_write_tokens = null, reasoning_tokens } = parts
  const known = (counts: Readonly<Record<string, number | null>>): JsonObject =>
    Object.fromEntries(Object.entries(counts).filter((entry): entry is [string, number] => entry[1] !== null))
  return {
    ...known({ inputTokens: input_tokens, outputTokens: output_tokens, totalTokens: total_tokens }),
    inputTokenDetails: known({ cacheReadTokens: cached_tokens, cacheWriteTokens: cache_write_tokens }),
    outputTokenDetails: known({ reasoningTokens: reasoning_tokens }),
  }
}
