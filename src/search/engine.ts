import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { isText, parseJson } from '../text/json.ts'
import { endsInHalf } from '../text/offsets.ts'
import { type DomainFilter, type DomainSkill, isAllowed, type NativeFilter, toNative } from './domains.ts'

export type EngineName = 'exa' | 'firecrawl' | 'parallel' | 'perplexity' | 'searxng'

/** One search as it is wanted. */
export interface SearchQuery {
  readonly query: string
  readonly maxResults: number
  readonly filter: DomainFilter
  /** The longest excerpt of one page, in UTF-16 units. */
  readonly maxCharacters: number
  /** ISO 3166-1, two letters: where the one who asks is. */
  readonly country: string | null
  /** How thoroughly, in the engine's own word. */
  readonly mode: string | null
}

/** The same as an engine is asked: within its bounds, the filter as far as it knows it. */
export interface EngineQuery extends Omit<SearchQuery, 'filter'> {
  readonly filter: NativeFilter
}

export interface SearchResult {
  readonly url: string
  readonly title: string | null
  readonly content: string | null
  /** As the engine wrote it. */
  readonly date: string | null
}

/** What is posted. */
export interface EngineRequest {
  /** Below the engine's base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A search engine: a description of its requests, and a reader of its answers. No I/O. */
export interface SearchEngine {
  readonly name: EngineName
  /** null where everybody runs their own. */
  readonly baseUrl: string | null
  /** The environment variable that holds the key; null where none is needed. */
  readonly keyVariable: string | null
  /** Results of one search. */
  readonly most: number
  /** UTF-16 units of one query. */
  readonly longestQuery: number
  readonly domains: DomainSkill
  /** The modes it knows; the others are not sent. */
  readonly modes: readonly string[]
  encode(query: EngineQuery): {
    readonly path: string
    readonly body: JsonObject
    /** The body is not JSON but a form. */
    readonly form?: true
  }
  /** Headers that carry the key. */
  authorize(key: string): Readonly<Record<string, string>>
  /** A body of status 2xx → its results, in their order; null where it is no answer. Every field is untrusted. */
  decode(body: unknown): readonly Found[] | null
  /** What a body of another status says; empty where it says nothing. */
  explain(body: unknown): string
}

/** A result as an engine gives it: anything at all in every field. */
export interface Found {
  readonly url: unknown
  readonly title: unknown
  readonly content: unknown
  readonly date: unknown
}

export type SearchAnswer =
  | { readonly ok: true; readonly results: readonly SearchResult[] }
  | { readonly ok: false; readonly error: GatewayError }

/** Where a filter is checked here only, more is asked for than is wanted. */
const SPARE = 3

/** Shortened, never inside a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const head = text.slice(0, most)
  return endsInHalf(head) ? head.slice(0, -1) : head
}

const toForm = (fields: JsonObject): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString()

/** A search → the HTTP request that asks it. */
export function toEngineRequest(engine: SearchEngine, query: SearchQuery, key: string | null): EngineRequest {
  const filter = toNative(query.filter, engine.domains)
  const wanted = filter.exact ? query.maxResults : query.maxResults * SPARE
  const { mode } = query
  const asked: EngineQuery = {
    ...query,
    filter,
    query: cut(query.query, engine.longestQuery),
    maxResults: Math.min(wanted, engine.most),
    mode: mode !== null && engine.modes.includes(mode) ? mode : null,
  }
  const { path, body, form } = engine.encode(asked)
  const type = form === true ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    path,
    headers: { 'content-type': type, accept: 'application/json', ...(key === null ? {} : engine.authorize(key)) },
    body: form === true ? toForm(body) : JSON.stringify(body),
  }
}

const textOf = (value: unknown): string | null => (isText(value) && value.trim() !== '' ? value.trim() : null)

function toResult({ url, title, content, date }: Found, most: number): SearchResult | null {
  if (!isText(url)) return null
  const excerpt = textOf(content)
  return {
    url,
    title: textOf(title),
    content: excerpt === null ? null : cut(excerpt, most),
    date: textOf(date),
  }
}

/** What passes the filter, each page once, as many as were wanted. */
function pick(found: readonly Found[], query: SearchQuery): readonly SearchResult[] {
  const picked = new Map<string, SearchResult>()
  for (const one of found) {
    const result = toResult(one, query.maxCharacters)
    if (result !== null && !picked.has(result.url) && isAllowed(query.filter, result.url))
      picked.set(result.url, result)
  }
  return [...picked.values()].slice(0, query.maxResults)
}

const LONGEST_REASON = 300

/** Whose fault it is decides what the client is told: it can do nothing about a key that this service got wrong. */
function engineError(engine: SearchEngine, status: number, body: unknown, retryAfter: number | null): GatewayError {
  const who = `The search engine ${engine.name}`
  if (status === 401 || status === 403) {
    return upstreamError('search_unavailable', `${who} refuses this service (${status}).`)
  }
  if (status === 402) return upstreamError('search_unavailable', `${who} wants to be paid.`)
  if (status === 429) return upstreamError('rate_limit_exceeded', `${who} is asked too often.`, 429, retryAfter)
  const reason = cut(engine.explain(body).trim(), LONGEST_REASON)
  return upstreamError('search_failed', reason === '' ? `${who} answered with status ${status}.` : `${who}: ${reason}`)
}

/** The answer to a request of `toEngineRequest` → its results, or why there are none. */
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
    error: upstreamError('search_failed', `The search engine ${engine.name} gave an answer that is none.`),
  }
}
