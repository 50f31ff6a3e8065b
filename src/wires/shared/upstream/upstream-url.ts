import { clientError, type GatewayError } from '../../../protocol/error.ts'
import { err, ok, type Result } from '../../../protocol/result.ts'
import { trimSlashes } from '../../../text/trim-slashes.ts'

/**
 * The limits bound the cache, because a path may contain the client's name of a model: their number and length are
 * unlimited.
 */
export const MOST_URLS = 256
/** Characters of base and path together. */
export const LONGEST_URL = 512

const URLS = new Map<string, URL>()

/**
 * Returns the URL of an upstream's path; null if the path would leave the base URL, to which the key belongs. Most
 * requests repeat an earlier URL, and parsing takes long: the same base and path return the same object.
 */
export function upstreamUrl(base: string, path: string): URL | null {
  const key = `${base} ${path}`
  const known = URLS.get(key)
  if (known !== undefined) return known
  const url = join(base, path)
  if (url === null || key.length > LONGEST_URL) return url
  if (URLS.size >= MOST_URLS) URLS.clear()
  URLS.set(key, url)
  return url
}

/** The error for a model's name that cannot be part of a path. */
export const NO_PATH: GatewayError = clientError(
  'invalid_prompt',
  'model: expected a name that can be part of a URL path',
  'model',
)

/** The URL of a request's path, or the reason why there is none. `path`: null if the model's name cannot be in one. */
export function callUrl(base: string, path: string | null): Result<URL> {
  const url = path === null ? null : upstreamUrl(base, path)
  return url === null ? err(NO_PATH) : ok(url)
}

/**
 * Segments that remove other segments, escaped or not, and characters that a URL parser reads as a slash or ignores
 * (URL Standard, 4.4).
 */
const LEADS_ELSEWHERE = /[\\\t\r\n]|\/(?:\.|%2e){1,2}(?:\/|$)/i

/** The version with which a base URL ends: `/v1`, `/v1beta`. */
const VERSION = /\/v\d[a-z0-9]*$/

/**
 * A base URL may have a query of its own (`?api-version=`). The paths of some protocols begin with a version, and base
 * URLs are written with it and without it: it is not repeated.
 */
function join(base: string, path: string): URL | null {
  const url = new URL(base)
  const above = trimSlashes(url.pathname)
  const [full = '', query = ''] = path.split('?', 2)
  const version = VERSION.exec(above)?.[0]
  const name = version !== undefined && full.startsWith(`${version}/`) ? full.slice(version.length) : full
  url.pathname = above + name
  if (!name.startsWith('/') || LEADS_ELSEWHERE.test(name) || !url.pathname.startsWith(`${above}/`)) return null
  for (const [key, value] of new URLSearchParams(query)) url.searchParams.set(key, value)
  return url
}
