import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import { CONFIG } from '../../../src/gateway/config/config.ts'
import type { Env } from '../../../src/gateway/config/secrets.ts'
import { createSearch } from '../../../src/gateway/search/engines.ts'
import { createAgent, httpTransport } from '../../../src/host/upstream/http-transport.ts'
import { clientError, upstreamError } from '../../../src/protocol/error.ts'
import { err } from '../../../src/protocol/result.ts'
import type { EngineName, SearchAnswer, SearchQuery } from '../../../src/search/engine.ts'
import { whenDone } from '../test-server.ts'
import { answerJson, type EngineRequest, type MockEngine, startMockEngine } from './mock-engine.ts'

const QUERY: SearchQuery = {
  query: 'mills of Bern',
  maxResults: 3,
  filter: { allowed: [], excluded: [] },
  maxCharacters: 40,
  country: null,
  mode: null,
}

const KEY = 'engine-key-of-nobody'

/** Returns the searcher of a server with this configuration. */
function searcherOf(search: object, env: Env = {}) {
  const agent = createAgent(CONFIG.parse({}).timeouts)
  whenDone(() => agent.destroy())
  return createSearch(CONFIG.parse({ search: { timeout_seconds: 600, ...search } }).search, env, httpTransport(agent))
}

const find = (
  engine: EngineName,
  { url }: MockEngine,
  query: Partial<SearchQuery> = {},
  config: object = {},
): Promise<SearchAnswer> =>
  searcherOf({ engine, base_url: `${url}/`, key: KEY, ...config }).find(
    engine,
    { ...QUERY, ...query },
    new Cancellation(),
  )

const pages = (...names: string[]) => names.map((name) => ({ url: `https://${name}`, title: `T ${name}` }))

/** For each engine, the request that it must receive, and a full answer in its own format. */
const ENGINES: Readonly<Record<EngineName, { path: string; header: [string, string]; body: object; answer: object }>> =
  {
    exa: {
      path: '/search',
      header: ['x-api-key', KEY],
      body: {
        query: 'mills of Bern',
        type: 'deep',
        numResults: 3,
        includeDomains: ['*.a.example'],
        excludeDomains: ['b.example'],
        userLocation: 'CH',
        contents: { text: { maxCharacters: 40 }, highlights: true },
      },
      answer: {
        requestId: 'r',
        results: [
          {
            url: 'https://x.a.example/1',
            title: 'One',
            publishedDate: '2025-01-02T00:00:00.000Z',
            highlights: ['Wheels', 'Water'],
            text: 'All',
          },
          { url: 'https://x.a.example/2', title: null, text: ' Begins so ', highlights: [] },
        ],
      },
    },
    firecrawl: {
      path: '/v2/search',
      header: ['authorization', `Bearer ${KEY}`],
      body: { query: 'mills of Bern', limit: 9, sources: ['web'], includeDomains: ['a.example'], country: 'CH' },
      answer: {
        success: true,
        data: {
          web: [
            {
              url: 'https://x.a.example/1',
              title: 'One',
              description: 'Wheels\n[…]\nWater',
              date: '2025-01-02T00:00:00.000Z',
            },
            { url: 'https://x.a.example/2', title: '', markdown: 'Begins so', description: 'Never this' },
          ],
        },
      },
    },
    parallel: {
      path: '/v1/search',
      header: ['x-api-key', KEY],
      body: {
        objective: 'mills of Bern',
        search_queries: ['mills of Bern'],
        mode: 'basic',
        advanced_settings: {
          max_results: 9,
          excerpt_settings: { max_chars_per_result: 40 },
          source_policy: { include_domains: ['a.example'] },
          location: 'ch',
        },
      },
      answer: {
        search_id: 's',
        results: [
          {
            url: 'https://x.a.example/1',
            title: 'One',
            publish_date: '2025-01-02T00:00:00.000Z',
            excerpts: ['Wheels', 'Water'],
          },
          { url: 'https://x.a.example/2', title: null, excerpts: ['Begins so'] },
        ],
      },
    },
    perplexity: {
      path: '/search',
      header: ['authorization', `Bearer ${KEY}`],
      body: { query: 'mills of Bern', max_results: 9, search_domain_filter: ['a.example'], country: 'CH' },
      answer: {
        id: 'p',
        results: [
          {
            url: 'https://x.a.example/1',
            title: 'One',
            snippet: 'Wheels\n[…]\nWater',
            date: null,
            last_updated: '2025-01-02T00:00:00.000Z',
          },
          { url: 'https://x.a.example/2', title: '', snippet: 'Begins so', date: '' },
        ],
      },
    },
    searxng: {
      path: '/search',
      header: ['authorization', `Bearer ${KEY}`],
      body: { q: 'mills of Bern site:a.example -site:b.example', format: 'json' },
      answer: {
        query: 'q',
        results: [
          {
            url: 'https://x.a.example/1',
            title: 'One',
            content: 'Wheels\n[…]\nWater',
            publishedDate: '2025-01-02T00:00:00.000Z',
            engine: 'x',
          },
          { url: 'https://x.a.example/2', title: '', content: 'Begins so', publishedDate: null },
        ],
      },
    },
  }

