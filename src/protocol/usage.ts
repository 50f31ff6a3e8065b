import type { JsonRecord } from './json.ts'
import { CACHE_LIFETIMES, type CacheLifetime } from './request.ts'

/** Tokens by the lifetime of the cache entry that they were written to. */
export type LifetimeTokens = Readonly<Partial<Record<CacheLifetime, number>>>

/**
 * Token counts as inclusive totals: cached tokens are part of the input, reasoning tokens part of the output. null
 * means that the upstream does not report the count, which differs from 0.
 */
export interface Usage {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly total_tokens: number | null
  readonly cached_tokens: number | null
  readonly reasoning_tokens: number | null
  /** Input tokens that were written to a cache; set only if the upstream reports them. */
  readonly cache_write_tokens?: number
  /** The same tokens by lifetime, whose sum is `cache_write_tokens`; set only if the upstream reports them. */
  readonly cache_writes?: LifetimeTokens
  /** The price of the answer in US dollars; set only if the upstream reports it. */
  readonly cost?: number
  /** Counts above 0 of which few protocols have fields; set only if the upstream reports some. */
  readonly details?: UsageDetails
}

/**
 * Returns the count that is valid after a further report. Some vendors repeat counts as 0 or null at the end of an
 * answer (sgl-project/sglang#20830), which does not replace a known count.
 */
export const laterCount = (now: number | null, old: number | null): number | null =>
  now === null || (now === 0 && old !== null) ? old : now

/** A count of an upstream: an integer from 0, also as a text; null for any other value. */
export function readTokens(value: unknown): number | null {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(count) && (count as number) >= 0 ? (count as number) : null
}

/**
 * Returns the count that has several names; null if there is none. Some vendors send a count as 0 under one of its names.
 */
export function firstCount(...values: readonly unknown[]): number | null {
  let first: number | null = null
  for (const value of values) {
    const count = readTokens(value)
    if (count !== null && count > 0) return count
    first ??= count
  }
  return first
}

/**
 * Whether a usage object has counts of Anthropic's models: its names of them, or tokens that were written to a cache. Some
 * gateways keep its counts, which exclude the cache. xAI and Mistral cache tokens of their own before the prompt, so that
 * more tokens than the input has may be cached there as well.
 */
export const hasCountsOfAnthropic = (usage: JsonRecord, written: unknown): boolean =>
  readTokens(usage.cache_read_input_tokens) !== null ||
  readTokens(usage.cache_creation_input_tokens) !== null ||
  (readTokens(written) ?? 0) > 0

/** Counts the cached tokens into an input that excludes them: one that has them is not less than they are. */
export function withCachedInput(usage: Usage): Usage {
  const { input_tokens, output_tokens, total_tokens, cached_tokens, cache_write_tokens } = usage
  const read = cached_tokens ?? 0
  const written = cache_write_tokens ?? 0
  // An input of 0 is mostly one that was not counted.
  if (input_tokens === null || input_tokens === 0 || Math.max(read, written) <= input_tokens) return usage
  const input = input_tokens + read + written
  const total = total_tokens === null ? null : Math.max(total_tokens, input + (output_tokens ?? 0))
  return { ...usage, input_tokens: input, total_tokens: total }
}

/**
 * Returns the counts of an input that are valid after a further report. They belong together, because what was read from
 * a cache is not new: each known count replaces the earlier one, also if it is 0. Only a report of zeros has none.
 */
export function laterInput<Counts extends Readonly<Record<string, number | null>>>(now: Counts, old: Counts): Counts {
  let isReport = false
  let isKnown = false
  for (const name in now) {
    if ((now[name] ?? 0) > 0) isReport = true
    if (old[name] !== null) isKnown = true
  }
  if (isKnown && !isReport) return old
  const later: Counts = { ...now }
  for (const name in now) later[name] = (now[name] ?? old[name]) as Counts[typeof name]
  return later
}

const hasInput = ({ input_tokens, cached_tokens, cache_write_tokens }: Usage): boolean =>
  [input_tokens, cached_tokens, cache_write_tokens].some((count) => (count ?? 0) > 0)

