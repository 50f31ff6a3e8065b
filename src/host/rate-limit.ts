import { clientError } from '../protocol/error.ts'
import { type Attempt, failure, success } from './attempt.ts'
import type { Key } from './auth.ts'
import type { Exchange } from './exchange.ts'
import { type Bucket, type RateLimit, type Taken, take } from './token-bucket.ts'

/** Where the buckets of all keys are kept. */
export interface RateStore {
  /** Takes a token for this key; null where the store cannot say. Never rejects. */
  take(key: string, limit: RateLimit): Promise<Taken | null>
  close(): Promise<void>
}

/** In this process: for one host. There are no more buckets than keys. */
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

/** `1h2m3s`, `450ms`: how the `x-ratelimit-reset-…` headers of the standard say how long. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1000)
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${h > 0 ? `${h}h` : ''}${h + m > 0 ? `${m}m` : ''}${s}s`
}

const tooFast = (waitMs: number) => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const message = `This key has sent too many requests. Please try again in ${seconds}s.`
  return failure({ ...clientError('rate_limit_exceeded', message), retryAfter: seconds })
}

/** Lets a request of this key pass, or not yet. What is left is told in the headers of its answer, whatever that is. */
export async function limitRate(store: RateStore, key: Key, { response }: Exchange): Promise<Attempt<null>> {
  if (key.rateLimit === null) return success(null)
  const taken = await store.take(key.id, key.rateLimit)
  // A store that is down must not stop everything behind it.
  if (taken === null) return success(null)
  if (!response.headersSent) {
    response.setHeader('x-ratelimit-limit-requests', key.rateLimit.burst)
    response.setHeader('x-ratelimit-remaining-requests', taken.remaining)
    response.setHeader('x-ratelimit-reset-requests', formatDuration(taken.resetMs))
  }
  return taken.allowed ? success(null) : tooFast(taken.waitMs)
}
