import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { EMPTY_MESSAGE } from '../../../protocol/loss.ts'
import { isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import type { Steps } from '../../../text/steps.ts'
import { NO_CALL_ID } from '../../../validation/input/usual-form.ts'
import { fieldSet, type KnownFields, pickKnown } from '../../../validation/known-fields.ts'
import { withBreakpointOf } from '../../shared/client/cache-control.ts'
import {
  dropField,
  formatField,
  isAbsent,
  leaveUnsupported,
  nameAt,
  optionalAt,
  type RequestReader,
  rejectField,
  rejectType,
  rejectWord,
  textAt,
} from '../../shared/client/request-reader.ts'
import { decodeEach, type LocatedConversation, type LocatedItem } from '../../shared/client/source-map.ts'
import { isResult } from '../upstream/server-tools.ts'
import { decodePart } from './parts.ts'
import {
  decodeCompaction,
  decodeReasoningBlock,
  decodeRedacted,
  decodeServerCall,
  decodeServerResult,
  type ServerTools,
  serverToolsIn,
} from './reasoning-history.ts'

const MESSAGE = fieldSet(['role', 'content'])
const RESULT = fieldSet(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])
const TEXT = fieldSet(['type', 'text', 'cache_control'], {
  citations: { why: 'earlier answers are sent without it' },
})
const TOOL_USE = fieldSet(['type', 'id', 'name', 'input', 'toolset_name', 'cache_control'], {
  caller: { idle: (value) => isObject(value) && value.type === 'direct' && Object.keys(value).length === 1 },
})

type Role = 'user' | 'assistant' | 'system'

/** The result of decoding a block: parts of the current message, or items beside it. */
interface Decoded {
  readonly parts: readonly JsonObject[]
  readonly items: readonly JsonObject[]
  readonly partPaths?: readonly string[]
}

const asParts = (parts: readonly JsonObject[]): Decoded => ({ parts, items: [] })
const asItems = (items: readonly JsonObject[]): Decoded => ({ parts: [], items })
const NOTHING: Decoded = { parts: [], items: [] }

/** Decodes a block. `tools` are the server tools of its message; `path` is the path of the block in the request. */
type Read = (block: JsonRecord, tools: ServerTools, path: string, notes: RequestReader) => Decoded

// ---------------------------------------------------------------- blocks of the user

function decodeOutput(
  { content }: KnownFields<typeof RESULT>,
  path: string,
  notes: RequestReader,
): { readonly output: string | readonly JsonObject[]; readonly partPaths: readonly string[] } {
  if (content === undefined || content === null) return { output: '', partPaths: [] }
  if (typeof content === 'string') return { output: content, partPaths: [`${path}.content`] }
  if (!Array.isArray(content)) {
    rejectType(notes, `${path}.content`, 'a string or a list of content blocks', content)
    return { output: '', partPaths: [] }
  }
  const partPaths: string[] = []
  const output = content.flatMap((block, i) => {
    const own = `${path}.content[${i}]`
    const parts = decodePart(block, own, notes)
    for (const _ of parts) partPaths.push(own)
    return parts
  })
  return { output, partPaths }
}

function decodeToolResult(given: JsonRecord, path: string, notes: RequestReader): Decoded {
  const block = pickKnown(given, RESULT, path, notes)
  const call_id = idAt(notes, `${path}.tool_use_id`, block.tool_use_id)
  const failed = block.is_error === true ? { failed: true } : {}
  const { output, partPaths } = decodeOutput(block, path, notes)
  const item = { type: 'function_call_output', call_id, output, ...failed }
  return { parts: [], items: [withBreakpointOf(notes, path, given, item)], partPaths }
}

// ---------------------------------------------------------------- blocks of the assistant

function decodeAssistant(given: JsonRecord, _: ServerTools, path: string, notes: RequestReader): Decoded {
  const block = pickKnown(given, TEXT, path, notes)
  const part = { type: 'output_text', text: textAt(notes, `${path}.text`, block.text === null ? '' : block.text) }
  return asParts([withBreakpointOf(notes, path, given, part)])
}

/** Servers of other vendors send calls without an id. */
const idAt = (notes: RequestReader, path: string, value: unknown): string =>
  isAbsent(value) || value === '' ? NO_CALL_ID : nameAt(notes, path, value)

/** Reads arguments as JSON text. Some proxies send the text itself, or nothing, and programs in PHP an empty list. */
function argumentsAt(notes: RequestReader, path: string, input: unknown): string {
  if (typeof input === 'string') return input
  if (isAbsent(input) || (Array.isArray(input) && input.length === 0)) return '{}'
  const json = isObject(input) ? formatField(notes, path, input) : ''
  if (!isObject(input)) rejectType(notes, path, 'an object', input)
  else if (json === '') rejectField(notes, path, 'the value is nested too deeply')
  return json
}

