import { trimSlashes } from '../text/trim-slashes.ts'

/** Which pages a search may give: those of `allowed` where it names any, and none of `excluded`. */
export interface DomainFilter {
  readonly allowed: readonly string[]
  readonly excluded: readonly string[]
}

export const NO_FILTER: DomainFilter = { allowed: [], excluded: [] }

/** `news.example.com/world` in its parts, lower-case and in the letters of the DNS. */
interface Place {
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

const placeOf = ({ hostname, pathname }: URL): Place => ({
  labels: hostname.replace(/\.$/, '').split('.'),
  path: trimSlashes(pathname),
})

const isLabel = (label: string): boolean => label === '*' || /^[a-z0-9_-]{1,63}$/.test(label)

/**
 * A pattern as clients write it: `example.com` (with all below it), `*.example.com` (only what is below it),
 * `example.com/blog` (and what is under that path, also written `/blog/*`), with or without `https://`. In its one form;
 * null where it is none.
 */
export function parseDomain(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/\/\*$/, '')
  if (bare === '' || bare.length > LONGEST || /[\s@:?#\\]/.test(bare)) return null
  const url = toUrl(`http://${bare}`)
  if (url === null) return null
  const { labels, path } = placeOf(url)
  const named = labels.filter((label) => label !== '*')
  return named.length > 0 && labels.every(isLabel) && !path.includes('*') ? labels.join('.') + path : null
}

/** Of a pattern in its one form. */
function readPattern(pattern: string): Place {
  const slash = pattern.indexOf('/')
  const host = slash < 0 ? pattern : pattern.slice(0, slash)
  return { labels: host.split('.'), path: slash < 0 ? '' : pattern.slice(slash) }
}

/** A star first stands for any labels, one at least; elsewhere for one. Without a star first, all below counts as well. */
function isBelow(labels: readonly string[], pattern: readonly string[]): boolean {
  const open = pattern[0] === '*'
  const fixed = open ? pattern.slice(1) : pattern
  const more = labels.length - fixed.length
  if (more < (open ? 1 : 0)) return false
  return fixed.every((label, i) => label === '*' || label === labels[more + i])
}

const isUnder = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(prefix === '' ? '' : `${prefix}/`)

/** Does this page lie in the domain of a pattern? Of what is no page of the web: no. */
export function matchesDomain(pattern: string, page: string): boolean {
  const url = toUrl(page)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  const { labels, path } = placeOf(url)
  const wanted = readPattern(pattern)
  return isBelow(labels, wanted.labels) && isUnder(path, wanted.path)
}

/** May a search give this page? */
export function isAllowed({ allowed, excluded }: DomainFilter, page: string): boolean {
  const matches = (pattern: string): boolean => matchesDomain(pattern, page)
  return (allowed.length === 0 || allowed.some(matches)) && !excluded.some(matches)
}

// ---------------------------------------------------------------- what an engine can do of it

/** What an engine, or an upstream's own search, understands of a filter. A plain domain means itself and all below it. */
export interface DomainSkill {
  readonly wildcards: boolean
  readonly paths: boolean
  /** Both lists in one request. */
  readonly both: boolean
  /** Entries of one list. */
  readonly most: number
}

/** The part of a filter that an engine can be told. `exact`: it says all of it, so that every result will pass. */
export interface NativeFilter extends DomainFilter {
  readonly exact: boolean
}

/** Nobody but us knows a star that does not stand first. */
const isPlain = (pattern: string, skill: DomainSkill): boolean =>
  pattern.lastIndexOf('*') <= (skill.wildcards ? 0 : -1) && (skill.paths || !pattern.includes('/'))

/** The smallest pattern an engine knows that holds all of this one; null where there is none. */
function widened(pattern: string, skill: DomainSkill): string | null {
  if (isPlain(pattern, skill)) return pattern
  const { labels, path } = readPattern(pattern)
  const star = labels.lastIndexOf('*')
  const host = labels.slice(skill.wildcards && star === 0 ? 0 : star + 1)
  // A whole top-level domain is no site.
  return host.length < 2 ? null : host.join('.') + (skill.paths ? path : '')
}

/**
 * To an engine an allowed domain may be told wider than it is, an excluded one never: what it gives too much is left out
 * of its results, what it leaves out is lost.
 */
export function toNative({ allowed, excluded }: DomainFilter, skill: DomainSkill): NativeFilter {
  const wide = allowed.map((pattern) => widened(pattern, skill))
  const tellable = wide.length <= skill.most && wide.every((pattern) => pattern !== null)
  const told = tellable ? [...new Set(wide as readonly string[])] : []
  const barred =
    skill.both || told.length === 0 ? excluded.filter((one) => isPlain(one, skill)).slice(0, skill.most) : []
  const exactly = new Set(told)
  const same = told.length === allowed.length && allowed.every((pattern) => exactly.has(pattern))
  return { allowed: told, excluded: barred, exact: same && barred.length === excluded.length }
}
