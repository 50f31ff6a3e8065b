import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { dropped, type Loss } from '../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../protocol/request.ts'
import { isObject } from '../../text/json.ts'
import type { Quirks } from '../quirks.ts'
import type { ChatTool, ChatToolChoice } from './wire.ts'

/** The fields of the body that speak of tools, or why what was asked for cannot be had. */
export type EncodedTools =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

/** Servers that read parameters at all read an object schema. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

function encodeFunction(tool: Extract<Tool, { readonly type: 'function' }>): ChatTool {
  const { name, description, parameters, strict } = tool
  return {
    type: 'function',
    function: {
      name,
      ...(description === null ? {} : { description }),
      parameters: parameters ?? NO_PARAMETERS,
      ...(strict === null ? {} : { strict }),
    },
  }
}

/** Responses has the grammar beside its type, a chat inside of it. */
function encodeFormat(format: Json): Json {
  if (!isObject(format) || format.type !== 'grammar') return format
  const { type, ...grammar } = format as JsonObject
  return { type: 'grammar', grammar }
}

/** A router's own search, the only one that a chat has as a tool (OpenRouter), whatever the client calls it. */
function encodeSearch({ name, fields }: Extract<Tool, { readonly type: 'hosted' }>, quirks: Quirks): ChatTool | null {
  if (!/^(?:\w+:)?web_search(?:_|$)/.test(name) || (quirks.nativeSearch ?? 'none') === 'none') return null
  const { parameters, filters, ...rest } = fields
  const said = [rest, parameters, filters].filter(isObject)
  return { type: 'openrouter:web_search', parameters: Object.assign({}, ...said) }
}

function encodeTool(tool: Tool, quirks: Quirks): ChatTool | null {
  if (tool.type === 'function') return encodeFunction(tool)
  if (tool.type === 'hosted') return encodeSearch(tool, quirks)
  if (quirks.customTools !== true) return null
  const { name, description, format } = tool
  return {
    type: 'custom',
    custom: {
      name,
      ...(description === null ? {} : { description }),
      ...(format === null ? {} : { format: encodeFormat(format) }),
    },
  }
}

function lossOf(tool: Tool, at: number): Loss {
  const what = tool.type === 'hosted' ? `runs no ${tool.name}` : 'has no tools with free text as input'
  return dropped(`tools[${at}]`, `this upstream ${what}`)
}

const mustCall = (choice: ToolChoice | null): boolean => choice !== null && choice !== 'auto' && choice !== 'none'

const impossible = (reason: string): EncodedTools => ({
  ok: false,
  error: clientError('invalid_prompt', `tool_choice: ${reason}`, 'tool_choice'),
})

/** Empty for a tool that nobody can be made to call. */
function nameOf(tool: ChatTool): string {
  switch (tool.type) {
    case 'function':
      return tool.function.name
    case 'custom':
      return tool.custom.name
    case 'openrouter:web_search':
      return ''
  }
}

function encodeChoice(choice: ToolChoice, quirks: Quirks): ChatToolChoice {
  const required = quirks.requiredWord ?? 'required'
  if (choice === 'required') return required
  if (typeof choice === 'string') return choice
  if (quirks.noNamedChoice === true) return required
  return choice.type === 'custom'
    ? { type: 'custom', custom: { name: choice.name } }
    : { type: 'function', function: { name: choice.name } }
}

/** Where a function cannot be named, the others are hidden. */
function visible(tools: readonly ChatTool[], choice: ToolChoice | null, quirks: Quirks): readonly ChatTool[] {
  if (quirks.noNamedChoice !== true || choice === null || typeof choice === 'string') return tools
  return tools.filter((tool) => nameOf(tool) === choice.name)
}

/** tools, tool_choice and parallel_tool_calls. The latter two mean nothing, and are refused by many, without the first. */
export function encodeTools(request: Request, quirks: Quirks): EncodedTools {
  const choice = request.tool_choice
  const refuses = quirks.refuses ?? []
  const encoded = request.tools.map((tool) => (refuses.includes('tools') ? null : encodeTool(tool, quirks)))
  const losses = request.tools.flatMap((tool, at) => {
    if (encoded[at] !== null) return []
    return [refuses.includes('tools') ? dropped(`tools[${at}]`, 'this upstream has no tools') : lossOf(tool, at)]
  })
  const tools = encoded.filter((tool) => tool !== null)
  if (mustCall(choice) && tools.length === 0)
    return impossible('this upstream has none of the tools that must be called')
  if (choice !== null && typeof choice !== 'string' && !tools.some((tool) => nameOf(tool) === choice.name)) {
    return impossible(`this upstream cannot be made to call ${choice.name}`)
  }
  if (tools.length === 0) return { ok: true, fields: {}, losses }
  const parallel = request.parallel_tool_calls
  const noParallel = parallel !== null && refuses.includes('parallel_tool_calls')
  return {
    ok: true,
    fields: {
      tools: visible(tools, choice, quirks),
      ...(choice === null ? {} : { tool_choice: encodeChoice(choice, quirks) }),
      ...(parallel === null || noParallel ? {} : { parallel_tool_calls: parallel }),
    },
    // Calls in parallel are what this upstream does anyway: only to forbid them is lost.
    losses:
      noParallel && !parallel ? [...losses, dropped('parallel_tool_calls', 'this upstream cannot be told')] : losses,
  }
}
