import { isObject, scalarToString, toArray } from '../../text/json.ts'
import type { EngineAnswer, EngineQuery, SearchEngine } from '../engine.ts'

const encode = ({ query, maxResults, filter, country }: EngineQuery) => {
  const domains = [...filter.allowed, ...filter.excluded.map((domain) => `-${domain}`)]
  return {
    path: '/search',
    body: {
      query,
      max_results: maxResults,
      ...(domains.length === 0 ? {} : { search_domain_filter: domains }),
      ...(country === null ? {} : { country }),
    },
  }
}

const toFound = ({ url, title, snippet, date, last_updated }: Readonly<Record<string, unknown>>): EngineAnswer => ({
  url,
  title,
  content: snippet,
  date: date ?? last_updated,
})

/** The service reports errors in `error`; its validation framework reports them in `detail`. */
function explain(body: unknown): string {
  if (!isObject(body)) return ''
  if (isObject(body.error)) return scalarToString(body.error.message)
  const first = toArray(body.detail)[0]
  return isObject(first) ? scalarToString(first.msg) : scalarToString(body.detail)
}

/** https://docs.perplexity.ai/api-reference/search-post */
export const perplexity: SearchEngine = {
  name: 'perplexity',
  baseUrl: 'https://api.perplexity.ai',
  keyVariable: 'PERPLEXITY_API_KEY',
  most: 20,
  longestQuery: 2000,
  domains: { wildcards: false, paths: true, both: false, most: 20 },
  modes: [],
  encode,
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  decode: (body) => (isObject(body) && Array.isArray(body.results) ? body.results.filter(isObject).map(toFound) : null),
  explain,
}
