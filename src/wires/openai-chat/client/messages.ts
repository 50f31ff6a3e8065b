import type { JsonObject } from '../../../protocol/json.ts'
import { EMPTY_MESSAGE } from '../../../protocol/loss.ts'
import { formatJson, isNonEmptyString, isObject } from '../../../text/json.ts'
import type { Steps } from '../../../text/steps.ts'
import { NO_CALL_ID } from '../../../validation/input/usual-form.ts'
import { exceptWhen, fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import { createUnmatchedCalls, type UnmatchedCalls } from '../../shared/client/pending-calls.ts'
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
import { decodeCallSignature } from './call-signatures.ts'
import { contentPaths, decodeAssistantContent, decodeContent } from './parts.ts'
import { decodeReasoningHistory, hasReadableText } from './reasoning-history.ts'

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

/** The members that hold the signature of a call. */
const SIGNED = ['extra_content', 'provider_specific_fields'] as const

/** `index` is left over from a stream and repeats the order of the calls. */
const CALL = fieldSet(['id', 'type', 'index', 'function', ...SIGNED])
const CALLED = fieldSet(['name', 'arguments', 'provider_specific_fields'])
const CUSTOM_CALL = fieldSet(['id', 'type', 'index', 'custom', ...SIGNED])
const CUSTOM_CALLED = fieldSet(['name', 'input'])

/** The calls of the messages decoded so far. */
interface Calls {
  /** Ids of calls whose input is free text. */
  readonly custom: Set<string>
  /** Calls that wait for their output. Those of the older form `function_call` have no ids. */
  readonly open: UnmatchedCalls
}

interface MessageContext {
  readonly at: number
  readonly path: string
  readonly calls: Calls
  readonly notes: RequestReader
}

/** Reads arguments as JSON text. Some clients send the object itself. */
function argumentsAt(notes: RequestReader, path: string, value: unknown): string {
  if (isObject(value)) return formatField(notes, path, value)
  return isAbsent(value) ? '' : textAt(notes, path, value)
}

interface CallPlace {
  readonly path: string
  /** Among the calls of its message. */
  readonly index: number
}

/** A call without an id gets one, the same in every request of the conversation. */
function idAt(value: unknown, name: unknown, { path, index }: CallPlace, { at, calls, notes }: MessageContext): string {
  const id = isAbsent(value) || value === '' ? `call_${at}_${index}` : nameAt(notes, `${path}.id`, value)
  calls.open.add({ id, name: typeof name === 'string' ? name : '' })
  return id
}

const nameIn = (called: unknown): unknown => (isObject(called) ? called.name : undefined)

function decodeCall(value: unknown, place: CallPlace, here: MessageContext): JsonObject {
  const { calls, notes } = here
  const { path } = place
  const given = objectAt(notes, path, value)
  const call_id = idAt(given.id, nameIn(given.custom ?? given.function), place, here)
  if (given.type === 'custom') {
    const call = pickKnown(given, CUSTOM_CALL, path, notes)
    const custom = readFieldsAt(notes, `${path}.custom`, call.custom, CUSTOM_CALLED)
    calls.custom.add(call_id)
    return {
      type: 'custom_tool_call',
      call_id,
      name: nameAt(notes, `${path}.custom.name`, custom.name),
      input: isAbsent(custom.input) ? '' : textAt(notes, `${path}.custom.input`, custom.input),
    }
  }
  const call = pickKnown(given, CALL, path, notes)
  if (!isAbsent(call.type) && call.type !== 'function') {
    rejectType(notes, `${path}.type`, 'one of function, custom', call.type)
  }
  const body = readFieldsAt(notes, `${path}.function`, call.function, CALLED)
  return {
    type: 'function_call',
    call_id,
    name: nameAt(notes, `${path}.function.name`, body.name),
    arguments: argumentsAt(notes, `${path}.function.arguments`, body.arguments),
  }
}

function decodeNamelessCall(value: unknown, { at, path, calls, notes }: MessageContext): JsonObject {
  const call = readFieldsAt(notes, `${path}.function_call`, value, CALLED)
  const name = nameAt(notes, `${path}.function_call.name`, call.name)
  const call_id = `call_${at}`
  calls.open.add({ name, id: call_id })
  const args = argumentsAt(notes, `${path}.function_call.arguments`, call.arguments)
  return { type: 'function_call', call_id, name, arguments: args }
}

/** A call, and the item of its signature, if it has one. */
interface SignedCall {
  readonly signature: readonly LocatedItem[]
  readonly call: LocatedItem
}

const sealedIn = ({ item }: LocatedItem): unknown => item.encrypted_content

/**
 * The reasoning of a message and its calls, in order. Each signature that both have precedes its own call, because one
 * without an id belongs to the call that follows it. Readable reasoning keeps that of the first call, which follows it.
 */
function inOrder(
  reasoning: readonly LocatedItem[],
  calls: readonly SignedCall[],
): { readonly before: readonly LocatedItem[]; readonly called: readonly LocatedItem[] } {
  const signed = calls.map(({ signature }) => signature.map(sealedIn))
  const all = new Set(signed.flat())
  const first = new Set(signed[0])
  const isKept = (one: LocatedItem): boolean => first.has(sealedIn(one)) && hasReadableText(one.item)
  const kept = new Set(reasoning.filter(isKept).map(sealedIn))
  return {
    before: reasoning.flatMap((one) => {
      if (!all.has(sealedIn(one)) || isKept(one)) return [one]
      return hasReadableText(one.item) ? [{ ...one, item: { ...one.item, encrypted_content: null } }] : []
    }),
    called: calls.flatMap(({ signature, call }, i) => [
      ...(i === 0 ? signature.filter((one) => !kept.has(sealedIn(one))) : signature),
      call,
    ]),
  }
}

function decodeAssistant(message: KnownFields<typeof ASSISTANT>, here: MessageContext): readonly LocatedItem[] {
  const { at, path, notes } = here
  const { parts: content, paths: partPaths } = decodeAssistantContent(message, path, notes)
  const calls = isAbsent(message.tool_calls) ? [] : readListAt(notes, `${path}.tool_calls`, message.tool_calls)
  const item: JsonObject = { type: 'message', id: `msg_${at}`, status: 'completed', role: 'assistant', content }
  const reasoning = decodeReasoningHistory(message, path, notes)
  const signed = calls.map((call, i): SignedCall => {
    const at = `${path}.tool_calls[${i}]`
    const signature = isObject(call) ? decodeCallSignature(call, at, notes) : []
    return { signature, call: { item: decodeCall(call, { path: at, index: i }, here), path: at } }
  })
  const { before, called } = inOrder(reasoning, signed)
  return [
    ...before,
    ...(content.length === 0 ? [] : [{ item, path, partPaths }]),
    ...called,
    ...(isAbsent(message.function_call)
      ? []
      : locateAll([decodeNamelessCall(message.function_call, here)], `${path}.function_call`)),
  ]
}

/** An output without an id belongs to the next call with its name, or to the next one at all. */
function calledId(
  { tool_call_id: id, name }: KnownFields<typeof OUTPUT>,
  path: string,
  { open }: Calls,
  notes: RequestReader,
): string {
  if (isAbsent(id) || id === '') {
    const call = isNonEmptyString(name) ? open.takeByName(name) : open.takeFirst()
    return call?.id ?? NO_CALL_ID
  }
  const own = nameAt(notes, `${path}.tool_call_id`, id)
  open.takeById(own)
  return own
}

function decodeOutput(message: KnownFields<typeof OUTPUT>, { path, calls, notes }: MessageContext): JsonObject {
  const call_id = calledId(message, path, calls, notes)
  const type = calls.custom.has(call_id) ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id, output: outputOf(message.content, path, notes) }
}

