import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { dropped, type Loss } from '../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../protocol/request.ts'
import { isObject } from '../../text/json.ts'
import {
  type HostedTool,
  isOffline,
  isSearchName,
  isSearchTool,
  NO_STORED_PAGES,
} from '../../validation/search-tool.ts'
import type { Quirks } from '../quirks.ts'
import { encodeSearchFields } from './standing-search.ts'
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

/** A tool of the body, or why the upstream has none like it. */
type EncodedTool = { readonly tool: ChatTool } | { readonly loss: string }

/** A router's own search, the only one that a chat has as a tool (OpenRouter), whatever the client calls it. */
function encodeHosted(hosted: HostedTool, quirks: Quirks): EncodedTool {
  if (!isSearchTool(hosted) || (quirks.nativeSearch ?? 'none') === 'none') {
    return { loss: `this upstream runs no ${hosted.name}` }
  }
  if (quirks.alwaysSearches === true) return { loss: 'one search is enough' }
  if (isOffline(hosted)) return { loss: NO_STORED_PAGES }
  const { parameters, filters, ...rest } = hosted.fields
  const { external_web_access, ...given }: JsonObject = Object.assign(
    {},
    ...[rest, parameters, filters].filter(isObject),
  )
  return { tool: { type: 'openrouter:web_search', parameters: given } }
}

function encodeTool(tool: Tool, quirks: Quirks): EncodedTool {
  if (tool.type === 'hosted') return encodeHosted(tool, quirks)
  if (quirks.refuses?.includes('tools') === true) return { loss: NO_FUNCTIONS }
  if (tool.type === 'function') return { tool: encodeFunction(tool) }
  if (quirks.customTools !== true) return { loss: 'this upstream has no tools with free text as input' }
  const { name, description, format } = tool
  return {
    tool: {
      type: 'custom',
      custom: {
        name,
        ...(description === null ? {} : { description }),
        ...(format === null ? {} : { format: encodeFormat(format) }),
      },
    },
  }
}

const NO_FUNCTIONS = 'this upstream calls no functions; choose another model, or leave them out'

/** An agent without its functions is another agent: only where none may be called are they dropped. */
function refuseFunctions({ tools, tool_choice }: Request, { refuses }: Quirks): EncodedTools | null {
  const at = tools.findIndex(({ type }) => type !== 'hosted')
  if (at < 0 || tool_choice === 'none' || refuses?.includes('tools') !== true) return null
  const path = `tools[${at}]`
  return { ok: false, error: clientError('invalid_prompt', `${path}: ${NO_FUNCTIONS}`, path) }
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
  const refused = refuseFunctions(request, quirks)
  if (refused !== null) return refused
  return quirks.alwaysSearches === true ? encodeStandingSearch(request, quirks) : encodeOffered(request, quirks)
}

/** The search of a model that searches for every answer goes as fields of the body, and none has to be called. */
function encodeStandingSearch(request: Request, quirks: Quirks): EncodedTools {
  const at = request.tools.findIndex(isSearchTool)
  const search = request.tools[at]
  if (search?.type !== 'hosted') return encodeOffered(request, quirks)
  const { tool_choice: choice } = request
  const searches = choice === 'required' || (typeof choice === 'object' && isSearchName(choice?.name ?? ''))
  if (searches && isOffline(search)) return impossible(NO_STORED_PAGES)
  const own = `tools[${at}]`
  const { fields, losses } = encodeSearchFields(search, own)
  const others = encodeOffered({ ...request, tool_choice: searches ? null : choice }, quirks)
  if (!others.ok) return others
  return {
    ok: true,
    fields: { ...others.fields, ...fields },
    losses: [...others.losses.filter(({ path }) => path !== own), ...losses],
  }
}

function encodeOffered(request: Request, quirks: Quirks): EncodedTools {
  const choice = request.tool_choice
  const encoded = request.tools.map((tool) => encodeTool(tool, quirks))
  const losses = encoded.flatMap((it, at) => ('loss' in it ? [dropped(`tools[${at}]`, it.loss)] : []))
  const tools = encoded.flatMap((it) => ('tool' in it ? [it.tool] : []))
  if (mustCall(choice) && tools.length === 0)
    return impossible('this upstream has none of the tools that must be called')
  if (choice !== null && typeof choice !== 'string' && !tools.some((tool) => nameOf(tool) === choice.name)) {
    return impossible(`this upstream cannot be made to call ${choice.name}`)
  }
  if (tools.length === 0) return { ok: true, fields: {}, losses }
  const parallel = request.parallel_tool_calls
  const noParallel = parallel !== null && quirks.refuses?.includes('parallel_tool_calls') === true
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
