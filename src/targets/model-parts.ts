import { mapDelete, mapGet, mapSet, type SortedMap } from '../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../machine/machine.ts'
import type { Event, EventOf } from '../protocol/event.ts'
import type { CallItem, HostedItem, Item } from '../protocol/item.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Annotation, OutputText } from '../protocol/part.ts'
import { isNonEmptyString } from '../text/json.ts'
import { OWN_NAMESPACE } from './front-end.ts'
import { flatItem, hostedTool, toExecutedCall } from './hosted-calls.ts'
import { joinReasoning, type ReasoningParts } from './reasoning-text.ts'
import { withoutPrototypeNames } from './without-prototype-names.ts'

interface PartsState {
  /** The ids of the open calls, by item. */
  readonly calls: SortedMap<string, string>
  readonly reasoned: ReasoningParts
  /** The ids of the sources, by URL or by file. */
  readonly sources: SortedMap<string, string>
  readonly sourceCount: number
}

type PartsStep = Step<PartsState, JsonObject>

const write = (state: PartsState, ...events: readonly JsonObject[]): PartsStep => ({ state, events })
const skip = (state: PartsState): PartsStep => ({ state, events: NOTHING })

/**
 * Events → the parts of a model's stream as the AI SDK has them, in JSON: those of version 4 of its interface without the
 * first and the last ones. A call that ended inside of its input is marked with `cut`.
 */
export const modelParts: Machine<PartsState, Event, JsonObject> = {
  initial: { calls: null, reasoned: null, sources: null, sourceCount: 0 },
  step(state, event): PartsStep {
    switch (event.type) {
      case 'output_item.added':
        return begin(state, event.item)
      case 'output_item.done':
        return end(state, event.item)
      case 'content_part.added':
        return event.part.type === 'reasoning_text' ? skip(state) : write(state, textStart(event))
      case 'content_part.done':
        return event.part.type === 'reasoning_text' ? skip(state) : write(state, textEnd(state, event))
      case 'output_text.delta':
      case 'refusal.delta':
        return event.delta === ''
          ? skip(state)
          : write(state, { type: 'text-delta', id: partId(event), delta: event.delta })
      case 'reasoning_text.delta':
      case 'reasoning_summary_text.delta':
        return reasoning(state, event)
      case 'function_call_arguments.delta':
      case 'custom_tool_call_input.delta': {
        const { item_id: item, delta } = event
        const id = mapGet(state.calls, item) ?? item
        return delta === '' ? skip(state) : write(state, { type: 'tool-input-delta', id, delta })
      }
      case 'output_text.annotation.added':
        return addSource(state, event.annotation)
      default:
        return skip(state)
    }
  },
  end: () => NOTHING,
}

/** Members that come back with a part of a message, under the name of this provider. */
const own = (members: JsonObject): JsonObject => ({ providerMetadata: { [OWN_NAMESPACE]: members } })

// ---------------------------------------------------------------- text and its sources

const partId = ({ item_id, content_index }: { readonly item_id: string; readonly content_index: number }): string =>
  `${item_id}_${content_index}`

const textStart = (event: EventOf<'content_part.added'>): JsonObject => ({
  type: 'text-start',
  id: partId(event),
  ...(event.part.type === 'refusal' ? own({ refusal: true }) : {}),
})

function textEnd({ sources }: PartsState, event: EventOf<'content_part.done'>): JsonObject {
  const annotations = (event.part as Partial<OutputText>).annotations ?? []
  const citations = annotations.map((annotation) => toCitation(annotation, mapGet(sources, sourceKey(annotation))))
  return { type: 'text-end', id: partId(event), ...(citations.length === 0 ? {} : { citations }) }
}

const sourceKey = (annotation: Annotation): string =>
  annotation.type === 'url_citation' ? annotation.url : `file:${annotation.file_id}`

/** Version 6 has no places of citations. */
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
function addSource(state: PartsState, annotation: Annotation): PartsStep {
  const key = sourceKey(annotation)
  if (mapGet(state.sources, key) !== undefined) return skip(state)
  const id = `source_${state.sourceCount}`
  const sources = mapSet(state.sources, key, id)
  const source = { type: 'source', id, ...sourceOf(annotation) }
  return write({ ...state, sources, sourceCount: state.sourceCount + 1 }, source)
}

// ---------------------------------------------------------------- items

