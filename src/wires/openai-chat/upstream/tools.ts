import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, NO_CUSTOM_TOOLS } from '../../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../../protocol/request.ts'
import { isObject } from '../../../text/json.ts'
import {
  type HostedTool,
  isOffline,
  isSearchName,
  isSearchTool,
  NO_STORED_PAGES,
} from '../../../validation/search/search-tool.ts'
import { otherMeaning } from '../../absent-members.ts'
import type { UpstreamContext } from '../../contract.ts'
import type { Quirks } from '../../quirks.ts'
import { CANNOT_FORCE, NO_TOOL_TO_CALL } from '../../shared/upstream/forced-tools.ts'
import { isStrictSchema } from '../../shared/upstream/schemas/strict-schema.ts'
import type { ChatTool, ChatToolChoice } from '../json.ts'
import { toBreakpoint } from './parts.ts'
import { encodeSearchFields } from './search-fields.ts'

/** The fields of the body that concern tools, or the error if the request cannot be served. */
type EncodedTools =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

/** Servers that read `parameters` expect an object schema. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/** Of OpenAI's own API, where a function without `strict` is not strict, as it is for a Responses client. */
const isMeantStrict = (parameters: JsonObject | null, target: UpstreamContext): boolean =>
  target.quirks.openaiFields === true &&
  otherMeaning('strict', 'openai-chat', target) === 'compatible' &&
  isStrictSchema(parameters)

