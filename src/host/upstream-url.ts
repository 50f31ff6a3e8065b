import { trimSlashes } from '../text/trim-slashes.ts'

/** A path may hold what a client calls a model: of those there may be any number, of any length. */
export const MOST_URLS = 256
/** Characters of base and path. */
export const LONGEST_URL = 512

const URLS = new Map<string, URL>()

/**
 * Where an upstream takes this path; null where it would lead out of the base URL, and the key with it. Most requests go where one before went, and to take a URL apart takes long: who asks
 * for the same again gets the same object.
 */
export function upstreamUrl(base: string, path: string): URL | null {
  const place = `${base} ${path}`
  const known = URLS.get(place)
  if (known !== undefined) return known
  const url = join(base, path)
  if (url === null || place.length > LONGEST_URL) return url
  if (URLS.size >= MOST_URLS) URLS.clear()
  URLS.set(place, url)
  return url
}

/** Segments that take others away, escaped or not, and what a URL reads as a slash or as nothing (URL Standard, 4.4). */
const LEADS_ELSEWHERE = /[\\\t\r\n]|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** A base URL may have a query of its own (`?api-version=`). */
function join(base: string, path: string): URL | null {
  const url = new URL(base)
  const above = trimSlashes(url.pathname)
  const [name = '', query = ''] = path.split('?', 2)
  url.pathname = above + name
  if (!name.startsWith('/') || LEADS_ELSEWHERE.test(name) || !url.pathname.startsWith(`${above}/`)) return null
  for (const [key, value] of new URLSearchParams(query)) url.searchParams.set(key, value)
  return url
}
