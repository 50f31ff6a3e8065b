import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { UNSUPPORTED_VALUE } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { type FieldSet, fieldSet, pickKnown } from '../../../validation/known-fields.ts'
import { withBreakpointOf } from '../../shared/client/cache-control.ts'
import {
  dropField,
  flagAt,
  isAbsent,
  leaveUnsupported,
  mapField,
  nameAt,
  objectAt,
  optionalAt,
  optionalFieldsAt,
  type RequestReader,
  readFieldsAt,
  readListAt,
  rejectField,
  rejectType,
  textAt,
  wordAt,
} from '../../shared/client/request-reader.ts'
import type { FieldPaths } from '../../shared/client/source-map.ts'

const TOOL = fieldSet(['type', 'function', 'cache_control'])
const FUNCTION = fieldSet(['name', 'description', 'parameters', 'strict'])
const CUSTOM_TOOL = fieldSet(['type', 'custom', 'cache_control'])
const CUSTOM = fieldSet(['name', 'description', 'format'])

function decodeFunction(value: unknown, path: string, notes: RequestReader): JsonObject {
  const body = readFieldsAt(notes, path, value, FUNCTION)
  const description = optionalAt(textAt, notes, `${path}.description`, body.description)
  const parameters = optionalAt(objectAt, notes, `${path}.parameters`, body.parameters)
  const strict = optionalAt(flagAt, notes, `${path}.strict`, body.strict)
  return {
    type: 'function',
    name: nameAt(notes, `${path}.name`, body.name),
    ...(description === null ? {} : { description }),
    ...(parameters === null ? {} : { parameters: parameters as JsonObject }),
    ...(strict === null ? {} : { strict }),
  }
}

/**
 * Moves the grammar out of its own object: Chat Completions nests it in `grammar`, Responses has its fields beside
 * `type`.
 */
function decodeFormat(format: Json): Json {
  if (!isObject(format) || !isObject(format.grammar)) return format
  const { grammar, ...rest } = format
  return { ...rest, ...grammar } as JsonObject
}

function decodeCustom(value: unknown, path: string, notes: RequestReader): JsonObject {
  const body = readFieldsAt(notes, path, value, CUSTOM)
  const description = optionalAt(textAt, notes, `${path}.description`, body.description)
  return {
    type: 'custom',
    name: nameAt(notes, `${path}.name`, body.name),
    ...(description === null ? {} : { description }),
    ...(isAbsent(body.format) ? {} : { format: decodeFormat(body.format as Json) }),
  }
}

/** A tool, and the path of its definition in the chat request. */
interface LocatedTool {
  readonly tool: JsonObject
  readonly path: string
}

/** Decodes one tool. A type other than function or custom names a tool that this service or the upstream runs. */
function decodeTool(value: unknown, at: string, notes: RequestReader): LocatedTool {
  const given = objectAt(notes, at, value)
  const { cache_control: _, ...rest } = given
  const decoded = decodeKind(given.type === 'function' || given.type === 'custom' ? given : rest, value, at, notes)
  return { ...decoded, tool: withBreakpointOf(notes, at, given, decoded.tool) }
}

function decodeKind(tool: JsonRecord, value: unknown, at: string, notes: RequestReader): LocatedTool {
  if (tool.type === 'custom') {
    const path = `${at}.custom`
    return { tool: decodeCustom(pickKnown(tool, CUSTOM_TOOL, at, notes).custom, path, notes), path }
  }
  if (tool.type === 'function' || (isAbsent(tool.type) && isObject(tool.function))) {
    const path = `${at}.function`
    return { tool: decodeFunction(pickKnown(tool, TOOL, at, notes).function, path, notes), path }
  }
  if (isObject(value) && !isNonEmptyString(tool.type))
    rejectType(notes, `${at}.type`, 'one of function, custom, or the type of a server tool', tool.type)
  return { tool: tool as JsonObject, path: at }
}

// ---------------------------------------------------------------- web search

/** The fields of OpenAI's `web_search_options`. */
const SEARCH = fieldSet(['search_context_size', 'user_location'])
const LOCATION = fieldSet(['type', 'approximate'])

function searchOptions(value: unknown, notes: RequestReader): JsonObject {
  const path = 'web_search_options'
  const { search_context_size, user_location } = readFieldsAt(notes, path, value, SEARCH)
  const { approximate } = optionalFieldsAt(notes, `${path}.user_location`, user_location, LOCATION)
  const location = optionalAt(objectAt, notes, `${path}.user_location.approximate`, approximate)
  return {
    type: 'web_search',
    ...(isNonEmptyString(search_context_size) ? { search_context_size } : {}),
    ...(location === null ? {} : { user_location: { type: 'approximate', ...(location as JsonObject) } }),
  }
}

