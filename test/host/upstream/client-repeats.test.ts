import { describe, expect, it } from 'vitest'
import { REPEAT_MS } from '../../../src/gateway/upstream/client-repeats.ts'
import { type Behaviour, bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { stopClock } from '../stopped-clock.ts'
import { lineOf, post, REQUEST, startTestServer } from '../test-server.ts'

/** Clients that repeat a request which the gateway has retried already. */

const QUICK = { attempts: 3, first_delay_ms: 1, longest_delay_ms: 2000, breaker_failures: 0 }
const whole = { ...REQUEST, stream: false }
const limited = withBody('{"error":{"message":"Not now."}}', 429, {
  'content-type': 'application/json',
  'retry-after': '1',
})

const startFailing = (behave: Behaviour = limited, retry: object = {}) =>
  startTestServer(behave, { retry: { ...QUICK, first_delay_ms: 1, ...retry } })

const unavailable = withBody('{"error":{"message":"Not now."}}', 503)

describe('a request that its client repeats after a failure', () => {
  it('is sent once, and the pause that the vendor wants reaches the client at once', async () => {
    const { url, upstream, lines } = await startFailing(limited, { attempts: 2 })
    expect((await post(url, whole)).status).toBe(429)
    expect(upstream.received).toHaveLength(2)
    const again = await post(url, whole)
    expect([again.status, again.headers.get('retry-after'), upstream.received.length]).toEqual([429, '1', 3])
    await post(url, whole)
    expect(upstream.received).toHaveLength(4)
    expect((await lineOf(lines)).retries).toBe(1)
  })

  it('is retried like any other with another body, model or key, and after a minute', async () => {
    const clock = stopClock()
    const { url, upstream } = await startFailing(unavailable)
    await post(url, whole)
    for (const other of [{ input: 'Another' }, { model: 'acme/mock-2' }]) {
      const { length } = upstream.received
      await post(url, { ...whole, ...other })
      expect(upstream.received).toHaveLength(length + 3)
    }
    clock.pass(REPEAT_MS)
    const { length } = upstream.received
    await post(url, whole)
    expect(upstream.received).toHaveLength(length + 3)
  })

  it('counts as a retry in the budget of its vendor', async () => {
    stopClock()
    const { url, upstream } = await startFailing(unavailable, { attempts: 2, budget_share: 0, budget_floor: 2 })
    await post(url, whole)
    await post(url, whole)
    expect(upstream.received).toHaveLength(3)
    await post(url, { ...whole, input: 'Another' })
    expect(upstream.received).toHaveLength(4)
  })

  it('is answered as soon as the vendor answers', async () => {
    const answers = [unavailable, unavailable, unavailable, withBody(bodyOf('Hi'))]
    const { url } = await startFailing((response, request) => answers.shift()?.(response, request))
    expect((await post(url, whole)).status).toBe(503)
    expect((await post(url, whole)).status).toBe(200)
  })

  it('is sent as often as before after a failure that will not pass', async () => {
    const { url, upstream } = await startFailing(withBody('{"error":{"message":"No."}}', 400))
    await post(url, whole)
    await post(url, whole)
    expect(upstream.received).toHaveLength(2)
  })
})
