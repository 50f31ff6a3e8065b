import type { JsonObject } from '../../../protocol/json.ts'
import { formatJson, isObject } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { exceptWhen, fieldSet, type KnownFields, pickKnown } from '../../../validation/unknown-fields.ts'
import type { DecodeContext } from '../../client-contract.ts'
import { createUnmatchedCalls, type UnmatchedCalls } from '../../shared/client/pending-calls.ts'
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
import { decodeAssistantContent, decodeContent } from './parts.ts'
import { decodeReasoningHistory } from './reasoning-history.ts'

const ROLES = 'one of system, developer, user, assistant, tool, function'

const NAMELESS = { name: { why: 'names in messages are not supported', idle: exceptWhen('') } }

const PROMPT = fieldSet(['role', 'content'], NAMELESS)
const ASSISTANT = fieldSet(
  ['role', 'content', 'refusal', 'tool_calls', 'function_call', 'reasoning_details', 'reasoning_content', 'reasoning'],
  {
    ...NAMELESS,
    audio: { why: 'audio of earlier answers is not supported' },
    images: { why: 'images in assistant messages are not supported' },
    annotations: { why: 'earlier answers are sent without it' },
    prefix: { idle: exceptWhen(false) },
  },
)
/** `name` repeats the name of the call. */
const OUTPUT = fieldSet(['role', 'content', 'tool_call_id', 'name'])
const OLD_OUTPUT = fieldSet(['role', 'content', 'name'])

/** `index` is left over from a stream and repeats the order of the calls. */
const CALL = fieldSet(['id', 'type', 'index', 'function'])
const CALLED = fieldSet(['name', 'arguments'])
const CUSTOM_CALL = fieldSet(['id', 'type', 'index', 'custom'])
const CUSTOM_CALLED = fieldSet(['name', 'input'])

/** The calls of the messages decoded so far. */
interface Calls {
  /** Ids of calls whose input is free text. */
  readonly custom: Set<string>
  /** Calls in the older `function_call` form, which has no ids, that wait for their output. */
  readonly nameless: UnmatchedCalls
}

interface Place {
  readonly at: number
  readonly place: string
  readonly calls: Calls
  readonly asking: DecodeContext
  readonly notes: RequestReader
}

/** Reads arguments as JSON text. Some clients send the object itself. */
function argumentsAt(notes: RequestReader, place: string, value: unknown): string {
  if (isObject(value)) return formatJson(value)
  return isAbsent(value) ? '' : textAt(notes, place, value)
}

function decodeCall(value: unknown, place: string, { calls, notes }: Place): JsonObject {
  const given = objectAt(notes, place, value)
  const call_id = nameAt(notes, `${place}.id`, given.id)
  if (given.type === 'custom') {
    const call = pickKnown(given, CUSTOM_CALL, place, notes)
    const custom = readFieldsAt(notes, `${place}.custom`, call.custom, CUSTOM_CALLED)
    calls.custom.add(call_id)
    return {
      type: 'custom_tool_call',
      call_id,
      name: nameAt(notes, `${place}.custom.name`, custom.name),
      input: isAbsent(custom.input) ? '' : textAt(notes, `${place}.custom.input`, custom.input),
    }
  }
  const call = pickKnown(given, CALL, place, notes)
  if (!isAbsent(call.type) && call.type !== 'function') {
    rejectType(notes, `${place}.type`, 'one of function, custom', call.type)
  }
  const body = readFieldsAt(notes, `${place}.function`, call.function, CALLED)
  return {
    type: 'function_call',
    call_id,
    name: nameAt(notes, `${place}.function.name`, body.name),
    arguments: argumentsAt(notes, `${place}.function.arguments`, body.arguments),
  }
}

function decodeNamelessCall(value: unknown, { at, place, calls, notes }: Place): JsonObject {
  const call = readFieldsAt(notes, `${place}.function_call`, value, CALLED)
  const name = nameAt(notes, `${place}.function_call.name`, call.name)
  const call_id = `call_${at}`
  calls.nameless.add({ name, id: call_id })
  const args = argumentsAt(notes, `${place}.function_call.arguments`, call.arguments)
  return { type: 'function_call', call_id, name, arguments: args }
}

function decodeAssistant(message: KnownFields<typeof ASSISTANT>, here: Place): readonly LocatedItem[] {
  const { at, place, asking: context, notes } = here
  const content = decodeAssistantContent(message, place, notes)
  const calls = isAbsent(message.tool_calls) ? [] : readListAt(notes, `${place}.tool_calls`, message.tool_calls)
  const said: JsonObject = { type: 'message', id: `msg_${at}`, status: 'completed', role: 'assistant', content }
  return [
    ...decodeReasoningHistory(message, place, context, notes),
    ...(content.length === 0 ? [] : locateAll([said], place)),
    ...calls.map((call, i) => {
      const at = `${place}.tool_calls[${i}]`
      return { item: decodeCall(call, at, here), place: at }
    }),
    ...(isAbsent(message.function_call)
      ? []
      : locateAll([decodeNamelessCall(message.function_call, here)], `${place}.function_call`)),
  ]
}

function decodeOutput(message: KnownFields<typeof OUTPUT>, { place, calls, notes }: Place): JsonObject {
  const call_id = nameAt(notes, `${place}.tool_call_id`, message.tool_call_id)
  const type = calls.custom.has(call_id) ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id, output: outputOf(message.content, place, notes) }
}

/** A string stays a string, the form that most tools return. */
function outputOf(content: unknown, place: string, notes: RequestReader): string | readonly JsonObject[] {
  if (isAbsent(content)) return ''
  return typeof content === 'string' ? content : decodeContent(content, `${place}.content`, notes)
}

function decodeNamelessOutput(message: KnownFields<typeof OLD_OUTPUT>, { place, calls, notes }: Place): JsonObject {
  const name = nameAt(notes, `${place}.name`, message.name)
  const call = calls.nameless.takeByName(name)
  if (call === undefined) rejectType(notes, `${place}.name`, 'the name of a function that was called before', name)
  const output = outputOf(message.content, place, notes)
  return { type: 'function_call_output', call_id: call?.id ?? '', output }
}

function decodeMessage(value: unknown, here: Place): readonly LocatedItem[] {
  const { place, notes } = here
  const message = objectAt(notes, place, value)
  const { role } = message
  switch (role) {
    case 'system':
    case 'developer':
    case 'user': {
      const prompt = pickKnown(message, PROMPT, place, notes)
      const content = decodeContent(prompt.content, `${place}.content`, notes)
      return locateAll([{ type: 'message', role, content }], place)
    }
    case 'assistant':
      return decodeAssistant(pickKnown(message, ASSISTANT, place, notes), here)
    case 'tool':
      return locateAll([decodeOutput(pickKnown(message, OUTPUT, place, notes), here)], place)
    case 'function':
      return locateAll([decodeNamelessOutput(pickKnown(message, OLD_OUTPUT, place, notes), here)], place)
    default:
      if (isObject(value)) rejectType(notes, `${place}.role`, ROLES, role)
      return []
  }
}

/** Decodes all messages of a chat into input items, in order. O(n) for n messages and calls. */
export function decodeMessages(
  messages: unknown,
  context: DecodeContext,
  notes: RequestReader,
): Steps<LocatedConversation> {
  const list = readListAt(notes, 'messages', messages)
  if (list.length === 0) rejectField(notes, 'messages', 'expected at least one message')
  const calls: Calls = { custom: new Set(), nameless: createUnmatchedCalls() }
  return decodeEach(list, (message, at) =>
    decodeMessage(message, { at, place: `messages[${at}]`, calls, asking: context, notes }),
  )
}
