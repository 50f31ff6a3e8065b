import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogLine } from '../../src/gateway/telemetry/log.ts'
import { bodyOf, startMockUpstream, withBody } from '../mock-upstreams/server.ts'
import { type Attempt, attack } from './attacks.ts'
import { sha256, startGateway, type TestServer, waitUntilStill, whenDone } from './test-server.ts'

/**
 * Pages of other sites in a real browser try every request that a page can send: no upstream receives a request, and
 * the pages can read nothing.
 */

const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const isThere = existsSync(PROGRAM)
if (!isThere) process.stdout.write(`NOT TESTED: there is no Chromium at ${PROGRAM}\n`)

const KEY = 'key-of-the-browser-test'
const BODY = JSON.stringify({
  model: 'acme/m',
  input: 'Hi',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Hi' }],
  contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
})

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP evil.test 127.0.0.1',
  // Newer browsers ask for permission before a page may reach loopback. The server must not depend on that.
  '--disable-features=LocalNetworkAccessChecks',
]

/** Serves a page of another site, which is reachable under three names. */
async function openSite(): Promise<number> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>A page</body>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return (server.address() as AddressInfo).port
}

const requestsIn = (lines: readonly LogLine[]): readonly LogLine[] => lines.filter(({ event }) => event === 'request')

/** Attempts that could read anything. Network errors and opaque responses are already null. */
const readIn = (attempts: readonly Attempt[]): readonly Attempt[] => attempts.filter(({ read }) => read !== null)

const CONFIGURED = {
  keys: [{ name: 'tester', sha256: sha256(KEY) }],
  listen: { port: 0, hosts: ['llm.example'], origins: ['https://app.example'] },
}

/** The path of the models of a vendor. */
const LIST = '/v1/models'

const SERVERS = { 'the development server': { keys: [] }, 'a configured server': CONFIGURED } as const

describe.skipIf(!isThere)('a page of another site', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ARGS })
  })
  afterAll(() => browser.close())

  async function open(
    config: object,
  ): Promise<Omit<TestServer, 'running'> & { readonly key: string; readonly port: number }> {
    const upstream = await startMockUpstream(withBody(bodyOf('Hello')))
    whenDone(upstream.close)
    const vendors = { acme: { wire: 'openai-chat', base_url: upstream.url, key: 'key-of-acme' } }
    const { running, ...server } = await startGateway({ vendors, ...config })
    return { ...server, upstream, key: running.developmentKey ?? KEY, port: Number(new URL(server.url).port) }
  }

  /** Fulfils a page at the server's own URL with content that the server did not send. */
  const pageAt = (url: string) => async (page: Page) => {
    await page.route(url, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>' }))
    await page.goto(url)
  }

  /** Without a key, and with the fixed development key of older versions. */
  const WITHOUT_RIGHT_KEY = [null, 'millrace-dev-key']

  /** Opens a page and makes all attempts with each of these keys. */
  async function tryAll(
    go: (page: Page) => Promise<unknown>,
    targets: readonly string[],
    keys: readonly (string | null)[],
  ): Promise<readonly Attempt[]> {
    const page = await browser.newPage()
    page.setDefaultTimeout(240_000)
    await go(page)
    const all: Attempt[] = []
    for (const url of targets) {
      for (const one of keys) {
        all.push(...(await page.evaluate(attack, { url, key: one, body: BODY })))
      }
    }
    await page.close()
    return all
  }

  it.each([
    ['the development server', SERVERS['the development server'], 'evil.test', '127.0.0.1'],
    ['the development server', SERVERS['the development server'], 'evil.test', 'localhost'],
    ['the development server', SERVERS['the development server'], 'localhost', '127.0.0.1'],
    ['the development server', SERVERS['the development server'], '127.0.0.1', '127.0.0.1'],
    ['a configured server', SERVERS['a configured server'], 'evil.test', '127.0.0.1'],
  ])('causes no upstream request of %s and reads no answer (%#)', async (_, config, name, target) => {
    const { url, lines, upstream, key, port } = await open(config)
    const site = await openSite()
    const tryWith = (keys: readonly (string | null)[]) =>
      tryAll((page) => page.goto(`http://${name}:${site}/`), [`http://${target}:${port}`], keys)
    const settled = () =>
      waitUntilStill(url, () => requestsIn(lines).filter(({ path }) => path !== '/healthz').length, 'requests')
    const attempts = [...(await tryWith(WITHOUT_RIGHT_KEY))]
    await settled()
    expect(upstream.received).toEqual([])
    attempts.push(...(await tryWith([key])))
    expect(attempts.length).toBeGreaterThan(100)
    expect(readIn(attempts), name).toEqual([])
    // The browser sends beacons after the page is closed.
    await settled()
    // A page that has the right key in the address of an image causes a list of models to be made, which it cannot read.
    expect(upstream.received.map(({ url }) => url).filter((one) => one !== LIST)).toEqual([])
    // The requests were sent: the server refused them, not the browser.
    const statuses = [...new Set(requestsIn(lines).map(({ status, method }) => `${method} ${status}`))]
    const refusals = name === 'evil.test' ? ['POST 403', 'OPTIONS 403'] : ['POST 415', 'POST 401', 'OPTIONS 405']
    expect(statuses).toEqual(expect.arrayContaining([...refusals, 'GET 200', 'GET 401']))
  })

  it.each(Object.entries(SERVERS))(
    'reads only refusals if its name resolves to the address of %s',
    async (_, config) => {
      const { upstream, key, port } = await open(config)
      const site = `http://evil.test:${port}`
      const attempts = await tryAll(pageAt(`${site}/`), [site], [...WITHOUT_RIGHT_KEY, key])
      const read = readIn(attempts).map(({ name, read }) => [name, read])
      expect(read.length).toBeGreaterThan(20)
      for (const one of read)
        expect(one).toEqual([one[0], expect.stringMatching(/host_not_allowed|header "Host" names/)])
      expect(upstream.received.map(({ url }) => url)).toEqual([])
    },
  )

  it("is allowed to send requests if it has the server's own origin and key", async () => {
    const { url, upstream, key } = await open(SERVERS['the development server'])
    const attempts = await tryAll(pageAt(`${url}/`), [url], [...WITHOUT_RIGHT_KEY, key])
    expect(readIn(attempts).map(({ name }) => name)).toContain('JSON /api/v1/responses')
    expect(upstream.received.length).toBeGreaterThan(0)
  })
})
