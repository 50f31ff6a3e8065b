import { describe, expect, it } from 'vitest'
import type { HookOptions, MachineHookContext, RequestHookContext } from '../../src/gateway/call/hooks.ts'
import { identity } from '../../src/machine/machine.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { bodyOf, streamOf, withBody } from '../mock-upstreams/server.ts'
import { eventsOf, json, KEY, type Loose, lineOf, post, REQUEST, startTestServer, waitUntil } from './test-server.ts'

/** Code of the operator in the exchanges of the gateway. */

const upperCase = {
  initial: null,
  step: (state: unknown, delta: Delta) => ({
    state,
    events: [delta.kind === 'text' ? { ...delta, text: delta.text.toUpperCase() } : delta],
  }),
  end: () => [],
}
const CHAT = { model: 'acme/mock-1', messages: [{ role: 'user', content: 'Hello' }] }
const toChat = { path: '/openai/v1/chat/completions' }
const start = (hooks: HookOptions, config: object = {}) =>
  startTestServer(
    (response, request) =>
      withBody(request.body.stream === true ? streamOf('Hel', 'lo') : bodyOf('Hello'))(response, request),
    config,
    hooks,
  )

describe('a machine of the operator', () => {
  it.each([true, false])('changes the answer of a client of the Responses API: stream %s', async (stream) => {
    const { url } = await start({ machines: [() => upperCase] })
    expect(await (await post(url, { ...REQUEST, stream })).text()).toContain('HEL')
  })

  it.each([true, false])(
    'changes the answer of a client with the protocol of its upstream, whose body is passed: stream %s',
    async (stream) => {
      const { url, upstream, lines } = await start({ machines: [() => upperCase] })
      const answer = await (await post(url, { ...CHAT, stream, own_member: [1] }, toChat)).text()
      expect(answer).toContain('HEL')
      expect(upstream.received[0]?.body.own_member).toEqual([1])
      expect((await lineOf(lines)).edits).toBeDefined()
    },
  )

  it('receives the exchange that it is for', async () => {
    const contexts: MachineHookContext[] = []
    const machines = [
      (context: MachineHookContext) => {
        contexts.push(context)
        return identity<Delta>()
      },
    ]
    const { url } = await start({ machines: machines as NonNullable<HookOptions['machines']> })
    const answer = await post(url, CHAT, toChat)
    await answer.text()
    expect(contexts).toMatchObject([
      {
        requestId: answer.headers.get('x-request-id'),
        key: 'tester',
        client: 'openai-chat',
        vendor: 'acme',
        model: 'mock-1',
        upstream: 'openai-chat',
        request: { input: [{ role: 'user' }] },
      },
    ])
  })

  it('that throws fails its own answer only, and is in the log without its message', async () => {
    let calls = 0
    const machine = {
      ...upperCase,
      step(state: unknown, delta: Delta) {
        const isText = delta.kind === 'text'
        if (isText) calls += 1
        if (isText && calls === 2) throw new Error('secret words')
        return { state, events: [delta] }
      },
    }
    const { url, lines } = await start({ machines: [() => machine] })
    const first = await (await post(url)).text()
    expect(first).not.toContain('secret words')
    expect(eventsOf(first).find(({ type }) => type === 'response.failed')?.response.error.code).toBe('hook_failed')
    expect(await (await post(url)).text()).toContain('response.completed')
    expect(lines.find(({ event }) => event === 'hook_failed')).toMatchObject({ hook: 'machines[0]', name: 'Error' })
    expect(JSON.stringify(lines)).not.toContain('secret words')
  })

  it.each([
    [
      'is not made',
      () => {
        throw new Error('none')
      },
    ],
    ['is a promise', (async () => Promise.reject(new Error('none'))) as unknown as () => typeof upperCase],
    ['is nothing', (() => undefined) as unknown as () => typeof upperCase],
  ])('that %s refuses its request', async (_, machine) => {
    const { url, upstream } = await start({ machines: [machine] })
    const answer = await post(url)
    expect([answer.status, (await json(answer)).error.code]).toEqual([500, 'hook_failed'])
    expect(upstream.received).toHaveLength(0)
  })
})

const NONSENSE: Readonly<Record<string, unknown>> = {
  nothing: null,
  'a number': 5,
  'no kind': {},
  'an unknown kind': { kind: 'banana' },
  'a text without its key': { kind: 'text', text: 'x' },
  'a text that is a number': { kind: 'text', key: 'a', part: 'b', text: 5, logprobs: null },
  'a text that throws': { kind: 'text', key: 'a', part: 'b', text: { toString: () => expect.unreachable() } },
  'a call without arguments': { kind: 'call', key: 5, arguments: null },
  'a reason that does not exist': { kind: 'finish', reason: 'tired' },
  'counts that are text': { kind: 'usage', usage: { input_tokens: 'x' } },
  'an error that is a number': { kind: 'error', error: 5 },
  'a citation of nothing': { kind: 'citation', key: 'a', part: 'b', citation: null },
  'a part of an item': { kind: 'hosted', key: 'a', item: {}, done: true },
  'a function as payload': { kind: 'opaque', key: 'z', payload: () => 1 },
  'the end of nothing': { kind: 'final', whole: { kind: 'final' } },
  'a stop without a key': { kind: 'stop' },
}

