import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createAssets } from '../../../src/host/page/assets.ts'
import type { FixtureList, ServerDescription } from '../../../src/page-api/description.ts'
import type { RequestEntry } from '../../../src/page-api/request-entry.ts'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { KEY, post, REQUEST, readSlowly, sha256, startTestServer, UPSTREAM_KEY, waitUntil } from '../test-server.ts'

const ANSWER = 'The answer'
const behave = withBody(bodyOf(ANSWER))
const MANAGER = 'management-key-of-nobody'
const OTHER = 'other-key-of-nobody'
const KEYS = [
  { name: 'tester', sha256: sha256(KEY) },
  { name: 'other', sha256: sha256(OTHER) },
  { name: 'manager', sha256: sha256(MANAGER), kind: 'management' },
]

const get = (url: string, path: string, key: string | null = KEY, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers } })

const listOf = async (url: string, key = KEY): Promise<readonly RequestEntry[]> =>
  ((await (await get(url, '/page/api/requests', key)).json()) as { data: readonly RequestEntry[] }).data

/** Waits until the list has this number of requests that have ended. */
async function endedOf(url: string, count: number, key = KEY): Promise<readonly RequestEntry[]> {
  let list: readonly RequestEntry[] = []
  await waitUntil(async () => {
    list = await listOf(url, key)
    return list.filter(({ running }) => !running).length >= count
  }, `${count} requests in the list`)
  return list
}

describe('the address of the page', () => {
  it.each([
    ['on loopback', {}, 200],
    ['on loopback, if it is switched off', { page: false }, 404],
    ['on loopback, if other hosts are configured', { listen: { port: 0, hosts: ['llm.example'] } }, 404],
    ['on all addresses', { listen: { port: 0, host: '0.0.0.0' } }, 404],
    ['on all addresses, if it is switched on', { listen: { port: 0, host: '0.0.0.0' }, page: true }, 200],
  ])('is answered as configured: %s', async (_, config, status) => {
    const { url } = await startTestServer(behave, config)
    const target = url.replace('0.0.0.0', '127.0.0.1')
    for (const path of ['/', '/page/icon.svg', '/page/api/requests', '/page/api/describe'])
      expect([path, (await get(target, path)).status]).toEqual([path, status])
  })

  it('is answered with a strict policy, and without a key or another secret', async () => {
    const { url } = await startTestServer(behave)
    const response = await get(url, '/', null)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    const html = await response.text()
    const names = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name)
    expect(names).toEqual(['/page/icon.svg', '/page/page.css', '/page/main.js'])
    for (const name of names) {
      const file = await get(url, name, null)
      expect([name, file.status]).toEqual([name, 200])
      const text = await file.text()
      for (const secret of [KEY, UPSTREAM_KEY]) expect(text).not.toContain(secret)
    }
    expect((await get(url, '/page/unknown.js', null)).status).toBe(404)
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  })

  it('is refused under the name of another host, as every other path', async () => {
    const { url } = await startTestServer(behave)
    const statusFor = (host: string) =>
      new Promise((resolve, reject) =>
        request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end(),
      )
    expect(await Promise.all(['evil.test', 'localhost'].map(statusFor))).toEqual([403, 200])
  })
})

