import type { JsonObject } from '../protocol/json.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { isNonEmptyString, isObject, parseJson } from '../text/json.ts'
import { oneOf } from '../validation/messages.ts'
import type { GivenMessage, GivenPart, GivenResultPart } from './contract.ts'
import { isTooDeep } from './files.ts'
import {
  callPart,
  filePart,
  hasTexts,
  isAddress,
  ownOf,
  type ReadThread,
  readThread,
  resultOutput,
  resultPart,
  type Sent,
  type SentMembers,
  sentObjects,
  storedFilePart,
  textPart,
  type Warn,
  warnOfSeal,
  withoutDeep,
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
 * of the role `activity` are for the interface only; the state and forwarded properties are for the program. What a client
 * should not have sent is left out, with a warning that names its place; nothing throws.
 */
export function readRunInput(run: RunInputLike): ReadRun {
  const { messages, tools = [], context = [] }: SentMembers = isObject(run) ? run : {}
  const calls = new Map<unknown, SentMembers>()
  const known: Sent[] = []
  const offered: Sent[] = []
  const thread = readThread((warn) => {
    known.push(...sentObjects(context, 'context', warn).filter((one) => hasTexts(one, ['description', 'value'], warn)))
    const shallow = (one: Sent): Sent => withoutDeep(one, warn)
    offered.push(
      ...sentObjects(tools, 'tools', warn)
        .map(shallow)
        .filter((one) => hasTexts(one, ['name'], warn)),
    )
    return sentObjects(messages, 'messages', warn).flatMap((one) => toPrompt(shallow(one), calls, warn))
  })
  const text = known.map(({ members: { description, value } }) => `${description}: ${value}`).join('\n')
  const before = text === '' ? [] : [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] }]
  return { ...thread, input: [...before, ...thread.input], tools: offered.map(toTool) }
}

const toTool = ({ members: { name, description, parameters } }: Sent): JsonObject => ({
  type: 'function',
  name: String(name),
  ...(typeof description === 'string' ? { description } : {}),
  parameters: isObject(parameters) ? (parameters as JsonObject) : { type: 'object', properties: {} },
})

const ROLES = ['system', 'developer', 'user', 'assistant', 'reasoning', 'tool', 'activity']

/** `calls`: those of the messages before, by their ids. */
function toPrompt(message: Sent, calls: Map<unknown, SentMembers>, warn: Warn): readonly GivenMessage[] {
  const { members, place } = message
  const { role, content, metadata } = members
  switch (role) {
    case 'system':
    case 'developer':
      return hasTexts(message, ['content'], warn) ? [{ role: 'system', content: String(content) }] : []
    case 'assistant': {
      const text = isNonEmptyString(content) ? [textPart(content, metadata)] : partsOf(message, warn)
      const own = sentObjects(members.toolCalls ?? [], `${place}.toolCalls`, warn)
      return [{ role, content: [...text, ...own.flatMap((call) => toCall(call, calls, warn))] }]
    }
    case 'reasoning': {
      const { encryptedValue: encryptedContent } = members
      warnOfSeal(encryptedContent, `${place}.encryptedValue`, warn)
      const sealed = isNonEmptyString(encryptedContent) ? { [OWN_NAMESPACE]: { encryptedContent } } : {}
      const isText = content === undefined || hasTexts(message, ['content'], warn)
      return [{ role: 'assistant', content: [textPart(isText ? content : '', sealed, 'reasoning')] }]
    }
    case 'tool':
      return hasTexts(message, ['toolCallId'], warn)
        ? [toResult(message, calls.get(members.toolCallId) ?? {}, warn)]
        : []
    case 'activity':
      return []
    case 'user':
      return [{ role, content: typeof content === 'string' ? [textPart(content)] : partsOf(message, warn, true) }]
    default:
      warn(`${place}.role`, oneOf(ROLES), role)
      return []
  }
}

/** The parts of a message whose content is a list. */
const partsOf = ({ members: { content }, place }: Sent, warn: Warn, isRequired = false): readonly GivenPart[] =>
  Array.isArray(content) || (isRequired && content !== '')
    ? sentObjects(content, `${place}.content`, warn).flatMap((part) => toPart(part, warn))
    : []

function toCall(call: Sent, calls: Map<unknown, SentMembers>, warn: Warn): readonly GivenPart[] {
  const { id, function: given, metadata } = call.members
  const named = { members: isObject(given) ? given : {}, place: `${call.place}.function` }
  if (!hasTexts(call, ['id'], warn) || !hasTexts(named, ['name'], warn)) return []
  const { name, arguments: text } = named.members
  const members = ownOf(metadata)[OWN_NAMESPACE]
  calls.set(id, { name, ...members })
  const wrapped = members.custom === true ? parseJson(String(text)) : undefined
  return [callPart(id, name, isObject(wrapped) && !isTooDeep(wrapped) ? wrapped.input : text, metadata)]
}

/** A result of the vendor's own tool is in a message of the assistant, with the image that it has. */
function toResult(message: Sent, { name = '', itemType }: SentMembers, warn: Warn): GivenMessage {
  const { toolCallId: id, content, error } = message.members
  const isOwn = itemType !== undefined
  if (Array.isArray(content)) {
    const value = partsOf(message, warn).map((part) => part as unknown as GivenResultPart)
    return { role: 'tool', content: [resultPart(id, name, { type: 'content', value })] }
  }
  const output = resultOutput(isNonEmptyString(error) ? error : content, { isOwn, isError: isNonEmptyString(error) })
  const value = output.type === 'json' && isObject(output.value) ? output.value : {}
  const image = isOwn && isNonEmptyString(value.image) ? [filePart(value.image, undefined)] : []
  return { role: isOwn ? 'assistant' : 'tool', content: [resultPart(id, name, output), ...image] }
}

/** Words for the kinds of files, whose exact type is with their source. */
const KINDS: ReadonlySet<unknown> = new Set(['image', 'audio', 'video'])

/** `binary` is the older form of the files. */
const FILES: ReadonlySet<unknown> = new Set([...KINDS, 'document', 'binary'])

function toPart(part: Sent, warn: Warn): readonly GivenPart[] {
  const { type, text, source, mimeType, data, url, filename, metadata } = part.members
  if (type === 'text') return hasTexts(part, ['text'], warn) ? [textPart(text)] : []
  if (!FILES.has(type)) {
    warn(`${part.place}.type`, oneOf(['text', ...FILES]), type)
    return []
  }
  const { type: kind, value, mimeType: own } = isObject(source) ? source : {}
  // The older form has its members beside the type.
  const mediaType = own ?? mimeType ?? (KINDS.has(type) ? `${String(type)}/*` : undefined)
  const name = filename ?? (isObject(metadata) ? metadata.filename : undefined)
  if (kind === 'file' && isNonEmptyString(value)) return [storedFilePart(value, mediaType, name)]
  const bytes = kind === 'data' ? value : data
  const address = bytes === undefined ? (value ?? url) : `data:${String(mediaType)};base64,${String(bytes)}`
  if (isNonEmptyString(address)) {
    const at = isObject(source) ? 'source.value' : 'url'
    return isAddress(address, `${part.place}.${at}`, warn) ? [filePart(address, mediaType, name)] : []
  }
  warn(`${part.place}.source`, 'data or an address', source)
  return []
}