const NAMES = Object.keys(ENGINES) as EngineName[]
const bodyOf = ({ headers, body }: EngineRequest): unknown =>
  headers['content-type'] === 'application/json' ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))

describe.each(NAMES)('the search engine %s', (name) => {
  const { path, header, body, answer } = ENGINES[name]

  it('receives a query in its own format', async () => {
    const engine = await startMockEngine((response) => answerJson(response, answer))
    const filter = { allowed: ['*.a.example'], excluded: ['b.example'] }
    await find(name, engine, { filter, country: 'CH', mode: 'deep' })
    const [asked] = engine.asked as [EngineRequest]
    expect([asked.method, asked.url]).toEqual(['POST', path])
    expect(asked.headers[header[0]]).toBe(header[1])
    expect(bodyOf(asked)).toEqual(body)
  })

  it('has its answer decoded to results', async () => {
    const engine = await startMockEngine((response) => answerJson(response, answer))
    expect(await find(name, engine)).toEqual({
      ok: true,
      results: [
        {
          url: 'https://x.a.example/1',
          title: 'One',
          content: 'Wheels\n[…]\nWater',
          date: '2025-01-02T00:00:00.000Z',
        },
        { url: 'https://x.a.example/2', title: null, content: 'Begins so', date: null },
      ],
    })
  })

  it('returns no forbidden page, each page once, and at most the number requested', async () => {
    const found = [
      ...pages('b.example/1', 'a.example/apex', 'x.a.example/1', 'x.a.example/1', 'x.b.example'),
      { url: 7 },
      null,
      { title: 'no page' },
      ...pages('x.a.example/2', 'x.a.example/3', 'x.a.example/4'),
    ]
    const list = name === 'firecrawl' ? { success: true, data: { web: found } } : { results: found }
    const engine = await startMockEngine((response) => answerJson(response, list))
    const answer = await find(name, engine, { filter: { allowed: ['*.a.example'], excluded: ['b.example'] } })
    expect(answer.ok && answer.results.map(({ url }) => url)).toEqual([
      'https://x.a.example/1',
      'https://x.a.example/2',
      'https://x.a.example/3',
    ])
  })

  it.each([
    [401, {}, 'search_unavailable', 502],
    [402, {}, 'search_unavailable', 502],
    [403, {}, 'search_unavailable', 502],
    [429, { 'retry-after': '7' }, 'rate_limit_exceeded', 429],
    [400, {}, 'search_failed', 502],
    [500, {}, 'search_failed', 502],
    [302, { location: 'http://127.0.0.1:1/' }, 'search_failed', 502],
  ])('causes the right error for the status %d', async (status, headers, code, expected) => {
    const engine = await startMockEngine((response) => answerJson(response, { error: 'Spent.' }, status, headers))
    const answer = await find(name, engine)
    if (answer.ok) throw new Error('expected a failure')
    expect(answer.error).toMatchObject({
      party: 'upstream',
      code,
      status: expected,
      retryAfter: status === 429 ? 7 : null,
    })
    expect(answer.error.message).toContain(name)
    expect(answer.error.message).not.toContain(KEY)
  })

  it.each(['', 'no JSON', '[]', '"x"', '{}', '{"results":{},"data":"x"}', '{"success":false,"error":"No."}', 'null'])(
    'causes search_failed for the invalid answer %j',
    async (text) => {
      const engine = await startMockEngine((response) => void response.end(text))
      expect(await find(name, engine)).toMatchObject({ ok: false, error: { code: 'search_failed', status: 502 } })
    },
  )

  it.each(['', 'no JSON', 'null', '[]', '{"error":null}'])(
    'causes search_failed for a failure that says %j',
    async (text) => {
      const engine = await startMockEngine((response) => void response.writeHead(500).end(text))
      expect(await find(name, engine)).toMatchObject({ ok: false, error: { code: 'search_failed', status: 502 } })
    },
  )

  it('returns no results for an empty list', async () => {
    const list = name === 'firecrawl' ? { success: true, data: {} } : { results: [] }
    const engine = await startMockEngine((response) => answerJson(response, list))
    expect(await find(name, engine)).toEqual({ ok: true, results: [] })
  })
})