const isPart = (value: unknown): boolean => isObject(value) && typeof value.type === 'string'

/** A string stays a string, the form that most tools return. Any other value is sent as JSON. */
function outputOf(content: unknown, path: string, notes: RequestReader): string | readonly JsonObject[] {
  if (isAbsent(content)) return ''
  if (typeof content === 'string') return content
  return Array.isArray(content) && content.every(isPart)
    ? decodeContent(content, `${path}.content`, notes)
    : isObject(content)
      ? formatField(notes, `${path}.content`, content)
      : formatJson(content)
}

function decodeNamelessOutput(
  message: KnownFields<typeof OLD_OUTPUT>,
  { path, calls, notes }: MessageContext,
): JsonObject {
  const name = nameAt(notes, `${path}.name`, message.name)
  const call = calls.open.takeByName(name)
  if (call === undefined) rejectType(notes, `${path}.name`, 'the name of a function that was called before', name)
  const output = outputOf(message.content, path, notes)
  return { type: 'function_call_output', call_id: call?.id ?? '', output }
}

const withParts = (item: JsonObject, path: string, content: unknown): LocatedItem => ({
  item,
  path,
  partPaths: contentPaths(content, `${path}.content`),
})

function decodeMessage(value: unknown, here: MessageContext): readonly LocatedItem[] {
  const { path, notes } = here
  const message = objectAt(notes, path, value)
  const { role } = message
  switch (role) {
    case 'system':
    case 'developer':
    case 'user': {
      const prompt = pickKnown(message, PROMPT, path, notes)
      const content = isAbsent(prompt.content) ? [] : decodeContent(prompt.content, `${path}.content`, notes)
      return [withParts({ type: 'message', role, content }, path, prompt.content)]
    }
    case 'assistant': {
      const items = decodeAssistant(pickKnown(message, ASSISTANT, path, notes), here)
      if (items.length === 0) dropField(notes, path, EMPTY_MESSAGE)
      return items
    }
    case 'tool':
      return [withParts(decodeOutput(pickKnown(message, OUTPUT, path, notes), here), path, message.content)]
    case 'function':
      return [withParts(decodeNamelessOutput(pickKnown(message, OLD_OUTPUT, path, notes), here), path, message.content)]
    default:
      if (isObject(value)) rejectType(notes, `${path}.role`, ROLES, role)
      return []
  }
}

/** Decodes all messages of a chat into input items, in order. O(n) for n messages and calls. */
export function decodeMessages(messages: unknown, notes: RequestReader): Steps<LocatedConversation> {
  const list = readListAt(notes, 'messages', messages)
  if (list.length === 0) rejectField(notes, 'messages', 'expected at least one message')
  const calls: Calls = { custom: new Set(), open: createUnmatchedCalls() }
  return decodeEach(list, (message, at) => decodeMessage(message, { at, path: `messages[${at}]`, calls, notes }))
}
