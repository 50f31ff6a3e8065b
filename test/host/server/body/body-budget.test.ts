import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyBudget } from '../../../../src/gateway/body/body-budget.ts'
import { ByteBlocks } from '../../../../src/gateway/body/byte-blocks.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  inPieces,
  streamOf,
  textChunk,
  withBody,
} from '../../../mock-upstreams/server.ts'
import { check, IS_WHOLE } from '../../../property.ts'
import { json, KEY, post, REQUEST, startTestServer, waitUntil } from '../../test-server.ts'

describe('the budget of all request bodies', () => {
  const actions = fc.array(
    fc.record({ who: fc.nat(4), what: fc.constantFrom('resize', 'release'), cost: fc.nat(120) }),
    { maxLength: 60 },
  )

  it('equals the sum of its leases, exceeds its bound only for a single lease, and ends at zero', () => {
    check(
      fc.property(actions, (list) => {
        const budget = createBodyBudget(100)
        const leases = Array.from({ length: 5 }, () => ({ lease: budget.lease(), own: 0, open: true }))
        for (const { who, what, cost } of list) {
          const one = leases[who]
          if (one === undefined) continue
          const others = budget.held() - one.own
          if (what === 'release') {
            one.lease.release()
            Object.assign(one, { own: 0, open: false })
          } else if (one.lease.resize(cost)) {
            expect(one.open && (cost <= one.own || others === 0 || others + cost <= 100)).toBe(true)
            one.own = cost
          } else expect(one.open && (cost <= one.own || others === 0 || others + cost <= 100)).toBe(false)
          expect(budget.held()).toBe(leases.reduce((sum, { own }) => sum + own, 0))
        }
        for (const { lease } of leases) lease.release()
        expect(budget.held()).toBe(0)
      }),
    )
  })
})

describe('ByteBlocks', () => {
  it('returns the bytes that were added, in order and once', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 40 })
    check(
      fc.property(chunks, fc.boolean(), (list, again) => {
        const blocks = new ByteBlocks()
        for (const chunk of list) blocks.add(chunk)
        expect(Buffer.concat(blocks.take()).equals(Buffer.concat(list))).toBe(true)
        if (again) expect(blocks.take().reduce((sum, { length }) => sum + length, 0)).toBe(0)
      }),
    )
  })

  it('merges many small chunks into few blocks', () => {
    const blocks = new ByteBlocks()
    const size = IS_WHOLE ? 3_000_000 : 300_000
    for (let at = 0; at < size; at += 1) blocks.add(Uint8Array.of(at % 251))
    const all = blocks.take()
    expect(all.length).toBeLessThan(12)
    expect(all.reduce((sum, { length }) => sum + length, 0)).toBe(size)
    expect(all.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)).toBeLessThan(2 * size)
  })
})

describe('the memory of request bodies that need all of the budget', () => {
  const SMALL = { limits: { request_bodies_memory_bytes: 100_000 } }
  const large = { ...REQUEST, input: 'x'.repeat(14_000) }

  /** How a first body ends. Afterwards the budget must have room for the next one. */
  const ENDINGS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
    'a whole answer': async (url) => (await post(url, { ...large, stream: false })).text(),
    'a stream': async (url) => (await post(url, large)).text(),
    'a refusal of the body': async (url) => (await post(url, { ...large, temperature: 9 })).text(),
    'a body that is no JSON': async (url) => (await post(url, `{"input":"${'x'.repeat(14_000)}"`)).text(),
    'an unknown model': async (url) => (await post(url, { ...large, model: 'groq/x' })).text(),
    'a client that goes within its body': (url) => goWithinBody(url),
  }

  it.each(Object.entries(ENDINGS))('is free again after %s', async (_, end) => {
    const { url, lines } = await startTestServer(inPieces(streamOf('Hello'), 60), SMALL)
    for (let times = 1; times <= 8; times += 1) {
      await end(url)
      await waitUntil(() => lines.filter(({ event }) => event === 'request').length === times, 'a log line')
    }
    expect((await post(url, large)).status).toBe(200)
  })

  it('is free again after a failed upstream, and after a client that left within a stream', async () => {
    const fails: Behaviour = (response, request) =>
      request.body.stream === true ? beginning(textChunk('Half'))(response, request) : void response.destroy()
    const { url, lines } = await startTestServer(fails, { ...SMALL, retry: { attempts: 1 } })
    const ended = (): number => lines.filter(({ event }) => event === 'request').length
    for (let times = 1; times <= 4; times += 1) {
      expect((await post(url, { ...large, stream: false })).status).toBe(502)
      const gone = new AbortController()
      const stream = await post(url, large, { signal: gone.signal })
      await stream.body?.getReader().read()
      gone.abort()
      await waitUntil(() => ended() === 2 * times, 'the log lines')
    }
  })

  it('is refused to a second body with 503 and Retry-After while the first body holds it', async () => {
    const { url, upstream } = await startTestServer(beginning(textChunk('Half')), {
      limits: { request_bodies_memory_bytes: 30_000 },
    })
    const first = await post(url, large)
    expect(first.status).toBe(200)
    const { response } = await upstream.next()
    const second = await post(url, large)
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await json(second)).toMatchObject({ error: { code: 'server_is_overloaded' } })
    response.end()
    await first.text()
    expect((await post(url, { ...large, input: 'x' })).status).toBe(200)
  })

  it('shrinks once a body is encoded for the upstream', async () => {
    const { url } = await startTestServer(beginning(textChunk('Half')), SMALL)
    // A body costs six times its bytes while it is read, and twice its bytes while it is answered: two do not fit at
    // the same time, but they do one after the other.
    expect((await post(url, large)).status).toBe(200)
    expect((await post(url, { ...large, input: 'x'.repeat(11_000) })).status).toBe(200)
  })

  it('is granted to a single body of any size', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hello')), { limits: { request_bodies_memory_bytes: 10 } })
    expect((await post(url, { ...large, stream: false })).status).toBe(200)
  })
})

async function goWithinBody(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const head = `POST /api/v1/responses HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: 20000\r\n\r\n`
  await new Promise<void>((resolve) => socket.write(`${head}{"input":"${'x'.repeat(14_000)}`, () => resolve()))
  socket.destroy()
}
