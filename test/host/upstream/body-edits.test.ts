import { expect, it } from 'vitest'
import { bodyOf, startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { post, startGateway, whenDone } from '../test-server.ts'

const EDITS = { body: { provider: { sort: 'price' }, temperature: 0.2 }, pass: ['top_k', 'provider'] }

it.each([
  ['/api/v1/responses', { input: 'Hi' }],
  ['/api/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }],
])('a request to %s has the members that the operator configured', async (path, fields) => {
  const upstream = await startMockUpstream(withBody(bodyOf('Moin.')))
  whenDone(upstream.close)
  const acme = { wire: 'openai-chat', base_url: upstream.url, passthrough: false }
  const { url } = await startGateway({ vendors: { acme, edited: { ...acme, ...EDITS } } })
  const body = { ...fields, temperature: 1, top_k: 40, min_p: 0.1 }

  const plain = await post(url, { ...body, model: 'acme/m' }, { path })
  expect(plain.status).toBe(200)
  expect(upstream.received[0]?.body).toMatchObject({ temperature: 1 })
  for (const name of ['top_k', 'min_p', 'provider']) expect(upstream.received[0]?.body).not.toHaveProperty(name)
  expect(plain.headers.get('x-responses-losses')).toBe('top_k dropped, min_p dropped')

  const edited = await post(url, { ...body, model: 'edited/m', provider: { only: ['a'] } }, { path })
  expect(edited.status).toBe(200)
  expect(upstream.received[1]?.body).toMatchObject({
    model: 'm',
    temperature: 0.2,
    top_k: 40,
    provider: { only: ['a'], sort: 'price' },
  })
  expect(upstream.received[1]?.body).not.toHaveProperty('min_p')
  expect(edited.headers.get('x-responses-losses')).toBe('min_p dropped')
})

it('a request that the hub translates for its own protocol has the configured members, and its own', async () => {
  const upstream = await startMockUpstream(withBody(bodyOf('Moin.')))
  whenDone(upstream.close)
  const edited = { wire: 'openai-chat', base_url: upstream.url, passthrough: false, ...EDITS }
  const { url } = await startGateway({ vendors: { edited } })
  const own = { top_k: 40, min_p: 0.1, provider: { only: ['a'] }, session_id: 's', store: true }
  const body = { model: 'edited/m', messages: [{ role: 'user', content: 'Hi' }], temperature: 1, ...own }
  const answer = await post(url, body, { path: '/api/v1/chat/completions' })
  expect(answer.status).toBe(200)
  expect(upstream.received[0]?.body).toEqual({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    temperature: 0.2,
    top_k: 40,
    min_p: 0.1,
    provider: { only: ['a'], sort: 'price' },
  })
  expect(answer.headers.get('x-responses-losses')).toBe('session_id dropped, store dropped')
})

it('a request that is passed through has the configured members, and its own', async () => {
  const upstream = await startMockUpstream(withBody(bodyOf('Moin.')))
  whenDone(upstream.close)
  const edited = { wire: 'openai-chat', base_url: upstream.url, ...EDITS }
  const { url } = await startGateway({ vendors: { edited } })
  const body = { model: 'edited/m', messages: [{ role: 'user', content: 'Hi' }], temperature: 1, top_k: 40, min_p: 0.1 }
  expect((await post(url, body, { path: '/api/v1/chat/completions' })).status).toBe(200)
  expect(upstream.received[0]?.body).toMatchObject({
    model: 'm',
    temperature: 0.2,
    top_k: 40,
    min_p: 0.1,
    provider: { sort: 'price' },
  })
})
