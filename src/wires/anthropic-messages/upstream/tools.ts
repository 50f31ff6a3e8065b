import type { ModelFacts } from '../../../models/facts.ts'
import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped, NO_CUSTOM_TOOLS } from '../../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../../protocol/request.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import {
  type HostedTool,
  isOffline,
  isSearchName,
  isSearchTool,
  NO_STORED_PAGES,
} from '../../../validation/search/search-tool.ts'
import type { Origins } from '../../origins.ts'
import { cacheControlOf } from '../../shared/upstream/cache/cache-control.ts'
import { requestedContainer } from '../../shared/upstream/code-container.ts'
import { NO_TOOL_TO_CALL } from '../../shared/upstream/forced-tools.ts'
import { strictLosses } from '../../shared/upstream/strict-tools.ts'
import type { MessagesTool, MessagesToolChoice } from '../json.ts'
import { encodeWebSearch } from './web-search.ts'

/** The fields of the body for tools, or the reason why the request cannot be fulfilled. */
type EncodedTools =
  | {
      readonly ok: true
      readonly fields: JsonObject
      readonly losses: readonly Loss[]
    }
  | { readonly ok: false; readonly error: GatewayError }

interface EncodedTool {
  readonly tool: MessagesTool | null
  readonly losses: readonly Loss[]
}

/** Anthropic requires an object at the root of a schema. */
const toSchema = (parameters: JsonObject | null): JsonObject =>
  parameters === null ? { type: 'object', properties: {} } : { ...parameters, type: 'object' }

function encodeFunction(
  tool: Extract<Tool, { type: 'function' }>,
  at: number,
  { strictTools, family = 'claude' }: ModelFacts,
): EncodedTool {
  const { name, description, parameters, strict, deferred } = tool
  const isStrict = strict === true && strictTools === true
  return {
    tool: {
      name,
      ...(description === null ? {} : { description }),
      input_schema: toSchema(parameters),
      ...(isStrict ? { strict } : {}),
      ...(deferred === true && family === 'claude' ? { defer_loading: deferred } : {}),
      ...cacheControlOf(tool),
    },
    losses: isStrict ? [] : strictLosses(tool, at, 'model'),
  }
}

/**
 * Types of Anthropic's own tools end with a date: `bash_20250124`. Their fields are passed on unchanged, since a client
 * that names such a tool uses its fields.
 */
const DATED = /^([a-z_]+?)_\d{8}$/

const CODE = 'code_execution_20250825'

function encodeHosted(hosted: HostedTool, at: number): EncodedTool {
  const { name: type, fields } = hosted
  if (isSearchTool(hosted)) {
    return isOffline(hosted)
      ? { tool: null, losses: [dropped(`tools[${at}]`, NO_STORED_PAGES)] }
      : encodeWebSearch(fields, at)
  }
  const own = DATED.exec(type)?.[1]
  // A set of tools has no name of its own: each tool in it has one.
  if (own?.endsWith('_toolset') === true) return { tool: { ...fields, type }, losses: [] }
  if (own !== undefined)
    return { tool: { ...fields, type, name: isNonEmptyString(fields.name) ? fields.name : own }, losses: [] }
  if (type !== 'code_interpreter')
    return { tool: null, losses: [dropped(`tools[${at}]`, `this upstream does not support the tool ${type}`)] }
  const unknown = [...Object.keys(fields).filter((field) => field !== 'container'), ...requestedContainer(fields)]
  return {
    tool: { type: CODE, name: 'code_execution' },
    losses: unknown.map((field) =>
      dropped(`tools[${at}].${field}`, 'the code execution of this upstream has no such field'),
    ),
  }
}

function encodeTool(tool: Tool, at: number, facts: ModelFacts, origins: Origins | undefined): EncodedTool {
  const encoded = encodeKind(tool, at, facts)
  if (encoded.tool === null) return encoded
  const whole = tool.type === 'function' ? encoded.tool : { ...encoded.tool, ...cacheControlOf(tool) }
  origins?.add(whole, `tools[${at}]`)
  return { tool: whole, losses: encoded.losses }
}

