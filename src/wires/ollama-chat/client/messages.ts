import type { JsonObject } from '../../../protocol/json.ts'
import { EMPTY_MESSAGE } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { exceptWhen, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import { freeCallId } from '../../shared/client/free-call-id.ts'
import { createUnmatchedCalls, type UnmatchedCall, type UnmatchedCalls } from '../../shared/client/pending-calls.ts'
import {
  dropField,
  formatField,
  isAbsent,
  nameAt,
  objectAt,
  type RequestReader,
  readFieldsAt,
  readListAt,
  rejectField,
  rejectType,
  textAt,
} from '../../shared/client/request-reader.ts'
import { decodeEach, type LocatedConversation, type LocatedItem, locateAll } from '../../shared/client/source-map.ts'

const ROLES = 'one of system, user, assistant, tool'

const PROMPT = fieldSet(['role', 'content', 'images'])
const ASSISTANT = fieldSet(['role', 'content', 'thinking', 'tool_calls'], {
  images: { why: 'images in assistant messages are not supported' },
})
const OUTPUT = fieldSet(['role', 'content', 'images', 'tool_call_id', 'tool_name', 'name'])

const CALL = fieldSet(['id', 'function'], { type: { idle: exceptWhen('function') } })
/** `index` repeats the order of the calls, so it is accepted without a loss. */
const CALLED = fieldSet(['name', 'arguments', 'index'])

interface MessageContext {
  readonly at: number
  readonly path: string
  /**
   * Unanswered calls. Most clients are older than ids of calls: an output without an id is paired by name or by order.
   */
  readonly pending: UnmatchedCalls
  /** The ids that the client has given to calls. */
  readonly given: ReadonlySet<unknown>
  readonly notes: RequestReader
}

/** Clients of chat completions send the texts of a message as parts. */
const textOfPart = (part: unknown): string | null =>
  isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : null

function textIn(content: unknown, path: string, notes: RequestReader): string {
  if (isAbsent(content)) return ''
  const texts = Array.isArray(content) ? content.map(textOfPart) : [null]
  return texts.includes(null) ? textAt(notes, path, content) : texts.join('\n')
}

/** Returns arguments as JSON text. They are an object; some proxies send JSON text already. */
function argumentsAt(notes: RequestReader, path: string, value: unknown): string {
  if (isAbsent(value)) return '{}'
  return isObject(value) ? formatField(notes, path, value) : textAt(notes, path, value)
}

function decodeCall(value: unknown, i: number, { at, path, pending, given, notes }: MessageContext): JsonObject {
  const spot = `${path}.tool_calls[${i}]`
  const call = readFieldsAt(notes, spot, value, CALL)
  const body = readFieldsAt(notes, `${spot}.function`, call.function, CALLED)
  const name = nameAt(notes, `${spot}.function.name`, body.name)
  const call_id = isNonEmptyString(call.id) ? call.id : freeCallId(`call_${at}_${i}`, given)
  pending.add({ id: call_id, name })
  return {
    type: 'function_call',
    call_id,
    name,
    arguments: argumentsAt(notes, `${spot}.function.arguments`, body.arguments),
  }
}

function decodeAssistant(message: KnownFields<typeof ASSISTANT>, here: MessageContext): readonly LocatedItem[] {
  const { at, path, notes } = here
  const { content, thinking, tool_calls } = message
  const text = textIn(content, `${path}.content`, notes)
  const reasoning = isAbsent(thinking) ? '' : textAt(notes, `${path}.thinking`, thinking)
  const calls = isAbsent(tool_calls) ? [] : readListAt(notes, `${path}.tool_calls`, tool_calls)
  const reasoningItem = {
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: reasoning }],
    encrypted_content: null,
  }
  const messageItem = {
    type: 'message',
    id: `msg_${at}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  return [
    ...(reasoning === '' ? [] : locateAll([reasoningItem], `${path}.thinking`)),
    ...(text === '' ? [] : [{ item: messageItem, path, partPaths: [`${path}.content`] }]),
    ...calls.map((call, i) => ({ item: decodeCall(call, i, here), path: `${path}.tool_calls[${i}]` })),
  ]
}

/** Takes the call that an output answers: by id, else by name, else the oldest unanswered call. */
function takeAnswered(message: KnownFields<typeof OUTPUT>, pending: UnmatchedCalls): UnmatchedCall | undefined {
  if (isNonEmptyString(message.tool_call_id)) return pending.takeById(message.tool_call_id)
  // `name` is the older field.
  const name = [message.tool_name, message.name].find(isNonEmptyString)
  return name === undefined ? pending.takeFirst() : pending.takeByName(name)
}

/** The first characters of the base64 data of each type of image. */
const KINDS: readonly (readonly [start: string, kind: string])[] = [
  ['/9j/', 'jpeg'],
  ['iVBORw', 'png'],
  ['R0lGOD', 'gif'],
  ['UklGR', 'webp'],
]

/** Ollama's images are base64 without a prefix; several clients send the prefix of a data URL nevertheless. */
function toImageUrl(image: string): string {
  if (image.startsWith('data:')) return image
  const kind = KINDS.find(([start]) => image.startsWith(start))?.[1] ?? 'png'
  return `data:image/${kind};base64,${image}`
}

function contentPaths(parts: readonly JsonObject[], path: string): readonly string[] {
  const texts = parts.filter(({ type }) => type === 'input_text').length
  return parts.map((_, i) => (i < texts ? `${path}.content` : `${path}.images[${i - texts}]`))
}

function decodeContent(
  { content, images }: { readonly content?: unknown; readonly images?: unknown },
  path: string,
  notes: RequestReader,
): readonly JsonObject[] {
  const text = textIn(content, `${path}.content`, notes)
  const shown = isAbsent(images) ? [] : readListAt(notes, `${path}.images`, images)
  const pictures = shown.map((image, i) => toImageUrl(nameAt(notes, `${path}.images[${i}]`, image)))
  return [
    ...(text === '' && pictures.length > 0 ? [] : [{ type: 'input_text', text }]),
    ...pictures.map((image_url) => ({ type: 'input_image', image_url })),
  ]
}

function decodeOutput(message: KnownFields<typeof OUTPUT>, here: MessageContext): JsonObject {
  const { at, path, pending, given, notes } = here
  const call = takeAnswered(message, pending)
  const id = isNonEmptyString(message.tool_call_id) ? message.tool_call_id : freeCallId(`call_${at}`, given)
  const parts = decodeContent(message, path, notes)
  const [first] = parts
  // A single text stays a string, because most tools return text.
  const output = parts.length === 1 && first?.type === 'input_text' ? (first.text ?? '') : parts
  return { type: 'function_call_output', call_id: call?.id ?? id, output }
}

function decodeMessage(value: unknown, here: MessageContext): readonly LocatedItem[] {
  const { path, notes } = here
  const message = objectAt(notes, path, value)
  const { role } = message
  switch (role) {
    case 'developer':
    case 'system':
    case 'user': {
      const content = decodeContent(pickKnown(message, PROMPT, path, notes), path, notes)
      return [{ item: { type: 'message', role, content }, path, partPaths: contentPaths(content, path) }]
    }
    case 'assistant': {
      const items = decodeAssistant(pickKnown(message, ASSISTANT, path, notes), here)
      if (items.length === 0) dropField(notes, path, EMPTY_MESSAGE)
      return items
    }
    case 'tool':
      return locateAll([decodeOutput(pickKnown(message, OUTPUT, path, notes), here)], path)
    default:
      if (isObject(value)) rejectType(notes, `${path}.role`, ROLES, role)
      return []
  }
}

const idsOfCalls = (messages: readonly unknown[]): ReadonlySet<unknown> =>
  new Set(
    messages.flatMap((message) =>
      isObject(message) ? toArray(message.tool_calls).map((call) => (isObject(call) ? call.id : null)) : [],
    ),
  )

/** Decodes all messages into input items, in their order. O(n) for n messages and calls. */
export function decodeMessages(messages: unknown, notes: RequestReader): Steps<LocatedConversation> {
  const pending = createUnmatchedCalls()
  const list = readListAt(notes, 'messages', messages)
  // Ollama itself treats an empty list as a request to load the model.
  if (list.length === 0)
    rejectField(notes, 'messages', 'expected at least one message, because this service cannot load models')
  const given = idsOfCalls(list)
  return decodeEach(list, (message, at) =>
    decodeMessage(message, { at, path: `messages[${at}]`, pending, given, notes }),
  )
}
