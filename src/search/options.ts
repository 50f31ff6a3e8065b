import type * as z from 'zod'
import { clientError, type GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LONGEST } from '../protocol/limits.ts'
import { dropped, type Loss } from '../protocol/loss.ts'
import type { Request, Tool, ToolChoice } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import { FIRST_FAULT, faultIn } from '../validation/by-field.ts'
import { formatPlace } from '../validation/issue.ts'
import { type HostedTool, isOffline, isSearchTool } from '../validation/search-tool.ts'
import { listenTo } from '../validation/unheard.ts'
import type { DomainFilter } from './domains.ts'
import type { EngineName } from './engine.ts'
import { type Location, nestedFields, type PluginFields, pluginFields, type ToolFields, toolFields } from './fields.ts'

const listenToTool = listenTo(toolFields)
const listenToPlugin = listenTo(pluginFields)
const listenToNested = listenTo(nestedFields)

/** A web search as a request asks for it. What was left out is null. */
export interface SearchOptions {
  /** `tool`: the model decides whether and what to search. `plugin`: one search, before the model is asked. */
  readonly kind: 'tool' | 'plugin'
  /** Where the request says so, e.g. `tools[1]`. */
  readonly path: string
  readonly engine: 'auto' | 'native' | EngineName
  readonly mode: string | null
  readonly maxResults: number | null
  /** Results of all searches together. */
  readonly maxTotalResults: number | null
  readonly maxUses: number | null
  readonly maxCharacters: number | null
  readonly contextSize: 'low' | 'medium' | 'high' | null
  readonly filter: DomainFilter
  readonly location: Location | null
  /** `external_web_access: false`: only pages that the upstream has stored may be searched, never the web itself. */
  readonly offline: boolean
  /** What it says beside all this: lost, unless the client's own tool goes to who knows it. */
  readonly unheard: readonly Loss[]
  /** The client's own words about what to do with the results. */
  readonly prompt: string | null
}

/** A request, and apart from it the search that it asks for: it has no web plugin and no `:online` any more. */
export interface Reading {
  readonly request: Request
  readonly options: SearchOptions | null
  /** What is deprecated of the ways it asks. */
  readonly notices: readonly string[]
  readonly losses: readonly Loss[]
}

export type ReadSearch =
  | { readonly ok: true; readonly value: Reading }
  | { readonly ok: false; readonly error: GatewayError }

const isWebPlugin = (plugin: JsonObject): boolean => plugin.id === 'web' && plugin.enabled !== false

const NOW = 'the tool {"type":"service:web_search"} takes its place'

type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: GatewayError }

/** Fields of a part of the request, or what is wrong with them and where. */
function readFields<T>(schema: z.ZodType<T>, fields: unknown, path: string): Found<T> {
  const result = schema.safeParse(fields, FIRST_FAULT)
  if (result.success) return { ok: true, value: result.data }
  const fault = faultIn(result.error)
  const steps = formatPlace(fault.path).replace(/^body$/, '')
  const place = steps === '' || steps.startsWith('[') ? path + steps : `${path}.${steps}`
  return { ok: false, error: clientError('invalid_prompt', `${place}: ${fault.message}`, place) }
}

const listOf = (...lists: readonly (readonly string[] | undefined)[]): readonly string[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
]