function decodeToolUse(given: JsonRecord, _: ServerTools, path: string, notes: RequestReader): Decoded {
  const block = pickKnown(given, TOOL_USE, path, notes)
  const call_id = idAt(notes, `${path}.id`, block.id)
  const name = nameAt(notes, `${path}.name`, block.name)
  const { input, toolset_name } = block
  const toolset = optionalAt(nameAt, notes, `${path}.toolset_name`, toolset_name)
  const json = argumentsAt(notes, `${path}.input`, input)
  const space = toolset ? { namespace: toolset } : {}
  const item = { type: 'function_call', call_id, name, ...space, arguments: json }
  return asItems([withBreakpointOf(notes, path, given, item)])
}

const ANSWER_BLOCKS: Readonly<Record<string, Read>> = {
  text: decodeAssistant,
  thinking: (block, _, path, notes) => asItems(decodeReasoningBlock(block, path, notes)),
  redacted_thinking: (block, _, path, notes) => asItems(decodeRedacted(block, path, notes)),
  tool_use: decodeToolUse,
  server_tool_use: (block, tools, path, notes) => asItems(decodeServerCall(block, tools, path, notes)),
  mcp_tool_use: (block, tools, path, notes) => asItems(decodeServerCall(block, tools, path, notes)),
  compaction: (block, _, path, notes) => asItems(decodeCompaction(block, path, notes)),
  // Marks the point at which another model continued; the block has no content.
  fallback: () => NOTHING,
}

// ---------------------------------------------------------------- messages

function decodeBlock(block: JsonRecord, tools: ServerTools, role: Role, path: string, notes: RequestReader): Decoded {
  const { type } = block
  if (role !== 'assistant') {
    return role === 'user' && type === 'tool_result'
      ? decodeToolResult(block, path, notes)
      : asParts(decodePart(block, path, notes, role === 'user' ? ['tool_result'] : []))
  }
  if (isResult(type)) return asItems(decodeServerResult(block, tools, path, notes))
  const read = typeof type === 'string' ? lookup(ANSWER_BLOCKS, type) : undefined
  if (read !== undefined) return read(block, tools, path, notes)
  if (type === 'container_upload' || type === 'mcp_tool_listing')
    leaveUnsupported(notes, path, `blocks of type ${type} are not supported`)
  else rejectWord(notes, `${path}.type`, Object.keys(ANSWER_BLOCKS), type)
  return NOTHING
}

const messageOf = (role: Role, content: readonly JsonObject[]): JsonObject => ({ type: 'message', role, content })

/** Joins consecutive parts into one message. Items keep their position, each with the path of its block. */
function joined(role: Role, decoded: readonly Decoded[], path: string): readonly LocatedItem[] {
  const out: LocatedItem[] = []
  let open: JsonObject[] = []
  let partPaths: string[] = []
  const close = (): void => {
    if (open.length > 0) out.push({ item: messageOf(role, open), path, partPaths })
    open = []
    partPaths = []
  }
  decoded.forEach(({ parts, items, partPaths: inner = [] }, i) => {
    for (const part of parts) {
      open.push(part)
      partPaths.push(`${path}.content[${i}]`)
    }
    if (items.length > 0) close()
    for (const item of items) out.push({ item, path: `${path}.content[${i}]`, partPaths: inner })
  })
  close()
  return out
}

const ROLES: readonly Role[] = ['user', 'assistant', 'system']

function decodeMessage(message: unknown, path: string, notes: RequestReader): readonly LocatedItem[] {
  if (!isObject(message)) {
    rejectType(notes, path, 'an object', message)
    return []
  }
  const { content: given } = pickKnown(message, MESSAGE, path, notes)
  const content = given === null ? [] : given
  const role = ROLES.find((known) => known === message.role)
  if (role === undefined) rejectType(notes, `${path}.role`, `one of ${ROLES.join(', ')}`, message.role)
  if (typeof content === 'string') {
    const part = { type: role === 'assistant' ? 'output_text' : 'input_text', text: content }
    return [{ item: messageOf(role ?? 'user', [part]), path, partPaths: [`${path}.content`] }]
  }
  if (!Array.isArray(content)) {
    rejectType(notes, `${path}.content`, 'a string or a list of content blocks', content)
    return []
  }
  if (role === 'assistant' && content.length === 0) dropField(notes, path, EMPTY_MESSAGE)
  // An empty message of the user ends the answer before it.
  if (role === 'user' && content.length === 0) return [{ item: messageOf(role, []), path, partPaths: [] }]
  const tools = serverToolsIn(content.filter(isObject))
  const decoded = content.map((block, i) => {
    const at = `${path}.content[${i}]`
    if (isObject(block)) return decodeBlock(block, tools, role ?? 'user', at, notes)
    rejectType(notes, at, 'an object', block)
    return NOTHING
  })
  return joined(role ?? 'user', decoded, path)
}

/**
 * Decodes `messages` into `input`. A message becomes one or more items, in the order of its blocks. O(n) for n blocks.
 */
export function decodeMessages(messages: unknown, notes: RequestReader): Steps<LocatedConversation> {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : []
  if (!Array.isArray(messages)) rejectType(notes, 'messages', 'a list with at least one message', messages)
  else if (list.length === 0) rejectField(notes, 'messages', 'expected at least one message')
  return decodeEach(list, (message, i) => decodeMessage(message, `messages[${i}]`, notes))
}
