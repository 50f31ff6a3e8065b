import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped } from '../../../protocol/loss.ts'
import type { Request } from '../../../protocol/request.ts'
import { isObject } from '../../../text/json.ts'
import {
  type HostedTool,
  isIdleField,
  isOffline,
  isSearchTool,
  NO_STORED_PAGES,
} from '../../../validation/search/search-tool.ts'
import type { SearchStyle } from '../../quirks.ts'

/** The search tool of docs/description.md, 2.6, and the same tool of OpenRouter. */
const SERVICE: ReadonlySet<string> = new Set(['service:web_search', 'openrouter:web_search'])

/** Fields of this service's search, and of Anthropic's: "Unknown parameter: 'tools[0].max_uses'". */
const OTHERS = /^(?:engine|mode|max_\w+|parameters|(?:allowed|blocked|(?:in|ex)cluded?)_domains)$/

/** Whether a search is OpenAI's own, name and fields. Anthropic's name ends with a date without separators. */
export const isOpenaiSearch = ({ name, fields }: HostedTool): boolean =>
  !SERVICE.has(name) && !/_\d{8}$/.test(name) && !Object.keys(fields).some((field) => OTHERS.test(field))

/** The name of a vendor's search, and the fields that it accepts (docs/wires/openai-responses.md, 9.5). */
interface Search {
  readonly type: string
  readonly filters: readonly string[]
  readonly options: readonly string[]
  /** The search can stay offline: `external_web_access: false`. */
  readonly storesPages: boolean
  /** The search lists its sources if `include` names them. */
  readonly listsSources: boolean
}

const OPTIONS = ['user_location', 'search_context_size'] as const

const SEARCHES = {
  openai: {
    type: 'web_search',
    filters: ['allowed_domains'],
    options: [...OPTIONS, 'external_web_access'],
    storesPages: true,
    listsSources: true,
  },
  // OpenAI's web search guide: the preview tool ignores `external_web_access`, and searches the live web.
  preview: { type: 'web_search_preview', filters: [], options: OPTIONS, storesPages: false, listsSources: true },
  // xAI rejects `external_web_access` with a 400.
  xai: {
    type: 'web_search',
    filters: ['allowed_domains', 'excluded_domains'],
    options: [],
    storesPages: false,
    listsSources: false,
  },
  openrouter: { type: 'openrouter:web_search', filters: [], options: [], storesPages: false, listsSources: false },
} satisfies Record<SearchStyle, Search>

/** Name of a filter in any vendor's tool → its name in this API. */
const FILTERS: Readonly<Record<string, string>> = {
  allowed_domains: 'allowed_domains',
  include_domains: 'allowed_domains',
  excluded_domains: 'excluded_domains',
  exclude_domains: 'excluded_domains',
  blocked_domains: 'excluded_domains',
}

/** A value of the client, with its path. */
interface SearchOption {
  readonly value: Json
  readonly path: string
}

const optionsIn = (
  record: Json | undefined,
  path: string,
): readonly (readonly [name: string, option: SearchOption])[] =>
  Object.entries(isObject(record) ? (record as JsonObject) : {}).map(([name, value]) => [
    name,
    { value, path: `${path}.${name}` },
  ])

/** Collects all fields of a search: those of the tool itself, of `filters` and of `parameters`. */
const optionsOf = ({ parameters, filters, ...rest }: JsonObject, path: string): ReadonlyMap<string, SearchOption> =>
  new Map([
    ...(isObject(parameters) ? optionsOf(parameters as JsonObject, `${path}.parameters`) : []),
    ...optionsIn(filters, `${path}.filters`),
    ...optionsIn(rest, path),
  ])

export interface EncodedSearchTool {
  readonly tool: JsonObject
  readonly losses: readonly Loss[]
}

function adapt(fields: JsonObject, { type, filters, options }: Search, path: string): EncodedSearchTool {
  const wanted = [...optionsOf(fields, path)].filter(([name, { value }]) => !isIdleField(name, value))
  const filterOf = (name: string): string => (Object.hasOwn(FILTERS, name) ? (FILTERS[name] as string) : '')
  const chosen = wanted.filter(([name]) => filters.includes(filterOf(name)))
  const supported = wanted.filter(([name]) => options.includes(name))
  const unsupported = wanted.filter(([name]) => !filters.includes(filterOf(name)) && !options.includes(name))
  const filter = Object.fromEntries(chosen.map(([name, { value }]) => [filterOf(name), value]))
  return {
    tool: {
      type,
      ...(chosen.length === 0 ? {} : { filters: filter }),
      ...Object.fromEntries(supported.map(([name, { value }]) => [name, value])),
    },
    losses: unsupported.map(([, { path }]) => dropped(path, 'the search of this upstream has no such setting')),
  }
}

/** Encodes a search tool for the vendor. OpenAI's own tool goes to OpenAI unchanged. */
export function encodeSearch(hosted: HostedTool, style: SearchStyle, path: string): EncodedSearchTool | Loss {
  const { name, fields } = hosted
  const search = SEARCHES[style]
  if (isOffline(hosted) && !search.storesPages) return dropped(path, NO_STORED_PAGES)
  if (style === 'openai' && isOpenaiSearch(hosted)) {
    // The preview tool would search the live web, so `web_search` replaces it.
    const type = isOffline(hosted) && name.includes('preview') ? search.type : name
    return { tool: { ...fields, type }, losses: type === name ? [] : [mapped(`${path}.type`, `sent as ${type}`)] }
  }
  if (style === 'openrouter') {
    const { external_web_access, ...known } = fields
    return { tool: { ...known, type: SERVICE.has(name) ? search.type : name }, losses: [] }
  }
  return adapt(fields, search, path)
}

/** The entry of `include` for the pages that a search has found. */
export const SOURCES = 'web_search_call.action.sources'

export const listsSources = (style: SearchStyle): boolean => SEARCHES[style].listsSources

export const searchType = (style: SearchStyle): string => SEARCHES[style].type

/** Encodes the deprecated plugin as the search tool, unless the request has that tool already. */
export function encodePlugins(
  { plugins, tools }: Request,
  style: SearchStyle,
): { tools: readonly JsonObject[]; losses: readonly Loss[] } {
  const searches = tools.some(isSearchTool)
  const fitted = plugins.map((plugin, i): EncodedSearchTool | null => {
    const { id, ...fields } = plugin
    return id === 'web' && !searches ? adapt(fields, SEARCHES[style], `plugins[${i}]`) : null
  })
  const first = fitted.find((tool) => tool !== null)
  return {
    tools: first === undefined ? [] : [first.tool],
    losses: fitted.flatMap((tool, i) => {
      if (tool !== null && tool === first) return tool.losses
      const why = plugins[i]?.id === 'web' ? 'the request already has a web search' : 'this upstream has no equivalent'
      return [dropped(`plugins[${i}]`, why)]
    }),
  }
}

const X_FIELDS = [
  'allowed_x_handles',
  'excluded_x_handles',
  'from_date',
  'to_date',
  'enable_image_understanding',
  'enable_video_understanding',
] as const

/** Encodes the filter of docs/description.md, 2.7, as xAI's own tool, which has the same fields. */
export function encodeXSearch(filter: JsonObject): EncodedSearchTool {
  const known: readonly string[] = X_FIELDS
  const entries = Object.entries(filter)
  return {
    tool: { type: 'x_search', ...Object.fromEntries(entries.filter(([name]) => known.includes(name))) },
    losses: entries
      .filter(([name]) => !known.includes(name))
      .map(([name]) => dropped(`x_search_filter.${name}`, 'the search of this upstream has no such setting')),
  }
}