function encodeKind(tool: Tool, at: number, facts: ModelFacts): EncodedTool {
  switch (tool.type) {
    case 'function':
      return encodeFunction(tool, at, facts)
    case 'custom':
      return { tool: null, losses: [dropped(`tools[${at}]`, NO_CUSTOM_TOOLS)] }
    case 'hosted':
      return encodeHosted(tool, at)
  }
}

const impossible = (reason: string): EncodedTools => ({
  ok: false,
  error: clientError('invalid_prompt', `tool_choice: ${reason}`, 'tool_choice'),
})

/** Returns the upstream's name of the tool that a choice selects; null if it is not sent. */
function nameOf(choice: ToolChoice & object, request: Request, tools: readonly EncodedTool[]): string | null {
  const at = request.tools.findIndex(({ type, name }) => type === choice.type && name === choice.name)
  const alike = at >= 0 ? at : request.tools.findIndex((tool) => isSearchTool(tool) && isSearchName(choice.name))
  return tools[alike]?.tool?.name ?? null
}

/** Parallel calls are the default: only their prohibition needs a field. */
function encodeChoice(choice: ToolChoice | null, name: string | null, single: boolean): MessagesToolChoice | null {
  const alone = single ? { disable_parallel_tool_use: true } : {}
  if (choice === null) return single ? { type: 'auto', ...alone } : null
  if (choice === 'none') return { type: 'none' }
  if (choice === 'auto') return { type: 'auto', ...alone }
  if (choice === 'required') return { type: 'any', ...alone }
  return { type: 'tool', name: name ?? '', ...alone }
}

/** The number of searches is the only limit of calls that this upstream accepts. */
function limitUses(
  tools: readonly MessagesTool[],
  most: number | null,
  origins: Origins | undefined,
): { tools: readonly MessagesTool[]; isLimited: boolean } {
  const searches = tools.filter(({ type }) => typeof type === 'string' && type.startsWith('web_search'))
  if (most === null || searches.length !== 1) return { tools, isLimited: false }
  const limited = tools.map((tool) => {
    if (!searches.includes(tool) || tool.max_uses !== undefined) return tool
    const own = { ...tool, max_uses: most }
    origins?.join(own, [tool])
    return own
  })
  return { tools: limited, isLimited: true }
}

function limitLoss({ max_tool_calls: most }: Request, isLimited: boolean): readonly Loss[] {
  if (most === null) return []
  return isLimited
    ? [mapped('max_tool_calls', 'sent as the maximum number of searches')]
    : [dropped('max_tool_calls', 'this upstream has no equivalent')]
}

/** Encodes tools, tool_choice and parallel_tool_calls (docs/wires/anthropic-messages.md, 9.4). */
export function encodeTools(request: Request, facts: ModelFacts, origins?: Origins): EncodedTools {
  const choice = request.tool_choice
  const encoded = request.tools.map((tool, at) => encodeTool(tool, at, facts, origins))
  const kept = encoded.flatMap(({ tool }) => (tool === null ? [] : [tool]))
  const losses = encoded.flatMap((it) => it.losses)
  const named = choice !== null && typeof choice === 'object' ? nameOf(choice, request, encoded) : null
  const forced = choice !== null && choice !== 'auto' && choice !== 'none'
  if (forced && kept.length === 0) return impossible(NO_TOOL_TO_CALL)
  if (choice !== null && typeof choice === 'object' && named === null) {
    return impossible(`this upstream cannot be forced to call ${choice.name}; send another tool, or auto`)
  }
  const { tools, isLimited } = limitUses(kept, request.max_tool_calls, origins)
  const all = [...losses, ...limitLoss(request, isLimited)]
  if (tools.length === 0) return { ok: true, fields: {}, losses: all }
  const tool_choice = encodeChoice(choice, named, request.parallel_tool_calls === false)
  return { ok: true, fields: { tools, ...(tool_choice === null ? {} : { tool_choice }) }, losses: all }
}
