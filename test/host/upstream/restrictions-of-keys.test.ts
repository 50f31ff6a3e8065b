import { expect, it } from 'vitest'
import type { ConfigInput } from '../../../src/gateway/config/config.ts'
import type { Behaviour, ReceivedRequest } from '../../mock-upstreams/server.ts'
import { bodyOf } from '../../mock-upstreams/server.ts'
import { scripted } from '../../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { KEY, type Loose, sha256, startGateway, startTestServer } from '../test-server.ts'

const SUMMARY = {
  error: {
    message: 'Your organization must be verified to generate reasoning summaries. Please go to the settings.',
    type: 'invalid_request_error',
    param: 'reasoning.summary',
    code: 'unsupported_value',
  },
}

const keyOf = ({ headers }: ReceivedRequest): string => String(headers.authorization).replace('Bearer ', '')
const summaryOf = ({ body }: ReceivedRequest): unknown => (body as Loose).reasoning?.summary

const behave: Behaviour = (response, request) => {
  if (keyOf(request) !== 'key-of-ann' || summaryOf(request) === undefined)
    return scripted(WIRE_UPSTREAMS['openai-responses'], () => ({ text: ['Hi'], calls: [] }))(response, request)
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify(SUMMARY))
}

const ask = (url: string, model: string, content: string, more: object): Promise<Response> =>
  fetch(`${url}/openai/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: `acme/${model}`, input: content, ...more }),
  })

const reasoning = { reasoning: { effort: 'high', summary: 'auto' } }

it('a restriction about an account is for its member of a pool, for all models, until the key changes', async () => {
  const { upstream } = await startTestServer(behave)
  const config = (first: string): ConfigInput => ({
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    vendors: {
      acme: {
        vendor: 'openai',
        wire: 'openai-responses',
        base_url: upstream.url,
        pool: [{ key: first }, { key: 'key-of-bob' }],
        affinity: false,
      },
    },
  })
  const { url, running } = await startGateway(config('key-of-ann'))
  for (const content of ['One', 'Two', 'Three', 'Four'])
    for (const model of ['gpt-5.5', 'gpt-5.4']) expect((await ask(url, model, content, reasoning)).status).toBe(200)
  const ofMember = (key: string) => upstream.received.filter((one) => keyOf(one) === key).map(summaryOf)
  expect(ofMember('key-of-ann')[0]).toBe('auto')
  expect(new Set(ofMember('key-of-ann').slice(1))).toEqual(new Set([undefined]))
  expect(ofMember('key-of-ann').length).toBeGreaterThan(2)
  expect(new Set(ofMember('key-of-bob'))).toEqual(new Set(['auto']))

  await running.reload(config('another'))
  for (const content of ['One', 'Two']) await ask(url, 'gpt-5.5', content, reasoning)
  expect(ofMember('another')).toEqual(['auto'])
})

it('a new key under an old name has no restrictions about the models of the old one', async () => {
  const refusing: Behaviour = (response, { body }) => {
    const isRefused = body.temperature !== undefined
    response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' })
    response.end(isRefused ? JSON.stringify({ error: { message: "Unknown parameter: 'temperature'." } }) : bodyOf('Hi'))
  }
  const { upstream } = await startTestServer(refusing)
  const config = (key: string): ConfigInput => ({
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    vendors: { acme: { wire: 'openai-chat', base_url: upstream.url, key } },
  })
  const { url, running } = await startGateway(config('old'))
  for (const content of ['One', 'Two', 'Three']) await ask(url, 'zephyr-1.5', content, { temperature: 0.4 })
  expect(upstream.received).toHaveLength(5)
  await running.reload(config('new'))
  await ask(url, 'zephyr-1.5', 'Three', { temperature: 0.4 })
  expect(upstream.received).toHaveLength(7)
})
