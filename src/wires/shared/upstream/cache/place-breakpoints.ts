import { dropped, type Loss, mapped } from '../../../../protocol/loss.ts'
import { CACHE_LIFETIMES, type CacheLifetime, type Request } from '../../../../protocol/request.ts'
import type { CacheSupport } from '../../../cache-support.ts'
import type { CachePolicy } from '../../../contract.ts'
import { automaticBreakpoints, isRepeated, lastBreakpoint } from './automatic.ts'
import { breakpointsOf, memberPath, type PlacedBreakpoint, withBreakpoints } from './breakpoints.ts'

/** A request with the breakpoints that its upstream receives, and the losses of the others. */
interface CachedRequest {
  readonly request: Request
  readonly losses: readonly Loss[]
}

/** The most breakpoints of a request. All upstreams that have breakpoints agree on it. */
const MOST_BREAKPOINTS = 4

const NO_BREAKPOINTS = 'this upstream has no cache breakpoints'
const NOT_HERE = 'this upstream accepts no cache breakpoint here'
const TURNED_OFF = 'cache breakpoints are turned off for this upstream'
/** Why a breakpoint is dropped that is one too many. */
export const TOO_MANY = `this upstream accepts at most ${MOST_BREAKPOINTS} cache breakpoints`

const dropAll = (breakpoints: readonly PlacedBreakpoint[], why: string): readonly Loss[] =>
  breakpoints.map((one) => dropped(memberPath(one), why))

/** The options of a prompt that the upstream cannot have. */
const optionLosses = ({ prompt_cache_options: options }: Request, why: string): readonly Loss[] =>
  options === null || (options.mode === null && options.ttl === null) ? [] : [dropped('prompt_cache_options', why)]

function withoutAny(request: Request, why: string): CachedRequest {
  const old = breakpointsOf(request)
  if (old.length === 0 && request.prompt_cache_options === null) return { request, losses: [] }
  return {
    request: { ...withBreakpoints(request, old, []), prompt_cache_options: null },
    losses: [...dropAll(old, why), ...optionLosses(request, why)],
  }
}

// ---------------------------------------------------------------- places

/**
 * Moves a breakpoint to the place that the upstream has for it: an output ends with its last part. Null: there is no
 * such place.
 */
function toPlace(one: PlacedBreakpoint, { input }: Request, { places }: CacheSupport): PlacedBreakpoint | null {
  if (places.has(one.place)) return one
  const [path = '', index] = /^input\[(\d+)\]/.exec(one.path) ?? []
  if (one.place === 'output part' && places.has('output')) return { ...one, place: 'output', path }
  const item = input[Number(index)]
  if (one.place !== 'output' || !places.has('output part')) return null
  if (item === undefined || !('output' in item) || item.output.length === 0) return null
  return { ...one, place: 'output part', path: `${path}.output[${item.output.length - 1}]` }
}

// ---------------------------------------------------------------- number and lifetimes

/**
 * Keeps the first breakpoint, the beginning that all requests share, and the last ones, which the next request
 * continues.
 */
function limited(breakpoints: readonly PlacedBreakpoint[]): readonly PlacedBreakpoint[] {
  const [first, ...others] = breakpoints
  if (first === undefined || breakpoints.length <= MOST_BREAKPOINTS) return breakpoints
  return [first, ...others.slice(1 - MOST_BREAKPOINTS)]
}

/**
 * Returns the request with breakpoints that its upstream accepts: not too many, and the longest ones first where it
 * requires that. The same request: it has such ones.
 */
export function limitBreakpoints(request: Request, support: CacheSupport | null): CachedRequest {
  const all = breakpointsOf(request)
  if (all.length === 0) return { request, losses: [] }
  const kept = limited(all)
  const ordered = support?.longestFirst === true ? longestFirst(kept, support) : kept
  if (kept === all && ordered.every((one, at) => one === all[at])) return { request, losses: [] }
  const left = new Set(kept)
  return {
    request: withBreakpoints(request, all, ordered),
    losses: [
      ...dropAll(
        all.filter((one) => !left.has(one)),
        TOO_MANY,
      ),
      ...ordered.flatMap((one, at) =>
        one === kept[at] ? [] : [mapped(`${memberPath(one)}.ttl`, sentAs(one.breakpoint.ttl))],
      ),
    ],
  }
}

const rank = (lifetime: CacheLifetime): number => CACHE_LIFETIMES.indexOf(lifetime)

/** The shortest lifetime of the upstream that is as long as this one, else the longest that it has. */
const nearest = (ttl: CacheLifetime, { lifetimes }: CacheSupport): CacheLifetime =>
  lifetimes.find((own) => rank(own) >= rank(ttl)) ?? lifetimes.at(-1) ?? ttl

