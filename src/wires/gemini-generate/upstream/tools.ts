import type { ModelFacts } from '../../../models/facts.ts'
import { clientError, type GatewayError } from '../../../protocol/error.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../../../protocol/request.ts'
import { valueAt } from '../../../text/json-path.ts'
import { lookup } from '../../../text/lookup.ts'
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
import type { FunctionDeclaration } from '../json.ts'

/** `tools` and `toolConfig`, or the error if the tool choice is impossible. */
export type EncodedTools =
  | { readonly ok: true; readonly fields: JsonObject; readonly losses: readonly Loss[] }
  | { readonly ok: false; readonly error: GatewayError }

type FunctionTool = Extract<Tool, { readonly type: 'function' }>
const SEARCH: JsonObject = { googleSearch: {} }

/** Hosted tools of the Responses API, except the search → server tools of Google. */
const SERVER_TOOLS: Readonly<Record<string, JsonObject>> = { code_interpreter: { codeExecution: {} } }

/** The usual size of what a search adds to the prompt: without it, Google does nothing differently. */
const isUsualSize = (path: string, { fields }: HostedTool): boolean =>
  path.endsWith('search_context_size') && valueAt(fields, path) === 'medium'

/** Sends the JSON Schema in `parametersJsonSchema`; `parameters` accepts only a subset of OpenAPI. */
function encodeFunction(
  { name, description, parameters }: FunctionTool,
  at: number,
): { readonly declaration: FunctionDeclaration; readonly losses: readonly Loss[] } {
  const accepted = parameters === null ? null : acceptedSchema(parameters, `tools[${at}].parameters`)
  const declaration = {
    name,
    ...(description === null ? {} : { description }),
    ...(accepted === null ? {} : { parametersJsonSchema: accepted.schema }),
  }
  return { declaration, losses: accepted?.losses ?? [] }
}

interface Sorted {
  readonly functions: readonly FunctionDeclaration[]
  readonly hosted: readonly JsonObject[]
  readonly losses: readonly Loss[]
}

/** Lists the requested fields that Google's tool does not have. */
const fieldLosses = (tool: HostedTool, at: number): Loss[] =>
  [
    ...requestedFields(tool.fields).filter((path) => path !== 'container' && !isUsualSize(path, tool)),
    ...requestedContainer(tool.fields),
  ].map((path) => dropped(`tools[${at}].${path}`, 'Google’s own tool has no such field'))

function sort(tools: readonly Tool[], { mixesTools }: ModelFacts, origins: Origins | undefined): Sorted {
  const changed: Loss[] = []
  const functions = tools.flatMap((tool, at) => {
    if (tool.type !== 'function') return []
    const { declaration, losses } = encodeFunction(tool, at)
    changed.push(...losses)
    origins?.add(declaration, `tools[${at}]`)
    return [declaration]
  })
  const hosted: JsonObject[] = []
  const losses = tools.flatMap((tool, at): readonly Loss[] => {
    if (tool.type === 'custom') return [dropped(`tools[${at}]`, 'Gemini does not support custom tools')]
    if (tool.type === 'function') return strictLosses(tool, at, 'gemini')
    const isSearch = isSearchName(tool.name)
    if (isSearch && isOffline(tool)) return [dropped(`tools[${at}]`, NO_STORED_PAGES)]
    const own = isSearch ? SEARCH : lookup(SERVER_TOOLS, tool.name)
    if (own === undefined) return [dropped(`tools[${at}]`, `Gemini does not support the tool ${tool.name}`)]
    if (functions.length > 0 && mixesTools !== true) {
      return [dropped(`tools[${at}]`, 'this model does not support server tools together with functions')]
    }
    if (!hosted.some((one) => JSON.stringify(one) === JSON.stringify(own))) {
      origins?.add(own, `tools[${at}]`)
      hosted.push(own)
    }
    return fieldLosses(tool, at)
  })
  return { functions, hosted, losses: [...changed, ...losses] }
}

const impossible = (reason: string): EncodedTools => ({
  ok: false,
  error: clientError('invalid_prompt', `tool_choice: ${reason}`, 'tool_choice'),
})

const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const satisfies Record<string & ToolChoice, string>

const encodeChoice = (choice: ToolChoice): JsonObject =>
  typeof choice === 'string' ? { mode: MODES[choice] } : { mode: 'ANY', allowedFunctionNames: [choice.name] }

/** Encodes `tools` and `tool_choice` (docs/wires/gemini-generate.md, 9.4). */
export function encodeTools(request: Request, facts: ModelFacts, origins?: Origins): EncodedTools {
  const { tool_choice: choice, parallel_tool_calls: parallel } = request
  const { functions, hosted, losses } = sort(request.tools, facts, origins)
  const reason = choiceRefusal(choice, functions)
  if (reason !== null) return impossible(reason)
  // The mode applies to functions only. The choice `none` leaves out the server tools.
  const shown = choice === 'none' ? [] : hosted
  const tools = [
    ...shown,
    ...(functions.length === 0 ? [] : [{ functionDeclarations: functions }]),
  ] as readonly JsonObject[]
  if (tools.length === 0) return { ok: true, fields: {}, losses }
  const config = {
    ...(functions.length > 0 && choice !== null ? { functionCallingConfig: encodeChoice(choice) } : {}),
    ...(functions.length > 0 && shown.length > 0 ? { includeServerSideToolInvocations: true } : {}),
  }
  return {
    ok: true,
    fields: { tools, ...(Object.keys(config).length === 0 ? {} : { toolConfig: config }) },
    losses:
      parallel === false && functions.length > 0
        ? [...losses, dropped('parallel_tool_calls', 'Gemini has no such setting')]
        : losses,
  }
}
