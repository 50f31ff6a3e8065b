import { describe, expect, it } from 'vitest'
import { type MockUpstream, startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { KEY, post, sha256, startGateway, whenDone } from '../test-server.ts'

/** Conversations that are too long for one of several routes. */

const SMALL = 'gpt-oss-120b'
const LARGE = 'claude-opus-5'

const TOO_LONG = {
  error: {
    message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  },
}
const FILTERED = {
  error: { message: 'The response was filtered due to the content management policy.', code: 'content_filter' },
}
const BUSY = { error: { message: 'Not now.' } }

type Answer = 'answers' | 'is busy' | 'finds it too long' | 'filters it'

const FAILURES = {
  'is busy': [503, BUSY],
  'finds it too long': [400, TOO_LONG],
  'filters it': [400, FILTERED],
} as const

/** A gateway whose model `fast` has these routes: the model of each, and how it answers. */
async function startRoutes(...routes: readonly (readonly [model: string, answer: Answer])[]) {
  const { contentType, encodeTurn } = WIRE_UPSTREAMS['openai-chat']
  const upstreams: MockUpstream[] = []
  for (const [, answer] of routes) {
    const upstream = await startMockUpstream((response) => {
      if (answer === 'answers')
        return void response
          .writeHead(200, { 'content-type': contentType })
          .end(encodeTurn({ text: ['Moin.'], calls: [] }))
      const [status, body] = FAILURES[answer]
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    whenDone(upstream.close)
    upstreams.push(upstream)
  }
  const { url } = await startGateway({
    vendors: Object.fromEntries(
      upstreams.map((upstream, at) => [`v${at}`, { wire: 'openai-chat', base_url: upstream.url, key: 'k' }]),
    ),
    models: [{ match: 'fast', to: routes.map(([model], at) => `v${at}/${model}`) }],
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    retry: { attempts: 1, budget_floor: 1_000_000, breaker_failures: 0 },
  })
  return { url, callsOf: () => upstreams.map(({ received }) => received.length) }
}

const CLIENTS = [
  ['/api/v1/chat/completions', (text: string) => ({ messages: [{ role: 'user', content: text }] })],
  ['/api/v1/messages', (text: string) => ({ max_tokens: 9, messages: [{ role: 'user', content: text }] })],
  ['/openai/v1/responses', (text: string) => ({ input: text })],
] as const

/** Its tokens are more than a small context, and less than a large one. */
const LONG = 'Every word of this sentence is a token of its own, or nearly so. '.repeat(14_000)

describe.each(CLIENTS)('a client of %s', (path, bodyOf) => {
  const send = async (url: string, stream: boolean, text = 'Hi') => {
    const answer = await post(url, { model: 'fast', stream, ...bodyOf(text) }, { path })
    return { status: answer.status, text: await answer.text(), attempts: answer.headers.get('x-responses-attempts') }
  }

  it.each([true, false])(
    'receives the failure of the first route, not of a smaller one (streamed: %s)',
    async (stream) => {
      const { url, callsOf } = await startRoutes([LARGE, 'is busy'], [SMALL, 'finds it too long'])
      const { status, text } = await send(url, stream)
      expect(callsOf()).toEqual([1, 1])
      expect([503, 529]).toContain(status)
      expect(text).not.toMatch(/too long|context/)
    },
  )

  it.each([true, false])('is answered by a route with a larger context (streamed: %s)', async (stream) => {
    const { url, callsOf } = await startRoutes([SMALL, 'finds it too long'], [SMALL, 'answers'], [LARGE, 'answers'])
    const { status, text, attempts } = await send(url, stream)
    expect(callsOf()).toEqual([1, 0, 1])
    expect(status).toBe(200)
    expect(text).toContain('Moin.')
    expect(attempts).toContain('context_length_exceeded')
  })

  it('learns that the conversation is too long if no other context is known to be larger', async () => {
    const { url, callsOf } = await startRoutes([LARGE, 'finds it too long'], [SMALL, 'answers'], ['unknown', 'answers'])
    const { status, text } = await send(url, false)
    expect(callsOf()).toEqual([1, 0, 0])
    expect(status).toBe(400)
    expect(text).toMatch(/too long|context/)
  })

  it('learns it as well if the larger route fails', async () => {
    const { url, callsOf } = await startRoutes([SMALL, 'finds it too long'], [LARGE, 'is busy'])
    const { status } = await send(url, false)
    expect(callsOf()).toEqual([1, 1])
    expect(status).toBe(400)
  })

  it('is not answered by another route after a filter', async () => {
    const { url, callsOf } = await startRoutes([SMALL, 'filters it'], [LARGE, 'answers'])
    expect((await send(url, false)).status).toBe(400)
    expect(callsOf()).toEqual([1, 0])
  })
})

it('does not call a route whose context is known to be too small', async () => {
  const { url, callsOf } = await startRoutes([LARGE, 'is busy'], [SMALL, 'answers'], ['unknown', 'answers'])
  const [path, bodyOf] = CLIENTS[0]
  const answer = await post(url, { model: 'fast', ...bodyOf(LONG) }, { path })
  expect(await answer.text()).toContain('Moin.')
  expect(callsOf()).toEqual([1, 0, 1])
  expect(answer.headers.get('x-responses-attempts')).toContain(`v1/${SMALL} context_length_exceeded skipped`)
})

describe('routes of one vendor', () => {
  it.each([true, false])(
    'fail with the failure of the first one, not of a smaller model (streamed: %s)',
    async (stream) => {
      const upstream = await startMockUpstream((response, { body }) => {
        const answer = JSON.stringify(body).includes(LARGE) ? 'is busy' : 'finds it too long'
        const [status, error] = FAILURES[answer]
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error))
      })
      whenDone(upstream.close)
      const { url } = await startGateway({
        vendors: { v: { wire: 'openai-chat', base_url: upstream.url, key: 'k' } },
        models: [{ match: 'fast', to: [`v/${LARGE}`, `v/${SMALL}`] }],
        keys: [{ name: 'tester', sha256: sha256(KEY) }],
        retry: { attempts: 1, budget_floor: 1_000_000, breaker_failures: 0 },
      })
      const answer = await post(url, { model: 'fast', stream, input: 'Hi' }, { path: '/openai/v1/responses' })
      expect(upstream.received).toHaveLength(2)
      expect([503, 529]).toContain(answer.status)
      expect(await answer.text()).not.toMatch(/too long|context/)
    },
  )
})