const sentAs = (ttl: CacheLifetime | null): string => `sent as ${ttl}, the nearest lifetime that this upstream accepts`

const withLifetime = (one: PlacedBreakpoint, ttl: CacheLifetime | null): PlacedBreakpoint => ({
  ...one,
  breakpoint: { mode: 'explicit', ttl },
})

/** Raises lifetimes, so that no breakpoint precedes one that is kept longer. */
function longestFirst(breakpoints: readonly PlacedBreakpoint[], { lifetimes }: CacheSupport) {
  let most: CacheLifetime | null = null
  return breakpoints
    .map((_, at, all) => {
      const one = all[all.length - 1 - at] as PlacedBreakpoint
      const { ttl } = one.breakpoint
      if (most !== null && rank(ttl ?? lifetimes[0]) < rank(most)) return withLifetime(one, most)
      if (ttl !== null && ttl !== lifetimes[0]) most = ttl
      return one
    })
    .reverse()
}

interface Lifetimes {
  readonly breakpoints: readonly PlacedBreakpoint[]
  readonly losses: readonly Loss[]
}

/** Translates lifetimes to those of the upstream. A longer one than requested is a mapped value, too. */
function withLifetimes(given: readonly PlacedBreakpoint[], support: CacheSupport): Lifetimes {
  const near = given.map((one) => {
    const { ttl } = one.breakpoint
    return ttl === null ? one : withLifetime(one, nearest(ttl, support))
  })
  const breakpoints = support.longestFirst ? longestFirst(near, support) : near
  const losses = breakpoints.flatMap((now, at) => {
    const ttl = given[at]?.breakpoint.ttl ?? null
    return now.breakpoint.ttl === ttl ? [] : [mapped(`${memberPath(now)}.ttl`, sentAs(now.breakpoint.ttl))]
  })
  return { breakpoints, losses }
}

// ---------------------------------------------------------------- all rules

/** The options of a prompt as this upstream has them. */
interface Options {
  readonly mode: 'implicit' | 'explicit' | null
  readonly ttl: CacheLifetime | null
  readonly losses: readonly Loss[]
}

function toOptions({ prompt_cache_options: options }: Request, support: CacheSupport): Options {
  const { mode = null, ttl = null } = options ?? {}
  const own = ttl === null ? null : nearest(ttl, support)
  return { mode, ttl: own, losses: own === ttl ? [] : [mapped('prompt_cache_options.ttl', sentAs(own))] }
}

/** Adds the breakpoints that the client requests for the prompt as a whole, or that the policy places. */
function added(request: Request, hasOwn: boolean, { mode, ttl }: Options, support: CacheSupport, policy: CachePolicy) {
  const breakpoint = { mode: 'explicit', ttl } as const
  const isAutomatic = policy === 'auto' && support.automatic && !hasOwn && mode !== 'explicit'
  if (isAutomatic && isRepeated(request)) return automaticBreakpoints(request, support, breakpoint)
  return mode === 'implicit' && !support.options ? lastBreakpoint(request, support, breakpoint) : []
}

/**
 * Returns the request with the breakpoints that its upstream receives (docs/prompt-caching.md): those of the client in
 * the places and with the lifetimes of the upstream, or those of the policy `auto`, never more than four. `support`:
 * null if the upstream has no breakpoints. All other values of the request stay as they are.
 */
export function placeBreakpoints(request: Request, support: CacheSupport | null, policy: CachePolicy): CachedRequest {
  if (support === null) return withoutAny(request, NO_BREAKPOINTS)
  if (policy === 'off') return withoutAny(request, TURNED_OFF)
  const old = breakpointsOf(request)
  const options = toOptions(request, support)
  const more = added(request, old.length > 0, options, support, policy)
  if (old.length === 0 && more.length === 0 && request.prompt_cache_options === null) return { request, losses: [] }
  const placed = old.map((one) => toPlace(one, request, support))
  const homeless = old.filter((_, at) => placed[at] === null)
  const all = new Map([...placed, ...more].flatMap((one) => (one === null ? [] : [[one.path, one]])))
  const kept = limited([...all.values()])
  const left = new Set(kept)
  const extra = [...all.values()].filter((one) => !left.has(one))
  // An upstream that has options applies their lifetime by itself.
  const inherited = kept.map((one) =>
    support.options || one.breakpoint.ttl !== null ? one : withLifetime(one, options.ttl),
  )
  const { breakpoints, losses } = withLifetimes(inherited, support)
  const { mode, ttl } = options
  return {
    request: {
      ...withBreakpoints(request, old, breakpoints),
      prompt_cache_options: request.prompt_cache_options === null || !support.options ? null : { mode, ttl },
    },
    losses: [...dropAll(homeless, NOT_HERE), ...dropAll(extra, TOO_MANY), ...losses, ...options.losses],
  }
}
