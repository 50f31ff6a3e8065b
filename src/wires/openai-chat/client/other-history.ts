import type { Json, JsonObject } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject } from '../../../text/json.ts'
import { presentMembers } from '../../shared/passthrough/other-forms.ts'

/**
 * Conversations of the Responses API and the Messages API in a body of Chat Completions, as editors send them to the
 * address of a server of another protocol. Functions return the value itself where its form is the protocol's own.
 */

const isList = (value: unknown): value is readonly Json[] => Array.isArray(value)

const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : formatJson(value)

const toolCall = (id: Json | undefined, name: Json | undefined, args: Json | undefined): JsonObject =>
  presentMembers({ id, type: 'function', function: presentMembers({ name, arguments: textOf(args ?? {}) }) })

const toolMessage = (id: Json | undefined, content: Json | undefined): JsonObject =>
  presentMembers({ role: 'tool', tool_call_id: id, content: isList(content) ? content : textOf(content) })

/** A call of the Responses API belongs to the answer before it. */
function withCall(said: Json[], call: JsonObject): void {
  const last = said.at(-1)
  if (!isObject(last) || last.role !== 'assistant') said.push({ role: 'assistant', content: null, tool_calls: [call] })
  else
    said[said.length - 1] = {
      ...(last as JsonObject),
      tool_calls: [...(isList(last.tool_calls) ? last.tool_calls : []), call],
    }
}

const REASONING: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

const typeOf = (block: Json): Json | undefined => (isObject(block) ? (block as JsonObject).type : undefined)

const hasBlocks = (message: JsonObject): boolean =>
  isList(message.content) &&
  message.content.some((block) => typeOf(block) === 'tool_use' || typeOf(block) === 'tool_result')

/** Results of the Messages API stand in a message of the user, calls in an answer, beside its texts. */
function pushBlocks(said: Json[], message: JsonObject): void {
  const rest: Json[] = []
  const calls: JsonObject[] = []
  for (const block of message.content as readonly Json[]) {
    const { type, id, name, input, tool_use_id, content } = (isObject(block) ? block : {}) as JsonObject
    if (type === 'tool_use') calls.push(toolCall(id, name, input))
    else if (type === 'tool_result') said.push(toolMessage(tool_use_id, content))
    else if (!REASONING.has(type)) rest.push(block)
  }
  if (calls.length > 0) said.push({ ...message, content: rest.length === 0 ? null : rest, tool_calls: calls })
  else if (rest.length > 0) said.push({ ...message, content: rest })
}

function push(said: Json[], entry: Json): void {
  if (typeof entry === 'string') said.push({ role: 'user', content: entry })
  else if (!isObject(entry)) said.push(entry)
  else {
    const { type, ...message } = entry as JsonObject
    if (type === 'function_call') withCall(said, toolCall(message.call_id, message.name, message.arguments))
    else if (type === 'function_call_output') said.push(toolMessage(message.call_id, message.output))
    else if (hasBlocks(message)) pushBlocks(said, message)
    else if (type === 'message') said.push(presentMembers({ role: message.role, content: message.content }))
    else if (type !== 'reasoning') said.push(entry)
  }
}

const ITEMS: ReadonlySet<unknown> = new Set(['function_call', 'function_call_output', 'message', 'reasoning'])

const isForeign = (entry: Json): boolean =>
  typeof entry === 'string' || ITEMS.has(typeOf(entry)) || (isObject(entry) && hasBlocks(entry as JsonObject))

function usualMessages(given: Json): Json {
  if (typeof given === 'string') return [{ role: 'user', content: given }]
  if (isObject(given)) return isNonEmptyString(given.role) ? usualMessages([given as JsonObject]) : given
  if (!isList(given) || !given.some(isForeign)) return given
  const said: Json[] = []
  for (const entry of given) push(said, entry)
  return said
}

/** Members of the other protocols, and their names here. */
const RENAMED = [
  ['max_output_tokens', 'max_completion_tokens'],
  ['stop_sequences', 'stop'],
] as const

/** Returns a body with its conversation in the form of Chat Completions. O(n) for n messages and their parts. */
export function withOtherHistory(body: JsonObject): JsonObject {
  const { input, system, instructions, text, ...kept } = body
  const given = body.messages ?? input
  if (given === undefined || given === null) return body
  const messages = usualMessages(given)
  const rule = isNonEmptyString(system) ? system : instructions
  const isRuled = isNonEmptyString(rule) && isList(messages)
  const renamed = RENAMED.filter(([name, own]) => kept[name] !== undefined && kept[own] === undefined)
  const isFormed = isObject(text) && isObject(text.format) && kept.response_format === undefined
  if (messages === body.messages && !isRuled && renamed.length === 0 && !isFormed) return body
  const { include, truncation, ...own } = kept
  const others = body.messages === undefined ? own : { ...kept, ...presentMembers({ input }) }
  const named = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [renamed.find(([other]) => other === name)?.[1] ?? name, value]),
  )
  const { format, verbosity } = (isObject(text) ? text : {}) as JsonObject
  return {
    ...named,
    ...(isFormed ? presentMembers({ response_format: format, verbosity: kept.verbosity ?? verbosity }) : {}),
    ...(isRuled ? {} : presentMembers({ system, instructions, ...(isFormed ? {} : { text }) })),
    messages: isRuled ? [{ role: 'system', content: rule }, ...(messages as readonly Json[])] : messages,
  }
}
