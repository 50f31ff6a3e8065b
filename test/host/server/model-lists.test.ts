import { describe, expect, it } from 'vitest'
import type { StartOptions } from '../../../src/host/start-options.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { type Behaviour, type ReceivedRequest, startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { json, KEY, type Loose, startGateway, UPSTREAM_KEY, whenDone } from '../test-server.ts'

/** The models that vendors list, as clients of each family receive them. */

const HEADERS = { authorization: `Bearer ${KEY}` }
const get = async (url: string, headers: Record<string, string> = HEADERS): Promise<Loose> =>
  json(await fetch(url, { headers }))
const idsOf = async (url: string): Promise<string[]> =>
  (await get(`${url}/api/v1/models`)).data.map(({ id }: Loose) => id).filter((id: string) => !id.startsWith('replay/'))

const pages =
  (bodies: Readonly<Record<string, unknown>>): Behaviour =>
  (response, { url }) => {
    const body = bodies[url]
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: { message: 'no such page' } }))
  }

/** A gateway with one vendor for each of these upstreams. */
async function startVendors(
  upstreams: Readonly<Record<string, readonly [wire: WireName, behave: Behaviour]>>,
  { model_lists: modelLists, ...config }: { readonly model_lists?: object; readonly models?: object } = {},
  options: StartOptions = {},
) {
  const received: Record<string, readonly ReceivedRequest[]> = {}
  const vendors: Record<string, object> = {}
  for (const [name, [wire, behave]] of Object.entries(upstreams)) {
    const upstream = await startMockUpstream(behave)
    whenDone(upstream.close)
    received[name] = upstream.received
    vendors[name] = { wire, base_url: upstream.url, key: { env: 'ACME_KEY' } }
  }
  // A busy machine may take longer than the default.
  const model_lists = { timeout_seconds: 60, ...modelLists }
  return { ...(await startGateway({ vendors, model_lists, ...config }, options)), received }
}

const openaiList = (...ids: readonly unknown[]): Behaviour =>
  withBody(JSON.stringify({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) }))

/** For each wire: its pages, the header with the key, and the names in the list of the gateway. */
const LISTS: readonly (readonly [
  wire: WireName,
  bodies: Readonly<Record<string, unknown>>,
  header: string,
  names: readonly string[],
])[] = [
  ['openai-chat', { '/v1/models': { data: [{ id: 'b' }, { id: 'org/a' }] } }, 'authorization', ['b', 'org/a']],
  ['openai-chat', { '/v1/models': [{ id: 'together/x' }] }, 'authorization', ['together/x']],
  ['openai-responses', { '/v1/models': { data: [{ id: 'gpt' }, { id: 'gpt' }] } }, 'authorization', ['gpt']],
  [
    'anthropic-messages',
    {
      '/v1/models?limit=1000': { data: [{ id: 'claude-b' }], has_more: true, last_id: 'claude b' },
      '/v1/models?limit=1000&after_id=claude+b': {
        data: [{ id: 'claude-a' }],
        has_more: false,
        last_id: 'claude-a',
      },
    },
    'x-api-key',
    ['claude-b', 'claude-a'],
  ],
  [
    'gemini-generate',
    {
      '/v1/models?pageSize=1000': {
        models: [{ name: 'models/gemini', supportedGenerationMethods: ['generateContent'] }, { name: 'tunedModels/x' }],
        nextPageToken: 'a/b',
      },
      '/v1/models?pageSize=1000&pageToken=a%2Fb': {
        models: [{ name: 'models/embedding', supportedGenerationMethods: ['embedContent'] }],
      },
    },
    'authorization',
    ['gemini', 'tunedModels/x'],
  ],
  [
    'ollama-chat',
    { '/v1/api/tags': { models: [{ name: 'qwen:8b', model: 'qwen:8b' }, { name: 'old' }] } },
    'authorization',
    ['qwen:8b', 'old'],
  ],
  [
    'cohere-chat',
    {
      '/v1/models?endpoint=chat&page_size=1000': { models: [{ name: 'command' }], next_page_token: 'x' },
      '/v1/models?endpoint=chat&page_size=1000&page_token=x': { models: [{ name: 'command-r' }] },
    },
    'authorization',
    ['command', 'command-r'],
  ],
  ['bedrock-converse', {}, 'authorization', ['*']],
]

