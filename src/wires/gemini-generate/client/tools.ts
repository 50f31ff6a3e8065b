import type { JsonObject } from '../../../protocol/json.ts'
import { toCamel } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { isIgnored, recordUnsupported } from '../../../validation/known-fields.ts'
import { describeValue, pathIn } from '../../../validation/messages.ts'
import { keepOwn, mapField, rejectField } from '../../shared/client/request-reader.ts'
import type { FieldPaths } from '../../shared/client/source-map.ts'
import {
  dropBeside,
  dropDuplicates,
  fieldNames,
  fieldPath,
  nameIn,
  objectIn,
  objectsIn,
  only,
  onlyIn,
  type ReadFields,
  textField,
  textsIn,
  wordIn,
} from './fields.ts'
import { decodeSchema } from './schema.ts'

/** Server tools of Google → hosted tools of the Responses API. */
const SERVER_TOOLS: Readonly<Record<string, JsonObject>> = {
  googleSearch: { type: 'web_search' },
  googleSearchRetrieval: { type: 'web_search' },
  codeExecution: { type: 'code_interpreter', container: { type: 'auto' } },
}

/** Server tools that only Google runs. */
const THEIRS: ReadonlySet<string> = new Set([
  'computerUse',
  'enterpriseWebSearch',
  'fileSearch',
  'googleMaps',
  'mcpServers',
  'parallelAiSearch',
  'retrieval',
  'urlContext',
])

const ONLY_GOOGLE = { why: 'only Google supports this tool' }

const DECLARED = fieldNames(['name', 'description', 'parameters', 'parametersJsonSchema'])
const DECLARATIONS = fieldNames(['functionDeclarations'])
const NO_OPTIONS = fieldNames([])

function decodeFunction(found: ReadFields): JsonObject {
  const fields = only(found, DECLARED)
  const description = textField(fields, 'description')
  const json = objectIn(fields, 'parametersJsonSchema')
  dropBeside(fields, 'parametersJsonSchema', 'parameters')
  const own = json === null ? objectIn(fields, 'parameters') : null
  const parameters = json === null ? own && decodeSchema(own) : (json.record as JsonObject)
  return {
    type: 'function',
    name: nameIn(fields, 'name'),
    ...(description === null ? {} : { description }),
    ...(parameters === null ? {} : { parameters }),
  }
}

interface LocatedTool {
  readonly tool: JsonObject
  readonly path: string
}

/** Decodes one entry of `tools`, which may declare several tools. */
function decodeTool(entry: ReadFields): readonly LocatedTool[] {
  const { record, notes } = entry
  dropDuplicates(entry, DECLARATIONS)
  const functions = objectsIn(entry, 'functionDeclarations').map((fields): LocatedTool => {
    return { tool: decodeFunction(fields), path: fields.path }
  })
  const hosted = Object.keys(record).flatMap((name): LocatedTool[] => {
    const camel = toCamel(name)
    if (camel === 'functionDeclarations' || !isIgnored(record[name])) return []
    const path = pathIn(entry.path, name)
    const tool = lookup(SERVER_TOOLS, camel)
    if (tool === undefined) {
      recordUnsupported(notes, entry.path, name, record[name], THEIRS.has(camel) ? ONLY_GOOGLE : undefined)
      return []
    }
    const options = objectIn(entry, name)
    if (options !== null) only(options, NO_OPTIONS)
    return [{ tool, path }]
  })
  const tools = [...hosted, ...functions]
  // A tool that only Google knows keeps its place in the list of an upstream of Google.
  if (tools.length === 0 && Object.values(record).some((value) => isIgnored(value))) keepOwn(notes, entry.path)
  return tools
}

const MODES: Readonly<Record<string, 'auto' | 'none' | 'required' | 'validated' | null>> = {
  MODE_UNSPECIFIED: null,
  AUTO: 'auto',
  ANY: 'required',
  NONE: 'none',
  VALIDATED: 'validated',
}

/** Restricts the choice to `allowedFunctionNames`; an empty list restricts nothing. */
function choose(mode: 'auto' | 'required', names: readonly string[]): JsonObject {
  const [first, ...others] = names
  if (first === undefined) return { tool_choice: mode }
  const tools = names.map((name) => ({ type: 'function', name }))
  const choice =
    mode === 'required' && others.length === 0
      ? { type: 'function', name: first }
      : { type: 'allowed_tools', mode, tools }
  return { tool_choice: choice }
}

function decodeChoice(config: ReadFields<'mode' | 'allowedFunctionNames'>, declared: ReadonlySet<unknown>): JsonObject {
  const mode = wordIn(config, 'mode', MODES)
  const names = textsIn(config, 'allowedFunctionNames')
  const unknown = names.findIndex((name) => !declared.has(name))
  if (unknown >= 0) {
    const path = `${fieldPath(config, 'allowedFunctionNames')}[${unknown}]`
    const value = describeValue(names[unknown])
    rejectField(config.notes, path, `expected the name of a function that is declared in tools, got ${value}`)
  }
  if (mode === 'validated') {
    const why = 'sent as auto: calls are not validated'
    mapField(config.notes, fieldPath(config, 'mode'), why)
  }
  if (mode === 'none') return { tool_choice: mode }
  return mode === null && names.length === 0 ? {} : choose(mode === 'required' ? mode : 'auto', names)
}

const CONFIG = fieldNames(['functionCallingConfig'])
const CALLING = fieldNames(['mode', 'allowedFunctionNames'])

interface DecodedTools {
  readonly fields: JsonObject
  readonly toolPaths: readonly string[]
  readonly fieldPaths: FieldPaths
}

/** The field `container` is required by other vendors only. Its path is null, since the client did not send it. */
const droppedTools = (tools: readonly JsonObject[]): FieldPaths =>
  Object.fromEntries(
    tools.flatMap(({ type }, i) => (type === 'code_interpreter' ? [[`tools[${i}].container`, null]] : [])),
  )

export function decodeTools(body: ReadFields<'tools' | 'toolConfig'>): DecodedTools {
  const placed = objectsIn(body, 'tools').flatMap(decodeTool)
  const tools = placed.map(({ tool }) => tool)
  const config = onlyIn(body, 'toolConfig', CONFIG)
  const calling = config === null ? null : onlyIn(config, 'functionCallingConfig', CALLING)
  const names = new Set(tools.flatMap(({ type, name }) => (type === 'function' ? [name] : [])))
  const choice: JsonObject = calling === null ? {} : decodeChoice(calling, names)
  // Clients send a mode without any tools. That is an error only if the mode requires a call.
  const fields = tools.length > 0 ? { tools, ...choice } : choice.tool_choice === 'required' ? choice : {}
  const fieldPaths = { ...droppedTools(tools), ...(calling === null ? {} : { tool_choice: calling.path }) }
  return { fields, toolPaths: placed.map(({ path }) => path), fieldPaths }
}
