import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryStore, type RateStore } from '../../../src/gateway/auth/rate-limit.ts'
import type { LogLine } from '../../../src/gateway/telemetry/log.ts'
import { redisStore } from '../../../src/host/auth/rate-limit-redis.ts'
import { inPieces, streamOf } from '../../mock-upstreams/server.ts'
import { stopClock } from '../stopped-clock.ts'
import {
  json,
  KEY,
  lineOf,
  post,
  REQUEST,
  sha256,
  startTestServer,
  waitUntil,
  whenDone,
  withEnoughTime,
} from '../test-server.ts'
import { startHangingRedis } from './hanging-redis.ts'
import { type RedisServer, startRedis } from './redis.ts'

const answering = inPieces(streamOf('Hello'), 400)
const whole = { ...REQUEST, stream: false }
const SLOW = { requests: 1, seconds: 3600, burst: 10 }

/** Checks the behaviour that every store must have. */
async function holds(store: RateStore): Promise<void> {
  const many = await Promise.all(Array.from({ length: 100 }, () => store.take('a', SLOW)))
  expect(many.filter((taken) => taken?.allowed)).toHaveLength(10)
  expect(many.map((taken) => taken?.remaining).toSorted()).toEqual([...Array(91).fill(0), 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const last = await store.take('a', SLOW)
  expect(last).toMatchObject({ allowed: false, remaining: 0 })
  expect(last?.waitMs).toBeGreaterThan(3_000_000)
  expect(last?.waitMs).toBeLessThanOrEqual(3_600_000)
  expect(await store.take('b', SLOW)).toMatchObject({ allowed: true, remaining: 9 })
  const quick = { requests: 20, seconds: 1, burst: 1 }
  expect(await store.take('c', quick)).toMatchObject({ allowed: true })
  // A busy machine may take longer for one step than the bucket takes to refill, but not in every attempt.
  const isAllowed = async (): Promise<boolean> => (await store.take('c', quick))?.allowed === true
  await waitUntil(async () => !(await isAllowed()), 'an empty bucket')
  await waitUntil(isAllowed, 'a token')
}

describe('rate limits in this process', () => {
  it('allow the burst, then refuse until a token is back', () => {
    let now = 0
    return holds(memoryStore(() => now++))
  })

  it('are in the headers of every counted request, and refuse a request beyond them', async () => {
    let now = 0
    const { url, upstream, lines } = await startTestServer(
      answering,
      { rate_limit: { default: { requests: 2, seconds: 60 } }, model_lists: { ask: false } },
      { clock: () => now },
    )
    const models = await fetch(`${url}/api/v1/models`, { headers: { authorization: `Bearer ${KEY}` } })
    expect([models.status, models.headers.get('x-ratelimit-limit-requests')]).toEqual([200, null])
    const headersOf = ({ headers }: Response) =>
      ['limit', 'remaining', 'reset'].map((what) => headers.get(`x-ratelimit-${what}-requests`))
    const first = await post(url)
    await first.text()
    expect([first.status, ...headersOf(first)]).toEqual([200, '2', '1', '30s'])
    expect(first.headers.get('retry-after')).toBeNull()
    // A request with an error costs as much as a valid one.
    const second = await post(url, {})
    expect([second.status, ...headersOf(second)]).toEqual([400, '2', '0', '1m0s'])
    now = 1500
    const third = await post(url)
    expect([third.status, ...headersOf(third)]).toEqual([429, '2', '0', '59s'])
    expect(third.headers.get('retry-after')).toBe('29')
    expect(await json(third)).toMatchObject({
      error: {
        code: 'rate_limit_exceeded',
        type: 'rate_limit_error',
        message: expect.stringContaining('try again in 29s'),
      },
      metadata: null,
    })
    now = 30_000
    expect((await post(url)).status).toBe(200)
    expect(upstream.received).toHaveLength(2)
    await waitUntil(() => lines.some(({ status }) => status === 429), 'the refusal in the log')
    expect(lines.find(({ status }) => status === 429)).toMatchObject({ key: 'tester', error: 'rate_limit_exceeded' })
  })

  it("are separate for each key, with the key's own limit if it has one", async () => {
    const keys = [
      { name: 'usual', sha256: sha256(KEY) },
      { name: 'wide', sha256: sha256('wide'), rate_limit: { requests: 60, burst: 3 } },
      { name: 'free', sha256: sha256('free'), rate_limit: null },
    ]
    const { url } = await startTestServer(
      answering,
      { keys, rate_limit: { default: { requests: 1 } } },
      { clock: () => 0 },
    )
    const statuses = async (key: string) => {
      const answers: Response[] = []
      for (let i = 0; i < 4; i += 1) {
        answers.push(await post(url, whole, { headers: { authorization: `Bearer ${key}` } }))
      }
      return answers.map(({ status }) => status)
    }
    expect(await statuses(KEY)).toEqual([200, 429, 429, 429])
    expect(await statuses('wide')).toEqual([200, 200, 200, 429])
    expect(await statuses('free')).toEqual([200, 200, 200, 200])
  })

  it('are absent from the headers if none is configured', async () => {
    const { url, lines } = await startTestServer(answering)
    const response = await post(url, whole)
    expect([...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    expect(await lineOf(lines)).toMatchObject({ status: 200 })
  })
})

describe('a rate limit store that hangs', () => {
  it('delays only the first requests, is probed once a second, and limits again when it answers', async () => {
    const redis = await startHangingRedis()
    const clock = stopClock()
    const lines: LogLine[] = []
    const store = await withEnoughTime(
      async (seconds) => {
        lines.length = 0
        const opened = await redisStore(
          { url: redis.url, prefix: 'x:', timeoutMs: seconds * 1000 },
          (line) => void lines.push(line),
        )
        whenDone(opened.close)
        return { ...opened, first: await opened.take('a', SLOW) }
      },
      ({ first }) => first === null,
    )
    expect(store.first).toMatchObject({ allowed: true, remaining: 5 })
    redis.hang()
    const before = redis.asked()
    const asked = (): number => redis.asked() - before
    for (let i = 0; i < 3; i += 1) expect(await store.take('a', SLOW)).toBeNull()
    expect(asked()).toBe(3)
    // These calls do not wait: time stands still, so that none of them is a probe.
    for (let i = 0; i < 1000; i += 1) expect(await store.take('a', SLOW)).toBeNull()
    expect(asked()).toBe(3)
    clock.pass(1000)
    for (let i = 0; i < 1000; i += 1) expect(await store.take('a', SLOW)).toBeNull()
    await waitUntil(() => asked() === 4, 'the probe')
    redis.goOn()
    await waitUntil(async () => {
      clock.pass(1000)
      return (await store.take('a', SLOW))?.allowed === true
    }, 'the store to be back')
    expect(lines.map(({ state }) => state)).toEqual(['down', 'up'])
  })
})

const found = await startRedis()
if (found === null)
  console.warn('There is no redis-server here (apt-get install redis-server): shared limits are not tested.')

describe.skipIf(found === null)('rate limits in Redis', () => {
  const redis = found as RedisServer
  const lines: LogLine[] = []
  const open = (prefix: string, url = redis.url) =>
    redisStore({ url, prefix, timeoutMs: 600_000 }, (line) => void lines.push(line))
  const stores: RateStore[] = []
  beforeAll(async () => void stores.push(await open('one:'), await open('one:'), await open('two:')))
  afterAll(async () => {
    for (const store of stores) await store.close()
    await redis.stop()
  })

  it('follow the same rules as those in one process', () => holds(stores[2] as RateStore))

  it('are shared by all hosts, and exact for concurrent requests', async () => {
    const [first, second] = stores as [RateStore, RateStore]
    const many = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? first : second).take('shared', SLOW)),
    )
    expect(many.filter((taken) => taken?.allowed)).toHaveLength(10)
  })

  it('are removed from Redis when their bucket is full again', async () => {
    const client = await createClient({ url: redis.url }).connect()
    whenDone(async () => client.destroy())
    const [store] = stores as [RateStore]
    await store.take('brief', { requests: 100, seconds: 1, burst: 2 })
    await waitUntil(async () => (await client.exists('one:brief')) === 0, 'the end of a bucket that fills at once')
    await store.take('long', { requests: 1, seconds: 3600, burst: 2 })
    const left = await client.pTTL('one:long')
    expect(left).toBeGreaterThan(3_000_000)
    // A second more than the refill, which is rounded up.
    expect(left).toBeLessThanOrEqual(3_601_001)
  })

  it('depend only on the clock of Redis', async () => {
    const shared = { requests: 1, seconds: 3600 }
    const config = {
      rate_limit: { default: shared, redis: { url: redis.url, prefix: 'three:', timeout_seconds: 600 } },
    }
    const early = await startTestServer(answering, config, { clock: () => 0 })
    const late = await startTestServer(answering, config, { clock: () => 1e15 })
    expect((await post(early.url, whole)).status).toBe(200)
    const refused = await post(late.url, whole)
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 3600])
  })

  it('allow every request while Redis is down, log that once, and limit again afterwards', async () => {
    const own = (await startRedis()) as RedisServer
    const { url, lines } = await startTestServer(answering, {
      rate_limit: { default: { requests: 1, seconds: 3600 }, redis: { url: own.url, timeout_seconds: 60 } },
    })
    const states = () => lines.filter(({ event }) => event === 'rate_limit_store').map(({ state }) => state)
    const statusOf = async () => (await post(url, whole)).status
    expect([await statusOf(), await statusOf()]).toEqual([200, 429])
    await own.stop()
    expect([await statusOf(), await statusOf()]).toEqual([200, 200])
    expect(states()).toEqual(['down'])
    const again = (await startRedis(Number(new URL(own.url).port))) as RedisServer
    whenDone(again.stop)
    await waitUntil(async () => {
      await statusOf()
      return states().includes('up')
    }, 'the store to be back')
    expect(states()).toEqual(['down', 'up'])
    expect(await statusOf()).toBe(429)
  })

  it('do not prevent a server from starting without Redis', async () => {
    const { url } = await startTestServer(answering, {
      rate_limit: { default: { requests: 1 }, redis: { url: 'redis://127.0.0.1:1', timeout_seconds: 0.2 } },
    })
    expect([(await post(url, whole)).status, (await post(url, whole)).status]).toEqual([200, 200])
  })
})
