import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBreaker } from '../../../src/gateway/upstream/breaker.ts'
import { createRetryBudget, WINDOW_MS } from '../../../src/gateway/upstream/retry-budget.ts'
import {
  type Behaviour,
  bodyOf,
  doneFrame,
  roleChunk,
  startMockUpstream,
  stopChunk,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { check } from '../../property.ts'
import { hasServer } from '../doors.ts'
import { stopClock } from '../stopped-clock.ts'
import { json, post, REQUEST, startGateway, startTestServer, whenDone } from '../test-server.ts'

const QUICK = { attempts: 3, first_delay_ms: 0, longest_delay_ms: 2000 }
const whole = { ...REQUEST, stream: false }
const failing = withBody('{"error":{"message":"Not now."}}', 503)
const metric = async (url: string, line: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length + 1) ?? 0,
  )
}

describe('the retry budget', () => {
  it('allows a share of the first attempts plus a floor within ten seconds', () => {
    const step = fc.record({ first: fc.boolean(), waitMs: fc.integer({ min: 0, max: 4000 }) })
    check(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        let now = 1e6
        const budget = createRetryBudget({ share: 0.1, floor: 2 }, () => now)
        const firsts: number[] = []
        const again: number[] = []
        for (const { first, waitMs } of steps) {
          now += waitMs
          if (first) {
            budget.spendFirst()
            firsts.push(now)
          } else if (budget.spendAgain()) again.push(now)
        }
        for (const end of again) {
          const within = (at: number) => at <= end && at > end - WINDOW_MS
          // An interval of ten seconds overlaps at most two windows.
          const most = 2 * 2 + 0.1 * firsts.filter((at) => at <= end && at > end - 2 * WINDOW_MS).length * 2
          expect(again.filter(within).length).toBeLessThanOrEqual(most + 1)
        }
      }),
      200,
    )
  })

  it('allows all retries of a vendor with few requests', () => {
    let now = 0
    const budget = createRetryBudget({ share: 0.1, floor: 10 }, () => now)
    for (let i = 0; i < 100; i += 1, now += 5000) {
      budget.spendFirst()
      expect([budget.spendAgain(), budget.spendAgain()]).toEqual([true, true])
    }
  })

  it('bounds the retries for a failing vendor: 100 requests are about 120 calls, not 300', async () => {
    stopClock()
    const { url, upstream, lines } = await startTestServer(failing, { retry: { ...QUICK, breaker_failures: 0 } })
    const ask = (i: number, k: number) => post(url, { ...whole, input: `Question ${i} ${k}` })
    for (let i = 0; i < 10; i += 1) await Promise.all(Array.from({ length: 10 }, (_, k) => ask(i, k)))
    // The floor and the share of the budget of one window.
    expect(upstream.received).toHaveLength(100 + 10 + 10)
    expect(lines.filter(({ status }) => status === 503)).toHaveLength(100)
    if (!hasServer()) return
    const refused = await metric(url, 'millrace_upstream_refused_tries_total{vendor="acme",reason="budget"}')
    expect(refused).toBeGreaterThan(70)
  })

  it('is separate for each vendor of one gateway', async () => {
    const vendor = async (behave: Behaviour) => {
      const upstream = await startMockUpstream(behave)
      whenDone(upstream.close)
      return { upstream, row: { wire: 'openai-chat', base_url: upstream.url, key: 'k' } }
    }
    stopClock()
    const busy = await vendor(failing)
    const answers = [failing, withBody(bodyOf('Hi'))]
    const quiet = await vendor((response, request) => answers.shift()?.(response, request))
    const { url } = await startGateway({
      vendors: { busy: busy.row, quiet: quiet.row },
      retry: { ...QUICK, attempts: 2, budget_share: 0, budget_floor: 1, breaker_failures: 0 },
    })
    const ask = (name: string) => post(url, { ...whole, model: `${name}/m` })
    for (const calls of [2, 3]) {
      expect((await ask('busy')).status).toBe(503)
      expect(busy.upstream.received).toHaveLength(calls)
    }
    expect((await ask('quiet')).status).toBe(200)
    expect(quiet.upstream.received).toHaveLength(2)
  })
})

