import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import { toCacheBreakpoint } from './cache-breakpoint.ts'
import type { ModelCallOptions, ModelTool, ModelWarning } from './contract.ts'
import { asJson } from './files.ts'
import { toCamelName, toSnakeName } from './names.ts'

/** Tools of a call as those of a request. What the request has no place for is a warning. */
interface ModelTools {
  readonly tools: readonly JsonObject[]
  readonly choice: JsonObject
  readonly warnings: readonly ModelWarning[]
  readonly names: VendorToolNames
}

/**
 * Tools whose vendor gives them a name, such as Anthropic's `bash`: its name → the name that the program gives to it. The
 * program has its own name in calls and results.
 */
export type VendorToolNames = ReadonlyMap<string, string>

/** One tool: its body, or the reason why there is none, and the arguments that have no equivalent. */
interface OfferedTool {
  readonly body: JsonObject | string
  readonly unknown?: readonly string[]
}

/** `wire`: the protocol of the upstream, whose vendor may have tools that no other one has. */
export function toTools(given: readonly ModelTool[], choice: ModelCallOptions['toolChoice'], wire: string): ModelTools {
  const offered = given.map((tool) => ({ tool, ...toTool(tool, wire) }))
  const known = offered.flatMap(({ tool, body }) => (typeof body === 'string' ? [] : [{ name: tool.name, body }]))
  const names = known.flatMap(({ name, body }) => {
    const own = DATED.test(String(body.type)) ? ownName(body) : name
    return own === name ? [] : [[own, name] as const]
  })
  const asked = toToolChoice(choice, known, given)
  return {
    tools: known.map(({ body }) => body),
    choice: asked ?? {},
    names: new Map(names),
    warnings: [
      ...offered.flatMap(({ tool, body, unknown = [] }) => warningsOf(tool, body, unknown)),
      ...(asked === null ? [unsupported('toolChoice', 'the tool that it forces is not sent')] : []),
    ],
  }
}

const unsupported = (feature: string, details: string): ModelWarning => ({ type: 'unsupported', feature, details })

function warningsOf(tool: ModelTool, body: JsonObject | string, unknown: readonly string[]): readonly ModelWarning[] {
  const name = tool.type === 'provider' ? tool.id : tool.name
  if (typeof body === 'string') return [unsupported(`the tool ${name}`, body)]
  return unknown.map((argument) => unsupported(`${argument} of the tool ${name}`, 'it has no equivalent here'))
}

function toTool(tool: ModelTool, wire: string): OfferedTool {
  if (tool.type === 'provider') return toHosted(tool, wire)
  const { name, description, inputSchema, strict } = tool
  const words = description === undefined ? {} : { description }
  const isStrict = strict === undefined ? {} : { strict }
  const parameters = asJson(inputSchema)
  return { body: { type: 'function', name, ...words, parameters, ...isStrict, ...toCacheBreakpoint(tool) } }
}

// ---------------------------------------------------------------- tools of providers

type ProviderTool = Extract<ModelTool, { readonly type: 'provider' }>

interface Hosted {
  /** Its type in the Responses API. */
  readonly type: string
  /** The arguments that become fields, in the style of the wire. */
  readonly takes: readonly string[]
  /** Fields whose form differs from that of the arguments. */
  readonly toFields?: (args: JsonObject) => JsonObject
}

const DOMAINS = ['allowed_domains', 'blocked_domains', 'excluded_domains'] as const

/** Any vendor's search, under the name for which every wire records the fields that it does not have. */
const SEARCH: Hosted = {
  type: 'service:web_search',
  takes: [
    ...DOMAINS,
    'filters',
    'user_location',
    'search_context_size',
    'max_uses',
    'max_results',
    'external_web_access',
  ],
}

/** OpenAI requires a container; an object of the AI SDK has no type. */
const CODE: Hosted = {
  type: 'code_interpreter',
  takes: ['container'],
  toFields: ({ container }) => ({
    container:
      isObject(container) || container === undefined ? { type: 'auto', ...(container as JsonObject) } : container,
  }),
}

/** Names of vendors' own tools, without the date at their end. */
const HOSTED: Readonly<Record<string, Hosted>> = {
  web_search: SEARCH,
  web_search_preview: SEARCH,
  google_search: SEARCH,
  enterprise_web_search: SEARCH,
  browser_search: SEARCH,
  code_interpreter: CODE,
  code_execution: CODE,
  file_search: {
    type: 'file_search',
    takes: ['vector_store_ids', 'max_num_results', 'ranking', 'filters'],
    toFields: ({ ranking, ...fields }) => ({
      ...fields,
      ...(ranking === undefined ? {} : { ranking_options: ranking }),
    }),
  },
  image_generation: {
    type: 'image_generation',
    takes: [
      'action',
      'background',
      'input_fidelity',
      'input_image_mask',
      'model',
      'moderation',
      'output_compression',
      'output_format',
      'partial_images',
      'quality',
      'size',
    ],
  },
  mcp: {
    type: 'mcp',
    takes: [
      'server_label',
      'allowed_tools',
      'authorization',
      'connector_id',
      'headers',
      'require_approval',
      'server_description',
      'server_url',
    ],
  },
}

