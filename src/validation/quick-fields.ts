import type { JsonObject } from '../protocol/json.ts'
import { MAX_LENGTHS, RANGES } from '../protocol/limits.ts'
import type { AssistantPart, GivenTool, InputItem, InputPart } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import type { History } from './items.ts'

/**
 * Reads the values of a field that most requests have. Returns the same as the schema of the field, or undefined: then
 * the schema decides. A test compares both.
 */
export type QuickReader = (value: unknown) => unknown

export type QuickReaders = Readonly<Record<string, QuickReader>>

type Fields = Readonly<Record<string, unknown>>

const readModel: QuickReader = (value) =>
  typeof value === 'string' && value !== '' && value.length <= MAX_LENGTHS.model && value.trim() === value
    ? value
    : undefined

const readFlag: QuickReader = (value) => (typeof value === 'boolean' || value === null ? value : undefined)

const readText: QuickReader = (value) => (typeof value === 'string' || value === null ? value : undefined)

/** The option is only checked. */
function readStreamOptions(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const padded = readFlag(value.include_obfuscation ?? null)
  return padded === undefined ? undefined : { include_obfuscation: padded }
}

const hasOnly = (fields: Fields, names: ReadonlySet<string>): boolean => {
  for (const name in fields) if (!names.has(name)) return false
  return true
}

const MESSAGE: ReadonlySet<string> = new Set(['type', 'role', 'content'])
const ANSWER: ReadonlySet<string> = new Set(['type', 'role', 'content', 'id', 'status'])
const TEXT_PART: ReadonlySet<string> = new Set(['type', 'text'])
const ANSWER_PART: ReadonlySet<string> = new Set(['type', 'text', 'annotations', 'logprobs'])
const CALL: ReadonlySet<string> = new Set(['type', 'call_id', 'name', 'arguments', 'id', 'status'])
const OUTPUT: ReadonlySet<string> = new Set(['type', 'call_id', 'output', 'id', 'status'])
const TOOL: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict'])

const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

const isId = (value: unknown): boolean =>
  isTextOrNone(value) && (typeof value !== 'string' || value.length <= MAX_LENGTHS.id)

/** A string, or a list of texts. The two names of a text have the same meaning. */
function readContent<Type extends 'input_text' | 'output_text'>(
  content: unknown,
  type: Type,
  names: ReadonlySet<string>,
): readonly { readonly type: Type; readonly text: string }[] | null {
  if (typeof content === 'string') return [{ type, text: content }]
  if (!Array.isArray(content)) return null
  const parts: { readonly type: Type; readonly text: string }[] = []
  for (const part of content as readonly unknown[]) {
    if (!isObject(part) || typeof part.text !== 'string' || !hasOnly(part, names)) return null
    if (part.type !== 'input_text' && part.type !== 'output_text') return null
    parts.push({ type, text: part.text })
  }
  return parts
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'system', 'developer'])

const isName = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= most

const isOrigin = ({ id, status }: Fields): boolean => isId(id) && isTextOrNone(status)

/** A call of a function, or its output of text, without further members; null for every other item. */
function readCall(item: Fields): InputItem | null {
  const { type, call_id, name, arguments: json } = item
  if (!isName(call_id, MAX_LENGTHS.id) || !isOrigin(item)) return null
  if (type === 'function_call_output') {
    if (!hasOnly(item, OUTPUT)) return null
    const output = readContent(item.output, 'input_text', TEXT_PART)
    return output === null ? null : { type, call_id, output }
  }
  if (type !== 'function_call' || !isName(name, MAX_LENGTHS.tool_name) || typeof json !== 'string') return null
  return hasOnly(item, CALL) ? { type, call_id, name, arguments: json } : null
}

/** A message of text without further members; null for every other item. */
function readMessage(item: Fields, history: History): InputItem | null {
  const { role } = item
  if (role === 'assistant') return history === 'lenient' ? readAnswer(item) : null
  if (!ROLES.has(role) || !hasOnly(item, MESSAGE)) return null
  const content: readonly InputPart[] | null = readContent(item.content, 'input_text', TEXT_PART)
  return content === null ? null : { type: 'message', role: role as 'user', content }
}

function readAnswer(item: Fields): InputItem | null {
  if (!hasOnly(item, ANSWER) || !isOrigin(item)) return null
  const content: readonly AssistantPart[] | null = readContent(item.content, 'output_text', ANSWER_PART)
  return content === null ? null : { type: 'message', role: 'assistant', content }
}

const readInput =
  (history: History) =>
  (value: unknown): unknown => {
    if (typeof value === 'string') return [readMessage({ role: 'user', content: value }, history)]
    if (!Array.isArray(value)) return undefined
    const items: InputItem[] = []
    for (const one of value as readonly unknown[]) {
      if (!isObject(one)) return undefined
      const item = (one.type ?? 'message') === 'message' ? readMessage(one, history) : readCall(one)
      if (item === null) return undefined
      items.push(item)
    }
    return items
  }

/** A function without further members; null for every other tool. */
function readTool(tool: unknown): GivenTool | null {
  if (!isObject(tool) || tool.type !== 'function' || !hasOnly(tool, TOOL)) return null
  const { type, name, description = null, parameters = null, strict = null } = tool
  if (!isName(name, MAX_LENGTHS.tool_name) || !isTextOrNone(description)) return null
  if (parameters !== null && !isObject(parameters)) return null
  if (strict !== null && typeof strict !== 'boolean') return null
  return { type, name, description: description as string | null, parameters: parameters as JsonObject | null, strict }
}

function readTools(value: unknown): unknown {
  if (!Array.isArray(value)) return undefined
  const tools: GivenTool[] = []
  for (const one of value as readonly unknown[]) {
    const tool = readTool(one)
    if (tool === null) return undefined
    tools.push(tool)
  }
  return tools
}

/** A finite number between these. */
const readNumber =
  ([least, most]: readonly [least: number, most: number], isWhole: boolean): QuickReader =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most && (!isWhole || Number.isSafeInteger(value))
      ? value
      : undefined

export const quickReaders = (history: History): QuickReaders => ({
  model: readModel,
  input: readInput(history),
  stream: readFlag,
  instructions: readText,
  parallel_tool_calls: readFlag,
  tools: readTools,
  temperature: readNumber(RANGES.temperature, false),
  top_p: readNumber(RANGES.top_p, false),
  max_output_tokens: readNumber(RANGES.max_output_tokens, true),
  stream_options: readStreamOptions,
})