function begin(state: PartsState, item: Item): PartsStep {
  switch (item.type) {
    case 'message':
      return skip(state)
    case 'reasoning':
      return write(state, { type: 'reasoning-start', id: item.id })
    case 'function_call':
    case 'custom_tool_call': {
      const calls = mapSet(state.calls, item.id, item.call_id)
      const encoding = item.type === 'custom_tool_call' ? { inputEncoding: 'text' } : {}
      const start = { type: 'tool-input-start', id: item.call_id, toolName: item.name, ...encoding }
      return write({ ...state, calls }, start)
    }
    default: {
      const toolName = hostedTool(item)
      return toolName === null || item.type === 'mcp_call' ? skip(state) : write(state, inputStart(item.id, toolName))
    }
  }
}

/** No program has a definition of the vendor's own tools. */
const BY_PROVIDER = { providerExecuted: true, dynamic: true } as const

const inputStart = (id: string, toolName: string): JsonObject => ({
  type: 'tool-input-start',
  id,
  toolName,
  ...BY_PROVIDER,
})

/** A call that was approved goes on under the id of its request, which is not known before the end of the item. */
const executedId = ({ id, fields: { approval_request_id: approval } }: HostedItem): string =>
  isNonEmptyString(approval) ? approval : id

function end(state: PartsState, item: Item): PartsStep {
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
    case 'custom_tool_call': {
      const inputEnd = { type: 'tool-input-end', id: item.call_id }
      return write({ ...state, calls: mapDelete(state.calls, item.id) }, inputEnd, toolCall(item))
    }
    default:
      return write(state, ...hostedParts(item))
  }
}

function reasoning(state: PartsState, event: Parameters<typeof joinReasoning>[1]): PartsStep {
  const { parts, text } = joinReasoning(state.reasoned, event)
  if (text === '') return skip(state)
  const next = parts === state.reasoned ? state : { ...state, reasoned: parts }
  return write(next, { type: 'reasoning-delta', id: event.item_id, delta: text })
}

// ---------------------------------------------------------------- calls

/** The input of a call is JSON, of a custom tool its text as a JSON string. */
function toolCall(item: CallItem): JsonObject {
  const { call_id: toolCallId, name: toolName, namespace, status } = item
  const isCustom = item.type === 'custom_tool_call'
  const metadata = { ...(isCustom ? { custom: true } : {}), ...(namespace === undefined ? {} : { namespace }) }
  return {
    type: 'tool-call',
    toolCallId,
    toolName,
    input: isCustom ? JSON.stringify(item.input) : item.arguments,
    ...(Object.keys(metadata).length === 0 ? {} : own(metadata)),
    ...(status === 'completed' ? {} : { cut: true }),
  }
}

/** The type of an item that asks whether a tool may be called. */
export const APPROVAL_REQUEST = 'mcp_approval_request'

/** Name of the content that is an item of the vendor. */
export const ITEM_CONTENT = `${OWN_NAMESPACE}.item`

/** Whether an item is a part that both versions of the interface have. */
export const hasPart = (item: HostedItem): boolean => item.type === APPROVAL_REQUEST || hostedTool(item) !== null

function hostedParts(item: HostedItem): readonly JsonObject[] {
  if (item.type === APPROVAL_REQUEST) return approvalParts(item)
  const call = toExecutedCall(item)
  if (call === null)
    return [{ type: 'custom', kind: ITEM_CONTENT, ...own({ item: withoutPrototypeNames(flatItem(item)) }) }]
  const { tool: toolName, image, isFailed } = call
  const id = executedId(item)
  const { input, output } = withoutPrototypeNames({ input: call.input, output: call.output })
  const address = { toolCallId: id, toolName, dynamic: true }
  const metadata = own({ itemType: item.type, ...(id === item.id ? {} : { itemId: item.id }) })
  const file = image === null ? [] : [{ mediaType: image.mediaType, data: { type: 'data', data: image.data } }]
  return [
    ...(item.type === 'mcp_call' ? [inputStart(id, toolName)] : []),
    { type: 'tool-input-delta', id, delta: JSON.stringify(input) },
    { type: 'tool-input-end', id },
    { type: 'tool-call', ...address, providerExecuted: true, input: JSON.stringify(input), ...metadata },
    { type: 'tool-result', ...address, result: output, ...(isFailed ? { isError: true } : {}), ...metadata },
    ...file.map((one) => ({ type: 'file', ...one })),
  ]
}

/** A call of the vendor that waits for an approval. */
function approvalParts(item: HostedItem): readonly JsonObject[] {
  const { id, type } = item
  const { name, ...input } = withoutPrototypeNames(item.fields)
  const text = JSON.stringify({ ...input, name: name ?? '' })
  const toolName = isNonEmptyString(name) ? `mcp.${name}` : 'mcp'
  return [
    inputStart(id, toolName),
    { type: 'tool-input-delta', id, delta: text },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName, ...BY_PROVIDER, input: text, ...own({ itemType: type }) },
    { type: 'tool-approval-request', approvalId: id, toolCallId: id },
  ]
}