/** Types of Anthropic's own tools end with a date. */
const DATED = /_\d{8}$/

/** Anthropic's tools that only its own wire has, and accepts by these types. The program runs all but the last one. */
const OF_ANTHROPIC = /^(?:bash|text_editor|computer|memory|web_fetch)_\d{8}$/

function toHosted({ id, name, args: given }: ProviderTool, wire: string): OfferedTool {
  const dot = id.indexOf('.')
  const [provider, type] = [id.slice(0, dot), id.slice(dot + 1)]
  const args = toSnake(asJson(given) as JsonObject)
  if (type === 'custom') return { body: { ...args, type, name } }
  if (provider === 'xai' && type === 'x_search' && wire === 'openai-responses') return { body: { ...args, type } }
  const row = lookup(HOSTED, type.replace(DATED, ''))
  if (row === undefined)
    return provider === 'anthropic' && wire === 'anthropic-messages' && OF_ANTHROPIC.test(type)
      ? { body: { ...args, type, ...nameOf(type) } }
      : { body: 'it has no equivalent here' }
  const { takes, toFields = (fields: JsonObject) => fields } = row
  const entries = Object.entries(args).filter(([, value]) => value !== null)
  const isTaken = ([argument]: readonly [string, unknown]): boolean => takes.includes(argument)
  const taken = Object.fromEntries(entries.filter(isTaken))
  if (row.type === 'file_search' && taken.vector_store_ids === undefined)
    return { body: 'its files are stored by another vendor' }
  // As in OpenAI's package: only a program that requests approvals answers them.
  const approval = row.type === 'mcp' && provider !== 'xai' ? { require_approval: 'never' } : {}
  return {
    body: { type: row.type, ...approval, ...toFields(taken) },
    unknown: entries.filter((entry) => !isTaken(entry)).map(([argument]) => toCamelName(argument)),
  }
}

/** The names of editors of texts, which are not those of their types. */
const nameOf = (type: string): JsonObject => {
  if (!type.startsWith('text_editor_')) return {}
  return { name: type < 'text_editor_20250429' ? 'str_replace_editor' : 'str_replace_based_edit_tool' }
}

const ownName = ({ type, name }: JsonObject): string =>
  isNonEmptyString(name) ? name : String(type).replace(DATED, '')

const toSnake = (args: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      toSnakeName(name),
      isObject(value) && name !== 'headers' ? toSnake(value as JsonObject) : value,
    ]),
  )

const isSearch = (tool: unknown): boolean => isObject(tool) && tool.type === SEARCH.type
const isOwn = (tool: JsonObject): boolean => tool.type !== 'function' && tool.type !== 'custom'

/**
 * The request without what its refusal names, and the warning: a search that the upstream cannot make as it is
 * requested, or the choice of a tool of a provider that it does not have. Null for any other refusal.
 */
export function withoutRefusedTools(
  { tools: given, tool_choice: choice, ...body }: JsonObject,
  { param, message }: GatewayError,
): { readonly body: JsonObject; readonly warning: ModelWarning } | null {
  const tools = (Array.isArray(given) ? given : []) as readonly JsonObject[]
  if (param === 'tool_choice' && choice !== undefined && tools.every(isOwn))
    return { body: { ...body, tools }, warning: unsupported('toolChoice', message) }
  if (!isSearch(tools[Number(/^tools\[(\d+)\]$/.exec(param ?? '')?.[1] ?? -1)])) return null
  const others = tools.filter((tool) => !isSearch(tool))
  const kept = choice === undefined || isSearch(choice) || others.length === 0 ? {} : { tool_choice: choice }
  return {
    body: { ...body, ...(others.length === 0 ? {} : { tools: others }), ...kept },
    warning: unsupported('the search of the web', 'this model has none, or none with these domains'),
  }
}

// ---------------------------------------------------------------- the choice

interface KnownTool {
  /** The name that the program gives to it. */
  readonly name: string
  readonly body: JsonObject
}

/** Null: it forces a tool that is not sent. A name that no tool has is an error of the request. */
function toToolChoice(
  choice: ModelCallOptions['toolChoice'],
  known: readonly KnownTool[],
  given: readonly ModelTool[],
): JsonObject | null {
  if (choice === undefined || known.length === 0) return {}
  if (choice.type !== 'tool') return { tool_choice: choice.type }
  const { toolName: name } = choice
  const found = known.find((tool) => tool.name === name) ?? known.find(({ body }) => body.type === name)
  if (found === undefined && given.some((tool) => tool.name === name)) return null
  const type = found?.body.type ?? 'function'
  return { tool_choice: type === 'function' || type === 'custom' ? { type, name } : { type } }
}
