import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { json, KEY, post, REQUEST, sha256, startTestServer } from '../test-server.ts'

const OTHER = 'second-key-of-nobody'
const KEYS = [
  { name: 'one', sha256: sha256(KEY), models: ['acme/mock-*', 'fast'] },
  { name: 'all', sha256: sha256(OTHER) },
]
const open = () =>
  startTestServer(withBody(bodyOf('Hi')), { keys: KEYS, models: [{ match: 'fast', to: ['acme/mock-9'] }] })

const as = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

describe('a key with models', () => {
  it.each(['acme/mock-1', 'fast'])('calls %s', async (model) => {
    const { url } = await open()
    expect((await post(url, { ...REQUEST, model })).status).toBe(200)
  })

  it.each(['/api/v1/responses', '/api/v1/responses/input_tokens', '/api/v1/chat/completions', '/api/v1/messages'])(
    'gets no other model by %s, and no upstream is called',
    async (path) => {
      const { url, upstream } = await open()
      const messages = [{ role: 'user', content: 'Hello' }]
      const body = path.includes('responses')
        ? { ...REQUEST, model: 'acme/other' }
        : { model: 'acme/other', max_tokens: 9, messages }
      const refused = await post(url, body, { path })
      expect(refused.status).toBe(404)
      expect(await refused.text()).toContain('may not call \\"acme/other\\"')
      expect(upstream.received).toHaveLength(0)
      const other = await post(url, body, { path, ...as(OTHER) })
      expect(other.status).toBe(200)
    },
  )

  it('may name a parameter of a function, a member of a schema and metadata as it likes', async () => {
    const { url } = await open()
    const parameters = { type: 'object', properties: { model: { type: 'string' }, presets: { type: 'string' } } }
    const body = {
      model: 'acme/mock-1',
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ type: 'function', function: { name: 'buy', parameters } }],
      metadata: { model: 'T' },
    }
    expect((await post(url, body, { path: '/api/v1/chat/completions' })).status).toBe(200)
    for (const name of ['functionDeclarations', 'function_declarations']) {
      const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]
      const gemini = { contents, tools: [{ [name]: [{ name: 'buy', parameters }] }] }
      expect((await post(url, gemini, { path: '/openai/v1/models/acme/mock-1:generateContent' })).status).toBe(200)
    }
  })

  it.each([
    ['/api/v1/chat/completions', { models: ['acme/other'] }, 'models'],
    ['/api/v1/chat/completions', { Model: 'acme/other' }, 'Model'],
    ['/api/v1/chat/completions', { preset: 'anything' }, 'preset'],
    [
      '/api/v1/chat/completions',
      { provider: { options: [{ fallback_models: ['x'] }] } },
      'provider.options[0].fallback_models',
    ],
    ['/api/v1/chat/completions', { plugins: [{ id: 'router', allowed_models: ['x'] }] }, 'plugins[0].allowed_models'],
    [
      '/api/v1/chat/completions',
      { tools: [{ type: 'acme:fusion', parameters: { models: ['x'] } }] },
      'tools[0].parameters.models',
    ],
    ['/api/v1/messages', { fallbacks: [{ model: 'other' }] }, 'fallbacks'],
    ['/api/v1/messages', { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'other' }] }, 'tools[0].model'],
  ])('names no further model at %s in %j', async (path, more, place) => {
    const { url, upstream } = await open()
    const messages = [{ role: 'user', content: 'Hello' }]
    const refused = await post(url, { model: 'acme/mock-1', max_tokens: 9, messages, ...more }, { path })
    expect(refused.status).toBe(404)
    expect(await refused.text()).toContain(`${place}: this API key may call the model of the request only`)
    expect(upstream.received).toHaveLength(0)
  })

  it('lists its own models, and describes no other', async () => {
    const { url } = await open()
    const listed = async (key: string): Promise<readonly string[]> =>
      (await json(await fetch(`${url}/api/v1/models`, as(key)))).data.map(({ id }: { readonly id: string }) => id)
    expect((await listed(KEY)).toSorted()).toEqual(['acme/mock-*', 'fast'])
    expect(await listed(OTHER)).toEqual(expect.arrayContaining(['acme/*', 'fast', 'replay/hello']))
    expect((await fetch(`${url}/api/v1/models/acme/mock-1`, as(KEY))).status).toBe(200)
    expect((await fetch(`${url}/api/v1/models/acme/other`, as(KEY))).status).toBe(404)
    expect((await fetch(`${url}/api/v1/models/acme/other`, as(OTHER))).status).toBe(200)
  })
})
