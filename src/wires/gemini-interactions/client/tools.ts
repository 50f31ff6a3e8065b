import type { Json, JsonObject } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { fieldSet } from '../../../validation/known-fields.ts'
import { describeValue } from '../../../validation/messages.ts'
import {
  isAbsent,
  leaveUnsupported,
  mapField,
  nameAt,
  objectAt,
  optionalAt,
  optionalWordAt,
  type RequestReader,
  readFieldsAt,
  readListAt,
  rejectField,
  textAt,
  textsAt,
} from '../../shared/client/request-reader.ts'
import type { FieldPaths } from '../../shared/client/source-map.ts'

const FUNCTION = fieldSet(['type', 'name', 'description', 'parameters'])
const BARE = fieldSet(['type'])
const MCP = fieldSet(['type', 'name', 'url', 'headers', 'allowed_tools'])
const ALLOWED = fieldSet(['mode', 'tools'])

/** Tools of Google → hosted tools of the Responses API. */
const SERVER_TOOLS: Readonly<Record<string, JsonObject>> = {
  google_search: { type: 'web_search' },
  code_execution: { type: 'code_interpreter', container: { type: 'auto' } },
}

const ONLY_GOOGLE = 'only Google supports this tool'

function decodeFunction(value: unknown, path: string, notes: RequestReader): JsonObject {
  const { name, description, parameters } = readFieldsAt(notes, path, value, FUNCTION)
  const text = optionalAt(textAt, notes, `${path}.description`, description)
  const schema = optionalAt(objectAt, notes, `${path}.parameters`, parameters)
  return {
    type: 'function',
    name: nameAt(notes, `${path}.name`, name),
    ...(text === null ? {} : { description: text }),
    ...(schema === null ? {} : { parameters: schema as JsonObject }),
  }
}

/** Google calls the tools of a server without any approval. */
function decodeMcp(value: unknown, path: string, notes: RequestReader): JsonObject {
  const { name, url, headers, allowed_tools: allowed } = readFieldsAt(notes, path, value, MCP)
  const sent = optionalAt(objectAt, notes, `${path}.headers`, headers)
  const lists = isAbsent(allowed) ? [] : [allowed].flat()
  const names = lists.flatMap((list, at) => {
    const own = `${path}.allowed_tools[${at}]`
    const { tools } = readFieldsAt(notes, own, list, ALLOWED)
    return isAbsent(tools) ? [] : textsAt(notes, `${own}.tools`, tools)
  })
  return {
    type: 'mcp',
    server_label: nameAt(notes, `${path}.name`, name),
    server_url: nameAt(notes, `${path}.url`, url),
    ...(sent === null ? {} : { headers: sent as JsonObject }),
    ...(names.length === 0 ? {} : { allowed_tools: names }),
    require_approval: 'never',
  }
}

function decodeTool(value: unknown, path: string, notes: RequestReader): JsonObject | null {
  const record = objectAt(notes, path, value)
  const type = nameAt(notes, `${path}.type`, record.type)
  if (type === 'function') return decodeFunction(record, path, notes)
  if (type === 'mcp_server') return decodeMcp(record, path, notes)
  const hosted = lookup(SERVER_TOOLS, type)
  if (hosted === undefined) {
    leaveUnsupported(notes, path, ONLY_GOOGLE)
    return null
  }
  readFieldsAt(notes, path, record, BARE)
  return hosted
}

const WORDS = ['auto', 'any', 'none', 'validated'] as const

type Mode = 'auto' | 'none' | 'required'

function modeAt(value: unknown, path: string, notes: RequestReader): Mode | null {
  const word = optionalWordAt(notes, path, value, WORDS)
  if (word === 'validated') mapField(notes, path, 'sent as auto: calls are not validated')
  return word === null ? null : word === 'any' ? 'required' : word === 'none' ? 'none' : 'auto'
}

/** Restricts the choice to some functions; an empty list restricts nothing. */
function choose(mode: 'auto' | 'required', names: readonly string[]): Json {
  const [first, ...others] = names
  if (first === undefined) return mode
  return mode === 'required' && others.length === 0
    ? { type: 'function', name: first }
    : { type: 'allowed_tools', mode, tools: names.map((name) => ({ type: 'function', name })) }
}

const CHOICE = 'generation_config.tool_choice'
const CHOICE_FIELDS = fieldSet(['allowed_tools'])

function decodeChoice(value: unknown, declared: ReadonlySet<unknown>, notes: RequestReader): Json | null {
  if (isAbsent(value)) return null
  if (!isObject(value)) return modeAt(value, CHOICE, notes)
  const { allowed_tools: allowed } = readFieldsAt(notes, CHOICE, value, CHOICE_FIELDS)
  const path = `${CHOICE}.allowed_tools`
  const { mode, tools } = isAbsent(allowed) ? {} : readFieldsAt(notes, path, allowed, ALLOWED)
  const word = modeAt(mode, `${path}.mode`, notes) ?? 'auto'
  const names = isAbsent(tools) ? [] : textsAt(notes, `${path}.tools`, tools)
  const unknown = names.findIndex((name) => !declared.has(name))
  if (unknown >= 0)
    rejectField(
      notes,
      `${path}.tools[${unknown}]`,
      `expected the name of a function in tools, got ${describeValue(names[unknown])}`,
    )
  return word === 'none' ? word : choose(word, names)
}

interface DecodedTools {
  readonly fields: JsonObject
  readonly toolPaths: readonly string[]
  readonly fieldPaths: FieldPaths
}

export function decodeTools(tools: unknown, choice: unknown, notes: RequestReader): DecodedTools {
  const list = isAbsent(tools) ? [] : readListAt(notes, 'tools', tools)
  const placed = list.flatMap((value, at) => {
    const path = `tools[${at}]`
    const tool = decodeTool(value, path, notes)
    return tool === null ? [] : [{ tool, path }]
  })
  const names = new Set(placed.flatMap(({ tool }) => (tool.type === 'function' ? [tool.name] : [])))
  const chosen = decodeChoice(choice, names, notes)
  // A choice without any tools is an error only if it requires a call.
  const isSent = chosen !== null && (placed.length > 0 || chosen === 'required')
  return {
    fields: {
      ...(placed.length === 0 ? {} : { tools: placed.map(({ tool }) => tool) }),
      ...(isSent ? { tool_choice: chosen } : {}),
    },
    toolPaths: placed.map(({ path }) => path),
    fieldPaths: {
      // Other vendors require these fields. The client did not send them.
      ...Object.fromEntries(
        placed.flatMap(({ tool }, at) => [
          ...(tool.type === 'code_interpreter' ? [[`tools[${at}].container`, null]] : []),
          ...(tool.type === 'mcp'
            ? [
                [`tools[${at}].require_approval`, null],
                [`tools[${at}].server_label`, `${placed[at]?.path}.name`],
                [`tools[${at}].server_url`, `${placed[at]?.path}.url`],
              ]
            : []),
        ]),
      ),
      ...(chosen === null ? {} : { tool_choice: CHOICE }),
    },
  }
}
