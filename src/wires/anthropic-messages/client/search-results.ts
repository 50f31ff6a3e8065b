import { EMPTY_LIST, type List, listAppend, listToArray } from '../../../collections/list.ts'
import { mapGet, mapSet, type SortedMap } from '../../../collections/sorted-map.ts'
import type { CitationDelta, Delta } from '../../../protocol/delta.ts'
import type { HostedItem } from '../../../protocol/item.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'

interface Page {
  readonly url: string
  /** Null while it is unknown. */
  readonly title: string | null
}

/** A search whose call was written and whose pages wait for their titles. */
export interface PendingPages {
  readonly id: string
  readonly pages: readonly Page[]
}

/** Cited pages, each once, in the order of their first citations. */
export interface CitedPages {
  readonly urls: List<string>
  /** Titles by URL; null if no citation names one. */
  readonly titles: SortedMap<string, string | null>
}

export const NO_CITED: CitedPages = { urls: EMPTY_LIST, titles: null }

/** Returns the pages of a search; null if the upstream does not list them and names them at most in citations. */
export function pagesOf({ fields: { action } }: HostedItem): readonly Page[] | null {
  if (!isObject(action) || !Array.isArray(action.sources)) return null
  return toArray(action.sources).flatMap((source): Page[] =>
    isObject(source) && isNonEmptyString(source.url)
      ? [
          {
            url: source.url,
            title: isNonEmptyString(source.title) && source.title !== source.url ? source.title : null,
          },
        ]
      : [],
  )
}

/** Whether all pages have titles, which a result block requires. */
export const areTitled = (pages: readonly Page[] | null): pages is readonly Page[] =>
  pages?.every(({ title }) => title !== null) === true

export function withCited(cited: CitedPages, { citation: { url, title, file } }: CitationDelta): CitedPages {
  if (file !== undefined || url === '') return cited
  const known = mapGet(cited.titles, url)
  const own = title === url ? null : title
  if (known !== undefined && (known !== null || own === null)) return cited
  return {
    urls: known === undefined ? listAppend(cited.urls, url) : cited.urls,
    titles: mapSet(cited.titles, url, own),
  }
}

const titleIn = ({ titles }: CitedPages, { url, title }: Page): Page => ({
  url,
  title: title ?? mapGet(titles, url) ?? null,
})

/** Returns the cited pages that no search lists. */
function otherPages(cited: CitedPages, listed: readonly Page[]): readonly Page[] {
  const urls = new Set(listed.map(({ url }) => url))
  return listToArray(cited.urls).flatMap((url) => (urls.has(url) ? [] : [titleIn(cited, { url, title: null })]))
}

/** `https://www.example.com:8080/a` → `www.example.com`. */
const hostOf = (url: string): string =>
  /^[a-z][a-z\d+.-]*:\/\/([^/?#]+)/i.exec(url)?.[1]?.replace(/^.*@|:\d+$/g, '') ?? url

/**
 * A page without a title is named by its host, as Google does it. `encrypted_content` is empty, because only the vendor
 * that searched has the text of a page.
 */
const toResult = ({ url, title }: Page): JsonObject => ({
  type: 'web_search_result',
  url,
  title: title ?? hostOf(url),
  encrypted_content: '',
  page_age: null,
})

const unique = (pages: readonly Page[]): readonly Page[] => [...new Map(pages.map((page) => [page.url, page])).values()]

/**
 * Returns the result blocks of searches, with the titles that citations name. The last block also lists the cited pages
 * that no search lists.
 */
export function toResults(pending: List<PendingPages>, cited: CitedPages): readonly JsonObject[] {
  const searches = listToArray(pending)
  const others = otherPages(
    cited,
    searches.flatMap(({ pages }) => pages),
  )
  return searches.map(({ id, pages }, i) => {
    const titled = pages.map((page) => titleIn(cited, page))
    return resultBlock(id, unique(i === searches.length - 1 ? [...titled, ...others] : titled))
  })
}

export const resultBlock = (tool_use_id: string, pages: readonly Page[]): JsonObject => ({
  type: 'web_search_tool_result',
  tool_use_id,
  content: pages.map(toResult),
})

const isSearch = (delta: Delta): delta is Extract<Delta, { readonly kind: 'hosted' }> =>
  delta.kind === 'hosted' && delta.item.type === 'web_search_call'

/**
 * Adds the titles that citations name to the searches of a whole answer. The last completed search also gets the cited
 * pages that no search lists.
 */
export function withTitles(deltas: readonly Delta[]): readonly Delta[] {
  const searches = deltas.filter(isSearch)
  if (searches.length === 0) return deltas
  const lastKey = searches.findLast(({ item }) => item.status === 'completed')?.key
  const cited = deltas.reduce((pages, delta) => (delta.kind === 'citation' ? withCited(pages, delta) : pages), NO_CITED)
  const others = otherPages(
    cited,
    searches.flatMap(({ item }) => pagesOf(item) ?? []),
  )
  return deltas.map((delta) => {
    if (!isSearch(delta) || !isObject(delta.item.fields.action)) return delta
    const own = (pagesOf(delta.item) ?? []).map((page) => titleIn(cited, page))
    const pages = delta.key === lastKey ? [...own, ...others] : own
    const sources = pages.map(({ url, title }) => ({ type: 'url', url, title: title ?? hostOf(url) }))
    const action = { ...(delta.item.fields.action as JsonObject), sources }
    return { ...delta, item: { ...delta.item, fields: { ...delta.item.fields, action } } }
  })
}
