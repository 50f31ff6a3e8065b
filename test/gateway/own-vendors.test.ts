import { describe, expect, it } from 'vitest'
import { type Delta, type Frame, jsonOf, type Machine, SSE, upstreamError, type Wire } from '../../src/core.ts'
import { createGateway, type GatewayOptions } from '../../src/fetch.ts'
import { NODE_HASHES } from '../../src/host/node-hashes.ts'
import { startServer } from '../../src/server.ts'
import { toHex } from '../../src/text/bytes.ts'

/** A protocol that no wire of the package speaks. */
const decoder: Machine<null, Frame, Delta> = {
  initial: null,
  step(state, frame) {
    const { say, broken } = jsonOf(frame) as { readonly say?: string; readonly broken?: true }
    if (broken === true) throw new Error('no frame of acme')
    return {
      state,
      events: [
        say === undefined
          ? { kind: 'finish', reason: 'stop' }
          : { kind: 'text', key: 'a', part: '', text: say, logprobs: null },
      ],
    }
  },
  end: () => [],
}
const acme: Wire = {
  name: 'acme',
  framing: SSE,
  decodeStream: () => decoder,
  decodeBody: (body) => [
    { kind: 'text', key: 'a', part: '', text: (body as { say: string }).say, logprobs: null },
    { kind: 'finish', reason: 'stop' },
  ],
  decodeError: (status, _headers, body) => upstreamError('upstream_error', `acme ${status}: ${body}`),
  *encodeRequest(request, { model }) {
    const items = request.input.flatMap((item) => (item.type === 'message' ? [item.role] : []))
    return { ok: true, body: { model, items, stream: request.stream }, losses: [] }
  },
  address: () => ({ path: '/generate' }),
  authorize: (key) => ({ 'x-acme-key': key }),
}

const KEY = 'test-key-of-nobody'
const CONFIG = {
  keys: [{ name: 'app', sha256: toHex(NODE_HASHES.sha256(KEY)) }],
  models: [{ match: 'house', to: ['acme/m'] }],
  default_vendor: 'acme',
}
const VENDOR = { name: 'acme', wire: acme, baseUrl: 'https://acme.example/v1', keyVariable: 'ACME_KEY' }

const ask = (path: string, body: object): Request =>
  new Request(`https://gateway.example${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

function open(frames: readonly string[] = ['{"say":"Good day."}', '{}']) {
  const sent: { readonly url: string; readonly key: string | null; readonly body: unknown }[] = []
  const fetch: NonNullable<GatewayOptions['fetch']> = async (url, init) => {
    const body = JSON.parse(String(init?.body))
    sent.push({ url: String(url), key: new Headers(init?.headers).get('x-acme-key'), body })
    return body.stream
      ? new Response(frames.map((data) => `data: ${data}\n\n`).join(''), {
          headers: { 'content-type': 'text/event-stream' },
        })
      : Response.json({ say: 'Good day.' })
  }
  const gateway = createGateway(CONFIG, { fetch, env: { ACME_KEY: 'secret' }, vendors: [VENDOR] })
  return { gateway, sent }
}

describe('a vendor of the program in a gateway', () => {
  it.each([
    ['/openai/v1/responses', { model: 'acme/m', input: 'Hi', stream: true }, true],
    ['/openai/v1/responses', { model: 'house', input: 'Hi' }, false],
    ['/openai/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true }, true],
    ['/api/v1/messages', { model: 'house', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }, false],
  ])('serves %s %j', async (path, body, stream) => {
    const { gateway, sent } = open()
    const response = await gateway.fetch(ask(path, body))
    expect(await response.text()).toContain('Good day.')
    expect(response.status).toBe(200)
    expect(sent).toEqual([
      { url: 'https://acme.example/v1/generate', key: 'secret', body: { model: 'm', items: ['user'], stream } },
    ])
  })

  it('ends an answer as failed if its decoder throws', async () => {
    const { gateway } = open(['{"say":"Good"}', '{"broken":true}'])
    const answer = await (
      await gateway.fetch(ask('/openai/v1/responses', { model: 'house', input: 'Hi', stream: true }))
    ).text()
    expect(answer).toContain('response.failed')
    expect(answer).not.toContain('no frame of acme')
  })

  it('stays after the configuration is read again', async () => {
    const { gateway } = open()
    await gateway.reload({ ...CONFIG, models: [{ match: 'home', to: ['acme/n'] }] })
    expect(gateway.vendors).toContain('acme')
    expect((await gateway.fetch(ask('/openai/v1/responses', { model: 'home', input: 'Hi' }))).status).toBe(200)
  })

  it('is replaced by an entry of the configuration with its name', () => {
    const vendors = { acme: { wire: 'openai-chat', base_url: 'https://other.example' } } as const
    expect(createGateway({ ...CONFIG, vendors }, { vendors: [VENDOR] }).vendors).toEqual(['acme'])
  })

  it('serves a server as well', async () => {
    const server = await startServer(CONFIG, { env: { PORT: '0', ACME_KEY: 'secret' }, vendors: [VENDOR] })
    expect(server.vendors).toContain('acme')
    await server.close()
  })

  it('needs an address', () => {
    const { baseUrl: _, ...bare } = VENDOR
    expect(() => createGateway(CONFIG, { vendors: [bare] })).toThrow(/^baseUrl: required$/)
  })
})

it.each([
  ['createGateway', (options: object) => createGateway(CONFIG, options)],
  ['startServer', (options: object) => startServer(CONFIG, options)],
])('%s has no option with a misspelt name, which would be a guardrail that never runs', async (_, start) => {
  await expect((async () => start({ machine: [] }))()).rejects.toThrow(
    /^machine: no such option\. Did you mean "machines"\?/,
  )
})
