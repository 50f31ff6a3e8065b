import { trimSlashes } from '../text/trim-slashes.ts'

/** The pages that a search may return: only pages of `allowed` if it has entries, and no page of `excluded`. */
export interface DomainFilter {
  readonly allowed: readonly string[]
  readonly excluded: readonly string[]
}

/**
 * A host and path such as `news.example.com/world`, split; in lower case, with international names in their DNS form.
 */
interface PagePattern {
  readonly labels: readonly string[]
  /** Without the slash at its end; empty for a whole site. */
  readonly path: string
}

const LONGEST = 255

const toUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const partsOf = ({ hostname, pathname }: URL): PagePattern => ({
  labels: hostname.replace(/\.$/, '').split('.'),
  path: trimSlashes(pathname),
})

const isLabel = (label: string): boolean => label === '*' || /^[a-z0-9_-]{1,63}$/.test(label)

/**
 * Normalizes a pattern: `example.com` (with its subdomains), `*.example.com` (subdomains only), `example.com/blog`
 * (pages below that path, also written `/blog/*`), each with or without `https://`. Returns null if the text is not a
 * pattern.
 */
export function parseDomain(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/\*$/, '')
  if (bare === '' || bare.length > LONGEST || /[\s@:?#\\]/.test(bare)) return null
  const url = toUrl(`http://${bare}`)
  if (url === null) return null
  const { labels, path } = partsOf(url)
  const named = labels.filter((label) => label !== '*')
  return named.length > 0 && labels.every(isLabel) && !path.includes('*') ? labels.join('.') + path : null
}

/** Splits a normalized pattern. */
function readPattern(pattern: string): PagePattern {
  const slash = pattern.indexOf('/')
  const host = slash < 0 ? pattern : pattern.slice(0, slash)
  return { labels: host.split('.'), path: slash < 0 ? '' : pattern.slice(slash) }
}

/**
 * Whether a host matches a pattern. A star at the beginning stands for one or more labels, elsewhere for exactly one.
 * Without a star at the beginning, subdomains match too.
 */
function isBelow(labels: readonly string[], pattern: readonly string[]): boolean {
  const open = pattern[0] === '*'
  const fixed = open ? pattern.slice(1) : pattern
  const more = labels.length - fixed.length
  if (more < (open ? 1 : 0)) return false
  return fixed.every((label, i) => label === '*' || label === labels[more + i])
}

const isUnder = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(prefix === '' ? '' : `${prefix}/`)

/** Whether a page belongs to the domain of a pattern; false for addresses other than http and https. */
export function matchesDomain(pattern: string, page: string): boolean {
  const url = toUrl(page)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  const { labels, path } = partsOf(url)
  const wanted = readPattern(pattern)
  return isBelow(labels, wanted.labels) && isUnder(path, wanted.path)
}

/** Whether a search may return this page. */
export function isAllowed({ allowed, excluded }: DomainFilter, page: string): boolean {
  const matches = (pattern: string): boolean => matchesDomain(pattern, page)
  return (allowed.length === 0 || allowed.some(matches)) && !excluded.some(matches)
}

// ---------------------------------------------------------------- what an engine supports

/** The filters that an engine, or an upstream's own search, supports. A plain domain includes its subdomains. */
export interface DomainSupport {
  readonly wildcards: boolean
  readonly paths: boolean
  /** Both lists in one request. */
  readonly both: boolean
  /** The most entries of one list. */
  readonly most: number
}

/** The part of a filter that is sent to an engine. `exact`: it is the whole filter, so that every result passes. */
export interface NativeFilter extends DomainFilter {
  readonly exact: boolean
}

/** No engine supports a star that is not the first label. */
const isPlain = (pattern: string, supported: DomainSupport): boolean =>
  pattern.lastIndexOf('*') <= (supported.wildcards ? 0 : -1) && (supported.paths || !pattern.includes('/'))

/** Returns the smallest pattern that the engine supports and that includes this one; null if there is none. */
function widened(pattern: string, supported: DomainSupport): string | null {
  if (isPlain(pattern, supported)) return pattern
  const { labels, path } = readPattern(pattern)
  const star = labels.lastIndexOf('*')
  const host = labels.slice(supported.wildcards && star === 0 ? 0 : star + 1)
  // A single label, such as a top-level domain, is not a site.
  return host.length < 2 ? null : host.join('.') + (supported.paths ? path : '')
}

/**
 * Converts a filter for an engine. An allowed domain may be widened, because surplus results are dropped here; an
 * excluded domain never, because a result that the engine leaves out is lost.
 */
export function toNative({ allowed, excluded }: DomainFilter, supported: DomainSupport): NativeFilter {
  const wide = allowed.map((pattern) => widened(pattern, supported))
  const fits = wide.length <= supported.most && wide.every((pattern) => pattern !== null)
  const nativeAllowed = fits ? [...new Set(wide as readonly string[])] : []
  const nativeExcluded =
    supported.both || nativeAllowed.length === 0
      ? excluded.filter((one) => isPlain(one, supported)).slice(0, supported.most)
      : []
  const exactly = new Set(nativeAllowed)
  const same = nativeAllowed.length === allowed.length && allowed.every((pattern) => exactly.has(pattern))
  return { allowed: nativeAllowed, excluded: nativeExcluded, exact: same && nativeExcluded.length === excluded.length }
}