/** A chat request has the location one object deeper. */
const locationPaths = (toolPaths: readonly string[]): FieldPaths =>
  Object.fromEntries(
    toolPaths.flatMap((path, i) =>
      path === 'web_search_options' ? [[`tools[${i}].user_location`, `${path}.user_location.approximate`]] : [],
    ),
  )

const isSearch = ({ type }: JsonObject): boolean => typeof type === 'string' && type.includes('web_search')

/** The fields of a body that offer tools. */
interface Offered {
  readonly tools?: unknown
  readonly functions?: unknown
  readonly web_search_options?: unknown
  readonly plugins?: unknown
}

/** Decodes searches that are requested outside `tools`. At most one is kept; the others are dropped. */
function searchesOf(body: Offered, tools: readonly LocatedTool[], notes: RequestReader): readonly LocatedTool[] {
  const searches: LocatedTool[] = []
  const add = (path: string, search: JsonObject): void => {
    if (tools.some(({ tool }) => isSearch(tool)) || searches.length > 0)
      dropField(notes, path, 'the request already has a web search')
    else {
      searches.push({ tool: search, path })
      mapField(notes, path, 'sent as a web search tool')
    }
  }
  if (!isAbsent(body.web_search_options)) add('web_search_options', searchOptions(body.web_search_options, notes))
  toArray(body.plugins).forEach((value, i) => {
    const { id, ...options } = objectAt(notes, `plugins[${i}]`, value)
    // The options of the plugin are the parameters of this service's own search tool.
    if (id === 'web') add(`plugins[${i}]`, { ...(options as JsonObject), type: 'service:web_search' })
    else dropField(notes, `plugins[${i}]`, 'this service does not support this plugin')
  })
  return searches
}

interface DecodedTools {
  readonly tools: readonly JsonObject[]
  readonly toolPaths: readonly string[]
  readonly fieldPaths: FieldPaths
}

/** Decodes `tools`, the older `functions`, and the searches. */
export function decodeTools(body: Offered, notes: RequestReader): DecodedTools {
  const given = isAbsent(body.tools) ? [] : readListAt(notes, 'tools', body.tools)
  const old = isAbsent(body.functions) ? [] : readListAt(notes, 'functions', body.functions)
  const tools = [
    ...given.map((tool, i) => decodeTool(tool, `tools[${i}]`, notes)),
    ...old.map(
      (tool, i): LocatedTool => ({ tool: decodeFunction(tool, `functions[${i}]`, notes), path: `functions[${i}]` }),
    ),
  ]
  const all = [...tools, ...searchesOf(body, tools, notes)]
  const toolPaths = all.map(({ path }) => path)
  return { tools: all.map(({ tool }) => tool), toolPaths: toolPaths, fieldPaths: locationPaths(toolPaths) }
}

// ---------------------------------------------------------------- tool_choice

type Named = 'function' | 'custom'

/** The known fields of a choice for each kind of tool, alone or as an entry of `allowed_tools`. */
const CHOSEN = {
  function: fieldSet(['type', 'function']),
  custom: fieldSet(['type', 'custom']),
  hosted: fieldSet(['type']),
}
const NAMED = fieldSet(['name'])
const BODIES: Readonly<Record<Named, FieldSet>> = { function: FUNCTION, custom: CUSTOM }
const ALLOWED_CHOICE = fieldSet(['type', 'allowed_tools'])
const ALLOWED = fieldSet(['mode', 'tools'])

const isNamed = (type: unknown): type is Named => type === 'function' || type === 'custom'

/** `body`: the known fields of the inner object. Some clients repeat the whole tool there. */
function chosenName(choice: JsonRecord, type: Named, body: FieldSet, path: string, notes: RequestReader): unknown {
  pickKnown(choice, CHOSEN[type], path, notes)
  return readFieldsAt(notes, `${path}.${type}`, choice[type], body).name
}

/** The possible values of a choice: the types of all tools, and for each type with names, the names of its tools. */
interface Choices {
  readonly types: ReadonlySet<unknown>
  readonly names: Readonly<Record<Named, ReadonlySet<unknown>>>
}

const namesOf = (tools: readonly JsonObject[], type: Named): ReadonlySet<unknown> =>
  new Set(tools.flatMap((tool) => (tool.type === type ? [tool.name] : [])))

