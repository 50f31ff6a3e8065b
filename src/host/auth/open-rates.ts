import { memoryStore, type RateStore } from '../../gateway/auth/rate-limit.ts'
import type { Config } from '../../gateway/config/config.ts'
import { type Env, readSecret } from '../../gateway/config/secrets.ts'
import type { Log } from '../../gateway/telemetry/log.ts'
import { redisStore } from './rate-limit-redis.ts'

/** Opens the store of rate limits: Redis if it is configured, else memory. Rejects if Redis cannot be reached. */
export function openRates(
  { rate_limit: { redis } }: Config,
  env: Env,
  clock: () => number,
  log: Log,
): Promise<RateStore> {
  if (redis === undefined) return Promise.resolve(memoryStore(clock))
  const url = readSecret(redis.url, 'rate_limit.redis.url', env)
  return redisStore({ url, prefix: redis.prefix, timeoutMs: redis.timeout_seconds * 1000 }, log)
}
