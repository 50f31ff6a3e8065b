import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import type { PathMap } from '../../../protocol/source-map.ts'
import { isNonEmptyString, isObject, parseJson } from '../../../text/json.ts'
import type { UsualForm } from '../../client-contract.ts'
import { changeEntries } from '../../shared/passthrough/members.ts'
import { withGivenNames } from '../../shared/passthrough/other-forms.ts'

/** Members and messages of Chat Completions in a body of the Messages API. */

const NAMES: ReadonlyMap<string, string> = new Map([
  ['max_completion_tokens', 'max_tokens'],
  ['max_output_tokens', 'max_tokens'],
  ['stop', 'stop_sequences'],
])

const EFFORTS: ReadonlyMap<Json, string> = new Map([
  ['minimal', 'low'],
  ...['low', 'medium', 'high', 'xhigh', 'max'].map((effort) => [effort, effort] as const),
])

/** Moves a member into an object beside it. Where its place is taken, it stays, and is reported. */
function moved(body: JsonObject, from: string, [name, inner]: readonly [string, string], value: Json): JsonObject {
  const { [from]: _, ...kept } = body
  const outer = kept[name] ?? {}
  const isTaken = !isObject(outer) || ((outer as JsonObject)[inner] ?? null) !== null
  return isTaken ? body : { ...kept, [name]: { ...(outer as JsonObject), [inner]: value } }
}

function withSettings(given: JsonObject): JsonObject {
  let body = given
  for (const [name, own] of NAMES) {
    const { [name]: value, ...kept } = body
    if (value !== undefined && value !== null && kept[own] === undefined) body = { ...kept, [own]: value }
  }
  const { user, reasoning_effort: effort, response_format: format, parallel_tool_calls: parallel } = body
  if (isNonEmptyString(user)) body = moved(body, 'user', ['metadata', 'user_id'], user)
  const own = EFFORTS.get(effort as Json)
  if (own !== undefined) body = moved(body, 'reasoning_effort', ['output_config', 'effort'], own)
  const { schema, description }: JsonRecord = isObject(format) && isObject(format.json_schema) ? format.json_schema : {}
  if (isObject(schema)) {
    const described = isNonEmptyString(description)
      ? { description, ...(schema as JsonObject) }
      : (schema as JsonObject)
    const asked = { type: 'json_schema', schema: described }
    body = moved(body, 'response_format', ['output_config', 'format'], asked)
  }
  if (parallel !== false || !Array.isArray(body.tools)) return body
  const chosen = (body.tool_choice ?? null) === null ? { ...body, tool_choice: { type: 'auto' } } : body
  const single = moved(chosen, 'parallel_tool_calls', ['tool_choice', 'disable_parallel_tool_use'], true)
  return single === chosen ? body : single
}

const textBlock = (text: Json): Json => (typeof text === 'string' ? { type: 'text', text } : text)

/** Answers of Chat Completions have members without a value. */
const hasEffect = (value: Json): boolean => value !== null && !(Array.isArray(value) && value.length === 0)

function toolUse(call: Json): Json {
  const {
    id = null,
    function: called = null,
    type: _,
    index: __,
    ...others
  } = (isObject(call) ? call : {}) as JsonObject
  const { name = null, arguments: args = null } = isObject(called) ? (called as JsonObject) : {}
  const input = typeof args === 'string' ? parseJson(args === '' ? '{}' : args) : args
  const kept = Object.fromEntries(Object.entries(others).filter(([, value]) => hasEffect(value)))
  return { type: 'tool_use', id, name, input: isObject(input) ? (input as JsonObject) : { input: args }, ...kept }
}

function usualMessage(message: Json): Json {
  if (typeof message === 'string') return { role: 'user', content: message }
  if (!isObject(message)) return message
  const { role, content = null, tool_calls: calls, tool_call_id: id = null, ...members } = message as JsonObject
  const others = Object.fromEntries(Object.entries(members).filter(([, value]) => hasEffect(value)))
  if (role === 'tool' && isNonEmptyString(id)) {
    // The call has the name as well.
    const { name: _, ...kept } = others
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: content ?? '', ...kept }] }
  }
  if (role !== 'assistant' || !Array.isArray(calls) || calls.length === 0) return message
  const blocks = Array.isArray(content)
    ? (content as readonly Json[])
    : isNonEmptyString(content)
      ? [textBlock(content)]
      : []
  return { role, content: [...blocks, ...(calls as readonly Json[]).map(toolUse)], ...others }
}

