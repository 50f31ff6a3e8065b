import type { JsonObject } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { exceptWhen, fieldSet, type KnownFields, pickKnown } from '../../../validation/unknown-fields.ts'
import { createUnmatchedCalls, type UnmatchedCall, type UnmatchedCalls } from '../../shared/client/pending-calls.ts'
import {
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
import { decodeContent } from './parts.ts'

const ROLES = 'one of system, user, assistant, tool'

const PROMPT = fieldSet(['role', 'content', 'images'])
const ASSISTANT = fieldSet(['role', 'content', 'thinking', 'tool_calls'], {
  images: { why: 'images in assistant messages are not supported' },
})
const OUTPUT = fieldSet(['role', 'content', 'images', 'tool_call_id', 'tool_name', 'name'])

const CALL = fieldSet(['id', 'function'], { type: { idle: exceptWhen('function') } })
/** `index` repeats the order of the calls, so it is accepted without a loss. */
const CALLED = fieldSet(['name', 'arguments', 'index'])

interface Place {
  readonly at: number
  readonly place: string
  /**
   * Unanswered calls. Most clients are older than ids of calls: an output without an id is paired by name or by order.
   */
  readonly pending: UnmatchedCalls
  readonly notes: RequestReader
}

/** Returns arguments as JSON text. They are an object; some proxies send JSON text already. */
function argumentsAt(notes: RequestReader, place: string, value: unknown): string {
  if (isAbsent(value)) return '{}'
  return isObject(value) ? formatJson(value) : textAt(notes, place, value)
}

function decodeCall(value: unknown, i: number, { at, place, pending, notes }: Place): JsonObject {
  const spot = `${place}.tool_calls[${i}]`
  const call = readFieldsAt(notes, spot, value, CALL)
  const body = readFieldsAt(notes, `${spot}.function`, call.function, CALLED)
  const name = nameAt(notes, `${spot}.function.name`, body.name)
  const call_id = isNonEmptyString(call.id) ? call.id : `call_${at}_${i}`
  pending.add({ id: call_id, name })
  return {
    type: 'function_call',
    call_id,
    name,
    arguments: argumentsAt(notes, `${spot}.function.arguments`, body.arguments),
  }
}

function decodeAssistant(message: KnownFields<typeof ASSISTANT>, here: Place): readonly LocatedItem[] {
  const { at, place, notes } = here
  const { content, thinking, tool_calls } = message
  const text = isAbsent(content) ? '' : textAt(notes, `${place}.content`, content)
  const thought = isAbsent(thinking) ? '' : textAt(notes, `${place}.thinking`, thinking)
  const calls = isAbsent(tool_calls) ? [] : readListAt(notes, `${place}.tool_calls`, tool_calls)
  const reasoning = {
    type: 'reasoning',
    summary: [],
    content: [{ type: 'reasoning_text', text: thought }],
    encrypted_content: null,
  }
  const said = {
    type: 'message',
    id: `msg_${at}`,
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  return [
    ...(thought === '' ? [] : locateAll([reasoning], `${place}.thinking`)),
    ...(text === '' ? [] : locateAll([said], place)),
    ...calls.map((call, i) => ({ item: decodeCall(call, i, here), place: `${place}.tool_calls[${i}]` })),
  ]
}

/** Takes the call that an output answers: by id, else by name, else the oldest unanswered call. */
function takeAnswered(message: KnownFields<typeof OUTPUT>, pending: UnmatchedCalls): UnmatchedCall | undefined {
  if (isNonEmptyString(message.tool_call_id)) return pending.takeById(message.tool_call_id)
  // `name` is the older field.
  const name = [message.tool_name, message.name].find(isNonEmptyString)
  return name === undefined ? pending.takeFirst() : pending.takeByName(name)
}

function decodeOutput(message: KnownFields<typeof OUTPUT>, { at, place, pending, notes }: Place): JsonObject {
  const call = takeAnswered(message, pending)
  const given = isNonEmptyString(message.tool_call_id) ? message.tool_call_id : `call_${at}`
  const parts = decodeContent(message, place, notes)
  const [first] = parts
  // A single text stays a string, because most tools return text.
  const output = parts.length === 1 && first?.type === 'input_text' ? (first.text ?? '') : parts
  return { type: 'function_call_output', call_id: call?.id ?? given, output }
}

function decodeMessage(value: unknown, here: Place): readonly LocatedItem[] {
  const { place, notes } = here
  const message = objectAt(notes, place, value)
  const { role } = message
  switch (role) {
    case 'system':
    case 'user': {
      const content = decodeContent(pickKnown(message, PROMPT, place, notes), place, notes)
      return locateAll([{ type: 'message', role, content }], place)
    }
    case 'assistant':
      return decodeAssistant(pickKnown(message, ASSISTANT, place, notes), here)
    case 'tool':
      return locateAll([decodeOutput(pickKnown(message, OUTPUT, place, notes), here)], place)
    default:
      if (isObject(value)) rejectType(notes, `${place}.role`, ROLES, role)
      return []
  }
}

/** Decodes all messages into input items, in their order. O(n) for n messages and calls. */
export function decodeMessages(messages: unknown, notes: RequestReader): Steps<LocatedConversation> {
  const pending = createUnmatchedCalls()
  const list = readListAt(notes, 'messages', messages)
  // Ollama itself treats an empty list as a request to load the model.
  if (list.length === 0)
    rejectField(notes, 'messages', 'expected at least one message, because this service cannot load models')
  return decodeEach(list, (message, at) => decodeMessage(message, { at, place: `messages[${at}]`, pending, notes }))
}
