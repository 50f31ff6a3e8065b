import type { JsonObject } from '../../protocol/json.ts'
import { type Loss, mapped } from '../../protocol/loss.ts'
import type { Cacheable, GivenChoice, GivenTool, InputItem, NamedTool, Request, Tool } from '../../protocol/request.ts'
import { isNonEmptyString, isObject } from '../../text/json.ts'

type CustomTool = Extract<Tool, { readonly type: 'custom' }>

/** Parameters of a function that replaces a custom tool: one string, `input`. */
const PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** The function's description includes the grammar: the upstream cannot enforce it, but the model can follow it. */
function describe({ description, format }: CustomTool): string | null {
  if (!isObject(format) || !isNonEmptyString(format.definition)) return description
  const syntax = isNonEmptyString(format.syntax) ? `${format.syntax} ` : ''
  const grammar = `The input must follow this ${syntax}grammar:\n${format.definition}`
  return description === null ? grammar : `${description}\n\n${grammar}`
}

const toFunction = <Other extends Tool>(tool: CustomTool | Other): NamedTool | Other =>
  tool.type === 'custom'
    ? {
        type: 'function',
        name: tool.name,
        description: describe(tool),
        parameters: PARAMETERS,
        strict: null,
        ...(tool.deferred === undefined ? {} : { deferred: tool.deferred }),
        ...(tool.settings === undefined ? {} : { settings: tool.settings }),
        ...breakpointOf(tool),
      }
    : tool

const breakpointOf = ({ prompt_cache_breakpoint: end }: Cacheable): Cacheable =>
  end ? { prompt_cache_breakpoint: end } : {}

function toFunctionItem(item: InputItem): InputItem {
  if (item.type === 'custom_tool_call') {
    const { input, ...call } = item
    return { ...call, type: 'function_call', arguments: JSON.stringify({ input }) }
  }
  return item.type === 'custom_tool_call_output' ? { ...item, type: 'function_call_output' } : item
}

export function toFunctions(request: Request): Request {
  const choice = request.tool_choice
  const forced = typeof choice === 'object' && choice?.type === 'custom'
  return {
    ...request,
    input: request.input.map(toFunctionItem),
    tools: request.tools.map(toFunction),
    tool_choice: forced ? { ...choice, type: 'function' } : choice,
  }
}

const SENT_AS_FUNCTION = 'sent as a function with the argument "input"'

export const customToolLosses = ({ tools }: Request): readonly Loss[] =>
  tools.flatMap((tool, at) => (tool.type === 'custom' ? [mapped(`tools[${at}]`, SENT_AS_FUNCTION)] : []))

const toGivenFunction = (tool: GivenTool): GivenTool =>
  tool.type === 'namespace' ? { ...tool, tools: tool.tools.map(toFunction<NamedTool>) } : toFunction(tool)

function toGivenChoice(choice: GivenChoice | null): GivenChoice | null {
  if (choice === null || typeof choice === 'string') return choice
  if (choice.type === 'custom') return { ...choice, type: 'function' }
  if (choice.type !== 'allowed_tools') return choice
  return {
    ...choice,
    tools: choice.tools.map((entry) => (entry.type === 'custom' ? { ...entry, type: 'function' } : entry)),
  }
}

/**
 * Returns a request whose custom tools are functions with one required string `input`, for clients whose dialect has no
 * calls with free text. Converts `tools`, `tool_choice`, the history, and the fields that the response echoes.
 */
export function asFunctions(request: Request): { readonly request: Request; readonly losses: readonly Loss[] } {
  const { tools, tool_choice } = request.given
  const given = { tools: tools.map(toGivenFunction), tool_choice: toGivenChoice(tool_choice) }
  return { request: { ...toFunctions(request), given }, losses: customToolLosses(request) }
}
