import { isNonEmptyString, isObject, scalarToString, toArray } from '../../text/json.ts'
import { cut, type EngineAnswer, type EngineQuery, type SearchEngine } from '../engine.ts'

/** The longest keyword query, in UTF-16 units. The objective always has the whole text. */
const LONGEST_KEYWORDS = 200

const encode = ({ query, maxResults, filter, maxCharacters, country, mode }: EngineQuery) => {
  const { allowed, excluded } = filter
  const policy = {
    ...(allowed.length === 0 ? {} : { include_domains: allowed }),
    ...(excluded.length === 0 ? {} : { exclude_domains: excluded }),
  }
  return {
    path: '/v1/search',
    body: {
      objective: query,
      search_queries: [cut(query, LONGEST_KEYWORDS)],
      // Without this field the engine would use its slowest mode.
      mode: mode ?? 'basic',
      advanced_settings: {
        max_results: maxResults,
        excerpt_settings: { max_chars_per_result: maxCharacters },
        ...(Object.keys(policy).length === 0 ? {} : { source_policy: policy }),
        ...(country === null ? {} : { location: country.toLowerCase() }),
      },
    },
  }
}

const toFound = ({ url, title, excerpts, publish_date }: Readonly<Record<string, unknown>>): EngineAnswer => ({
  url,
  title,
  content: toArray(excerpts).filter(isNonEmptyString).join('\n[…]\n'),
  date: publish_date,
})

/** https://docs.parallel.ai/api-reference/search/web */
export const parallel: SearchEngine = {
  name: 'parallel',
  baseUrl: 'https://api.parallel.ai',
  keyVariable: 'PARALLEL_API_KEY',
  most: 40,
  longestQuery: 5000,
  domains: { wildcards: false, paths: false, both: false, most: 200 },
  modes: ['turbo', 'fast', 'basic', 'advanced'],
  encode,
  authorize: (key) => ({ 'x-api-key': key }),
  decode: (body) => (isObject(body) && Array.isArray(body.results) ? body.results.filter(isObject).map(toFound) : null),
  explain: (body) => (isObject(body) && isObject(body.error) ? scalarToString(body.error.message) : ''),
}