describe.each(Object.entries(NONSENSE))('nonsense of a machine: %s', (_, nonsense) => {
  it.each(['in the answer', 'at its end', 'in a delta that it changes'])(
    'fails its answer, with its name: %s',
    async (place) => {
      const machine = {
        initial: null,
        step(state: unknown, delta: Delta) {
          const isHere = delta.kind === 'text' && place !== 'at its end'
          if (!isHere) return { state, events: [delta] }
          if (place === 'in the answer') return { state, events: [nonsense as Delta, delta] }
          for (const name of Object.keys(delta)) Reflect.deleteProperty(delta, name)
          return { state, events: [Object.assign(delta, nonsense)] }
        },
        end: () => (place === 'at its end' ? [nonsense as Delta] : []),
      }
      const { url, lines } = await start({ machines: [() => identity<Delta>(), () => machine] })
      const requests = [
        [toChat.path, { ...CHAT, stream: true }],
        [toChat.path, CHAT],
        ['/api/v1/responses', REQUEST],
        ['/api/v1/messages', { ...CHAT, stream: true, max_tokens: 9 }],
      ] as const
      for (const [path, body] of requests) {
        const before = lines.length
        await (await post(url, body, { path })).text()
        const own = () => lines.slice(before)
        await waitUntil(() => own().some(({ event }) => event === 'request'), 'a log line')
        expect(own().find(({ event }) => event === 'request')).toMatchObject({ error: 'hook_failed' })
        expect(own().find(({ event }) => event === 'hook_failed')).toMatchObject({ hook: 'machines[1]' })
      }
      expect(lines.filter(({ event }) => event === 'bug')).toEqual([])
    },
  )
})

describe('a function of the operator for requests', () => {
  it('changes what the upstream receives, also for a client of its own protocol', async () => {
    const { url, upstream } = await start({
      requests: [
        async (request) => ({ ...request, instructions: 'Be brief.' }),
        (request) => ({ ...request, temperature: 0.5 }),
      ],
    })
    await (await post(url, { ...CHAT, own_member: ['Hello'] }, toChat)).text()
    expect(upstream.received[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      temperature: 0.5,
    })
    expect(upstream.received[0]?.body).not.toHaveProperty('own_member')
  })

  it('leaves the body of a client as it is if it returns the request', async () => {
    const { url, upstream } = await start({ requests: [(request) => request] })
    await (await post(url, { ...CHAT, own_member: [1] }, toChat)).text()
    expect(upstream.received[0]?.body.own_member).toEqual([1])
  })

  it('is applied once for all upstreams of a request', async () => {
    let calls = 0
    const requests = [
      (request: Parameters<NonNullable<HookOptions['requests']>[number]>[0]) => {
        calls += 1
        return { ...request, instructions: `Call ${calls}.` }
      },
    ]
    const { url, upstream } = await startTestServer(
      (response, request) => withBody(bodyOf('Hi'), request.body.model === 'down' ? 503 : 200)(response, request),
      { models: [{ match: 'any', to: ['acme/down', 'acme/up'] }] },
      { requests },
    )
    expect((await post(url, { ...REQUEST, model: 'any', stream: false })).status).toBe(200)
    expect(upstream.received.map(({ body }) => [body.model, (body as Loose).messages[0].content])).toEqual([
      ['down', 'Call 1.'],
      ['up', 'Call 1.'],
    ])
  })

  it('chooses another model, which the key must be allowed to call', async () => {
    const { url, upstream } = await start({ requests: [(request) => ({ ...request, model: 'acme/mock-2' })] })
    await (await post(url)).text()
    expect(upstream.received[0]?.body.model).toBe('mock-2')
  })

  it.each([
    [{ message: 'input: not allowed' }, 400, 'request_refused'],
    [{ message: 'No.', status: 403, code: 'blocked', param: 'input' }, 403, 'blocked'],
    [{ message: 'No.', status: 200 }, 400, 'request_refused'],
  ])('refuses with %j', async (refusal, status, code) => {
    const { url, upstream, lines } = await start({ requests: [() => ({ refusal })] })
    const answer = await post(url)
    expect(answer.status).toBe(status)
    expect((await json(answer)).error).toMatchObject({ code, message: refusal.message })
    expect(upstream.received).toHaveLength(0)
    expect(await lineOf(lines)).toMatchObject({ error: code, party: 'client' })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret words')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('secret words')
      },
    ],
    ['returns nothing', () => undefined],
  ])('ends its request with an error if it %s', async (_, hook) => {
    const { url, lines } = await start({ requests: [hook as NonNullable<HookOptions['requests']>[number]] })
    const answer = await post(url)
    expect([answer.status, (await json(answer)).error.code]).toEqual([500, 'hook_failed'])
    await lineOf(lines)
    expect(lines.find(({ event }) => event === 'hook_failed')).toMatchObject({ hook: 'requests[0]' })
    expect(JSON.stringify(lines)).not.toContain('secret words')
  })

  it('ends with its client, although it never resolves', async () => {
    const contexts: RequestHookContext[] = []
    const { url, lines } = await start({
      requests: [(_, context) => new Promise(() => void contexts.push(context))],
    })
    const leaving = new AbortController()
    const tokens = {
      'proxy-authorization': 'Basic hidden',
      'cf-access-jwt-assertion': 'hidden',
      'x-ms-token-aad-id-token': 'hidden',
    }
    const answer = post(url, REQUEST, { signal: leaving.signal, headers: { 'x-tenant': 'a', ...tokens } })
    await waitUntil(() => contexts.length === 1, 'the hook')
    leaving.abort()
    await expect(answer).rejects.toThrow()
    expect(await lineOf(lines)).toMatchObject({ client_gone: true, error: 'client_gone' })
    expect(contexts[0]?.signal.aborted).toBe(true)
    expect(contexts[0]?.headers['x-tenant']).toBe('a')
    expect(JSON.stringify(contexts[0]?.headers)).not.toContain(KEY)
    expect(JSON.stringify(contexts[0]?.headers)).not.toContain('hidden')
  })
})
