import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isNonEmptyString, parseJson } from '../text/json.ts'
import { withoutHalf } from '../text/offsets.ts'
import { type DomainFilter, type DomainSupport, isAllowed, type NativeFilter, toNative } from './domains.ts'

export type EngineName = 'exa' | 'firecrawl' | 'parallel' | 'perplexity' | 'searxng'

/** One search with the options of the request. */
export interface SearchQuery {
  readonly query: string
  readonly maxResults: number
  readonly filter: DomainFilter
  /** The longest excerpt of one page, in UTF-16 units. */
  readonly maxCharacters: number
  /** The location of the user, as an ISO 3166-1 code of two letters. */
  readonly country: string | null
  /** How thorough the search is, in the engine's own word. */
  readonly mode: string | null
}

/** The query that an engine receives: within its bounds, with the part of the filter that it supports. */
export interface EngineQuery extends Omit<SearchQuery, 'filter'> {
  readonly filter: NativeFilter
}

export interface SearchResult {
  readonly url: string
  readonly title: string | null
  readonly content: string | null
  /** In the engine's own format. */
  readonly date: string | null
}

/** The request that is sent with POST. */
interface EngineRequest {
  /** Below the engine's base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A search engine: an encoder of its requests and a decoder of its answers, without I/O. */
export interface SearchEngine {
  readonly name: EngineName
  /** null if every operator runs a server of their own. */
  readonly baseUrl: string | null
  /** The environment variable that holds the key; null if no key is needed. */
  readonly keyVariable: string | null
  /** The most results of one search. */
  readonly most: number
  /** The most UTF-16 units of one query. */
  readonly longestQuery: number
  readonly domains: DomainSupport
  /** The supported modes; any other mode is not sent. */
  readonly modes: readonly string[]
  encode(query: EngineQuery): {
    readonly path: string
    readonly body: JsonObject
    /** The body is a form instead of JSON. */
    readonly form?: true
  }
  /** Headers that carry the key. */
  authorize(key: string): Readonly<Record<string, string>>
  /**
   * Decodes a body of status 2xx into its results, in order; null if it is not a valid answer. Every field is
   * untrusted.
   */
  decode(body: unknown): readonly EngineAnswer[] | null
  /** Returns the message in a body of any other status; empty if there is none. */
  explain(body: unknown): string
}

/** A result of an engine before validation: each field may have any value. */
export interface EngineAnswer {
  readonly url: unknown
  readonly title: unknown
  readonly content: unknown
  readonly date: unknown
}

export type SearchAnswer =
  | { readonly ok: true; readonly results: readonly SearchResult[] }
  | { readonly ok: false; readonly error: GatewayError }

/** The factor by which more results are requested if the engine does not apply the whole filter. */
const SPARE = 3

/** Shortens a text, never inside a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return withoutHalf(text.slice(0, most))
}

const toForm = (fields: JsonObject): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString()

export function toEngineRequest(engine: SearchEngine, query: SearchQuery, key: string | null): EngineRequest {
  const filter = toNative(query.filter, engine.domains)
  const wanted = filter.exact ? query.maxResults : query.maxResults * SPARE
  const { mode } = query
  const engineQuery: EngineQuery = {
    ...query,
    filter,
    query: cut(query.query, engine.longestQuery),
    maxResults: Math.min(wanted, engine.most),
    mode: mode !== null && engine.modes.includes(mode) ? mode : null,
  }
  const { path, body, form } = engine.encode(engineQuery)
  const type = form === true ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    path,
    headers: { 'content-type': type, accept: 'application/json', ...(key === null ? {} : engine.authorize(key)) },
    body: form === true ? toForm(body) : JSON.stringify(body),
  }
}

const textOf = (value: unknown): string | null => (isNonEmptyString(value) && value.trim() !== '' ? value.trim() : null)

function toResult({ url, title, content, date }: EngineAnswer, most: number): SearchResult | null {
  if (!isNonEmptyString(url)) return null
  const excerpt = textOf(content)
  return {
    url,
    title: textOf(title),
    content: excerpt === null ? null : cut(excerpt, most),
    date: textOf(date),
  }
}

/** Returns the results that pass the filter, each page once, up to the requested number. */
/** Clients show the addresses of results as links, which must not run a script. */
const isWebAddress = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

function pick(found: readonly EngineAnswer[], query: SearchQuery): readonly SearchResult[] {
  const picked = new Map<string, SearchResult>()
  for (const one of found) {
    const result = toResult(one, query.maxCharacters)
    if (result !== null && isWebAddress(result.url) && !picked.has(result.url) && isAllowed(query.filter, result.url))
      picked.set(result.url, result)
  }
  return [...picked.values()].slice(0, query.maxResults)
}

const LONGEST_REASON = 300

/** The code depends on the responsible party: a client can do nothing about this service's key or account. */
function engineError(engine: SearchEngine, status: number, body: unknown, retryAfter: number | null): GatewayError {
  const name = `The search engine ${engine.name}`
  if (status === 401 || status === 403) {
    return upstreamError('search_unavailable', `${name} refused the request (HTTP ${status}). Check its key.`)
  }
  if (status === 402)
    return upstreamError('search_unavailable', `${name} requires payment (HTTP 402). Check the credits of its account.`)
  if (status === 429)
    return upstreamError(
      'rate_limit_exceeded',
      `${name} has reached its rate limit (HTTP 429). Retry later.`,
      429,
      retryAfter,
    )
  const reason = cut(engine.explain(body).trim(), LONGEST_REASON)
  return upstreamError(
    'search_failed',
    reason === '' ? `${name} answered with status ${status}.` : `${name}: ${reason}`,
  )
}

/** Decodes the answer to a request of `toEngineRequest` into results, or into the error. */
export function readEngineAnswer(
  engine: SearchEngine,
  query: SearchQuery,
  status: number,
  text: string,
  retryAfter: number | null = null,
): SearchAnswer {
  const body = parseJson(text)
  if (status < 200 || status > 299) return { ok: false, error: engineError(engine, status, body, retryAfter) }
  const found = engine.decode(body)
  if (found !== null) return { ok: true, results: pick(found, query) }
  return {
    ok: false,
    error: upstreamError('search_failed', `The search engine ${engine.name} returned an invalid response.`),
  }
}