function fromTool(fields: ToolFields, path: string, unheard: readonly Loss[]): SearchOptions {
  const { filters } = fields
  return {
    kind: 'tool',
    path,
    unheard,
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

const fromPlugin = (fields: PluginFields, path: string, unheard: readonly Loss[] = []): SearchOptions => ({
  kind: 'plugin',
  path,
  unheard,
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

/** One engine gives fewer results than the others, and the plugin says so (service description, 2.7). */
const PERPLEXITY_MOST = 20

function readPlugin(plugin: JsonObject, at: number): Found<SearchOptions> {
  const path = `plugins[${at}]`
  const fields = readFields<PluginFields>(pluginFields, plugin, path)
  if (!fields.ok) return fields
  const { engine, max_results } = fields.value
  if (engine === 'perplexity' && max_results !== null && max_results > PERPLEXITY_MOST) {
    const place = `${path}.max_results`
    const message = `${place}: expected at most ${PERPLEXITY_MOST} of this engine, got ${max_results}`
    return { ok: false, error: clientError('invalid_prompt', message, place) }
  }
  const unheard: Loss[] = []
  listenToPlugin(plugin, unheard, ['plugins', at])
  return { ok: true, value: fromPlugin(fields.value, path, unheard) }
}

/** Where parameters stand in an object of their own, nothing else is looked at. */
function unheardIn(fields: JsonObject, nested: boolean, at: number): readonly Loss[] {
  const losses: Loss[] = []
  if (nested) listenToNested(fields, losses, ['tools', at])
  listenToTool(nested ? fields.parameters : fields, losses, ['tools', at, ...(nested ? ['parameters'] : [])])
  return losses
}

function readTool(tool: HostedTool, at: number): Found<SearchOptions> {
  const { fields } = tool
  const path = `tools[${at}]`
  const { parameters } = fields
  const nested = isObject(parameters)
  const read = readFields<ToolFields>(toolFields, nested ? parameters : fields, nested ? `${path}.parameters` : path)
  if (!read.ok) return read
  const value = fromTool(read.value, path, unheardIn(fields, nested, at))
  return { ok: true, value: { ...value, offline: isOffline(tool) } }
}

/** `acme/model:online`, also among other suffixes → the model without it. */
export function splitOnline(model: string): { readonly model: string; readonly online: boolean } {
  const [name = '', ...suffixes] = model.split(':')
  const others = suffixes.filter((suffix) => suffix !== 'online')
  return { model: [name, ...others].join(':'), online: others.length < suffixes.length }
}

/** The request with one search tool: as the client wrote it, or this one where it did not ask with a tool. */
export function withOneSearch(request: Request, tool: Tool): Request {
  const first = request.tools.findIndex(isSearchTool)
  if (first < 0) return { ...request, tools: [...request.tools, tool] }
  return { ...request, tools: request.tools.filter((one, i) => i === first || !isSearchTool(one)) }
}

/** The request with this tool where its search tool stands; with none, where the tool is null. */
export function withSearchTool(request: Request, tool: Tool | null): Request {
  const at = request.tools.findIndex(isSearchTool)
  if (at < 0 && tool === null) return request
  const tools = request.tools.flatMap((one, i) =>
    isSearchTool(one) ? (i === at && tool !== null ? [tool] : []) : [one],
  )
  return {
    ...request,
    tools: at < 0 && tool !== null ? [...tools, tool] : tools,
    tool_choice: toChoice(request, tool),
  }
}

/** To force the search is to force the tool that stands for it. */
function toChoice({ tool_choice: choice, tools }: Request, tool: Tool | null): ToolChoice | null {
  if (choice === null || typeof choice === 'string' || choice.type !== 'hosted') return choice
  const { name } = choice
  const isOurs = tools.some((one) => isSearchTool(one) && one.name === name)
  if (!isOurs) return choice
  return tool === null ? null : { type: tool.type, name: tool.name }
}

const refuseSearches = (list: string, at: number): { readonly ok: false; readonly error: GatewayError } => {
  const place = `${list}[${at}]`
  const message = `${place}: expected at most ${LONGEST.searches} web searches in ${list}, got more`
  return { ok: false, error: clientError('invalid_prompt', message, place) }
}

/**
 * What a request says of web search, in any of its three ways, of which one counts: the tool before the plugin, the
 * plugin before the suffix, the first before the others.
 */
export function readSearch(request: Request): ReadSearch {
  const { model, online } = splitOnline(request.model)
  const tools = request.tools.flatMap((tool, at) => (isSearchTool(tool) ? [{ tool, at }] : []))
  const asked = request.plugins.flatMap((plugin, at) => (isWebPlugin(plugin) ? [{ plugin, at }] : []))
  const [tooMany] = [...tools.slice(LONGEST.searches), ...asked.slice(LONGEST.searches)]
  if (tooMany !== undefined) return refuseSearches('tool' in tooMany ? 'tools' : 'plugins', tooMany.at)
  // Every one of them is read, so that every one of them is checked.
  const ways = [
    ...tools.map(({ tool, at }) => readTool(tool, at)),
    ...asked.map(({ plugin, at }) => readPlugin(plugin, at)),
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
        ...asked.map(({ at }) => `plugins[${at}]: the plugin "web" is deprecated; ${NOW}`),
        ...(online ? [`model: the suffix ":online" is deprecated; ${NOW}`] : []),
      ],
      losses: others.map(({ path }) => dropped(path, 'web search is asked for in another place, too: once is enough')),
    },
  }
}
