import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, NO_CUSTOM_TOOLS } from '../../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../../protocol/request.ts'
import type { Origins } from '../../origins.ts'
import { NO_TOOL_TO_CALL } from '../../shared/upstream/forced-tools.ts'
import { strictLosses } from '../../shared/upstream/strict-tools.ts'
import type { CohereTool } from '../json.ts'

/** The fields of the body about tools, or the error if the tool choice is impossible. */
type EncodedTools =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

type FunctionTool = Extract<Tool, { readonly type: 'function' }>

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

const encodeTool = ({ name, description, parameters }: FunctionTool): CohereTool => ({
  type: 'function',
  function: { name, ...(description === null ? {} : { description }), parameters: parameters ?? NO_PARAMETERS },
})

const hasRequired = ({ parameters }: FunctionTool): boolean =>
  Array.isArray(parameters?.required) && parameters.required.length > 0

/** `strict_tools` applies to all tools, and Cohere rejects it if one of them has no required parameter. */
const areStrict = (tools: readonly FunctionTool[]): boolean =>
  tools.length > 0 && tools.every((tool) => tool.strict === true && hasRequired(tool))

function lossesOf(tool: Tool, at: number, strict: boolean): readonly Loss[] {
  switch (tool.type) {
    case 'function':
      return strict ? [] : strictLosses(tool, at, 'together')
    case 'custom':
      return [dropped(`tools[${at}]`, NO_CUSTOM_TOOLS)]
    case 'hosted':
      return [dropped(`tools[${at}]`, `this upstream does not support the tool ${tool.name}`)]
  }
}

const impossible = (reason: string): EncodedTools => ({
  ok: false,
  error: clientError('invalid_prompt', `tool_choice: ${reason}`, 'tool_choice'),
})

/** Encodes the tool choice. A function that must be called is the only tool that is sent, so `REQUIRED` suffices. */
function wordOf(choice: ToolChoice | null): JsonObject {
  if (choice === null || choice === 'auto') return {}
  return { tool_choice: choice === 'none' ? 'NONE' : 'REQUIRED' }
}

export function encodeTools({ tools, tool_choice: choice }: Request, origins?: Origins): EncodedTools {
  const functions = tools.filter((tool) => tool.type === 'function')
  const named = choice !== null && typeof choice === 'object' ? choice.name : null
  const shown = named === null ? functions : functions.filter(({ name }) => name === named)
  if (named !== null && shown.length === 0)
    return impossible(`this upstream cannot be forced to call ${named}; send another tool, or auto`)
  if (choice === 'required' && shown.length === 0) {
    return impossible(NO_TOOL_TO_CALL)
  }
  const strict = areStrict(shown)
  const losses = tools.flatMap((tool, at) => lossesOf(tool, at, strict || (named !== null && !isNamed(tool, named))))
  if (shown.length === 0) return { ok: true, fields: {}, losses }
  const encoded = shown.map((tool) => {
    const one = encodeTool(tool)
    origins?.add(one, `tools[${tools.indexOf(tool)}]`)
    return one
  })
  return {
    ok: true,
    fields: { tools: encoded, ...(strict ? { strict_tools: true } : {}), ...wordOf(choice) },
    losses,
  }
}

const isNamed = (tool: Tool, name: string): boolean => tool.type === 'function' && tool.name === name
