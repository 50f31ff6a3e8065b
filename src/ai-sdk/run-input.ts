import type { JsonObject } from '../protocol/json.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { isNonEmptyString, isObject, parseJson } from '../text/json.ts'
import type { GivenMessage, GivenPart, GivenResultPart } from './contract.ts'
import {
  callPart,
  filePart,
  ownOf,
  type ReadThread,
  readThread,
  resultOutput,
  resultPart,
  type SentMembers,
  sentObjects,
  textPart,
} from './thread.ts'

/** The input of a run of AG-UI, of version 0.0 or 1.0, as far as a request has a place for it. */
export interface RunInputLike {
  readonly messages: readonly { readonly role: string }[]
  readonly tools?: readonly { readonly name: string; readonly description?: string; readonly parameters?: unknown }[]
  readonly context?: readonly { readonly description: string; readonly value: string }[]
}

/** A run as members of a request. */
export interface ReadRun extends ReadThread {
  readonly tools: readonly JsonObject[]
}

/**
 * The input of a run of AG-UI as the input and the tools of a request: messages with their files, reasoning with its
 * encrypted value, calls and results, also those of the vendor. The context becomes a message of the developer. Messages
 * of the role `activity` are for the interface only; the state and forwarded properties are for the program.
 */
export function readRunInput({ messages, tools = [], context = [] }: RunInputLike): ReadRun {
  const calls = new Map<unknown, SentMembers>()
  const thread = readThread(sentObjects(messages).flatMap((message) => toPrompt(message, calls)))
  const text = context.map(({ description, value }) => `${description}: ${value}`).join('\n')
  const known = text === '' ? [] : [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] }]
  return { ...thread, input: [...known, ...thread.input], tools: tools.map(toTool) }
}

const toTool = ({ name, description, parameters }: NonNullable<RunInputLike['tools']>[number]): JsonObject => ({
  type: 'function',
  name,
  ...(description === undefined ? {} : { description }),
  parameters: isObject(parameters) ? (parameters as JsonObject) : { type: 'object', properties: {} },
})

/** `calls`: those of the messages before, by their ids. */
function toPrompt(message: SentMembers, calls: Map<unknown, SentMembers>): readonly GivenMessage[] {
  const { role, content, metadata } = message
  switch (role) {
    case 'system':
    case 'developer':
      return [{ role: 'system', content: String(content ?? '') }]
    case 'assistant': {
      const text = isNonEmptyString(content) ? [textPart(content, metadata)] : []
      const own = sentObjects(message.toolCalls).map((call) => toCall(call, calls))
      return [{ role, content: [...text, ...own] }]
    }
    case 'reasoning': {
      const { encryptedValue: encryptedContent } = message
      const sealed = isNonEmptyString(encryptedContent) ? { [OWN_NAMESPACE]: { encryptedContent } } : {}
      return [{ role: 'assistant', content: [textPart(content, sealed, 'reasoning')] }]
    }
    case 'tool':
      return [toResult(message, calls.get(message.toolCallId) ?? {})]
    case 'activity':
      return []
    default:
      return [
        { role: 'user', content: typeof content === 'string' ? [textPart(content)] : sentObjects(content).map(toPart) },
      ]
  }
}

function toCall({ id, function: given, metadata }: SentMembers, calls: Map<unknown, SentMembers>): GivenPart {
  const { name, arguments: text } = isObject(given) ? given : {}
  const members = ownOf(metadata)[OWN_NAMESPACE]
  calls.set(id, { name, ...members })
  const wrapped = members.custom === true ? parseJson(String(text)) : undefined
  return callPart(id, name, isObject(wrapped) ? wrapped.input : text, metadata)
}

/** A result of the vendor's own tool is in a message of the assistant, with the image that it has. */
function toResult({ toolCallId: id, content, error }: SentMembers, { name = '', itemType }: SentMembers): GivenMessage {
  const isOwn = itemType !== undefined
  if (Array.isArray(content)) {
    const value = sentObjects(content).map((part) => toPart(part) as unknown as GivenResultPart)
    return { role: 'tool', content: [resultPart(id, name, { type: 'content', value })] }
  }
  const output = resultOutput(isNonEmptyString(error) ? error : content, { isOwn, isError: isNonEmptyString(error) })
  const value = output.type === 'json' && isObject(output.value) ? output.value : {}
  const image = isOwn && isNonEmptyString(value.image) ? [filePart(value.image, undefined)] : []
  return { role: isOwn ? 'assistant' : 'tool', content: [resultPart(id, name, output), ...image] }
}

/** Words for the kinds of files, whose exact type is with their source. */
const KINDS: ReadonlySet<unknown> = new Set(['image', 'audio', 'video'])

function toPart({ type, text, source, mimeType, data, url, filename, metadata }: SentMembers): GivenPart {
  if (type === 'text') return textPart(text)
  const { type: kind, value, mimeType: own } = isObject(source) ? source : {}
  // The older form has its members beside the type.
  const mediaType = own ?? mimeType ?? (KINDS.has(type) ? `${String(type)}/*` : undefined)
  const name = filename ?? (isObject(metadata) ? metadata.filename : undefined)
  const address = kind === 'data' ? `data:${String(mediaType)};base64,${String(value)}` : (value ?? url)
  return filePart(String(address ?? `data:${String(mediaType)};base64,${String(data ?? '')}`), mediaType, name)
}