/** A block or a message alone, without the list around it. `members`: those that it has. */
const listOf = (value: Json, members: readonly string[]): Json =>
  isObject(value) && members.every((name) => typeof value[name] === 'string' || Array.isArray(value[name]))
    ? [value as JsonObject]
    : value

function usualMessages(messages: Json): Json {
  if (typeof messages === 'string') return [{ role: 'user', content: messages }]
  return changeEntries(listOf(messages, ['role', 'content']), usualMessage) as Json
}

const isRule = (message: Json): boolean =>
  isObject(message) && message.role === 'system' && isNonEmptyString(message.content)

/** How many messages at the beginning are the system prompt. */
function countRules(messages: Json | undefined): number {
  const count = Array.isArray(messages) ? (messages as readonly Json[]).findIndex((message) => !isRule(message)) : 0
  return Math.max(0, count)
}

/** Members of the Messages API, and those of Chat Completions from which they are made. */
const MADE = [
  ...[...NAMES].map(([name, own]) => [own, name] as const),
  ['metadata.user_id', 'user'],
  ['output_config.effort', 'reasoning_effort'],
  ['output_config.format', 'response_format'],
  ['tool_choice.disable_parallel_tool_use', 'parallel_tool_calls'],
] as const

const has = (body: Json | undefined, [name = '', ...inner]: readonly string[]): boolean =>
  isObject(body) && Object.hasOwn(body, name) && (inner.length === 0 || has((body as JsonObject)[name], inner))

/** Returns a body with members and messages of the Messages API. O(n) for n messages. */
export function withOtherMembers(given: JsonObject): OtherMembers {
  const named = withSettings(given)
  const { body, system, moved } = withOtherMessages(named)
  if (body === given) return { body }
  const made = MADE.filter(([own, name]) => has(given, [name]) && !has(named, [name]) && !has(given, own.split('.')))
  const toName = withGivenNames(made)
  const toGiven: PathMap = (path) => {
    const [entry, list, index] = /^(messages|system)\[(\d{1,9})\]/.exec(path) ?? []
    if (entry === undefined) return toName(path)
    const at = Number(index)
    if (list === 'messages') return `messages[${at + moved}]${path.slice(entry.length)}`
    return at < system ? path : `messages[${at - system}]`
  }
  return { body, form: { losses: [], toGiven } }
}

/** A body in the form of the Messages API. Without `form`, it is the client's own. */
interface OtherMembers {
  readonly body: JsonObject
  readonly form?: UsualForm
}

/** `system`: how many blocks the client's system prompt has. `moved`: how many messages follow them. */
function withOtherMessages(body: JsonObject): {
  readonly body: JsonObject
  readonly system: number
  readonly moved: number
} {
  const { system = null, messages = null } = body
  const talk = usualMessages(messages)
  const count = countRules(talk)
  const rules = changeEntries(listOf(system, ['type', 'text']), textBlock) as Json
  const before = rules === null ? [] : Array.isArray(rules) ? (rules as readonly Json[]) : [textBlock(rules)]
  const own = { body, system: before.length, moved: 0 }
  if (rules === system && talk === messages && count === 0) return own
  if (count === 0)
    return {
      ...own,
      body: { ...body, ...(rules === null ? {} : { system: rules }), ...(talk === null ? {} : { messages: talk }) },
    }
  const list = talk as readonly JsonObject[]
  const texts = list.slice(0, count).map(({ content }) => textBlock(content as Json))
  return {
    body: { ...body, system: [...before, ...texts], messages: list.slice(count) },
    system: before.length,
    moved: count,
  }
}

/** Whether the conversation has the form of another protocol. */
export const hasOtherMessages = ({ messages, system }: JsonObject): boolean =>
  isObject(messages) ||
  typeof messages === 'string' ||
  isObject(system) ||
  countRules(messages) > 0 ||
  (Array.isArray(messages) && usualMessages(messages as Json) !== messages)