describe('the header x-should-retry', () => {
  const shouldRetry = async (retry: object, behave: Behaviour = failing) => {
    const { url } = await startTestServer(behave, { retry: { ...QUICK, ...retry } })
    const response = await post(url, whole)
    return [response.status, response.headers.get('x-should-retry')]
  }

  it('is false if the gateway has used up its own attempts', async () => {
    expect(await shouldRetry({})).toEqual([503, 'false'])
    expect(await shouldRetry({ attempts: 2 })).toEqual([503, 'false'])
    expect(await shouldRetry({ budget_floor: 0 })).toEqual([503, 'false'])
  })

  it.each([
    [503, null],
    [429, null],
    [500, 'false'],
  ])(
    'of an HTTP %i after the last retry is %s for clients of Anthropic, which wait themselves',
    async (status, hint) => {
      const { url, upstream } = await startTestServer(withBody('{"error":{"message":"Not now."}}', status), {
        retry: QUICK,
      })
      const asked = { model: 'acme/m', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
      const response = await post(url, asked, { path: '/api/v1/messages' })
      expect([upstream.received.length, response.headers.get('x-should-retry')]).toEqual([3, hint])
    },
  )

  it('is absent if the gateway does not retry', async () => {
    expect(await shouldRetry({ attempts: 1 })).toEqual([503, null])
    const longer = withBody('{}', 429, { 'retry-after': '60' })
    expect(await shouldRetry({}, longer)).toEqual([429, null])
  })
})

describe('a breaker', () => {
  it('opens after consecutive failures, admits one probe at a time, and closes after a success', () => {
    let now = 0
    const breaker = createBreaker({ failures: 3, probeMs: 1000 }, () => now)
    for (let i = 0; i < 2; i += 1) breaker.fail()
    breaker.succeed()
    for (let i = 0; i < 3; i += 1) {
      expect(breaker.admits()).toBe(true)
      breaker.fail()
    }
    expect([breaker.isOpen(), breaker.admits()]).toEqual([true, false])
    now = 1000
    expect([breaker.admits(), breaker.admits(), breaker.admits()]).toEqual([true, false, false])
    breaker.fail()
    now = 2000
    expect([breaker.admits(), breaker.admits()]).toEqual([true, false])
    breaker.succeed()
    expect([breaker.isOpen(), breaker.admits(), breaker.admits()]).toEqual([false, true, true])
  })

  it('stops requests to a failing model, but not to other models of its vendor', async () => {
    const behave: Behaviour = (response, request) =>
      (request.body.model === 'down' ? failing : withBody(bodyOf('Hi')))(response, request)
    const { url, upstream } = await startTestServer(behave, {
      retry: { ...QUICK, attempts: 1, breaker_failures: 5, breaker_seconds: 3600 },
    })
    for (let i = 0; i < 20; i += 1) {
      const response = await post(url, { ...whole, model: 'acme/down' })
      expect(response.status).toBe(503)
      if (i >= 5) expect(response.headers.get('retry-after')).toBe('3600')
      else expect((await json(response)).error.message).toBe('Not now.')
    }
    expect(upstream.received).toHaveLength(5)
    expect((await post(url, { ...whole, model: 'acme/up' })).status).toBe(200)
    if (!hasServer()) return
    expect(await metric(url, 'millrace_upstream_breakers_open{vendor="acme"}')).toBe(1)
    expect(await metric(url, 'millrace_upstream_refused_tries_total{vendor="acme",reason="breaker"}')).toBe(15)
  })

  it('admits a probe after a pause, and all requests after its success', async () => {
    let isDown = true
    const clock = stopClock()
    const { url, upstream } = await startTestServer(
      (response, request) => (isDown ? failing : withBody(bodyOf('Hi')))(response, request),
      { retry: { ...QUICK, attempts: 1, breaker_failures: 2, breaker_seconds: 60 } },
    )
    for (let i = 0; i < 4; i += 1) await post(url, whole)
    isDown = false
    clock.pass(59_999)
    expect((await post(url, whole)).status).toBe(503)
    expect(upstream.received).toHaveLength(2)
    clock.pass(1)
    for (let i = 0; i < 2; i += 1) expect((await post(url, whole)).status).toBe(200)
    expect(upstream.received).toHaveLength(4)
  })

  /** The first part of an answer, after which the connection breaks, or an error or nothing follows. */
  const breaking =
    (end: (response: Parameters<Behaviour>[0]) => void): Behaviour =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(roleChunk + textChunk('Once'), () => end(response))
    }
  const OUTAGES: Readonly<Record<string, Behaviour>> = {
    'a broken connection': breaking((response) => void setImmediate(() => response.destroy())),
    'an overload': breaking(
      (response) =>
        void response.end('data: {"error":{"message":"Overloaded","type":"overloaded_error","code":503}}\n\n'),
    ),
  }
  const CLIENTS: Readonly<Record<string, readonly [path: string, body: object]>> = {
    'translated stream': ['/api/v1/responses', { ...REQUEST, stream: true }],
    'translated body': ['/api/v1/responses', whole],
    'passed stream': [
      '/v1/chat/completions',
      { model: REQUEST.model, messages: [{ role: 'user', content: 'Hi' }], stream: true },
    ],
  }
  it.each(Object.keys(OUTAGES).flatMap((end) => Object.keys(CLIENTS).map((client) => [client, end] as const)))(
    'is opened in the middle of a %s by %s, as at its beginning',
    async (client, end) => {
      let isDown = true
      const clock = stopClock()
      const behave = OUTAGES[end] ?? failing
      const { url, upstream } = await startTestServer(
        (response, request) =>
          isDown ? behave(response, request) : void response.end(roleChunk + stopChunk + doneFrame),
        { retry: { ...QUICK, attempts: 1, breaker_failures: 2, breaker_seconds: 60 } },
      )
      const [path, body] = CLIENTS[client] ?? ['', {}]
      const ask = async (): Promise<number> => {
        const response = await post(url, body, { path })
        await response.text().catch(() => '')
        return response.status
      }
      for (let i = 0; i < 4; i += 1) await ask()
      expect(upstream.received).toHaveLength(2)
      isDown = false
      clock.pass(60_000)
      expect([await ask(), await ask()]).toEqual([200, 200])
    },
  )

  it.each([
    ['failures of a request', 'data: {"error":{"message":"Refused","code":"content_filter"}}\n\n'],
    ['an early end', ''],
  ])('is not opened in the middle of a stream by %s', async (_, rest) => {
    const { url, upstream } = await startTestServer(
      breaking((response) => void response.end(rest)),
      { retry: { ...QUICK, attempts: 1, breaker_failures: 2, breaker_seconds: 3600 } },
    )
    for (let i = 0; i < 5; i += 1) await (await post(url, { ...REQUEST, stream: true })).text()
    expect(upstream.received).toHaveLength(5)
  })

  it.each([
    ['requests that are wrong', 400],
    ['rate limits', 429],
    ['faults, which a single request may bring about', 500],
  ])('is not opened by %s', async (_, status) => {
    const { url, upstream } = await startTestServer(withBody('{}', status), {
      retry: { ...QUICK, attempts: 1, breaker_failures: 2, breaker_seconds: 3600 },
    })
    for (let i = 0; i < 5; i += 1) await post(url, whole)
    expect(upstream.received).toHaveLength(5)
  })
})
