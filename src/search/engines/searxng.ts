import { isObject } from '../../text/json.ts'
import type { EngineAnswer, EngineQuery, SearchEngine } from '../engine.ts'

/** Adds the operators that most engines behind SearXNG support. */
function withSites(query: string, { allowed, excluded }: EngineQuery['filter']): string {
  const sites = allowed.map((domain) => `site:${domain}`)
  const wanted = sites.length > 1 ? [`(${sites.join(' OR ')})`] : sites
  return [query, ...wanted, ...excluded.map((domain) => `-site:${domain}`)].join(' ')
}

const encode = ({ query, filter }: EngineQuery) => ({
  path: '/search',
  body: { q: withSites(query, filter), format: 'json' },
  form: true as const,
})

const toFound = ({ url, title, content, publishedDate }: Readonly<Record<string, unknown>>): EngineAnswer => ({
  url,
  title,
  content,
  date: publishedDate,
})

/** A server run by the operator, with `json` in its `search.formats`: https://docs.searxng.org/dev/search_api.html */
export const searxng: SearchEngine = {
  name: 'searxng',
  baseUrl: null,
  keyVariable: null,
  most: 100,
  longestQuery: 1000,
  domains: { wildcards: false, paths: false, both: true, most: 10 },
  modes: [],
  encode,
  // The key of a proxy in front of the server: SearXNG itself has no keys.
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  decode: (body) => (isObject(body) && Array.isArray(body.results) ? body.results.filter(isObject).map(toFound) : null),
  explain: () => '',
}
