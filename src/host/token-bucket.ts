/** A bucket of tokens, one of which every request takes. */
export interface RateLimit {
  /** How many requests … */
  readonly requests: number
  /** … in how many seconds: so fast it fills up again. */
  readonly seconds: number
  /** How many fit into it: what may come at once. */
  readonly burst: number
}

export interface Bucket {
  /** With fractions. */
  readonly tokens: number
  /** When it was so full, in milliseconds. */
  readonly at: number
}

/** What became of one request, in milliseconds. */
export interface Taken {
  readonly allowed: boolean
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly resetMs: number
  /** Until the next token is there; 0 where one is. */
  readonly waitMs: number
}

export const tokensPerMs = ({ requests, seconds }: RateLimit): number => requests / (seconds * 1000)

/** What a client is told of a bucket in which so many tokens are left. */
export function toTaken(limit: RateLimit, allowed: boolean, tokens: number): Taken {
  // Not divided by the rate: 1 / (1 / 3600000) is more than 3600000, and would be a second more in Retry-After.
  const msUntil = (missing: number): number => Math.ceil((missing * limit.seconds * 1000) / limit.requests)
  return {
    allowed,
    remaining: Math.floor(tokens),
    resetMs: msUntil(limit.burst - tokens),
    waitMs: msUntil(Math.max(0, 1 - tokens)),
  }
}

// Fractions do not always add up to it.
const ONE = 1 - 1e-9

/** Fills the bucket up to now and takes a token, where there is one. A clock that goes back fills nothing. */
export function take(limit: RateLimit, old: Bucket | undefined, now: number): { bucket: Bucket; taken: Taken } {
  const passed = old === undefined ? 0 : Math.max(0, now - old.at)
  const full = Math.min(limit.burst, (old?.tokens ?? limit.burst) + passed * tokensPerMs(limit))
  const allowed = full >= ONE
  const tokens = allowed ? Math.max(0, full - 1) : full
  return { bucket: { tokens, at: now }, taken: toTaken(limit, allowed, tokens) }
}
