import { memoryStore, type RateStore } from '../../gateway/auth/rate-limit.ts'
import { type RateLimit, type Taken, tokensPerMs, toTaken } from '../../gateway/auth/token-bucket.ts'
import type { Config } from '../../gateway/config/config.ts'
import { type Env, readSecret } from '../../gateway/config/secrets.ts'
import type { Log } from '../../gateway/telemetry/log.ts'
import { createBreaker } from '../../gateway/upstream/breaker.ts'

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

interface RedisOptions {
  readonly url: string
  /** Prefix of the name of every key. */
  readonly prefix: string
  readonly timeoutMs: number
}

/**
 * `take` of token-bucket.ts as a script of the store: atomic, and with the clock of the store, so that the clocks of
 * hosts may differ. Buckets that are full again expire.
 */
const TAKE = `
local burst, per_ms = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local at = tonumber(bucket[2]) or now
local tokens = math.min(burst, (tonumber(bucket[1]) or burst) + math.max(0, now - at) * per_ms)
local allowed = tokens >= 1 - 1e-9
if allowed then tokens = math.max(0, tokens - 1) end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.9f', tokens), 'at', string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / per_ms) + 1000)
return { allowed and 1 or 0, string.format('%.9f', tokens) }
`

/** An optional peer dependency for configurations with Redis. */
async function loadClient() {
  try {
    return await import('redis')
  } catch {
    throw new Error('rate_limit.redis: the package "redis" is not installed. Run: npm install redis')
  }
}

/** The message of the client may repeat the URL, which has a password. */
function withRemedy<T>(create: () => T): T {
  try {
    return create()
  } catch {
    throw new Error('rate_limit.redis.url: expected a URL such as redis://user:password@host:6379/0, or rediss://')
  }
}

/** Rejects with the problem of the URL for which a start would fail. Opens no connection. */
export async function checkRedisUrl(url: string): Promise<void> {
  const { createClient } = await loadClient()
  withRemedy(() => createClient({ url }))
}

/** After this many consecutive timeouts, requests pass without waiting, and one a second probes the store. */
const TIMEOUTS = 3
const PROBE_MS = 1000

/**
 * Buckets that several hosts share. If the store is down, `take` returns null, and the log reports it once. If the
 * store hangs, only the first requests wait for its timeout.
 */
export async function redisStore({ url, prefix, timeoutMs }: RedisOptions, log: Log): Promise<RateStore> {
  const { createClient } = await loadClient()
  const client = withRemedy(() =>
    createClient({ url, disableOfflineQueue: true, socket: { connectTimeout: timeoutMs } }),
  )
  let down = false
  const note = (isDown: boolean): void => {
    if (isDown !== down) log({ event: 'rate_limit_store', state: isDown ? 'down' : 'up' })
    down = isDown
  }
  client.on('error', () => note(true))
  // The client continues to connect in the background, and a server without its store is better than no server.
  const connecting = client.connect().catch(() => note(true))
  await Promise.race([connecting, after(timeoutMs)])

  const breaker = createBreaker({ failures: TIMEOUTS, probeMs: PROBE_MS }, () => performance.now())
  const takeFromRedis = async (key: string, limit: RateLimit): Promise<Taken | null> => {
    const taken = client
      .eval(TAKE, { keys: [prefix + key], arguments: [String(limit.burst), String(tokensPerMs(limit))] })
      .catch(() => null)
    const answer = await Promise.race([taken, after(timeoutMs)])
    if (answer === LATE) breaker.fail()
    else breaker.succeed()
    note(!Array.isArray(answer))
    return Array.isArray(answer) ? toTaken(limit, answer[0] === 1, Number(answer[1])) : null
  }

  return {
    async take(key, limit) {
      if (!breaker.isOpen()) return takeFromRedis(key, limit)
      // The request itself does not wait for the probe.
      if (breaker.admits()) void takeFromRedis(key, limit)
      return null
    },
    close: async () => client.destroy(),
  }
}

const LATE = Symbol('late')

const after = (ms: number): Promise<typeof LATE> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(LATE), ms).unref()
  })
