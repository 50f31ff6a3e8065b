import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { exceptWhen, fieldSet, type IgnoredFields, pickKnown } from '../../../validation/known-fields.ts'
import { withBreakpointOf } from '../../shared/client/cache-control.ts'
import {
  flagAt,
  isAbsent,
  leaveUnsupported,
  mapField,
  nameAt,
  objectAt,
  optionalAt,
  type RequestReader,
  readListAt,
  rejectType,
  rejectWord,
  textAt,
} from '../../shared/client/request-reader.ts'
import type { FieldPaths } from '../../shared/client/source-map.ts'

/** A tool of the client, its name in this API, and the `tool_choice` that selects it. */
interface DecodedTool {
  readonly name: string
  readonly tool: JsonObject
  readonly choice: JsonObject
}

/** Whether only the model itself may call the tool, and not code that the model runs. */
const isDirect = (value: unknown): boolean => Array.isArray(value) && value.every((caller) => caller === 'direct')

/** Fields of any tool that cannot be carried. */
const IGNORED = {
  allowed_callers: { idle: isDirect },
  defer_loading: { idle: exceptWhen(false) },
  eager_input_streaming: { idle: exceptWhen(false) },
} satisfies IgnoredFields

const FUNCTION_FIELDS = ['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'] as const
const FUNCTION = fieldSet(FUNCTION_FIELDS, IGNORED)
const { defer_loading: _, ...IGNORED_BY_ANTHROPIC } = IGNORED
/** Fields of a function in a request that goes to an upstream of this wire. */
const OWN_FUNCTION = fieldSet([...FUNCTION_FIELDS, 'defer_loading'], IGNORED_BY_ANTHROPIC)
const SEARCH = fieldSet(
  ['type', 'name', 'allowed_domains', 'blocked_domains', 'user_location', 'max_uses', 'cache_control'],
  IGNORED,
)
const CODE = fieldSet(['type', 'name', 'cache_control'], IGNORED)
const CHOICE = fieldSet(['type', 'disable_parallel_tool_use'])
const NAMED_CHOICE = fieldSet(['type', 'disable_parallel_tool_use', 'name'])

function decodeFunction(given: JsonRecord, path: string, notes: RequestReader): DecodedTool {
  const isOwn = notes.seal !== null
  const tool = isOwn ? pickKnown(given, OWN_FUNCTION, path, notes) : pickKnown(given, FUNCTION, path, notes)
  const name = nameAt(notes, `${path}.name`, tool.name)
  const description = optionalAt(textAt, notes, `${path}.description`, tool.description)
  const parameters = objectAt(notes, `${path}.input_schema`, tool.input_schema) as JsonObject
  const strict = optionalAt(flagAt, notes, `${path}.strict`, tool.strict)
  return {
    name,
    tool: {
      type: 'function',
      name,
      ...(description === null ? {} : { description }),
      parameters,
      ...(strict === null ? {} : { strict }),
      ...(isOwn && given.defer_loading === true ? { deferred: true } : {}),
    },
    choice: { type: 'function', name },
  }
}

const hosted = (name: string, tool: JsonObject & { readonly type: string }): DecodedTool => ({
  name,
  tool,
  choice: { type: tool.type },
})

const VERSION = '20250305'

/** Decodes a web search tool into the field names that most upstreams accept. */
function decodeSearch(tool: JsonRecord, version: string, path: string, notes: RequestReader): DecodedTool {
  const { allowed_domains, blocked_domains, user_location, max_uses } = pickKnown(tool, SEARCH, path, notes)
  const filters = [
    ['allowed_domains', allowed_domains],
    ['blocked_domains', blocked_domains],
  ].filter(([, list]) => Array.isArray(list) && list.length > 0)
  if (version !== VERSION) mapField(notes, `${path}.type`, 'sent as a basic web search')
  return hosted('web_search', {
    type: 'web_search',
    ...(filters.length === 0 ? {} : { filters: Object.fromEntries(filters) as JsonObject }),
    ...(isObject(user_location) ? { user_location: user_location as JsonObject } : {}),
    ...(isAbsent(max_uses) ? {} : { max_uses: max_uses as Json }),
  })
}

/** Types of Anthropic's own tools end with a date: `bash_20250124`. */
const DATED = /^([a-z_0-9]+?)_(\d{8})$/

