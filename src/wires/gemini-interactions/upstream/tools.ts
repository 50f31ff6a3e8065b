import type { ModelFacts } from '../../../models/facts.ts'
import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../../protocol/request.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { valueAt } from '../../../text/json-path.ts'
import {
  type HostedTool,
  isOffline,
  isSearchName,
  NO_STORED_PAGES,
  requestedFields,
} from '../../../validation/search/search-tool.ts'
import type { Origins } from '../../origins.ts'
import { acceptedSchema, choiceRefusal } from '../../shared/google/requests.ts'
import { requestedContainer } from '../../shared/upstream/code-container.ts'
import { strictLosses } from '../../shared/upstream/strict-tools.ts'
import type { InteractionTool } from '../json.ts'

/** `tools`, and the tool choice of the configuration, or the error if the tool choice is impossible. */
export type EncodedTools =
  | { readonly ok: true; readonly fields: JsonObject; readonly config: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

type FunctionTool = Extract<Tool, { readonly type: 'function' }>

/** A tool of the body; null if it cannot be sent. */
interface EncodedTool {
  readonly tool: JsonObject | null
  readonly losses: readonly Loss[]
}

function encodeFunction(own: FunctionTool, at: number): EncodedTool {
  const { name, description, parameters } = own
  const accepted = parameters === null ? null : acceptedSchema(parameters, `tools[${at}].parameters`)
  const tool: InteractionTool = {
    type: 'function',
    name,
    ...(description === null ? {} : { description }),
    ...(accepted === null ? {} : { parameters: accepted.schema }),
  }
  const losses = [...strictLosses(own, at, 'gemini'), ...(accepted?.losses ?? [])]
  return { tool: tool as unknown as JsonObject, losses }
}

const NO_FIELD = 'Google’s own tool has no such field'

/** The usual size of what a search adds to the prompt: without it, Google does nothing differently. */
const isUsualSize = (path: string, { fields }: HostedTool): boolean =>
  path.endsWith('search_context_size') && valueAt(fields, path) === 'medium'

const fieldLosses = (paths: readonly string[], at: number): readonly Loss[] =>
  paths.map((path) => dropped(`tools[${at}].${path}`, NO_FIELD))

const lost = (at: number, why: string): EncodedTool => ({ tool: null, losses: [dropped(`tools[${at}]`, why)] })

function encodeSearch(tool: HostedTool, at: number): EncodedTool {
  if (isOffline(tool)) return lost(at, NO_STORED_PAGES)
  const paths = requestedFields(tool.fields).filter((path) => !isUsualSize(path, tool))
  return { tool: { type: 'google_search' }, losses: fieldLosses(paths, at) }
}

function encodeCode(tool: HostedTool, at: number): EncodedTool {
  const others = requestedFields(tool.fields).filter((path) => path !== 'container')
  return {
    tool: { type: 'code_execution' },
    losses: fieldLosses([...others, ...requestedContainer(tool.fields)], at),
  }
}

const MCP_FIELDS: ReadonlySet<string> = new Set([
  'server_label',
  'server_url',
  'headers',
  'authorization',
  'allowed_tools',
  'require_approval',
])

/** The names of the tools that the model may call; null: all of them. */
function allowedNames(allowed: Json | undefined): readonly Json[] | null {
  const names = isObject(allowed) ? allowed.tool_names : allowed
  return Array.isArray(names) ? (names as readonly Json[]) : null
}

/** Google runs the tools of an MCP server without any approval. Its names of servers have no hyphens. */
function encodeMcp({ fields }: HostedTool, at: number): EncodedTool {
  const { server_label: label, server_url: url, headers, authorization, require_approval: approval } = fields
  if (!isNonEmptyString(url)) return lost(at, 'this upstream accepts only MCP servers with a URL')
  if (approval !== 'never') return lost(at, 'this upstream calls tools of MCP servers without an approval')
  const name = isNonEmptyString(label) ? label.replaceAll('-', '_') : 'server'
  const key = isNonEmptyString(authorization) ? { authorization: `Bearer ${authorization}` } : {}
  const sent = { ...(isObject(headers) ? (headers as JsonObject) : {}), ...key }
  const names = allowedNames(fields.allowed_tools)
  const filters = isObject(fields.allowed_tools) && fields.allowed_tools.read_only !== undefined
  return {
    tool: {
      type: 'mcp_server',
      name,
      url,
      ...(Object.keys(sent).length === 0 ? {} : { headers: sent }),
      ...(names === null ? {} : { allowed_tools: [{ mode: 'auto', tools: names as Json }] }),
    },
    losses: [
      ...(name === label ? [] : [mapped(`tools[${at}].server_label`, 'Google’s names of servers have no hyphens')]),
      ...(filters ? [dropped(`tools[${at}].allowed_tools.read_only`, NO_FIELD)] : []),
      ...fieldLosses(
        requestedFields(fields).filter((path) => !MCP_FIELDS.has(path.split(/[.[]/, 1)[0] ?? '')),
        at,
      ),
    ],
  }
}

function encodeHosted(tool: HostedTool, at: number): EncodedTool {
  if (isSearchName(tool.name)) return encodeSearch(tool, at)
  if (tool.name === 'code_interpreter') return encodeCode(tool, at)
  if (tool.name === 'mcp') return encodeMcp(tool, at)
  return lost(at, `Gemini does not support the tool ${tool.name}`)
}

interface Sorted {
  readonly functions: readonly FunctionTool[]
  readonly sent: readonly JsonObject[]
  readonly hosted: readonly JsonObject[]
  readonly losses: readonly Loss[]
}

function sort(tools: readonly Tool[], { mixesTools = true }: ModelFacts, origins: Origins | undefined): Sorted {
  const functions = tools.filter((tool) => tool.type === 'function')
  const sent: JsonObject[] = []
  const hosted: JsonObject[] = []
  const losses = tools.flatMap((tool, at): readonly Loss[] => {
    if (tool.type === 'custom') return [dropped(`tools[${at}]`, 'Gemini does not support custom tools')]
    if (tool.type === 'function') {
      const encoded = encodeFunction(tool, at)
      if (encoded.tool !== null) {
        origins?.add(encoded.tool, `tools[${at}]`)
        sent.push(encoded.tool)
      }
      return encoded.losses
    }
    const encoded = encodeHosted(tool, at)
    if (encoded.tool === null) return encoded.losses
    if (functions.length > 0 && !mixesTools)
      return [dropped(`tools[${at}]`, 'this model does not support server tools together with functions')]
    origins?.add(encoded.tool, `tools[${at}]`)
    const text = JSON.stringify(encoded.tool)
    if (!hosted.some((one) => JSON.stringify(one) === text)) hosted.push(encoded.tool)
    return encoded.losses
  })
  return { functions, sent, hosted, losses }
}

const impossible = (reason: string): EncodedTools => ({
  ok: false,
  error: clientError('invalid_prompt', `tool_choice: ${reason}`, 'tool_choice'),
})

const MODES = { auto: 'auto', none: 'none', required: 'any' } as const satisfies Record<string & ToolChoice, string>

const encodeChoice = (choice: ToolChoice): Json =>
  typeof choice === 'string' ? MODES[choice] : { allowed_tools: { mode: 'any', tools: [choice.name] } }

/** Encodes `tools` and `tool_choice` (docs/wires/gemini-interactions.md, 9.4). */
export function encodeTools(request: Request, facts: ModelFacts, origins?: Origins): EncodedTools {
  const { tool_choice: choice, parallel_tool_calls: parallel } = request
  const { functions, sent, hosted, losses } = sort(request.tools, facts, origins)
  const reason = choiceRefusal(choice, functions)
  if (reason !== null) return impossible(reason)
  // The choice applies to functions only, and is refused without any. `none` leaves out the server tools.
  const tools = [...(choice === 'none' ? [] : hosted), ...sent]
  return {
    ok: true,
    fields: tools.length === 0 ? {} : { tools },
    config: functions.length > 0 && choice !== null ? { tool_choice: encodeChoice(choice) } : {},
    losses:
      parallel === false && functions.length > 0
        ? [...losses, dropped('parallel_tool_calls', 'Gemini has no such setting')]
        : losses,
  }
}
