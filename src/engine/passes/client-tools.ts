import { findDialect } from '../../dialects/registry.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { type Loss, mapped } from '../../protocol/loss.ts'
import type { InputItem, Request, Tool, ToolChoice } from '../../protocol/request.ts'
import { isNonEmptyString } from '../../text/json.ts'
import { RESPONSES_WIRE, type Wire } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import type { SentRequest } from '../client-request.ts'
import { backFor } from './client-calls.ts'
import {
  CLIENT_TOOL_NAMES,
  CLIENT_TOOLS,
  type ClientToolName,
  type FunctionNames,
  isClientTool,
} from './client-tool-table.ts'
import type { Pass } from './pass.ts'

/** Returns the client's own tools, of these. A function of the same name stays, and the tool is dropped. */
export function clientToolsOf({ tools }: Request, names: readonly ClientToolName[]): FunctionNames {
  const taken = new Set(tools.flatMap(({ type, name }) => (type === 'hosted' ? [] : [name])))
  return new Set(
    tools.flatMap(({ type, name, ...tool }) => {
      if (type !== 'hosted' || !isClientTool(name) || !names.includes(name) || taken.has(name)) return []
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

/** The tools by the types of their calls, and by those of their outputs. */
interface ItemTypes {
  readonly calls: ReadonlyMap<unknown, ClientToolName>
  readonly outputs: ReadonlyMap<unknown, ClientToolName>
}

const itemTypes = (names: readonly ClientToolName[]): ItemTypes => ({
  calls: new Map(names.map((name) => [CLIENT_TOOLS[name].call, name])),
  outputs: new Map(names.map((name) => [CLIENT_TOOLS[name].output, name])),
})

const isOther = ({ type }: InputItem): boolean => type === 'other'
const isHosted = ({ type }: Tool): boolean => type === 'hosted'

/** A search of the upstream has no `call_id`, and its result is in the history already. */
const callIdOf = ({ call_id, id }: JsonObject, ids: ReadonlyMap<unknown, string>): string | null => {
  if (isNonEmptyString(call_id)) return call_id
  return isNonEmptyString(id) ? (ids.get(id) ?? null) : null
}

/** The output of a local shell names the item of its call, not the call. */
const callIds = (input: readonly InputItem[], { calls }: ItemTypes): ReadonlyMap<unknown, string> =>
  new Map(
    input.flatMap((item) => {
      if (item.type !== 'other' || !calls.has(item.item.type)) return []
      const { id, call_id } = item.item
      if (!isNonEmptyString(call_id)) return []
      return [[call_id, call_id] as const, ...(isNonEmptyString(id) ? [[id, call_id] as const] : [])]
    }),
  )

function toFunctionItem(item: InputItem, { calls, outputs }: ItemTypes, ids: ReadonlyMap<unknown, string>): InputItem {
  if (item.type !== 'other') return item
  const called = calls.get(item.item.type)
  const answered = outputs.get(item.item.type)
  const call_id = called === undefined && answered === undefined ? null : callIdOf(item.item, ids)
  if (call_id === null) return item
  if (called !== undefined) {
    const given = CLIENT_TOOLS[called].toArguments(item.item)
    return { type: 'function_call', call_id, name: called, arguments: JSON.stringify(given) }
  }
  const text = answered === undefined ? '' : CLIENT_TOOLS[answered].toText(item.item)
  return { type: 'function_call_output', call_id, output: [{ type: 'input_text', text }] }
}

/** Whether a request has one of these tools, or calls of one. */
function hasClientTools(request: Request, names: readonly ClientToolName[]): boolean {
  if (!request.tools.some(isHosted) && !request.input.some(isOther)) return false
  const { calls, outputs } = itemTypes(names)
  const isOfOne = (item: InputItem): boolean =>
    item.type === 'other' && (calls.has(item.item.type) || outputs.has(item.item.type))
  return clientToolsOf(request, names).size > 0 || request.input.some(isOfOne)
}

function toFunctionChoice(choice: ToolChoice | null, names: FunctionNames): ToolChoice | null {
  if (choice === null || typeof choice === 'string' || choice.type !== 'hosted') return choice
  if (!isClientTool(choice.name)) return choice
  return names.has(choice.name) ? { type: 'function', name: choice.name } : choice
}

/**
 * The request with functions in place of those tools, and in place of their calls and outputs in the history. `lacking`:
 * all tools of the client that the upstream does not have.
 */
function toFunctionRequest(request: Request, names: FunctionNames, lacking: readonly ClientToolName[]): Request {
  const types = itemTypes(lacking)
  const ids = callIds(request.input, types)
  return {
    ...request,
    input: request.input.map((item) => toFunctionItem(item, types, ids)),
    tools: request.tools.map(toFunction(names)),
    tool_choice: toFunctionChoice(request.tool_choice, names),
  }
}

const functionLosses = (request: Request, changed: Request): readonly Loss[] => [
  ...request.tools.flatMap((tool, at) =>
    tool === changed.tools[at] ? [] : [mapped(`tools[${at}]`, 'sent as a function with the fields of its calls')],
  ),
  ...request.input.flatMap((item, at) =>
    item === changed.input[at] ? [] : [mapped(`input[${at}]`, 'sent as the call of a function, or as its output')],
  ),
]

/** Calls of such tools are items, which only clients of some dialects receive. */
export const receivesToolItems = ({ dialect }: SentRequest): boolean =>
  dialect !== null && findDialect(dialect)?.items.includes('shell_call') === true

/** Servers of the Responses API have the tools of its clients, but not all of them search tools. */
function lackingTools({ name }: Wire, { changesInInput = [] }: Quirks): readonly ClientToolName[] {
  if (name !== RESPONSES_WIRE) return CLIENT_TOOL_NAMES
  return changesInInput.includes('tool_search') ? [] : ['tool_search']
}

/** Tools of the client (`shell`, `apply_patch` …) are functions, and their calls are items of those tools again. */
export const clientTools: Pass = ({ request, sent }, { wire, quirks }) => {
  const lacking = lackingTools(wire, quirks)
  if (!receivesToolItems(sent) || !hasClientTools(request, lacking)) return null
  const names = clientToolsOf(request, lacking)
  return {
    apply(original) {
      const changed = toFunctionRequest(original, names, lacking)
      return { ok: true, request: changed, losses: functionLosses(original, changed) }
    },
    ...(names.size === 0 ? {} : { back: backFor(names) }),
  }
}
