import { describe, expect, it } from 'vitest'
import { EXAMPLES, requestBefore } from '../../src/page/views/explain/examples.ts'
import { CLIENT_PROTOCOLS } from '../../src/page/views/explain/protocols.ts'
import type { ExplainAnswer, ExplainQuery } from '../../src/page-api/explanations.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { KEY, post, UPSTREAM_KEY } from '../host/test-server.ts'
import { startPageServer } from './harness.ts'

const explain = (url: string, query: unknown, key = KEY): Promise<Response> =>
  post(url, query, { path: '/page/api/explain', headers: { authorization: `Bearer ${key}` } })

const answerOf = async (url: string, query: ExplainQuery): Promise<ExplainAnswer> => {
  const response = await explain(url, query)
  expect(response.status).toBe(200)
  return (await response.json()) as ExplainAnswer
}

const JSON_BODY = { 'content-type': 'application/json' }

const chat = (model: string): string => JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })

const vendors = (url: string) => ({
  acme: { wire: 'openai-chat', base_url: url, key: { env: 'ACME_KEY' }, headers: { 'x-tenant': 'tenant-secret' } },
  claude: {
    wire: 'anthropic-messages',
    base_url: url,
    key: 'key-of-claude',
    cache: 'off',
    body: { metadata: { user_id: 'key-of-claude' } },
  },
})

