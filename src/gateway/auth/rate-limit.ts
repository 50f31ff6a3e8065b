import { clientError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Awaitable } from '../run-in-slices.ts'
import type { Key } from './auth.ts'
import { type Bucket, type RateLimit, type Taken, take } from './token-bucket.ts'

export interface RateStore {
  /** Takes a token for this key; null if the store is unavailable. Never rejects. */
  take(key: string, limit: RateLimit): Promise<Taken | null>
  close(): Promise<void>
}

/** Stores the buckets in this process, for one host. There are at most as many buckets as keys. */
export function memoryStore(clock: () => number): RateStore {
  const buckets = new Map<string, Bucket>()
  return {
    async take(key, limit) {
      const { bucket, taken } = take(limit, buckets.get(key), clock())
      buckets.set(key, bucket)
      return taken
    },
    close: async () => undefined,
  }
}

/** `1h2m3s`, `450ms`: the format of duration in OpenAI's `x-ratelimit-reset-…` headers. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${h > 0 ? `${h}h` : ''}${h + m > 0 ? `${m}m` : ''}${s}s`
}

const tooFast = (waitMs: number) => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `The rate limit of this key is reached. Please try again in ${seconds}s.`
  return err({ ...clientError('rate_limit_exceeded', message), retryAfter: seconds })
}

/** Takes a token for a message that is refused before it is a request. */
export async function chargeRefusal(store: RateStore, { id, rateLimit }: Key): Promise<Result<null>> {
  const taken = rateLimit === null ? null : await store.take(id, rateLimit)
  return taken === null || taken.allowed ? ok(null) : tooFast(taken.waitMs)
}

/** Applies the rate limit of a key. The headers of every answer, also of a refusal, contain the remaining requests. */
export const limitRate = (
  store: RateStore,
  { id, rateLimit }: Key,
  context: RequestContext,
): Awaitable<Result<null>> => (rateLimit === null ? ok(null) : takeToken(store, id, rateLimit, context))

async function takeToken(
  store: RateStore,
  id: string,
  limit: RateLimit,
  { reply }: RequestContext,
): Promise<Result<null>> {
  const taken = await store.take(id, limit)
  // An unavailable store must not stop all requests.
  if (taken === null) return ok(null)
  if (!reply.hasStarted()) {
    reply.setHeader('x-ratelimit-limit-requests', limit.burst)
    reply.setHeader('x-ratelimit-remaining-requests', taken.remaining)
    reply.setHeader('x-ratelimit-reset-requests', formatDuration(taken.resetMs))
  }
  return taken.allowed ? ok(null) : tooFast(taken.waitMs)
}