describe('the list of models', () => {
  it.each(LISTS)('has those of an upstream of %s, of all its pages', async (wire, bodies, header, names) => {
    const { url, received } = await startVendors({ acme: [wire, pages(bodies)] })
    expect(await idsOf(url)).toEqual(names.map((name) => `acme/${name}`))
    expect(received.acme?.map((request) => request.url)).toEqual(Object.keys(bodies))
    for (const { headers } of received.acme ?? []) {
      expect(headers[header]).toContain(UPSTREAM_KEY)
      expect(headers['anthropic-version']).toBe(wire === 'anthropic-messages' ? '2023-06-01' : undefined)
    }
  })

  it('begins with the names of rules, and is the same in every family', async () => {
    const claude = pages({
      '/v1/models?limit=1000': { data: [{ id: 'claude-x' }, { id: 'claude-y' }, { id: 'other' }] },
    })
    const models = [
      { match: 'fast', to: ['acme/m'] },
      { match: 'claude-y', to: ['acme/m'] },
      { match: 'claude-*', to: ['an/*', 'acme/*'] },
      { match: 'm*', to: ['acme/x-*'] },
    ]
    const { url } = await startVendors(
      { an: ['anthropic-messages', claude], acme: ['openai-chat', openaiList('m')] },
      { models },
    )
    const ids = ['fast', 'claude-y', 'claude-x', 'an/claude-x', 'an/claude-y', 'an/other', 'acme/m']
    expect(await idsOf(url)).toEqual(ids)
    const named = (list: readonly Loose[], field: string) =>
      list.map((one) => one[field].replace(/^models\//, '')).filter((id: string) => !id.startsWith('replay/'))
    const base = `${url}/api/v1`
    expect(named((await get(`${base}/models`, { ...HEADERS, 'anthropic-version': '1' })).data, 'id')).toEqual(ids)
    expect(named((await get(`${base}/models`, { 'x-goog-api-key': KEY })).models, 'name')).toEqual(ids)
    expect(named((await get(`${base}/api/tags`)).models, 'model')).toEqual(ids)
    expect((await fetch(`${base}/models/fast`, { headers: HEADERS })).status).toBe(200)
  })

  it('is what Claude Code and Codex read', async () => {
    const { url } = await startVendors({ acme: ['openai-chat', openaiList('claude-x')] })
    // As in its version 2.1.330: an address without the version, both headers of the key, and only these fields.
    const claude = { 'x-api-key': KEY, authorization: `Bearer ${KEY}`, 'anthropic-version': '2023-06-01' }
    const { data } = await get(`${url}/api/v1/models?limit=1000`, claude)
    expect(data[0]).toMatchObject({ id: 'acme/claude-x', display_name: 'acme/claude-x' })
    // Codex reads `models`, and keeps what it has built in where that is empty.
    const codex = await get(`${url}/openai/v1/models?client_version=0.169.0`)
    expect([codex.models, codex.data[0].id]).toEqual([[], 'acme/claude-x'])
    expect(await get(`${url}/openai/v1/models`)).not.toHaveProperty('models')
  })

  it('has a row for each vendor whose list fails', async () => {
    const broken = (response: Parameters<Behaviour>[0]) => void response.destroy()
    const huge: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = (): void => {
        while (!response.destroyed && response.write(`{"data":[${'0,'.repeat(100_000)}`));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }
    const coded: Behaviour = (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'x-odd' })
      response.end('{"data":[{"id":"a"}]}')
    }
    const { url, received } = await startVendors({
      good: ['openai-chat', openaiList('a')],
      coded: ['openai-chat', coded],
      broken: ['openai-chat', broken],
      refusing: ['openai-chat', withBody('{"data":[{"id":"a"}]}', 401)],
      other: ['openai-chat', withBody('{"object":"list"}')],
      text: ['openai-chat', withBody('<html>')],
      empty: ['openai-chat', withBody('{"data":[]}')],
      huge: ['openai-chat', huge],
      endless: [
        'anthropic-messages',
        withBody('{"data":[{"id":"a"},{"id":3},{"id":"b"}],"has_more":true,"last_id":"a"}'),
      ],
    })
    const rows = ['coded/*', 'broken/*', 'refusing/*', 'other/*', 'text/*', 'empty/*', 'huge/*']
    expect(await idsOf(url)).toEqual(['good/a', ...rows, 'endless/a', 'endless/b'])
    expect(received.endless).toHaveLength(10)
  })

  it('waits for no vendor longer than the limit', async () => {
    const { url, received } = await startVendors(
      { silent: ['openai-chat', () => undefined] },
      { model_lists: { timeout_seconds: 0.05 } },
    )
    expect(await idsOf(url)).toEqual(['silent/*'])
    await received.silent?.[0]?.closed
  })

  it('contains no name that a request could not have, no secret, and not more names than a client can read', async () => {
    const hostile = [
      'ok',
      '',
      ' x',
      'a\nb',
      '\u202e'.concat('\ud800'),
      'x'.repeat(257),
      3,
      null,
      { a: 1 },
      `k-${UPSTREAM_KEY}`,
    ]
    const many = Array.from({ length: 5000 }, (_, at) => `m${at}`)
    const traversing = pages({
      '/v1/models?pageSize=1000': {
        models: ['models/../x', 'models/a b', 'models/a?b', 'models/fine'].map((name) => ({ name })),
      },
    })
    const { url } = await startVendors({
      hostile: ['openai-chat', openaiList(...hostile)],
      google: ['gemini-generate', traversing],
      many: ['openai-chat', openaiList(...many)],
    })
    const ids = await idsOf(url)
    expect(ids.slice(0, 3)).toEqual(['hostile/ok', 'google/fine', 'many/m0'])
    expect(ids).toHaveLength(2002)
  })

  it('is kept for a time, that of a failed vendor for a shorter one, and requested once at a time', async () => {
    let now = Date.UTC(2026, 0, 1)
    let isUp = false
    const flaky: Behaviour = (response, request) => (isUp ? openaiList('b') : withBody('{}', 500))(response, request)
    const { url, received } = await startVendors(
      { good: ['openai-chat', openaiList('a')], flaky: ['openai-chat', flaky] },
      { model_lists: { cache_seconds: 100 } },
      { clock: () => now },
    )
    const counts = () => [received.good?.length, received.flaky?.length]
    await Promise.all([idsOf(url), idsOf(url), idsOf(url)])
    expect(counts()).toEqual([1, 1])
    isUp = true
    now += 29_000
    expect(await idsOf(url)).toEqual(['good/a', 'flaky/*'])
    now += 2000
    expect(await idsOf(url)).toEqual(['good/a', 'flaky/b'])
    expect(counts()).toEqual([1, 2])
    now += 70_000
    await idsOf(url)
    expect(counts()).toEqual([2, 2])
  })

  it('is requested of no vendor whose key is missing, and of none if the configuration says so', async () => {
    const upstream = await startMockUpstream(openaiList('a'))
    whenDone(upstream.close)
    const vendors = { groq: { base_url: upstream.url }, vllm: { base_url: upstream.url } }
    const asking = await startGateway({ vendors })
    expect(await idsOf(asking.url)).toEqual(['groq/*', 'vllm/a'])
    expect(upstream.received).toHaveLength(1)
    const quiet = await startGateway({ vendors, model_lists: { ask: false } })
    expect(await idsOf(quiet.url)).toEqual(['groq/*', 'vllm/*'])
    expect(upstream.received).toHaveLength(1)
  })
})