const isUnknownInput = ({ input_tokens, cached_tokens, cache_write_tokens }: Usage): boolean =>
  input_tokens === null && cached_tokens === null && cache_write_tokens === undefined

/** Whether the counts of an input stay: a further report has none, or zeros in their place. */
const keepsInput = (old: Usage, now: Usage): boolean =>
  isUnknownInput(now) ? !isUnknownInput(old) : now.input_tokens === 0 && hasInput(old) && !hasInput(now)

/** Whether a count stays: a further report does not have it, or has a zero in its place. */
const keepsCount = (old: number | null, now: number | null): boolean =>
  old !== null && (now === null || (now === 0 && old > 0))

/** Returns the usage that is valid after a further report, in which zeros and unknown counts do not replace counts. */
export function laterUsage(old: Usage | null, now: Usage): Usage {
  if (old === null) return now
  const isInputKept = keepsInput(old, now)
  const isOutputKept = keepsCount(old.output_tokens, now.output_tokens)
  const isReasoningKept = now.reasoning_tokens === 0 && (old.reasoning_tokens ?? 0) > 0
  const isTotalKept = now.total_tokens === 0 && (old.total_tokens ?? 0) > 0
  if (!isInputKept && !isOutputKept && !isReasoningKept && !isTotalKept) return now
  const { input_tokens, cached_tokens, cache_write_tokens, cache_writes } = isInputKept ? old : now
  const output = isOutputKept ? old : now
  const total_tokens = isTotalKept || now.total_tokens === null ? old.total_tokens : now.total_tokens
  const merged: Usage = {
    ...now,
    input_tokens,
    output_tokens: output.output_tokens,
    total_tokens,
    cached_tokens,
    reasoning_tokens: isReasoningKept ? old.reasoning_tokens : output.reasoning_tokens,
    ...(cache_write_tokens === undefined ? {} : { cache_write_tokens }),
    ...(cache_writes === undefined ? {} : { cache_writes }),
  }
  const sum = (merged.input_tokens ?? 0) + (merged.output_tokens ?? 0)
  // A total that the zero was added up to is less than its parts.
  return merged.total_tokens === null || merged.total_tokens >= sum ? merged : { ...merged, total_tokens: sum }
}

/** Parts of the input, of the output and of the cached input by kind; tokens of a predicted output; server tools. */
export const USAGE_DETAILS = [
  'input_text_tokens',
  'input_image_tokens',
  'input_audio_tokens',
  'input_video_tokens',
  'input_document_tokens',
  'output_text_tokens',
  'output_image_tokens',
  'output_audio_tokens',
  'output_video_tokens',
  'cached_text_tokens',
  'cached_image_tokens',
  'cached_audio_tokens',
  'cached_video_tokens',
  'cached_document_tokens',
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
  'web_search_requests',
  'web_fetch_requests',
  'tool_calls_requested',
  'tool_calls_executed',
] as const

export type UsageDetail = (typeof USAGE_DETAILS)[number]

export type UsageDetails = Readonly<Partial<Record<UsageDetail, number>>>

/** The field for the price; empty if it is no amount. */
export const costOf = (cost: unknown): Pick<Usage, 'cost'> =>
  typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { cost } : {}

/** The details of the same input, output or cache as each count of its text. */
const BESIDE_TEXT: ReadonlyMap<string, readonly UsageDetail[]> = new Map(
  USAGE_DETAILS.filter((name) => name.endsWith('_text_tokens')).map((name) => {
    const side = name.slice(0, name.indexOf('_') + 1)
    return [name, USAGE_DETAILS.filter((other) => other !== name && other.startsWith(side))]
  }),
)

/** The text of an input, output or cache is listed only beside other kinds: alone it is the whole count. */
function isAlone(name: UsageDetail, positive: readonly UsageDetail[]): boolean {
  const beside = BESIDE_TEXT.get(name)
  return beside !== undefined && !beside.some((other) => positive.includes(other))
}

const NO_DETAILS: Pick<Usage, 'details'> = {}

