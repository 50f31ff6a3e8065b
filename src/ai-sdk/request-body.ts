import type { CallOptions } from '../api/translator-types.ts'
import type { JsonObject } from '../protocol/json.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import type { ModelCallOptions, ModelTool, ModelWarning } from './contract.ts'
import { asJson } from './files.ts'
import { PromptItems } from './input-items.ts'

/** A call of the AI SDK as a request of the Responses API. */
interface ModelBody {
  readonly body: JsonObject
  /** Settings that the Responses API has no field for. */
  readonly settings: Pick<CallOptions, 'stop' | 'seed' | 'top_k'>
  readonly warnings: readonly ModelWarning[]
}

/** `providers`: the names under which a reference to a stored file may be given. */
export function toModelBody(options: ModelCallOptions, providers: readonly string[]): ModelBody {
  const { prompt, tools = [], providerOptions = {}, topK, seed, stopSequences } = options
  const offered = tools.map((tool) => toTool(tool))
  const names = offered.flatMap((tool) => (tool.type === 'custom' ? [String(tool.name)] : []))
  const { items, warnings } = new PromptItems(prompt, { providers, customTools: new Set(names) })
  const unknown = offered.flatMap((tool, at) => (tool.type === null ? [unsupported(tools[at])] : []))
  const own = providerOptions[OWN_NAMESPACE]
  const known = offered.filter(({ type }) => type !== null)
  const body: JsonObject = {
    input: items,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...scalars(options),
    ...(known.length === 0 ? {} : { tools: known, ...toToolChoice(options.toolChoice, known) }),
    ...toTextFormat(options.responseFormat),
    ...toReasoning(options.reasoning),
    // Members of the request that the interface has no option for, and those that the program decides itself.
    ...(isObject(own) ? (asJson(own) as JsonObject) : {}),
  }
  const settings = {
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(seed === undefined ? {} : { seed }),
    ...(stopSequences === undefined || stopSequences.length === 0 ? {} : { stop: stopSequences }),
  }
  const raw: readonly ModelWarning[] =
    options.includeRawChunks === true ? [{ type: 'unsupported', feature: 'includeRawChunks' }] : []
  return { body, settings, warnings: [...warnings, ...unknown, ...raw] }
}

const SCALARS = {
  maxOutputTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const satisfies Partial<Record<keyof ModelCallOptions, string>>

const scalars = (options: ModelCallOptions): JsonObject =>
  Object.fromEntries(
    (Object.keys(SCALARS) as (keyof typeof SCALARS)[]).flatMap((name) => {
      const value = options[name]
      return value === undefined ? [] : [[SCALARS[name], value]]
    }),
  )

// ---------------------------------------------------------------- tools

/** Names of vendors' own tools, without the date at their end → their type in the Responses API. */
const HOSTED: Readonly<Record<string, JsonObject>> = {
  web_search: { type: 'web_search' },
  web_search_preview: { type: 'web_search' },
  google_search: { type: 'web_search' },
  code_interpreter: { type: 'code_interpreter', container: { type: 'auto' } },
  code_execution: { type: 'code_interpreter', container: { type: 'auto' } },
  file_search: { type: 'file_search' },
  image_generation: { type: 'image_generation' },
  mcp: { type: 'mcp' },
}

/** A tool of the request. `type: null`: no vendor has it. */
function toTool(tool: ModelTool): JsonObject {
  if (tool.type === 'function') {
    const { name, description, inputSchema, strict } = tool
    const words = description === undefined ? {} : { description }
    const isStrict = strict === undefined ? {} : { strict }
    return { type: 'function', name, ...words, parameters: asJson(inputSchema), ...isStrict }
  }
  const kind = tool.id.slice(tool.id.indexOf('.') + 1).replace(/_\d{8}$/, '')
  const args = toSnake(asJson(tool.args) as JsonObject)
  if (kind === 'custom') return { ...args, type: 'custom', name: tool.name }
  const row = lookup(HOSTED, kind)
  if (row === undefined) return { type: null }
  const { allowed_domains, blocked_domains, ...others } = args
  const domains = { ...(allowed_domains ? { allowed_domains } : {}), ...(blocked_domains ? { blocked_domains } : {}) }
  return { ...row, ...others, ...(Object.keys(domains).length === 0 ? {} : { filters: domains }) }
}

const unsupported = (tool: ModelTool | undefined): ModelWarning => ({
  type: 'unsupported',
  feature: `the tool ${tool?.type === 'provider' ? tool.id : ''}`,
  details: 'no vendor has it by this provider',
})

/** Arguments of tools are written in the style of the program, fields of requests in that of the wire. */
const toSnake = (args: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      isObject(value) && name !== 'headers' ? toSnake(value as JsonObject) : value,
    ]),
  )

function toToolChoice(choice: ModelCallOptions['toolChoice'], tools: readonly JsonObject[]): JsonObject {
  if (choice === undefined) return {}
  if (choice.type !== 'tool') return { tool_choice: choice.type }
  const { toolName: name } = choice
  const tool = tools.find((one) => one.name === name) ?? tools.find((one) => one.type === name)
  const type = tool?.type ?? 'function'
  return { tool_choice: type === 'function' || type === 'custom' ? { type, name } : { type } }
}

// ---------------------------------------------------------------- the form of the answer

function toTextFormat(format: ModelCallOptions['responseFormat']): JsonObject {
  if (format?.type !== 'json') return {}
  const { schema, name = 'response', description } = format
  const words = description === undefined ? {} : { description }
  return {
    text: {
      format:
        schema === undefined
          ? { type: 'json_object' }
          : { type: 'json_schema', name, ...words, schema: asJson(schema) },
    },
  }
}

const toReasoning = (effort: string | undefined): JsonObject =>
  effort === undefined || effort === 'provider-default'
    ? {}
    : { reasoning: { effort, ...(effort === 'none' ? {} : { summary: 'auto' }) } }
