import { isObject, scalarToString, toArray } from '../../text/json.ts'
import type { EngineAnswer, EngineQuery, SearchEngine } from '../engine.ts'

const encode = ({ query, maxResults, filter, country }: EngineQuery) => ({
  path: '/v2/search',
  body: {
    query,
    limit: maxResults,
    sources: ['web'],
    ...(filter.allowed.length === 0 ? {} : { includeDomains: filter.allowed }),
    ...(filter.excluded.length === 0 ? {} : { excludeDomains: filter.excluded }),
    ...(country === null ? {} : { country }),
  },
})

/** `markdown` is present if the engine also fetched the page. */
const toFound = (result: Readonly<Record<string, unknown>>): EngineAnswer => ({
  url: result.url,
  title: result.title,
  content: result.markdown ?? result.description ?? result.snippet,
  date: result.date,
})

/** One list for each kind of source; a bare list before version 2. */
function listOf(body: unknown): readonly unknown[] | null {
  if (!isObject(body) || body.success === false) return null
  const { data } = body
  if (Array.isArray(data)) return data
  return isObject(data) ? toArray(data.web) : null
}

/** https://docs.firecrawl.dev/api-reference/endpoint/search */
export const firecrawl: SearchEngine = {
  name: 'firecrawl',
  baseUrl: 'https://api.firecrawl.dev',
  keyVariable: 'FIRECRAWL_API_KEY',
  most: 100,
  longestQuery: 500,
  domains: { wildcards: false, paths: false, both: false, most: 20 },
  modes: [],
  encode,
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  decode: (body) => listOf(body)?.filter(isObject).map(toFound) ?? null,
  explain: (body) => (isObject(body) ? scalarToString(body.error) : ''),
}