describe('the error message of a search engine', () => {
  it.each<[EngineName, object, string]>([
    ['exa', { requestId: 'r', error: 'numResults is odd', tag: 'INVALID' }, 'numResults is odd'],
    ['firecrawl', { success: false, error: 'query is odd' }, 'query is odd'],
    ['parallel', { type: 'error', error: { ref_id: 'r', message: 'mode is odd' } }, 'mode is odd'],
    ['perplexity', { error: { message: 'model is odd' } }, 'model is odd'],
    ['perplexity', { detail: [{ loc: ['body'], msg: 'Field required' }] }, 'Field required'],
  ])('is decoded from the answer of %s: %j', async (name, body, reason) => {
    const engine = await startMockEngine((response) => answerJson(response, body, 422))
    const answer = await find(name, engine)
    expect(answer).toMatchObject({ ok: false, error: { message: `The search engine ${name}: ${reason}` } })
  })
})

describe('a search', () => {
  it('is aborted after its timeout', async () => {
    const engine = await startMockEngine(() => undefined)
    const patient = find('exa', engine, {}, { timeout_seconds: 3600 })
    const answer = find('exa', engine, {}, { timeout_seconds: 0.1 })
    expect(await Promise.race([patient, answer])).toMatchObject({
      ok: false,
      error: { code: 'search_timeout', status: 504, message: expect.stringContaining('0.1 s') },
    })
  })

  it('is aborted in the middle of its answer after the timeout', async () => {
    const engine = await startMockEngine((response) => void response.write('{"results":['))
    expect(await find('exa', engine, {}, { timeout_seconds: 0.1 })).toMatchObject({ error: { code: 'search_timeout' } })
  })

  it('is aborted together with the request that waits for it', async () => {
    const engine = await startMockEngine(() => undefined)
    const client = new Cancellation()
    const gone = clientError('client_gone', 'Gone.', null, 499)
    const searcher = searcherOf({ engine: 'exa', base_url: engine.url })
    const answer = searcher.find('exa', QUERY, client)
    client.abort(gone)
    expect(await answer).toEqual({ ok: false, error: gone })
    expect(await searcher.find('exa', QUERY, client)).toEqual({ ok: false, error: gone })
  })

  it('fails as search_timeout if the transport has waited too long', async () => {
    const late = upstreamError('upstream_timeout', 'The upstream sent no head in time.', 504)
    const { search } = CONFIG.parse({ search: { engine: 'searxng', base_url: 'http://127.0.0.1:1' } })
    const searcher = createSearch(search, {}, async () => err(late))
    expect(await searcher.find('searxng', QUERY, new Cancellation())).toMatchObject({
      ok: false,
      error: { code: 'search_timeout', status: 504, message: 'The search engine searxng did not answer in time.' },
    })
  })

  it('fails as search_unavailable if the engine is unreachable', async () => {
    const searcher = searcherOf({ engine: 'searxng', base_url: 'http://127.0.0.1:1' })
    expect(await searcher.find('searxng', QUERY, new Cancellation())).toMatchObject({
      ok: false,
      error: { code: 'search_unavailable', status: 502, message: 'The search engine searxng cannot be reached.' },
    })
  })

  it('fails as search_unavailable if the answer has no end', async () => {
    const engine = await startMockEngine((response) => {
      response.write('{"results":"')
      const more = (): void => {
        if (!response.destroyed && response.write('x'.repeat(1024 * 1024))) setImmediate(more)
        else if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    expect(await find('exa', engine)).toMatchObject({ ok: false, error: { code: 'search_unavailable' } })
  })

  it("requests more results than wanted if the gateway filters them, up to the engine's maximum", async () => {
    const engine = await startMockEngine((response) => answerJson(response, { results: [] }))
    await find('perplexity', engine, { maxResults: 9, filter: { allowed: ['*.a.example'], excluded: [] } })
    await find('perplexity', engine, { maxResults: 25 })
    expect(engine.asked.map((one) => (bodyOf(one) as { max_results: number }).max_results)).toEqual([20, 20])
  })

  it('has its query cut to the length that the engine accepts', async () => {
    const engine = await startMockEngine((response) => answerJson(response, { results: [] }))
    await find('parallel', engine, { query: '😀'.repeat(4000) })
    const { objective, search_queries } = bodyOf(engine.asked[0] as EngineRequest) as {
      objective: string
      search_queries: [string]
    }
    expect(objective).toHaveLength(5000)
    expect(search_queries[0]).toBe('😀'.repeat(100))
  })
})

describe('the engines of a server', () => {
  it('are the configured one and those whose key is set', () => {
    const env = { EXA_API_KEY: 'a\n', PARALLEL_API_KEY: 'b', FIRECRAWL_API_KEY: ' ' }
    expect(searcherOf({}, env).available).toEqual({ defaultEngine: null, engines: ['exa', 'parallel'] })
    const others = { FIRECRAWL_API_KEY: 'c', PERPLEXITY_API_KEY: 'd' }
    expect(searcherOf({}, others).available).toEqual({ defaultEngine: null, engines: ['firecrawl', 'perplexity'] })
    expect(searcherOf({ engine: 'searxng', base_url: 'http://127.0.0.1:1' }, env).available).toEqual({
      defaultEngine: 'searxng',
      engines: ['exa', 'parallel', 'searxng'],
    })
  })

  it('need their keys unless they have a base URL of their own', () => {
    expect(() => searcherOf({ engine: 'exa' })).toThrow('EXA_API_KEY')
    expect(() => searcherOf({ engine: 'exa', key: { env: 'MINE' } })).toThrow('MINE')
    expect(searcherOf({ engine: 'exa', base_url: 'http://127.0.0.1:1' }).available.defaultEngine).toBe('exa')
  })

  it('receive no key from the environment at a custom base URL', async () => {
    const engine = await startMockEngine((response) => answerJson(response, { results: [] }))
    const searcher = searcherOf({ engine: 'exa', base_url: engine.url }, { EXA_API_KEY: 'public-key' })
    await searcher.find('exa', QUERY, new Cancellation())
    expect(JSON.stringify(engine.asked)).not.toContain('public-key')
  })

  it.each([
    [{ engine: 'altavista' }, 'search.engine'],
    [{ engine: 'searxng' }, 'search.base_url'],
    [{ key: 'x' }, 'search.key'],
    [{ base_url: 'http://127.0.0.1:1' }, 'search.base_url'],
    [{ max_results: 26 }, 'search.max_results'],
    [{ max_searches: 0 }, 'search.max_searches'],
    [{ max_serches: 3 }, 'search'],
  ])('are rejected with the path of the mistake in %j', (search, place) => {
    const result = CONFIG.safeParse({ search })
    expect(result.success).toBe(false)
    expect(result.error?.issues.map(({ path }) => path.join('.'))).toEqual([place])
  })
})
