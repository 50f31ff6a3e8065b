import type { JsonObject } from '../../../../protocol/json.ts'
import { type Loss, mapped } from '../../../../protocol/loss.ts'
import type { InputItem, Request, Tool, ToolChoice } from '../../../../protocol/request.ts'
import { isNonEmptyString } from '../../../../text/json.ts'
import { CLIENT_TOOL_NAMES, CLIENT_TOOLS, type ClientToolName, isClientTool } from './table.ts'

/** Names of the tools of a request that become functions. */
export type FunctionNames = ReadonlySet<ClientToolName>

/** Returns the client's own tools. A function of the same name stays, and the tool is dropped. */
export function clientToolsOf({ tools }: Request): FunctionNames {
  const taken = new Set(tools.flatMap(({ type, name }) => (type === 'hosted' ? [] : [name])))
  return new Set(
    tools.flatMap(({ type, name, ...tool }) => {
      if (type !== 'hosted' || !isClientTool(name) || taken.has(name)) return []
      return 'fields' in tool && CLIENT_TOOLS[name].isClients(tool.fields) ? [name] : []
    }),
  )
}

const toFunction =
  (names: FunctionNames) =>
  (tool: Tool): Tool => {
    if (tool.type !== 'hosted' || !isClientTool(tool.name) || !names.has(tool.name)) return tool
    const { description, parameters } = CLIENT_TOOLS[tool.name]
    const { name, fields } = tool
    return { type: 'function', name, description: description(fields), parameters: parameters(fields), strict: null }
  }

const BY_CALL: ReadonlyMap<unknown, ClientToolName> = new Map(
  CLIENT_TOOL_NAMES.map((name) => [CLIENT_TOOLS[name].call, name]),
)
const BY_OUTPUT: ReadonlyMap<unknown, ClientToolName> = new Map(
  CLIENT_TOOL_NAMES.map((name) => [CLIENT_TOOLS[name].output, name]),
)

/** A search of the upstream has no `call_id`, and its result is in the history already. */
const callIdOf = ({ call_id, id }: JsonObject, ids: ReadonlyMap<unknown, string>): string | null => {
  if (isNonEmptyString(call_id)) return call_id
  return isNonEmptyString(id) ? (ids.get(id) ?? null) : null
}

/** The output of a local shell names the item of its call, not the call. */
const callIds = (input: readonly InputItem[]): ReadonlyMap<unknown, string> =>
  new Map(
    input.flatMap((item) => {
      if (item.type !== 'other' || !BY_CALL.has(item.item.type)) return []
      const { id, call_id } = item.item
      if (!isNonEmptyString(call_id)) return []
      return [[call_id, call_id] as const, ...(isNonEmptyString(id) ? [[id, call_id] as const] : [])]
    }),
  )

function toFunctionItem(item: InputItem, ids: ReadonlyMap<unknown, string>): InputItem {
  if (item.type !== 'other') return item
  const called = BY_CALL.get(item.item.type)
  const answered = BY_OUTPUT.get(item.item.type)
  const call_id = called === undefined && answered === undefined ? null : callIdOf(item.item, ids)
  if (call_id === null) return item
  if (called !== undefined) {
    const given = CLIENT_TOOLS[called].toArguments(item.item)
    return { type: 'function_call', call_id, name: called, arguments: JSON.stringify(given) }
  }
  const text = answered === undefined ? '' : CLIENT_TOOLS[answered].toText(item.item)
  return { type: 'function_call_output', call_id, output: [{ type: 'input_text', text }] }
}

const isCallOf = (item: InputItem): boolean =>
  item.type === 'other' && (BY_CALL.has(item.item.type) || BY_OUTPUT.has(item.item.type))

export const hasClientTools = (request: Request): boolean =>
  clientToolsOf(request).size > 0 || request.input.some(isCallOf)

function toFunctionChoice(choice: ToolChoice | null, names: FunctionNames): ToolChoice | null {
  if (choice === null || typeof choice === 'string' || choice.type !== 'hosted') return choice
  if (!isClientTool(choice.name)) return choice
  return names.has(choice.name) ? { type: 'function', name: choice.name } : choice
}

/** The request with functions in place of those tools, and in place of their calls and outputs in the history. */
export function toFunctionRequest(request: Request, names: FunctionNames): Request {
  const ids = callIds(request.input)
  return {
    ...request,
    input: request.input.map((item) => toFunctionItem(item, ids)),
    tools: request.tools.map(toFunction(names)),
    tool_choice: toFunctionChoice(request.tool_choice, names),
  }
}

export const functionLosses = (request: Request, changed: Request): readonly Loss[] => [
  ...request.tools.flatMap((tool, at) =>
    tool === changed.tools[at] ? [] : [mapped(`tools[${at}]`, 'sent as a function with the fields of its calls')],
  ),
  ...request.input.flatMap((item, at) =>
    item === changed.input[at] ? [] : [mapped(`input[${at}]`, 'sent as the call of a function, or as its output')],
  ),
]
