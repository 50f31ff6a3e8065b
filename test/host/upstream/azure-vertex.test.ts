import { expect, it } from 'vitest'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { eventsOf, post, startGateway, whenDone } from '../test-server.ts'

/** Cloud accounts that serve the wires of other vendors under their own base URLs and with their own keys. */

const SECRET = 'secret-of-the-cloud'
const ENV = { AZURE_OPENAI_API_KEY: SECRET, VERTEX_ACCESS_TOKEN: SECRET, OTHER_KEY: SECRET, ENTRA: `Bearer ${SECRET}` }
const KEYED = { 'api-key': SECRET, authorization: undefined }
const TOKEN = {
  'api-key': undefined,
  'x-api-key': undefined,
  'x-goog-api-key': undefined,
  authorization: `Bearer ${SECRET}`,
}

interface Case {
  readonly what: string
  readonly vendor: string
  /** The path of the base URL. */
  readonly base: string
  readonly model: string
  /** The path of the request that the upstream expects. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly entry?: object
}

const GOOGLE = '/v1/projects/acme/locations/europe-west4/publishers'
const { 'openai-chat': chat, 'openai-responses': responses } = WIRE_UPSTREAMS
const gemini = WIRE_UPSTREAMS['gemini-generate']
const UPSTREAM_OF = {
  azure: responses,
  'azure-chat': chat,
  vertex: gemini,
  'vertex-anthropic': WIRE_UPSTREAMS['anthropic-messages'],
} as const

const CASES: readonly Case[] = [
  {
    what: 'Azure, its newer address',
    vendor: 'azure',
    base: '/openai/v1',
    model: 'my-deployment',
    path: '/openai/v1/responses',
    headers: KEYED,
  },
  {
    what: 'Azure, its newer address with a version and a slash at the end',
    vendor: 'azure',
    base: '/openai/v1/?api-version=preview',
    model: 'my-deployment',
    path: '/openai/v1/responses?api-version=preview',
    headers: KEYED,
  },
  {
    what: 'Azure, a key of its own name',
    vendor: 'azure',
    base: '/openai/v1',
    model: 'my-deployment',
    path: '/openai/v1/responses',
    headers: KEYED,
    entry: { key: { env: 'OTHER_KEY' } },
  },
  {
    what: 'Azure, a token of Entra',
    vendor: 'azure',
    base: '/openai/v1',
    model: 'my-deployment',
    path: '/openai/v1/responses',
    headers: TOKEN,
    entry: { key: { env: 'ENTRA' }, quirks: { keyHeader: 'authorization' } },
  },
  {
    what: 'Azure, a chat of one deployment',
    vendor: 'azure-chat',
    base: '/openai/deployments/my-deployment?api-version=2024-10-21',
    model: 'gpt-4o',
    path: '/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21',
    headers: KEYED,
  },
  {
    what: 'Azure, a chat at its newer address',
    vendor: 'azure-chat',
    base: '/openai/v1',
    model: 'my-deployment',
    path: '/openai/v1/chat/completions',
    headers: KEYED,
  },
  {
    what: 'Vertex, Gemini',
    vendor: 'vertex',
    base: `${GOOGLE}/google`,
    model: 'gemini-3-pro-preview',
    path: `${GOOGLE}/google/models/gemini-3-pro-preview:streamGenerateContent?alt=sse`,
    headers: TOKEN,
  },
  {
    what: 'Vertex, Claude',
    vendor: 'vertex-anthropic',
    base: `${GOOGLE}/anthropic/models`,
    model: 'claude-sonnet-4@20250514',
    path: `${GOOGLE}/anthropic/models/claude-sonnet-4@20250514:streamRawPredict`,
    headers: TOKEN,
    entry: { key: { env: 'OTHER_KEY' } },
  },
]

it.each(CASES)('the path and key are right: $what', async ({ vendor, base, model, path, headers, entry = {} }) => {
  const mock = UPSTREAM_OF[vendor as keyof typeof UPSTREAM_OF]
  const upstream = await startMockUpstream((response) => {
    response.writeHead(200, { 'content-type': mock.contentType })
    response.end(mock.encodeTurn({ text: ['Moin.'], calls: [] }))
  })
  whenDone(upstream.close)
  const origin = new URL(upstream.url).origin
  const vendors = { cloud: { vendor, base_url: origin + base, ...entry } }
  const { url } = await startGateway({ vendors }, { env: ENV })
  const answer = await post(url, { model: `cloud/${model}`, input: 'Hi', stream: true })
  expect(eventsOf(await answer.text())).toContainEqual(expect.objectContaining({ type: 'response.completed' }))
  const [request] = upstream.received
  expect(request?.url).toBe(path)
  for (const [name, value] of Object.entries(headers)) expect(request?.headers[name]).toBe(value)
})

it('a request with a custom base_url does not contain the key from the environment', async () => {
  const upstream = await startMockUpstream((response) => {
    response.writeHead(200, { 'content-type': gemini.contentType })
    response.end(gemini.encodeTurn({ text: ['Moin.'], calls: [] }))
  })
  whenDone(upstream.close)
  const vendors = { cloud: { vendor: 'google', base_url: upstream.url } }
  const { url } = await startGateway({ vendors }, { env: { GEMINI_API_KEY: SECRET } })
  await (await post(url, { model: 'cloud/gemini-3-pro', input: 'Hi', stream: true })).text()
  expect(JSON.stringify(upstream.received[0]?.headers)).not.toContain(SECRET)
})