/** The field for details; empty if none of them is a count above 0. */
export function usageDetails(counts: Readonly<Partial<Record<UsageDetail, unknown>>>): Pick<Usage, 'details'> {
  const isPositive = (name: UsageDetail): boolean => Number.isSafeInteger(counts[name]) && (counts[name] as number) > 0
  const positive = USAGE_DETAILS.filter(isPositive)
  const names = positive.filter((name) => !isAlone(name, positive))
  return names.length === 0
    ? NO_DETAILS
    : { details: Object.fromEntries(names.map((name) => [name, counts[name] as number])) }
}

/** Parts of the totals that a protocol may have no field for. */
const USAGE_PARTS = ['cached_tokens', 'reasoning_tokens', 'cache_write_tokens'] as const

type UsagePart = (typeof USAGE_PARTS)[number]

/** The parts of the usage that a protocol has fields for. */
export interface UsageSupport {
  /** The price of the answer. */
  readonly cost: boolean
  readonly details: readonly UsageDetail[]
  readonly parts: readonly UsagePart[]
  /** The lifetimes of cache entries that have counts of their own. */
  readonly lifetimes: readonly CacheLifetime[]
}

/** The counts of the Responses API. */
export const ALL_COUNTS: Pick<UsageSupport, 'parts' | 'lifetimes'> = { parts: USAGE_PARTS, lifetimes: CACHE_LIFETIMES }

/** Names the parts of the usage that a client does not receive. `known`: those that its protocol has fields for. */
export function usageLosses(usage: Usage | null, known: UsageSupport): readonly string[] {
  const parts = USAGE_PARTS.filter((name) => Boolean(usage?.[name]) && !known.parts.includes(name))
  const details = USAGE_DETAILS.filter((name) => usage?.details?.[name] !== undefined && !known.details.includes(name))
  const cost = usage?.cost !== undefined && !known.cost ? ['usage.cost'] : []
  const writes = usage?.cache_writes ?? {}
  const isLost = CACHE_LIFETIMES.some(
    (lifetime) => writes[lifetime] !== undefined && !known.lifetimes.includes(lifetime),
  )
  const lifetimes = isLost ? ['cache_writes'] : []
  return [...cost, ...[...parts, ...lifetimes, ...details].map((name) => `usage.${name}`)]
}

type Writes = Pick<Usage, 'cache_write_tokens' | 'cache_writes'>

/**
 * The fields for tokens that were written to a cache; empty if there were none. Counts by lifetime with another sum are
 * left out, because clients add them up.
 */
export function cacheWrites(
  tokens: number | null | undefined,
  lifetimes: Readonly<Partial<Record<CacheLifetime, number | null>>> = {},
): Writes {
  if (tokens === null || tokens === undefined || tokens === 0) return {}
  const known = CACHE_LIFETIMES.flatMap((lifetime) => {
    const written = lifetimes[lifetime] ?? 0
    return written === 0 ? [] : [[lifetime, written] as const]
  })
  const sum = known.reduce((all, [, written]) => all + written, 0)
  return sum === tokens
    ? { cache_write_tokens: tokens, cache_writes: Object.fromEntries(known) }
    : { cache_write_tokens: tokens }
}

/**
 * Returns tokens by lifetime as the fields of a protocol, 0 where there are none. `names`: the field of each lifetime.
 * null if they are not known, or if one of the lifetimes has no field.
 */
export function toLifetimeFields(
  { cache_writes: writes }: Writes,
  names: Readonly<Partial<Record<CacheLifetime, string>>>,
): Readonly<Record<string, number>> | null {
  const found = CACHE_LIFETIMES.filter((lifetime) => (writes?.[lifetime] ?? 0) > 0)
  if (found.length === 0 || found.some((lifetime) => names[lifetime] === undefined)) return null
  return Object.fromEntries(
    CACHE_LIFETIMES.flatMap((lifetime) => {
      const name = names[lifetime]
      return name === undefined ? [] : [[name, writes?.[lifetime] ?? 0] as const]
    }),
  )
}
