import { isNonEmptyString, isObject, scalarToString, toArray } from '../../text/json.ts'
import type { EngineAnswer, EngineQuery, SearchEngine } from '../engine.ts'

const encode = ({ query, maxResults, filter, maxCharacters, country, mode }: EngineQuery) => ({
  path: '/search',
  body: {
    query,
    type: mode ?? 'auto',
    numResults: maxResults,
    ...(filter.allowed.length === 0 ? {} : { includeDomains: filter.allowed }),
    ...(filter.excluded.length === 0 ? {} : { excludeDomains: filter.excluded }),
    ...(country === null ? {} : { userLocation: country }),
    contents: { text: { maxCharacters }, highlights: true },
  },
})

/** Uses the passages that answer the query, if there are any; otherwise the beginning of the page. */
function toFound(result: Readonly<Record<string, unknown>>): EngineAnswer {
  const highlights = toArray(result.highlights).filter(isNonEmptyString)
  const content = highlights.length > 0 ? highlights.join('\n[…]\n') : result.text
  return { url: result.url, title: result.title, content, date: result.publishedDate }
}

/** https://exa.ai/docs/reference/search */
export const exa: SearchEngine = {
  name: 'exa',
  baseUrl: 'https://api.exa.ai',
  keyVariable: 'EXA_API_KEY',
  most: 100,
  longestQuery: 2000,
  domains: { wildcards: true, paths: true, both: true, most: 1200 },
  modes: ['instant', 'fast', 'auto', 'deep-lite', 'deep', 'deep-reasoning'],
  encode,
  authorize: (key) => ({ 'x-api-key': key }),
  decode: (body) => (isObject(body) && Array.isArray(body.results) ? body.results.filter(isObject).map(toFound) : null),
  explain: (body) => (isObject(body) ? scalarToString(body.error) : ''),
}
