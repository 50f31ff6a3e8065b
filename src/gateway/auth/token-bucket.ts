/** A bucket of tokens. Every request takes one token. */
export interface RateLimit {
  /** Tokens that are added in `seconds`. */
  readonly requests: number
  /** The period in which `requests` tokens are added. */
  readonly seconds: number
  /** Capacity of the bucket: the highest number of requests at once. */
  readonly burst: number
}

export interface Bucket {
  /** May be fractional. */
  readonly tokens: number
  /** The time of this level, in milliseconds. */
  readonly at: number
}

/** The result of one request, in milliseconds. */
export interface Taken {
  readonly allowed: boolean
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Time until the bucket is full again. */
  readonly resetMs: number
  /** Time until the next token; 0 if one is available. */
  readonly waitMs: number
}

export const tokensPerMs = ({ requests, seconds }: RateLimit): number => requests / (seconds * 1000)

/** The result for a client when `tokens` are left in its bucket. */
export function toTaken(limit: RateLimit, allowed: boolean, tokens: number): Taken {
  // Multiplies instead of dividing by the rate: 1 / (1 / 3600000) is more than 3600000, and would add a second to
  // Retry-After.
  const msUntil = (missing: number): number => Math.ceil((missing * limit.seconds * 1000) / limit.requests)
  return {
    allowed,
    remaining: Math.floor(tokens),
    resetMs: msUntil(limit.burst - tokens),
    waitMs: msUntil(Math.max(0, 1 - tokens)),
  }
}

// The sum of fractions may be slightly below 1.
const ONE = 1 - 1e-9

/** Fills the bucket up to `now`, and takes a token if one is available. A clock that goes back adds no tokens. */
export function take(limit: RateLimit, old: Bucket | undefined, now: number): { bucket: Bucket; taken: Taken } {
  const passed = old === undefined ? 0 : Math.max(0, now - old.at)
  const full = Math.min(limit.burst, (old?.tokens ?? limit.burst) + passed * tokensPerMs(limit))
  const allowed = full >= ONE
  const tokens = allowed ? Math.max(0, full - 1) : full
  return { bucket: { tokens, at: now }, taken: toTaken(limit, allowed, tokens) }
}
