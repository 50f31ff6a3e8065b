import type { ModelFacts } from '../../../models/facts.ts'
import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped, NO_CUSTOM_TOOLS } from '../../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../../protocol/request.ts'
import { lookup } from '../../../text/lookup.ts'
import {
  type HostedTool,
  isOffline,
  isSearchName,
  NO_STORED_PAGES,
  requestedFields,
} from '../../../validation/search/search-tool.ts'
import type { Origins } from '../../origins.ts'
import { NO_TOOL_TO_CALL } from '../../shared/upstream/forced-tools.ts'
import { strictLosses } from '../../shared/upstream/strict-tools.ts'
import type { RequestTool, RequestToolChoice } from '../json.ts'
import { SYSTEM_TOOLS } from '../terms.ts'
import { toCachePoint } from './cache-points.ts'

/** `toolConfig` and the fields that belong to it, or the error if the request cannot be served. */
type EncodedTools =
  | {
      readonly ok: true
      readonly tools: readonly RequestTool[]
      readonly choice: RequestToolChoice | null
      /** Fields of `additionalModelRequestFields`. */
      readonly fields: JsonObject
      readonly losses: readonly Loss[]
    }
  | { readonly ok: false; readonly error: GatewayError }

interface Encoded {
  readonly tool: RequestTool | null
  readonly losses: readonly Loss[]
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

type FunctionTool = Extract<Tool, { readonly type: 'function' }>

/** Encodes a function. Bedrock requires the type `object` at the root of its schema. */
function encodeFunction(tool: FunctionTool, at: number, { strictTools }: ModelFacts): Encoded {
  const { name, description, parameters, strict } = tool
  const json = parameters === null ? NO_PARAMETERS : { ...parameters, type: 'object' }
  const isMapped = parameters?.type !== undefined && parameters.type !== 'object'
  const bound = strict === true && strictTools !== false
  return {
    tool: {
      toolSpec: {
        name,
        ...(description === null || description.trim() === '' ? {} : { description }),
        inputSchema: { json },
        ...(bound ? { strict: true } : {}),
      },
    },
    losses: [
      ...(isMapped
        ? [mapped(`tools[${at}].parameters.type`, 'sent as object, the only type that this upstream accepts')]
        : []),
      ...(bound ? [] : strictLosses(tool, at, 'model')),
    ],
  }
}

/** Tools that Bedrock runs itself exist for Nova only, and have no settings. */
function encodeHosted(tool: HostedTool, at: number, { family }: ModelFacts): Encoded {
  const { name, fields } = tool
  const isSearch = isSearchName(name)
  if (isSearch && isOffline(tool)) return { tool: null, losses: [dropped(`tools[${at}]`, NO_STORED_PAGES)] }
  const system = lookup(SYSTEM_TOOLS, isSearch ? 'web_search' : name)
  if (system === undefined || family !== 'nova') {
    return { tool: null, losses: [dropped(`tools[${at}]`, `this model does not support the tool ${name}`)] }
  }
  const settings = requestedFields(fields).map((field) => dropped(`tools[${at}].${field}`, 'this tool has no settings'))
  return { tool: { systemTool: { name: system } }, losses: settings }
}

function encodeTool(tool: Tool, at: number, model: ModelFacts): Encoded {
  if (tool.type === 'function') return encodeFunction(tool, at, model)
  if (tool.type === 'hosted') return encodeHosted(tool, at, model)
  return { tool: null, losses: [dropped(`tools[${at}]`, NO_CUSTOM_TOOLS)] }
}

/** Returns the names of all tools that the history calls. */
const calledIn = ({ input }: Request): readonly string[] => [
  ...new Set(
    input.flatMap((item) => (item.type === 'function_call' || item.type === 'custom_tool_call' ? [item.name] : [])),
  ),
]

/**
 * Bedrock refuses calls and results in the history if the request has no tools: the called tools are then defined by
 * their names.
 */
function withHistory(
  tools: readonly RequestTool[],
  request: Request,
): { tools: readonly RequestTool[]; losses: Loss[] } {
  const called = calledIn(request)
  const silent = request.tool_choice === 'none'
  if (called.length === 0) return { tools: silent ? [] : tools, losses: [] }
  const forbidden = silent ? [dropped('tool_choice', 'this upstream requires the tools if the input has calls')] : []
  if (tools.length > 0) return { tools, losses: forbidden }
  const named = called.map((name): RequestTool => ({ toolSpec: { name, inputSchema: { json: NO_PARAMETERS } } }))
  return {
    tools: named,
    losses: [
      ...forbidden,
      mapped('tools', 'tools were added for the calls in the input, because this upstream requires them'),
    ],
  }
}

const mustCall = (choice: ToolChoice | null): boolean => choice !== null && choice !== 'auto' && choice !== 'none'

const impossible = (reason: string): EncodedTools => ({
  ok: false,
  error: clientError('invalid_prompt', `tool_choice: ${reason}`, 'tool_choice'),
})

const isNamed = (tool: RequestTool, name: string): boolean => 'toolSpec' in tool && tool.toolSpec.name === name

/** `auto` is left out: it is the default, and some models accept no choice at all. */
function encodeChoice(choice: ToolChoice | null): RequestToolChoice | null {
  if (choice === null || choice === 'auto' || choice === 'none') return null
  return choice === 'required' ? { any: {} } : { tool: { name: choice.name } }
}

/** The same choice in Claude's own field, which can forbid parallel calls. */
function oneAtATime(choice: RequestToolChoice | null): JsonObject {
  const encoded =
    choice === null || 'auto' in choice
      ? { type: 'auto' }
      : 'any' in choice
        ? { type: 'any' }
        : { type: 'tool', name: choice.tool.name }
  return { tool_choice: { ...encoded, disable_parallel_tool_use: true } }
}

/** Encodes `tools`, `tool_choice` and `parallel_tool_calls` (docs/wires/bedrock-converse.md, 9.4). */
export function encodeTools(request: Request, model: ModelFacts, origins?: Origins): EncodedTools {
  const { tool_choice: wanted } = request
  const encoded = request.tools.map((tool, at) => encodeTool(tool, at, model))
  const own = encoded.flatMap(({ tool }, at) => {
    if (tool === null) return []
    origins?.add(tool, `tools[${at}]`)
    return [tool, ...toCachePoint(request.tools[at]?.prompt_cache_breakpoint)]
  })
  if (mustCall(wanted) && own.length === 0) return impossible(NO_TOOL_TO_CALL)
  if (wanted !== null && typeof wanted !== 'string' && !own.some((tool) => isNamed(tool, wanted.name))) {
    return impossible(`this upstream cannot be forced to call ${wanted.name}; send another tool, or auto`)
  }
  const { tools, losses } = withHistory(own, request)
  const allLosses = [...encoded.flatMap((it) => it.losses), ...losses]
  const choice = encodeChoice(wanted)
  if (tools.length === 0 || request.parallel_tool_calls !== false) {
    return { ok: true, tools, choice, fields: {}, losses: allLosses }
  }
  return model.family === 'claude'
    ? { ok: true, tools, choice: null, fields: oneAtATime(choice), losses: allLosses }
    : {
        ok: true,
        tools,
        choice,
        fields: {},
        losses: [...allLosses, dropped('parallel_tool_calls', 'this model has no such setting')],
      }
}
