import type * as z from 'zod'
import { clientError, type GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import { dropped, type Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import { FIRST_FAULT, fieldFaultIn } from '../validation/fast-parse.ts'
import { formatPath } from '../validation/messages.ts'
import { type HostedTool, isOffline, isSearchTool } from '../validation/search/search-tool.ts'
import { collectUnknown } from '../validation/unknown-fields.ts'
import type { DomainFilter } from './domains.ts'
import type { EngineName } from './engine.ts'
import { type Location, nestedFields, type PluginFields, pluginFields, type ToolFields, toolFields } from './schema.ts'

const collectUnknownOfTool = collectUnknown(toolFields)
const collectUnknownOfPlugin = collectUnknown(pluginFields)
const collectUnknownOfNested = collectUnknown(nestedFields)

/** A web search as a request describes it. Fields that were left out are null. */
export interface SearchOptions {
  /** `tool`: the model decides whether and what to search. `plugin`: one search before the model is called. */
  readonly kind: 'tool' | 'plugin'
  /** The path of the search in the request, such as `tools[1]`. */
  readonly path: string
  readonly engine: 'auto' | 'native' | EngineName
  readonly mode: string | null
  readonly maxResults: number | null
  /** The most results of all searches together. */
  readonly maxTotalResults: number | null
  readonly maxUses: number | null
  readonly maxCharacters: number | null
  readonly contextSize: 'low' | 'medium' | 'high' | null
  readonly filter: DomainFilter
  readonly location: Location | null
  /** `external_web_access: false`: only pages that the upstream has stored may be searched, never the web itself. */
  readonly offline: boolean
  /**
   * Losses of fields that are not read here. They do not apply if the client's own tool goes to an upstream that reads
   * them.
   */
  readonly unknownFields: readonly Loss[]
  /** The client's own instructions for the use of the results. */
  readonly prompt: string | null
}

/** A request and, separated from it, its search: the request has no web plugin and no suffix `:online` any more. */
export interface ParseContext {
  readonly request: Request
  readonly options: SearchOptions | null
  /** Deprecation notices for the forms in which the request describes the search. */
  readonly notices: readonly string[]
  readonly losses: readonly Loss[]
  /** The error in a search tool that was not read, with the client's own path: only its own vendor may receive it. */
  readonly fault?: GatewayError
}

type ParsedSearch =
  | { readonly ok: true; readonly value: ParseContext }
  | { readonly ok: false; readonly error: GatewayError }

const isWebPlugin = (plugin: JsonObject): boolean => plugin.id === 'web' && plugin.enabled !== false

const NOW = 'use the tool {"type":"service:web_search"} instead'

type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: GatewayError }

/** Validates the fields of a part of the request; an error has the path in the request. */
function readFields<T>(schema: z.ZodType<T>, fields: unknown, path: string): Found<T> {
  const result = schema.safeParse(fields, FIRST_FAULT)
  if (result.success) return { ok: true, value: result.data }
  const fault = fieldFaultIn(result.error)
  const fieldPath = `${path}.${formatPath(fault.path)}`
  return { ok: false, error: clientError('invalid_prompt', `${fieldPath}: ${fault.message}`, fieldPath) }
}

const listOf = (...lists: readonly (readonly string[] | undefined)[]): readonly string[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
]

function fromTool(fields: ToolFields, path: string, unknownFields: readonly Loss[]): SearchOptions {
  const { filters } = fields
  return {
    kind: 'tool',
    path,
    unknownFields,
    engine: fields.engine ?? 'auto',
    mode: fields.mode,
    maxResults: fields.max_results,
    maxTotalResults: fields.max_total_results,
    maxUses: fields.max_uses,
    maxCharacters: fields.max_characters,
    contextSize: fields.search_context_size,
    filter: {
      allowed: listOf(fields.allowed_domains, fields.include_domains, filters?.allowed_domains),
      excluded: listOf(
        fields.excluded_domains,
        fields.exclude_domains,
        fields.blocked_domains,
        filters?.excluded_domains,
        filters?.blocked_domains,
      ),
    },
    location: fields.user_location,
    offline: false,
    prompt: null,
  }
}

const fromPlugin = (fields: PluginFields, path: string, unknownFields: readonly Loss[] = []): SearchOptions => ({
  kind: 'plugin',
  path,
  unknownFields,
  engine: fields.engine ?? 'auto',
  mode: fields.mode,
  maxResults: fields.max_results,
  maxTotalResults: null,
  maxUses: fields.max_uses,
  maxCharacters: null,
  contextSize: null,
  filter: { allowed: fields.include_domains, excluded: fields.exclude_domains },
  location: fields.user_location,
  offline: false,
  prompt: fields.search_prompt,
})

/**
 * This engine returns fewer results than the others; the plugin's schema has the same bound (docs/description.md, 2.7).
 */
const PERPLEXITY_MOST = 20

function readPlugin(plugin: JsonObject, at: number): Found<SearchOptions> {
  const path = `plugins[${at}]`
  const fields = readFields<PluginFields>(pluginFields, plugin, path)
  if (!fields.ok) return fields
  const { engine, max_results } = fields.value
  if (engine === 'perplexity' && max_results !== null && max_results > PERPLEXITY_MOST) {
    const fieldPath = `${path}.max_results`
    const message = `${fieldPath}: expected at most ${PERPLEXITY_MOST} for the search engine perplexity, got ${max_results}`
    return { ok: false, error: clientError('invalid_prompt', message, fieldPath) }
  }
  const unknownFields: Loss[] = []
  collectUnknownOfPlugin(plugin, { losses: unknownFields }, ['plugins', at])
  return { ok: true, value: fromPlugin(fields.value, path, unknownFields) }
}

/** If the parameters are in an object of their own, the fields beside it are not read and are losses. */
function unknownFieldsIn(fields: JsonObject, nested: boolean, at: number): readonly Loss[] {
  const losses: Loss[] = []
  if (nested) collectUnknownOfNested(fields, { losses }, ['tools', at])
  collectUnknownOfTool(nested ? fields.parameters : fields, { losses }, [
    'tools',
    at,
    ...(nested ? ['parameters'] : []),
  ])
  return losses
}

function readTool(tool: HostedTool, at: number): Found<SearchOptions> {
  const { fields } = tool
  const path = `tools[${at}]`
  const { parameters } = fields
  const nested = isObject(parameters)
  const read = readFields<ToolFields>(toolFields, nested ? parameters : fields, nested ? `${path}.parameters` : path)
  if (!read.ok) return read
  const value = fromTool(read.value, path, unknownFieldsIn(fields, nested, at))
  return { ok: true, value: { ...value, offline: isOffline(tool) } }
}

/** Removes the suffix `:online` from a model: `acme/model:online`, also among other suffixes. */
export function splitOnline(model: string): { readonly model: string; readonly online: boolean } {
  if (!model.includes(':')) return { model, online: false }
  const [name = '', ...suffixes] = model.split(':')
  const others = suffixes.filter((suffix) => suffix !== 'online')
  return { model: [name, ...others].join(':'), online: others.length < suffixes.length }
}

const refuseSearches = (list: string, at: number): { readonly ok: false; readonly error: GatewayError } => {
  const path = `${list}[${at}]`
  const message = `${path}: expected at most ${MAX_LENGTHS.searches} web searches in ${list}, got more`
  return { ok: false, error: clientError('invalid_prompt', message, path) }
}

/**
 * Reads the web search of a request in any of its three forms. Only one counts: the tool before the plugin, the plugin
 * before the suffix, the first of several before the others.
 */
export function parseSearch(request: Request): ParsedSearch {
  const { model, online } = splitOnline(request.model)
  if (!online && request.plugins.length === 0 && !request.tools.some(isSearchTool))
    return { ok: true, value: { request, options: null, notices: [], losses: [] } }
  const tools = request.tools.flatMap((tool, at) => (isSearchTool(tool) ? [{ tool, at }] : []))
  const webPlugins = request.plugins.flatMap((plugin, at) => (isWebPlugin(plugin) ? [{ plugin, at }] : []))
  const [tooMany] = [...tools.slice(MAX_LENGTHS.searches), ...webPlugins.slice(MAX_LENGTHS.searches)]
  if (tooMany !== undefined) return refuseSearches('tool' in tooMany ? 'tools' : 'plugins', tooMany.at)
  // Reads all of them, so that each of them is validated.
  const ways = [
    ...tools.map(({ tool, at }) => readTool(tool, at)),
    ...webPlugins.map(({ plugin, at }) => readPlugin(plugin, at)),
  ]
  const wrong = ways.find((way) => !way.ok)
  if (wrong !== undefined && !wrong.ok) return wrong
  const found = [
    ...ways.flatMap((way) => (way.ok ? [way.value] : [])),
    ...(online ? [fromPlugin(pluginFields.parse({}), 'model')] : []),
  ]
  const [options = null, ...others] = found
  const plugins = request.plugins.filter(({ id }) => id !== 'web')
  const isAsItWas = !online && plugins.length === request.plugins.length
  return {
    ok: true,
    value: {
      request: isAsItWas ? request : { ...request, model, plugins },
      options: options?.kind === 'tool' && request.tool_choice === 'none' ? null : options,
      notices: [
        ...webPlugins.map(({ at }) => `plugins[${at}]: the plugin "web" is deprecated; ${NOW}`),
        ...(online ? [`model: the suffix ":online" is deprecated; ${NOW}`] : []),
      ],
      losses: others.map(({ path }) => dropped(path, 'the request has another web search, which takes precedence')),
    },
  }
}