const choicesOf = (tools: readonly JsonObject[]): Choices => ({
  types: new Set(tools.map(({ type }) => type)),
  names: { function: namesOf(tools, 'function'), custom: namesOf(tools, 'custom') },
})

function findNamed(type: Named, name: string, path: string, { names }: Choices, notes: RequestReader): JsonObject {
  if (!names[type].has(name)) {
    rejectField(
      notes,
      `${path}.${type}.name`,
      `expected a tool that is in tools, got ${JSON.stringify(name.slice(0, 64))}`,
    )
  }
  return { type, name }
}

function findHosted(type: string, path: string, { types }: Choices, notes: RequestReader): JsonObject {
  if (!types.has(type)) {
    rejectType(notes, `${path}.type`, 'the type of a tool that is in tools', type)
  }
  return { type }
}

function decodeNamed(
  choice: JsonRecord,
  type: Named,
  path: string,
  choices: Choices,
  notes: RequestReader,
): JsonObject {
  const name = nameAt(notes, `${path}.${type}.name`, chosenName(choice, type, NAMED, path, notes))
  return findNamed(type, name, path, choices, notes)
}

function decodeAllowed(choice: JsonRecord, choices: Choices, notes: RequestReader): JsonObject {
  const path = 'tool_choice.allowed_tools'
  const given = pickKnown(choice, ALLOWED_CHOICE, 'tool_choice', notes)
  const allowed = readFieldsAt(notes, path, given.allowed_tools, ALLOWED)
  const tools = readListAt(notes, `${path}.tools`, allowed.tools).map((value, i): JsonObject => {
    const at = `${path}.tools[${i}]`
    const tool = objectAt(notes, at, value)
    const type = nameAt(notes, `${at}.type`, tool.type)
    if (isNamed(type)) {
      const name = nameAt(notes, `${at}.${type}.name`, chosenName(tool, type, BODIES[type], at, notes))
      return findNamed(type, name, at, choices, notes)
    }
    pickKnown(tool, CHOSEN.hosted, at, notes)
    return findHosted(type, at, choices, notes)
  })
  return {
    type: 'allowed_tools',
    mode: wordAt(notes, `${path}.mode`, allowed.mode, ['auto', 'required']) ?? 'auto',
    tools,
  }
}

/** `any` is Mistral's word for `required`. */
const MODES: ReadonlyMap<unknown, Json> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  ['any', 'required'],
])

/** The fields of a body that choose a tool. */
interface Choosing {
  readonly tool_choice?: unknown
  readonly function_call?: unknown
}

/** Decodes `tool_choice`, or the older `function_call`; null if both are absent. */
export function decodeToolChoice(body: Choosing, tools: readonly JsonObject[], notes: RequestReader): Json {
  if (isAbsent(body.tool_choice)) return decodeOldChoice(body.function_call, tools, notes)
  if (!isAbsent(body.function_call)) dropField(notes, 'function_call', 'tool_choice takes precedence')
  const choice = body.tool_choice
  const mode = MODES.get(choice)
  if (mode !== undefined) return mode
  if (typeof choice === 'string') {
    leaveUnsupported(notes, 'tool_choice', UNSUPPORTED_VALUE)
    return null
  }
  if (!isObject(choice)) {
    rejectType(notes, 'tool_choice', 'auto, none, required or an object', choice)
    return null
  }
  const choices = choicesOf(tools)
  if (isNamed(choice.type)) return decodeNamed(choice, choice.type, 'tool_choice', choices, notes)
  if (choice.type === 'allowed_tools') return decodeAllowed(choice, choices, notes)
  pickKnown(choice, CHOSEN.hosted, 'tool_choice', notes)
  return findHosted(nameAt(notes, 'tool_choice.type', choice.type), 'tool_choice', choices, notes)
}

function decodeOldChoice(choice: unknown, tools: readonly JsonObject[], notes: RequestReader): Json {
  if (isAbsent(choice)) return null
  if (choice === 'auto' || choice === 'none') return choice
  if (typeof choice === 'string') {
    leaveUnsupported(notes, 'function_call', UNSUPPORTED_VALUE)
    return null
  }
  const named = readFieldsAt(notes, 'function_call', choice, NAMED)
  const name = nameAt(notes, 'function_call.name', named.name)
  if (!tools.some((tool) => tool.type === 'function' && tool.name === name)) {
    rejectType(notes, 'function_call.name', 'the name of a function that is in functions', name)
  }
  return { type: 'function', name }
}
