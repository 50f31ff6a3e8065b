import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { dropped, type Loss } from '../protocol/loss.ts'
import type { Tool } from '../protocol/request.ts'
import type { NativeSearch, OwnSearch } from '../protocol/search.ts'
import type { DomainFilter } from './domains.ts'
import type { EngineName, SearchQuery } from './engine.ts'
import type { SearchOptions } from './options.ts'
import { ENGINES } from './registry.ts'

/** The search engines that this server can query. */
export interface Available {
  /** The default engine, for requests that name none. */
  readonly defaultEngine: EngineName | null
  readonly engines: readonly EngineName[]
}

type SearchMode = { readonly way: 'native' } | { readonly way: 'engine'; readonly engine: EngineName }

type SearchChoice =
  | { readonly ok: true; readonly value: SearchMode }
  /**
   * `missing`: no search is available for this model here. Otherwise the request names a search that it cannot have.
   */
  | { readonly ok: false; readonly missing: boolean; readonly reason: string; readonly error: GatewayError }

const isPlain = (pattern: string): boolean => !/[*/]/.test(pattern)

/** Whether the upstream's own search supports the whole filter. Its results cannot be checked here. */
export function fitsNative({ allowed, excluded }: DomainFilter, native: NativeSearch): boolean {
  if (native === 'both' || (allowed.length === 0 && excluded.length === 0)) return true
  if (native === 'plain' || ![...allowed, ...excluded].every(isPlain)) return false
  return native === 'either' ? allowed.length === 0 || excluded.length === 0 : excluded.length === 0
}

const refuse = ({ path }: SearchOptions, reason: string, missing = false, remedy = ''): SearchChoice => ({
  ok: false,
  missing,
  reason,
  error: clientError('invalid_prompt', `${path}: ${reason}${remedy}`, path),
})

const REMEDY = ': set "search" in the configuration, such as {"engine": "exa", "key": {"env": "EXA_API_KEY"}}'

const NO_NATIVE = 'this upstream has no web search of its own'
const NO_FIT = 'the web search of this upstream does not support these domains'
const NO_MIX = 'this model does not support its own web search together with functions'
const NO_CALLS = 'this upstream does not support functions, which a search engine requires'

const native: SearchChoice = { ok: true, value: { way: 'native' } }
const byEngine = (engine: EngineName): SearchChoice => ({ ok: true, value: { way: 'engine', engine } })

/**
 * Returns the reason why the upstream cannot run this search; null if it can. `functions`: the request offers
 * functions.
 */
function reasonAgainst({ filter }: SearchOptions, own: OwnSearch, functions: boolean): string | null {
  if (own.domains === 'none') return NO_NATIVE
  if (own.excludesFunctions && functions) return NO_MIX
  return fitsNative(filter, own.domains) ? null : NO_FIT
}

/**
 * Chooses the search: the engine that the client names; otherwise the upstream's own search if it exists and supports
 * the filter, otherwise the default engine. `functions`: the request offers functions.
 */
export function chooseSearch(
  options: SearchOptions,
  own: OwnSearch,
  { defaultEngine, engines }: Available,
  functions: boolean,
): SearchChoice {
  const { engine, kind } = options
  const reason = reasonAgainst(options, own, functions)
  if (engine === 'native') return reason === null ? native : refuse(options, reason)
  // The model calls a tool's engine as a function. For a plugin the engine is queried before the model, so it needs no
  // functions.
  const served = kind === 'plugin' || own.takesFunctions
  if (engine !== 'auto') {
    if (!served) return refuse(options, NO_CALLS)
    return engines.includes(engine)
      ? byEngine(engine)
      : refuse(options, `the search engine ${engine} is not configured`)
  }
  if (reason === null) return native
  // Such a model searches for every answer: with an engine it would still run its own search, without the filter.
  if (own.always) return refuse(options, reason)
  if (!served) return refuse(options, `${reason}, and ${NO_CALLS}`, true)
  return defaultEngine === null
    ? refuse(options, `${reason}, and no search engine is configured`, true, REMEDY)
    : byEngine(defaultEngine)
}

const given = (fields: Readonly<Record<string, Json>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

const listed = (domains: readonly string[]): Json => (domains.length === 0 ? null : domains)

/** Creates a search tool with all these options, under this service's own names, which every wire can encode. */
export function nativeTool({ filter, location, contextSize, maxUses, maxResults }: SearchOptions): Tool {
  const parameters = given({
    allowed_domains: listed(filter.allowed),
    excluded_domains: listed(filter.excluded),
    user_location: location === null ? null : { type: 'approximate', ...given({ ...location }) },
    search_context_size: contextSize,
    max_uses: maxUses,
    max_results: maxResults,
  })
  const fields: JsonObject = Object.keys(parameters).length === 0 ? {} : { parameters }
  return { type: 'hosted', name: 'service:web_search', fields }
}

const MAX_RESULTS = 5
const EXCERPTS: Readonly<Record<'low' | 'medium' | 'high', number>> = { low: 1000, medium: 2500, high: 6000 }

/**
 * Converts the options of a search to a query without its text. `defaultResults`: the server's default number of
 * results.
 */
export const toQuery = (options: SearchOptions, defaultResults: number | null): Omit<SearchQuery, 'query'> => ({
  maxResults: options.maxResults ?? defaultResults ?? MAX_RESULTS,
  filter: options.filter,
  maxCharacters: options.maxCharacters ?? EXCERPTS[options.contextSize ?? 'medium'],
  country: options.location?.country?.toUpperCase() ?? null,
  mode: options.mode,
})

/** Returns the losses of options that an engine has no field for. */
export function engineLosses(
  { path, location, mode, maxResults, unknownFields }: SearchOptions,
  name: EngineName,
): readonly Loss[] {
  const engine = ENGINES[name]
  const near = location !== null && (location.city ?? location.region ?? location.timezone) !== null
  return [
    ...(near ? [dropped(`${path}.user_location`, 'search engines accept only a country')] : []),
    ...(mode !== null && !engine.modes.includes(mode)
      ? [dropped(`${path}.mode`, `${name} does not support this mode`)]
      : []),
    ...(maxResults !== null && maxResults > engine.most
      ? [dropped(`${path}.max_results`, `${name} returns at most ${engine.most} results`)]
      : []),
    ...unknownFields,
  ]
}
