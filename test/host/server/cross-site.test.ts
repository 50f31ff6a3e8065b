import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { type Behaviour, streamOf } from '../../mock-upstreams/server.ts'
import { KEY, REQUEST, startTestServer } from '../test-server.ts'

/** Pages of other sites, which a browser allows to send requests to loopback. */

type Headers = Readonly<Record<string, string>>

const answering: Behaviour = (response) =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamOf('Hi'))

/** Sends a request as a browser does: Node's `fetch` allows setting neither Host nor Origin. */
const send = (url: string, headers: Headers, path = '/api/v1/responses'): Promise<[status: number, code: string]> =>
  new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { authorization: `Bearer ${KEY}`, ...headers } }
    const call = request(url + path, options, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () => {
        const status = response.statusCode ?? 0
        resolve([status, status === 200 ? '' : (JSON.parse(text).error.code ?? '')])
      })
    })
    call.on('error', reject)
    call.end(JSON.stringify(REQUEST))
  })

const JSON_TYPE = { 'content-type': 'application/json' }
const loopback = (url: string): string => new URL(url).host

describe('a request of a page', () => {
  it.each<[string, Headers]>([
    ['another site', { origin: 'https://evil.example' }],
    ['a sandbox', { origin: 'null' }],
    ['a file', { origin: 'file://' }],
    ['a site whose name begins like loopback', { origin: 'http://localhost.evil.example' }],
    ['a site whose name ends like loopback', { origin: 'http://evil.example:127.0.0.1' }],
    ['a site with a user name', { origin: 'http://localhost@evil.example' }],
  ])('from %s is refused, and no upstream receives a request', async (_, headers) => {
    const { url, upstream } = await startTestServer(answering)
    expect(await send(url, { ...JSON_TYPE, ...headers })).toEqual([403, 'origin_not_allowed'])
    expect(upstream.received).toHaveLength(0)
  })

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80'])(
    "with the page's own name in Host is refused: %s",
    async (host) => {
      const { url, upstream } = await startTestServer(answering)
      expect(await send(url, { ...JSON_TYPE, host })).toEqual([403, 'host_not_allowed'])
      expect(upstream.received).toHaveLength(0)
    },
  )

  it.each<Headers>([{}, { 'content-type': 'text/plain' }, { 'content-type': 'application/x-www-form-urlencoded' }])(
    'that a browser sends without a preflight is refused: %j',
    async (headers) => {
      const { url, upstream } = await startTestServer(answering)
      expect(await send(url, headers)).toEqual([415, 'unsupported_media_type'])
      expect(upstream.received).toHaveLength(0)
    },
  )

  it.each<Headers>([
    { origin: 'http://localhost:3000' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { referer: 'https://evil.example/' },
  ])('with a body without a JSON type is refused for clients of Ollama as well: %j', async (headers) => {
    const { url, upstream } = await startTestServer(answering)
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const path of ['/api/v1/api/chat', '/api/v1/api/show'])
      expect((await send(url, { ...type, ...headers }, path))[0]).toBe(415)
    expect(upstream.received).toHaveLength(0)
  })

  it.each(['http://localhost:3000', 'http://127.0.0.1:5173', 'http://[::1]:8080'])(
    'from a page on loopback is answered: %s',
    async (origin) => {
      const { url } = await startTestServer(answering)
      expect(await send(url, { ...JSON_TYPE, origin, host: loopback(url) })).toEqual([200, ''])
    },
  )

  it('is answered if the configuration allows its origin and its host', async () => {
    const listen = { port: 0, hosts: ['llm.example'], origins: ['https://app.example'] }
    const { url } = await startTestServer(answering, { listen })
    const headers = { ...JSON_TYPE, origin: 'https://app.example', host: 'llm.example:8443' }
    expect(await send(url, headers)).toEqual([200, ''])
    expect(await send(url, { ...headers, origin: 'https://app.example.evil' })).toEqual([403, 'origin_not_allowed'])
    expect(await send(url, { ...headers, host: 'other.example' })).toEqual([403, 'host_not_allowed'])
  })

  it('from any origin is answered if the configuration allows all', async () => {
    const { url } = await startTestServer(answering, { listen: { port: 0, hosts: ['*'], origins: ['*'] } })
    expect(await send(url, { ...JSON_TYPE, origin: 'https://a.example', host: 'b.example' })).toEqual([200, ''])
  })
})