describe('POST /page/api/explain', () => {
  it('takes a request of the rate limit of its key', async () => {
    const rate_limit = { default: { requests: 1, seconds: 86_400 } }
    const { url } = await startPageServer({ vendors: vendors('http://127.0.0.1:9'), rate_limit })
    const query = { client: 'openai-chat', body: chat('acme/m') }
    expect((await explain(url, query)).status).toBe(200)
    const refused = await explain(url, query)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).not.toBe(null)
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
  })

  it('counts the explanations of all targets in the memory of bodies', async () => {
    const limits = { request_bodies_memory_bytes: 2_000_000 }
    const { url, running } = await startPageServer({ vendors: vendors('http://127.0.0.1:9'), limits })
    const body = JSON.stringify({ model: 'acme/m', messages: [{ role: 'user', content: 'x'.repeat(100_000) }] })
    const refused = await explain(url, { client: 'openai-chat', body })
    expect([refused.status, running.vendors]).toEqual([503, expect.anything()])
    expect(await refused.json()).toMatchObject({ error: { code: 'server_is_overloaded' } })
    expect((await explain(url, { client: 'openai-chat', body: chat('acme/m') })).status).toBe(200)
  })

  it('explains with the settings of each vendor, without a request to it and without a secret', async () => {
    const { url, upstream } = await startPageServer({
      vendors: vendors('http://127.0.0.1:9'),
      models: [{ match: 'small', to: ['claude/c-1'] }],
    })
    const response = await explain(url, { client: 'openai-chat', body: chat('small') })
    const text = await response.text()
    for (const secret of [UPSTREAM_KEY, 'tenant-secret', 'key-of-claude', '127.0.0.1'])
      expect(text).not.toContain(secret)
    const { explanations, known } = JSON.parse(text) as ExplainAnswer
    expect(explanations).toMatchObject([
      { vendor: 'acme', wire: 'openai-chat', isRouted: false, result: { ok: true, isPassed: true, model: 'small' } },
      {
        vendor: 'claude',
        wire: 'anthropic-messages',
        isRouted: true,
        result: {
          ok: true,
          model: 'c-1',
          isPassed: false,
          breakpoints: [],
          upstream: { model: 'c-1', metadata: { user_id: '[secret]' } },
        },
      },
    ])
    expect(known.filter(({ isConfigured }) => isConfigured)).toHaveLength(2)
    expect(known).toContainEqual({ vendor: 'groq', wire: 'openai-chat', isConfigured: false })
    expect(upstream.received).toEqual([])
  })

  it('explains chosen targets with their own models, and with the prefix of the last request', async () => {
    const { url } = await startPageServer()
    const example = EXAMPLES.find(({ name }) => name === 'claude-code')
    if (example === undefined) throw new Error('no example')
    const { explanations } = await answerOf(url, {
      client: example.client,
      body: JSON.stringify(example.body),
      previous: JSON.stringify(requestBefore(example)),
      targets: [
        { vendor: 'anthropic', wire: 'anthropic-messages', model: 'claude-opus-4-5' },
        { vendor: 'groq', wire: 'openai-chat' },
        { vendor: 'groq', wire: 'cohere-chat' },
      ],
    })
    expect(explanations).toMatchObject([
      { result: { ok: true, model: 'claude-opus-4-5', isPassed: true, sharedPrefix: { differsAt: null } } },
      { result: { ok: true, model: 'claude-sonnet-4-5', isPassed: false, sharedPrefix: { differsAt: null } } },
      { result: { ok: false, error: { code: 'model_not_found' } } },
    ])
  })

  it('explains every example for one vendor of each wire on a server without vendors', async () => {
    const { url } = await startPageServer({ vendors: {} })
    for (const { client, model, body } of EXAMPLES) {
      const query = { client, body: JSON.stringify(body), ...(model === undefined ? {} : { model }) }
      const { explanations } = await answerOf(url, query)
      expect(new Set(explanations.map(({ wire }) => wire)).size).toBe(Object.keys(WIRES).length)
      // Each by the vendor that it belongs to, and not by one that also serves it.
      expect(explanations.map(({ vendor }) => vendor)).toEqual(
        expect.arrayContaining(['openai', 'anthropic', 'google']),
      )
      expect(explanations.filter(({ result }) => !result.ok)).toEqual([])
    }
  })

  it('accepts each protocol that the view offers, and answers to a wrong body with its reason', async () => {
    const { url } = await startPageServer()
    for (const [client] of CLIENT_PROTOCOLS) {
      const targets = [{ vendor: 'bedrock', wire: 'bedrock-converse' }]
      const { explanations } = await answerOf(url, { client, targets, body: '{"model":"m","messages":3,"input":3}' })
      expect([client, explanations]).toMatchObject([client, [{ result: { ok: false, error: { status: 400 } } }]])
    }
  })

  it.each([
    ['a protocol that clients do not have', { client: 'cohere-chat', body: '{}' }, 'client: expected one of'],
    ['a body that is no text', { client: 'openai', body: {} }, 'body: expected a text of at most'],
    ['too many targets', { client: 'openai', body: '{}', targets: new Array(33).fill({}) }, 'targets: expected'],
    ['a target without a wire', { client: 'openai', body: '{}', targets: [{ vendor: 'x' }] }, 'targets[0]: expected'],
  ])('refuses %s', async (_, query, message) => {
    const { url } = await startPageServer()
    const response = await explain(url, query)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(message)
  })

  it('explains without a key for the table of vendors alone, and only if other machines cannot reach the server', async () => {
    const config = { vendors: vendors('http://127.0.0.1:9'), models: [{ match: 'small', to: ['claude/c-1'] }] }
    const { url } = await startPageServer(config)
    const query = { client: 'openai-chat', body: chat('acme/small') }
    const open = (url: string, query: object) =>
      fetch(`${url}/page/api/explain`, { method: 'POST', body: JSON.stringify(query), headers: JSON_BODY })
    const response = await open(url, query)
    expect(response.status).toBe(200)
    const text = await response.text()
    for (const secret of [UPSTREAM_KEY, 'tenant-secret', 'key-of-claude', '127.0.0.1', 'c-1'])
      expect(text).not.toContain(secret)
    const { explanations, known } = JSON.parse(text) as ExplainAnswer
    expect([...explanations, ...known].filter(({ vendor }) => ['acme', 'claude'].includes(vendor))).toEqual([])
    expect(known.filter(({ isConfigured }) => isConfigured)).toEqual([])
    expect(new Set(explanations.map(({ wire }) => wire)).size).toBe(Object.keys(WIRES).length)
    // A name of the operator's is none of the table.
    const named = await open(url, { ...query, targets: [{ vendor: 'claude', wire: 'anthropic-messages' }] })
    expect(await named.json()).toMatchObject({ explanations: [{ result: { error: { code: 'model_not_found' } } }] })

    const reachable = await startPageServer({ ...config, page: true, listen: { port: 0, host: '0.0.0.0' } })
    const refused = await open(reachable.url.replace('0.0.0.0', '127.0.0.1'), query)
    expect(refused.status).toBe(401)
  })

  it('refuses a request with a wrong key', async () => {
    const { url } = await startPageServer()
    expect((await explain(url, { client: 'openai', body: '{}' }, 'wrong')).status).toBe(401)
  })
})
