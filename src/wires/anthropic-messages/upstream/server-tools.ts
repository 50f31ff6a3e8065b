import type { HostedItemType } from '../../../protocol/item.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { formatJson, isNonEmptyString, isObject, parseJson, scalarToString, toArray } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import type { Sealed, ServerTool } from './state.ts'

/** A server tool with its parsed input, and its result as soon as there is one. */
interface Run {
  readonly tool: ServerTool
  readonly input: JsonRecord
  readonly result: JsonRecord | null
  readonly container: string
}

interface Kind {
  readonly type: HostedItemType
  readonly fields: (run: Run) => JsonObject
}

const textOf = (value: unknown): string => (isNonEmptyString(value) ? value : '')

/** The content of a result is an object or a list of objects. */
const partsOf = ({ result }: Run): readonly JsonRecord[] => [result?.content].flat().filter(isObject)

const errorOf = (run: Run): string | null => {
  const failed = partsOf(run).find(({ type }) => textOf(type).endsWith('_error'))
  if (failed !== undefined) return textOf(failed.error_code) || 'unavailable'
  return run.result?.is_error === true ? outputOf(run) || 'failed' : null
}

/** Returns the output of a tool as text: its texts, or its JSON if it has none. */
function outputOf(run: Run): string {
  const { result } = run
  if (result === null) return ''
  if (typeof result.content === 'string') return result.content
  const texts = partsOf(run).map(({ text }) => textOf(text))
  const text = texts.filter((it) => it !== '').join('\n')
  return text === '' ? formatJson(result.content) : text
}

const search: Kind = {
  type: 'web_search_call',
  fields: (run) => ({
    action: {
      type: 'search',
      query: textOf(run.input.query),
      sources: partsOf(run).flatMap(({ url, title }) =>
        isNonEmptyString(url) ? [{ type: 'url', url, ...(isNonEmptyString(title) ? { title } : {}) }] : [],
      ),
    },
  }),
}

const fetchPage: Kind = {
  type: 'web_search_call',
  fields: (run) => ({
    action: { type: 'open_page', url: textOf(run.input.url) || textOf(partsOf(run)[0]?.url) },
  }),
}

function logsOf(run: Run): readonly Json[] {
  if (run.result === null) return []
  const printed = partsOf(run).map(({ stdout, stderr }) => textOf(stdout) + textOf(stderr))
  const logs = printed.join('')
  const isPrint = partsOf(run).some(({ stdout }) => typeof stdout === 'string')
  return [{ type: 'logs', logs: logs !== '' || isPrint ? logs : (errorOf(run) ?? outputOf(run)) }]
}

const code: Kind = {
  type: 'code_interpreter_call',
  fields: (run) => ({
    code: textOf(run.input.code) || textOf(run.input.command) || (run.tool.input === '' ? null : run.tool.input),
    container_id: run.container,
    outputs: logsOf(run),
  }),
}

const toolSearch: Kind = {
  type: 'tool_search_call',
  fields: (run) => ({
    execution: 'server',
    // A model's JSON may be nested too deep to be serialised again.
    arguments: formatJson(run.input) === '' ? {} : (run.input as JsonObject),
    tools: partsOf(run)
      .flatMap(({ tool_references: found }) => toArray(found).filter(isObject))
      .map(({ tool_name: name }) => textOf(name)),
  }),
}

/** Tools of MCP servers, and tools of the vendor that fit no other type of item. */
const remote: Kind = {
  type: 'mcp_call',
  fields: (run) => ({
    server_label: run.tool.server ?? 'anthropic',
    name: run.tool.name,
    arguments: run.tool.input || '{}',
    output: run.result === null || errorOf(run) !== null ? null : outputOf(run),
    error: errorOf(run),
  }),
}

/** By the name of the tool, which is also the beginning of the type of its result. */
const KINDS: Readonly<Record<string, Kind>> = {
  web_search: search,
  web_fetch: fetchPage,
  code_execution: code,
  bash_code_execution: code,
  text_editor_code_execution: code,
  tool_search: toolSearch,
  tool_search_tool_bm25: toolSearch,
  tool_search_tool_regex: toolSearch,
}

const kindOf = ({ name, server }: ServerTool): Kind => (server === null ? (lookup(KINDS, name) ?? remote) : remote)

/**
 * Emits the item of a server tool, which stays open until its result arrives. Code that waits for a call of the client
 * continues in the next answer.
 */
export function emitServerTool(tool: ServerTool, result: JsonRecord | null, container: string, deltas: Deltas): void {
  const input = parseJson(tool.input)
  const run: Run = { tool, input: isObject(input) ? input : {}, result, container }
  const { type, fields } = kindOf(tool)
  const files = partsOf(run).flatMap(({ content }) => toArray(content))
  const status = result === null ? 'in_progress' : errorOf(run) === null ? 'completed' : 'failed'
  const item = { type, id: tool.id, status, fields: fields(run) }
  deltas.push({ kind: 'hosted', key: tool.key, item, done: false })
  if (goesBack(tool)) deltas.push({ kind: 'opaque', key: tool.key, of: type, payload: toSealed(run) })
  if (result !== null) deltas.push({ kind: 'stop', key: tool.key })
  if (files.some((file) => isObject(file) && isNonEmptyString(file.file_id)))
    emitLoss('a file created by code execution', deltas)
}

/**
 * Whether the blocks can be sent back. An MCP tool cannot: the request would have to name its server, and this gateway
 * has no field for it. A call that code made cannot either: it belongs inside another call, where an item cannot
 * restore it.
 */
const goesBack = ({ server, call }: ServerTool): boolean =>
  server === null && (!isObject(call?.caller) || call.caller.type === 'direct')

function toSealed({ tool: { call }, input, result }: Run): Sealed {
  const blocks = [
    ...(call === null ? [] : [{ ...call, input: input as JsonObject }]),
    ...(result === null ? [] : [result]),
  ]
  return { type: 'server_tool', blocks: blocks as readonly JsonObject[] }
}

const RESULT = '_tool_result'

export const isResult = (type: unknown): type is string => typeof type === 'string' && type.endsWith(RESULT)

/** Returns the tool of a result whose call was in an earlier answer. */
export const strayTool = (type: string, id: unknown, key: string): ServerTool => {
  const name = type.slice(0, -RESULT.length)
  return { key, id: scalarToString(id), name, server: name === 'mcp' ? '' : null, input: '', call: null }
}