describe('the files of the page', () => {
  it('have the same head without a body, and no name reaches a file of the machine', async () => {
    const { url } = await startTestServer(behave)
    const { port } = new URL(url)
    /** Sends a path as it is: `fetch` resolves the dots of a path before it sends it. */
    const rawStatus = (path: string) =>
      new Promise((resolve, reject) =>
        request({ port, host: '127.0.0.1', path }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end(),
      )
    for (const path of [
      '/page/../package.json',
      '/page/..%2f..%2fpackage.json',
      '/page/%2e%2e/page.ts',
      '/page//etc/passwd',
    ])
      expect([path, await rawStatus(path)]).toEqual([path, 404])
    for (const path of ['/', '/page/main.js']) {
      const [whole, head] = await Promise.all([fetch(url + path), fetch(url + path, { method: 'HEAD' })])
      const headers = ['content-type', 'content-length', 'content-encoding', 'etag', 'content-security-policy']
      expect(headers.map((name) => head.headers.get(name))).toEqual(headers.map((name) => whole.headers.get(name)))
      expect([head.status, await head.text()]).toEqual([200, ''])
      expect(whole.headers.get('content-encoding')).toBe('gzip')
      await whole.body?.cancel()
    }
  })

  it('are refused to pages of other sites, with everything that the page requests', async () => {
    const { url } = await startTestServer(behave)
    const headers = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    for (const path of ['/page/api/describe', '/page/api/requests', '/page/api/fixtures/openai-chat/hello']) {
      const response = await get(url, path, KEY, headers)
      expect([path, response.status, response.headers.get('access-control-allow-origin')]).toEqual([path, 403, null])
    }
    const asset = await get(url, '/page/main.js', null)
    expect(asset.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    await asset.body?.cancel()
  })

  it('are sent in the coding that the client accepts, and only if they have changed', async () => {
    let reads = 0
    const assets = createAssets(async () => {
      reads += 1
      if (reads === 1) throw new Error('a mistake in the sources')
      return new Map([['a.js', Buffer.from('let a = 1\n'.repeat(99))]])
    })
    await expect(assets.find('a.js', 'gzip')).rejects.toThrow('a mistake')
    const [plain, zipped, brotli] = await Promise.all(
      [undefined, 'br;q=0, gzip;q=1.0', 'gzip, deflate, br'].map((accepted) => assets.find('a.js', accepted)),
    )
    expect([plain?.coding, zipped?.coding, brotli?.coding]).toEqual([null, 'gzip', 'br'])
    const texts = [plain?.bytes ?? [], gunzipSync(zipped?.bytes ?? ''), brotliDecompressSync(brotli?.bytes ?? '')]
    expect(new Set(texts.map((bytes) => Buffer.from(bytes).toString())).size).toBe(1)
    expect(new Set([plain?.etag, zipped?.etag, brotli?.etag]).size).toBe(3)
    expect([await assets.find('b.js', undefined), reads]).toEqual([null, 2])
    const { url } = await startTestServer(behave)
    const etag = (await get(url, '/page/icon.svg', null)).headers.get('etag') ?? ''
    expect((await get(url, '/page/icon.svg', null, { 'if-none-match': etag })).status).toBe(304)
  })
})

describe('the description of a server', () => {
  it('has its models, vendors and mounts, for a valid key only', async () => {
    const { url } = await startTestServer(behave, { model_lists: { ask: false }, page: { content: true } })
    expect((await get(url, '/page/api/describe', null)).status).toBe(401)
    expect((await get(url, '/page/api/describe', 'wrong')).status).toBe(401)
    const description = (await (await get(url, '/page/api/describe')).json()) as ServerDescription
    expect(description).toMatchObject({ vendors: [{ name: 'acme', wires: ['openai-chat'] }], content: true })
    expect(description.models).toEqual(expect.arrayContaining(['acme/*', 'replay/hello']))
    const beta = description.mounts.find(({ dialect }) => dialect === 'beta')
    expect(beta).toEqual({
      path: '/api/v1',
      dialect: 'beta',
      clients: expect.arrayContaining([
        { protocol: 'openai-responses', path: '/api/v1/responses' },
        { protocol: 'openai-chat', path: '/api/v1/chat/completions' },
        { protocol: 'gemini-generate', path: '/api/v1beta/models/{model}:streamGenerateContent?alt=sse' },
      ]),
    })
    // Each path is one that the server has.
    for (const { path } of beta?.clients ?? []) {
      const response = await post(url, {}, { path: path.replace('{model}', 'acme%2Fm') })
      expect([path, response.status === 404]).toEqual([path, false])
    }
  })
})

describe('the recordings of the page', () => {
  it('are those of the package, which need no key', async () => {
    const { url } = await startTestServer(behave)
    const list = (await (await get(url, '/page/api/fixtures', null)).json()) as FixtureList
    expect(list.data).toEqual(expect.arrayContaining(['openai-chat/hello', 'bedrock-converse/hello']))
    const fixture = await get(url, '/page/api/fixtures/anthropic-messages/hello', null)
    expect(fixture.headers.get('content-type')).toContain('text/event-stream')
    expect(await fixture.text()).toContain('event: message_start')
    for (const name of ['openai-chat/none', '../package.json', 'openai-chat%2Fhello'])
      expect((await get(url, `/page/api/fixtures/${name}`)).status).toBe(404)
  })
})

describe('the requests on the page', () => {
  it('have upstream, attempts, losses, times, usage and ending, and no content', async () => {
    let calls = 0
    const { url } = await startTestServer(
      (response, received) => {
        calls += 1
        if (calls > 1) return behave(response, received)
        response.writeHead(503).end()
      },
      { retry: { first_delay_ms: 0 } },
    )
    const body = { ...REQUEST, stream: false, input: 'A secret prompt', top_k: 3 }
    await (await post(url, body)).text()
    const [entry] = await endedOf(url, 1)
    expect(entry).toMatchObject({
      running: false,
      key: 'tester',
      method: 'POST',
      path: '/api/v1/responses',
      client: 'openai-responses',
      dialect: 'beta',
      model: 'acme/mock-1',
      vendor: 'acme',
      upstreamModel: 'mock-1',
      wire: 'openai-chat',
      edits: null,
      stream: false,
      status: 200,
      ending: 'completed',
      error: null,
      content: null,
    })
    expect(entry?.attempts.map(({ error, skipped }) => [error, skipped])).toEqual([
      [expect.any(String), false],
      [null, false],
    ])
    const [first, second] = entry?.attempts ?? []
    expect(first?.startMs).toBeLessThanOrEqual(first?.endMs ?? -1)
    expect(first?.endMs).toBeLessThanOrEqual(second?.startMs ?? -1)
    expect(second?.endMs).toBeLessThanOrEqual(entry?.durationMs ?? -1)
    expect(JSON.stringify(entry)).not.toMatch(/secret prompt|The answer/)
  })

  it('are seen by their own key and by management keys only', async () => {
    const { url } = await startTestServer(behave, { keys: KEYS })
    await (await post(url)).text()
    await (await post(url, REQUEST, { headers: { authorization: `Bearer ${OTHER}` } })).text()
    await (await post(url, REQUEST, { headers: { authorization: 'Bearer wrong' } })).text()
    const all = await endedOf(url, 2, MANAGER)
    expect(all.map(({ key }) => key)).toEqual(['tester', 'other'])
    expect((await listOf(url)).map(({ key }) => key)).toEqual(['tester'])
    expect((await get(url, '/page/api/requests', null)).status).toBe(401)
  })

  it('contain their text if that is switched on, without keys and without secrets of the upstream', async () => {
    const { url } = await startTestServer(withBody(bodyOf(`I was sent ${UPSTREAM_KEY}`)), { page: { content: true } })
    const input = `Use sk-proj-0123456789abcdefghij for ${'x'.repeat(20_000)}`
    await (await post(url, { ...REQUEST, stream: false, input })).text()
    const [entry] = await endedOf(url, 1)
    expect(entry?.content?.request).toMatch(/^user: Use sk-p\.\.\.ghij for x+…$/)
    expect(entry?.content?.request.length).toBeLessThan(17_000)
    expect(entry?.content?.answer).toBe('I was sent [secret]')
  })

  it('include paths that do not exist, for clients with a key', async () => {
    const { url } = await startTestServer(behave, { keys: KEYS })
    await (await post(url, REQUEST, { path: '/v2/responses' })).text()
    await (
      await post(url, REQUEST, { path: '/v3/chat/completions', headers: { authorization: 'Bearer wrong' } })
    ).text()
    await (await post(url)).text()
    const all = await endedOf(url, 2, MANAGER)
    expect(all.map(({ path, status, error }) => [path, status, error])).toEqual([
      ['/v2/responses', 404, 'not_found'],
      ['/api/v1/responses', 200, null],
    ])
  })

  it('are sent as they change, and never more than two hundred', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { url, running } = await startTestServer(async (response, received) => {
      if (received.body.model === 'held') await held
      await behave(response, received)
    })
    const stream = readSlowly(await get(url, '/page/api/requests', KEY, { accept: 'text/event-stream' }))
    await stream.until((text) => text.startsWith('data: []\n\n'))
    const open = post(url, { ...REQUEST, model: 'acme/held', stream: false })
    await stream.until((text) => text.includes('"running":true'))
    const [entry] = await listOf(url)
    expect([entry?.status, entry?.attempts.length, entry?.attempts[0]?.endMs]).toEqual([null, 1, null])
    release()
    await (await open).text()
    await stream.until((text) => /"running":false[^\n]*"ending":"completed"/.test(text))
    await Promise.all(Array.from({ length: 210 }, async () => (await post(url, 'no JSON')).text()))
    expect(await listOf(url)).toHaveLength(200)
    // The stream ends with the server, and does not hold it back.
    await Promise.all([running.drain(), stream.rest()])
  })
})
