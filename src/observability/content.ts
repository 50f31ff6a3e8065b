import type { Item } from '../protocol/item.ts'
import type { AssistantPart, InputItem, InputPart, Request } from '../protocol/request.ts'
import { formatJson, parseJson } from '../text/json.ts'
import { maskPasswords } from './mask-keys.ts'

/** A part of a message, as in the GenAI semantic conventions. */
export type ContentPart =
  | { readonly type: 'text' | 'reasoning'; readonly content: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'tool_call_response'; readonly id: string; readonly response: string }
  | { readonly type: 'uri'; readonly modality: string; readonly uri: string }
  | { readonly type: 'file'; readonly modality: string; readonly file_id: string }

export interface ContentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly parts: readonly ContentPart[]
  readonly finish_reason?: string
}

/** The content of a request and of its answer. */
export interface TraceContent {
  readonly instructions: string | null
  readonly input: readonly ContentMessage[]
  readonly output: readonly ContentMessage[]
}

export const inputMessages = ({ input }: Request): readonly ContentMessage[] => input.flatMap(inputMessage)

function inputMessage(item: InputItem): readonly ContentMessage[] {
  switch (item.type) {
    case 'message':
      return item.role === 'assistant'
        ? [{ role: 'assistant', parts: item.content.map(assistantPart) }]
        : [{ role: item.role === 'user' ? 'user' : 'system', parts: item.content.map(inputPart) }]
    case 'function_call':
      return [{ role: 'assistant', parts: [toolCall(item.call_id, item.name, parsed(item.arguments))] }]
    case 'custom_tool_call':
      return [{ role: 'assistant', parts: [toolCall(item.call_id, item.name, item.input)] }]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ role: 'tool', parts: [toolResponse(item.call_id, item.output)] }]
    case 'reasoning':
      return [{ role: 'assistant', parts: reasoningTexts([...item.summary, ...item.content]) }]
    case 'other':
      return []
  }
}

const text = (content: string): ContentPart => ({ type: 'text', content })
const reasoningTexts = (texts: readonly string[]): readonly ContentPart[] =>
  texts.map((content) => ({ type: 'reasoning', content }))

const toolCall = (id: string, name: string, value: unknown): ContentPart => ({
  type: 'tool_call',
  id,
  name,
  arguments: value,
})

const toolResponse = (id: string, output: readonly InputPart[]): ContentPart => ({
  type: 'tool_call_response',
  id,
  response: output.map((part) => (part.type === 'input_text' ? part.text : `[${part.type}]`)).join('\n'),
})

const assistantPart = (part: AssistantPart): ContentPart => text(part.type === 'output_text' ? part.text : part.refusal)

const parsed = (json: string): unknown => parseJson(json) ?? json

function inputPart(part: InputPart): ContentPart {
  switch (part.type) {
    case 'input_text':
      return text(part.text)
    case 'input_image':
      return part.image_url === null
        ? { type: 'file', modality: 'image', file_id: part.file_id ?? '' }
        : { type: 'uri', modality: 'image', uri: withoutBytes(part.image_url) }
    case 'input_audio':
      return { type: 'uri', modality: 'audio', uri: withoutBytes(`data:audio/${part.format};base64,${part.data}`) }
    case 'input_file':
      return part.file_id === null
        ? { type: 'uri', modality: 'file', uri: withoutBytes(part.file_url ?? part.file_data ?? part.filename ?? '') }
        : { type: 'file', modality: 'file', file_id: part.file_id }
  }
}

const LONGEST_URI = 2048

/** Files are not forwarded, and no password of an address: a long data URL is replaced by its media type and its length. */
const withoutBytes = (uri: string): string =>
  uri.length <= LONGEST_URI
    ? maskPasswords(uri)
    : `${/^data:[\w.+/-]*/.exec(uri)?.[0] ?? ''} (${uri.length} characters left out)`

export function outputMessages(items: readonly Item[], finishReason: string): readonly ContentMessage[] {
  const parts = items.flatMap(outputParts)
  return parts.length === 0 ? [] : [{ role: 'assistant', parts, finish_reason: finishReason }]
}

function outputParts(item: Item): readonly ContentPart[] {
  switch (item.type) {
    case 'message':
      return item.content.map((part) => text(part.type === 'output_text' ? part.text : part.refusal))
    case 'reasoning':
      return reasoningTexts([...item.summary, ...item.content].map((part) => part.text))
    case 'function_call':
      return [toolCall(item.call_id, item.name, parsed(item.arguments))]
    case 'custom_tool_call':
      return [toolCall(item.call_id, item.name, item.input)]
    default:
      // The address of an MCP server may have a password, and the errors of the server quote it.
      return [toolCall(item.id, item.type, parseJson(maskPasswords(JSON.stringify(item.fields))))]
  }
}

/** Returns all readable text of the messages, for filter rules. */
export const messagesText = (messages: readonly ContentMessage[]): string =>
  messages
    .flatMap(({ parts }) => parts)
    .map((part) => ('content' in part ? part.content : 'response' in part ? part.response : ''))
    .filter((words) => words !== '')
    .join('\n')

/** Estimates the length of the serialized content, in characters. */
export const contentLength = ({ instructions, input, output }: TraceContent): number =>
  [...input, ...output]
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + partLength(part), instructions?.length ?? 0)

function partLength(part: ContentPart): number {
  if ('content' in part) return part.content.length
  if ('response' in part) return part.response.length
  if ('uri' in part) return part.uri.length
  return 'arguments' in part ? formatJson(part.arguments).length : 0
}