function encodeFunction(tool: Extract<Tool, { readonly type: 'function' }>, target: UpstreamContext): ChatTool {
  const { name, description, parameters } = tool
  const strict = tool.strict ?? (isMeantStrict(parameters, target) ? true : null)
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

/**
 * Moves the grammar into its own object: Responses has its fields beside `type`, Chat Completions nests them in
 * `grammar`.
 */
function encodeFormat(format: Json): Json {
  if (!isObject(format) || format.type !== 'grammar') return format
  const { type, ...grammar } = format as JsonObject
  return { type: 'grammar', grammar }
}

/** A tool of the body, or the reason why the upstream has no such tool. */
type EncodedTool = { readonly tool: ChatTool } | { readonly loss: string }

/**
 * Encodes a router's own search, the only hosted tool that Chat Completions has (OpenRouter), for every tool type of a
 * client that means web search.
 */
function encodeHosted(hosted: HostedTool, quirks: Quirks): EncodedTool {
  if (!isSearchTool(hosted) || (quirks.nativeSearch ?? 'none') === 'none') {
    return { loss: `this upstream does not support the tool ${hosted.name}` }
  }
  if (quirks.alwaysSearches === true) return { loss: 'this upstream supports one web search tool' }
  if (isOffline(hosted)) return { loss: NO_STORED_PAGES }
  const { parameters, filters, ...rest } = hosted.fields
  const { external_web_access, ...given }: JsonObject = Object.assign(
    {},
    ...[rest, parameters, filters].filter(isObject),
  )
  return { tool: { type: 'openrouter:web_search', parameters: given } }
}

function encodeTool(tool: Tool, at: number, target: UpstreamContext): EncodedTool {
  const { quirks, origins } = target
  const encoded = encodeKind(tool, target)
  if ('loss' in encoded) return encoded
  const breakpoint = tool.prompt_cache_breakpoint
  const whole = breakpoint ? { ...encoded.tool, ...toBreakpoint(breakpoint, quirks) } : encoded.tool
  origins?.add(whole, `tools[${at}]`)
  return { tool: whole }
}

function encodeKind(tool: Tool, target: UpstreamContext): EncodedTool {
  const { quirks } = target
  if (tool.type === 'hosted') return encodeHosted(tool, quirks)
  if (quirks.refuses?.includes('tools') === true) return { loss: NO_FUNCTIONS }
  if (tool.type === 'function') return { tool: encodeFunction(tool, target) }
  if (quirks.customTools !== true) return { loss: NO_CUSTOM_TOOLS }
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

const NO_FUNCTIONS = 'this upstream does not support functions; choose another model, or leave them out'

/**
 * Rejects functions that the upstream cannot call, because an agent without its functions behaves differently. They are
 * dropped only if `tool_choice` is `none`.
 */
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

/** Empty for a tool that cannot be forced by name. */
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

/** If the upstream cannot force a function by name, the other functions are left out. */
function visible(tools: readonly ChatTool[], choice: ToolChoice | null, quirks: Quirks): readonly ChatTool[] {
  if (quirks.noNamedChoice !== true || choice === null || typeof choice === 'string') return tools
  return tools.filter((tool) => nameOf(tool) === choice.name)
}

/**
 * Encodes `tools`, `tool_choice` and `parallel_tool_calls`. Without `tools`, the other two have no meaning, and many
 * vendors refuse them.
 */
export function encodeTools(request: Request, target: UpstreamContext): EncodedTools {
  const refused = refuseFunctions(request, target.quirks)
  if (refused !== null) return refused
  return target.quirks.alwaysSearches === true ? encodeStandingSearch(request, target) : encodeOffered(request, target)
}

/**
 * Encodes the search of a model that searches for every answer as fields of the body; a choice that forces it needs no
 * field.
 */
function encodeStandingSearch(request: Request, target: UpstreamContext): EncodedTools {
  const at = request.tools.findIndex(isSearchTool)
  const search = request.tools[at]
  if (search?.type !== 'hosted') return encodeOffered(request, target)
  const { tool_choice: choice } = request
  const searches = choice === 'required' || (typeof choice === 'object' && isSearchName(choice?.name ?? ''))
  if (searches && isOffline(search)) return impossible(NO_STORED_PAGES)
  const own = `tools[${at}]`
  const { fields, losses } = encodeSearchFields(search, own)
  const others = encodeOffered({ ...request, tool_choice: searches ? null : choice }, target)
  if (!others.ok) return others
  return {
    ok: true,
    fields: { ...others.fields, ...fields },
    losses: [...others.losses.filter(({ path }) => path !== own), ...losses],
  }
}

function encodeOffered(request: Request, target: UpstreamContext): EncodedTools {
  const { quirks } = target
  const choice = request.tool_choice
  const encoded = request.tools.map((tool, at) => encodeTool(tool, at, target))
  const losses = encoded.flatMap((it, at) => ('loss' in it ? [dropped(`tools[${at}]`, it.loss)] : []))
  const tools = encoded.flatMap((it) => ('tool' in it ? [it.tool] : []))
  if (mustCall(choice) && quirks.noToolChoice === true) return impossible(CANNOT_FORCE)
  if (mustCall(choice) && tools.length === 0) return impossible(NO_TOOL_TO_CALL)
  if (choice !== null && typeof choice !== 'string' && !tools.some((tool) => nameOf(tool) === choice.name)) {
    return impossible(`this upstream cannot be forced to call ${choice.name}; send another tool, or auto`)
  }
  const isHidden = choice === 'none' && quirks.noToolChoice === true
  if (tools.length === 0 || isHidden) return { ok: true, fields: {}, losses }
  const parallel = request.parallel_tool_calls
  const noParallel = parallel !== null && quirks.refuses?.includes('parallel_tool_calls') === true
  return {
    ok: true,
    fields: {
      tools: visible(tools, choice, quirks),
      ...(choice === null || quirks.noToolChoice === true ? {} : { tool_choice: encodeChoice(choice, quirks) }),
      ...(parallel === null || noParallel ? {} : { parallel_tool_calls: parallel }),
    },
    // This upstream calls tools in parallel anyway: only the request to forbid it is dropped.
    losses:
      noParallel && !parallel
        ? [...losses, dropped('parallel_tool_calls', 'this upstream has no such setting')]
        : losses,
  }
}
