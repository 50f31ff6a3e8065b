import type { JsonObject } from '../protocol/json.ts'
import type { InputItem, Request } from '../protocol/request.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import type { SearchResult } from './engine.ts'
import { outputOf } from './loop/turn-history.ts'
import { type CitationStyle, type CitedSource, formatSources, numberAll } from './prompt.ts'

/**
 * The value of `include` with which a client requests the results, so that it can return them with its next request.
 */
export const SHOWN_RESULTS = 'web_search_call.results'

const textOf = (value: unknown): string | null => (isNonEmptyString(value) ? value : null)

function readResult(value: unknown): readonly SearchResult[] {
  if (!isObject(value) || !isNonEmptyString(value.url)) return []
  const { url, title, content, date } = value
  return [{ url, title: textOf(title), content: textOf(content), date: textOf(date) }]
}

interface Earlier {
  readonly query: string
  readonly results: readonly SearchResult[]
}

/** Reads a search of an earlier answer, with its results or at least their addresses; null for any other item. */
function readSearchItem({ type, action, results, encrypted_content }: JsonObject): Earlier | null {
  // Encrypted content marks the upstream's own search, which the upstream takes back itself.
  if (isNonEmptyString(encrypted_content)) return null
  if (type !== 'web_search_call' || !isObject(action) || !isNonEmptyString(action.query)) return null
  const found = Array.isArray(results) ? results : action.sources
  return Array.isArray(found) ? { query: action.query, results: found.flatMap(readResult) } : null
}

/**
 * Turns searches that the client returns back into function calls with their outputs. The model then does not repeat a
 * search whose results it has, and its citation markers still refer to the same pages.
 */
export function replaySearches(
  request: Request,
  tool: string,
  style: CitationStyle,
): { readonly request: Request; readonly sources: readonly CitedSource[] } {
  const searches = request.input.map((item) => (item.type === 'other' ? readSearchItem(item.item) : null))
  const { all: sources, found: pages } = numberAll(
    [],
    searches.map((search) => search?.results ?? []),
  )
  const input = request.input.flatMap((item, at): readonly InputItem[] => {
    const earlier = searches[at] ?? null
    if (earlier === null) return [item]
    const found = pages[at] ?? []
    const call_id = `call_search_${at}`
    const call: InputItem = {
      type: 'function_call',
      call_id,
      name: tool,
      arguments: JSON.stringify({ query: earlier.query }),
    }
    return [call, outputOf(call_id, formatSources(earlier.query, found, style))]
  })
  return { request: { ...request, input }, sources }
}