function decodeTheirs(tool: JsonRecord, type: string, path: string, notes: RequestReader): DecodedTool | null {
  const [, own = '', version = ''] = DATED.exec(type) ?? []
  if (own === 'web_search') return decodeSearch(tool, version, path, notes)
  if (own === 'code_execution' && notes.seal === null) {
    mapField(notes, path, 'sent as code_interpreter')
    pickKnown(tool, CODE, path, notes)
    return hosted('code_execution', { type: 'code_interpreter', container: { type: 'auto' } })
  }
  if (own === '') {
    rejectWord(notes, `${path}.type`, ['custom', 'the type of a server tool, such as web_search_20250305'], type)
    return null
  }
  const { cache_control, ...fields } = tool
  return hosted(isNonEmptyString(tool.name) ? tool.name : own, { ...(fields as JsonObject), type })
}

function decodeTool(tool: unknown, path: string, notes: RequestReader): DecodedTool | null {
  if (!isObject(tool)) {
    rejectType(notes, path, 'an object', tool)
    return null
  }
  const { type } = tool
  if (type === 'mcp_toolset') {
    leaveUnsupported(notes, path, 'MCP servers are not supported')
    return null
  }
  const decoded =
    isAbsent(type) || type === 'custom'
      ? decodeFunction(tool, path, notes)
      : decodeTheirs(tool, isNonEmptyString(type) ? type : '', path, notes)
  return decoded === null ? null : { ...decoded, tool: withBreakpointOf(notes, path, tool, decoded.tool) }
}

const MODES: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['any', 'required'],
  ['none', 'none'],
])

function decodeChoice(choice: JsonRecord, tools: readonly DecodedTool[], notes: RequestReader): Json {
  pickKnown(choice, choice.type === 'tool' ? NAMED_CHOICE : CHOICE, 'tool_choice', notes)
  const mode = MODES.get(choice.type)
  if (mode !== undefined) return mode
  if (choice.type !== 'tool') {
    if (isNonEmptyString(choice.type)) leaveUnsupported(notes, 'tool_choice', UNSUPPORTED_VALUE)
    else rejectWord(notes, 'tool_choice.type', ['auto', 'any', 'tool', 'none'], choice.type)
    return null
  }
  const name = nameAt(notes, 'tool_choice.name', choice.name)
  const found = tools.find((tool) => tool.name === name)
  if (found === undefined) rejectType(notes, 'tool_choice.name', 'a tool that is in tools', name)
  return found?.choice ?? null
}

interface DecodedTools {
  readonly fields: JsonObject
  readonly toolPaths: readonly string[]
  readonly fieldPaths: FieldPaths
}

/**
 * Returns the source map of a decoded tool. The container of a code interpreter maps to null, because this API has no
 * field for it; domains are in two separate fields of this API.
 */
function fieldPathsIn(
  { tool, path }: DecodedTool & { readonly path: string },
  ours: string,
): readonly (readonly [string, string | null])[] {
  if (tool.type === 'code_interpreter') return [[`${ours}.container`, null]]
  if (tool.type !== 'web_search' || !isObject(tool.filters)) return []
  const names = Object.keys(tool.filters)
  const [only, ...others] = names.map((name) => `${path}.${name}`)
  return [
    [`${ours}.filters`, only !== undefined && others.length === 0 ? only : path],
    ...names.map((name) => [`${ours}.filters.${name}`, `${path}.${name}`] as const),
  ]
}

/** Decodes `tools` and `tool_choice`, which also determines whether calls may be parallel. */
export function decodeTools(
  body: { readonly tools?: unknown; readonly tool_choice?: unknown },
  notes: RequestReader,
): DecodedTools {
  const { tools: given, tool_choice: choice } = body
  const list = optionalAt(readListAt, notes, 'tools', given) ?? []
  const placed = list.flatMap((tool, i) => {
    const path = `tools[${i}]`
    const decoded = decodeTool(tool, path, notes)
    return decoded === null ? [] : [{ path, ...decoded }]
  })
  if (!isAbsent(choice) && !isObject(choice)) rejectType(notes, 'tool_choice', 'an object', choice)
  const wanted = isObject(choice) ? decodeChoice(choice, placed, notes) : null
  const fields = {
    ...(placed.length === 0 ? {} : { tools: placed.map(({ tool }) => tool) }),
    ...(wanted === null ? {} : { tool_choice: wanted }),
    ...(isObject(choice) && choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {}),
  }
  const fieldPaths = Object.fromEntries(placed.flatMap((one, i) => fieldPathsIn(one, `tools[${i}]`)))
  return { fields, toolPaths: placed.map(({ path }) => path), fieldPaths }
}
