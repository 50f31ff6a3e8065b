import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { inPieces, streamOf } from '../../mock-upstreams/server.ts'
import { KEY, REQUEST, startTestServer, typesOf } from '../test-server.ts'

/** Pages of other origins, which a browser lets read an answer only if its headers name their origin. */

const APP = 'https://app.example'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Sends a request as a browser does: Node's `fetch` does not allow setting Origin. */
const send = (url: string, path: string, headers: object, method = 'POST', body: unknown = REQUEST): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const call = request(url + path, { method, headers: { 'content-type': 'application/json', ...headers } }, (got) => {
      let text = ''
      got.on('data', (chunk) => (text += chunk))
      got.on('end', () => resolve({ status: got.statusCode ?? 0, headers: got.headers, text }))
    })
    call.on('error', reject)
    call.end(method === 'POST' ? JSON.stringify(body) : undefined)
  })

const withKey = { authorization: `Bearer ${KEY}` }

const mounts = (cors: object | undefined) => ({
  mounts: [
    { path: '/api/v1', dialect: 'beta' },
    { path: '/openai/v1', dialect: 'openai', ...(cors === undefined ? {} : { cors }) },
  ],
})

const start = (cors: object | undefined) => startTestServer(inPieces(streamOf('Hi'), 60), mounts(cors))

const ASKS = {
  origin: APP,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
}

const namesOf = ({ headers }: Answer): string[] => Object.keys(headers).filter((name) => name.startsWith('access-'))

describe('a mount with cors', () => {
  it('answers the preflight of its origins without a key, and their requests with readable headers', async () => {
    const { url } = await start({ origins: ['https://App.example'], max_age_seconds: 60 })
    const preflight = await send(url, '/openai/v1/responses', ASKS, 'OPTIONS')
    expect(preflight).toMatchObject({ status: 200, text: '' })
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
      'access-control-max-age': '60',
      vary: 'Origin',
    })
    expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials')
    const answer = await send(url, '/openai/v1/responses', { origin: APP, ...withKey })
    expect(typesOf(answer.text).at(-1)).toBe('[DONE]')
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': APP, vary: 'Origin' })
    const exposed = String(answer.headers['access-control-expose-headers']).split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['x-request-id', 'x-responses-losses', '*']))
  })

  it('lets its pages read refusals, also of paths that do not exist', async () => {
    const { url } = await start({ origins: [APP] })
    const refused = await send(url, '/openai/v1/responses', { origin: APP })
    expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, APP])
    const unknown = await send(url, '/openai/v1/nothing', { origin: APP, ...withKey })
    expect([unknown.status, unknown.headers['access-control-allow-origin']]).toEqual([404, APP])
    expect((await send(url, '/openai/v1/nothing', ASKS, 'OPTIONS')).status).toBe(200)
  })

  it('serves the versions of its clients in the same way', async () => {
    const { url } = await start({ origins: [APP] })
    const path = '/openai/v1beta/models/acme/m:streamGenerateContent'
    expect((await send(url, path, ASKS, 'OPTIONS')).headers['access-control-allow-origin']).toBe(APP)
  })

  it('refuses other origins, and its own origins at other mounts', async () => {
    const { url, upstream } = await start({ origins: [APP] })
    const refusals = [
      await send(url, '/openai/v1/responses', { ...ASKS, origin: 'https://evil.example' }, 'OPTIONS'),
      await send(url, '/openai/v1/responses', { ...withKey, origin: 'https://evil.example' }),
      await send(url, '/api/v1/responses', ASKS, 'OPTIONS'),
      await send(url, '/api/v1/responses', { ...withKey, origin: APP }),
      await send(url, '/openai/v1x/responses', { ...withKey, origin: APP }),
      await send(url, '/metrics', { origin: APP }, 'GET'),
    ]
    expect(refusals.map(({ status }) => status)).toEqual(Array(6).fill(403))
    expect(refusals.flatMap(namesOf)).toEqual([])
    expect(upstream.received).toEqual([])
  })

  it('gives programs without an origin their answers as before', async () => {
    const { url } = await start({ origins: [APP] })
    const answer = await send(url, '/openai/v1/responses', withKey)
    expect([answer.status, namesOf(answer), answer.headers.vary]).toEqual([200, [], 'Origin'])
    expect((await send(url, '/openai/v1/responses', {}, 'OPTIONS')).status).toBe(405)
  })

  it('names no origin if it is open for all', async () => {
    const { url } = await start({ origins: ['*'] })
    const { headers } = await send(url, '/openai/v1/responses', { origin: 'null', ...withKey })
    expect([headers['access-control-allow-origin'], headers.vary]).toEqual(['*', undefined])
  })

  it('allows credentials by the name of the origin only, and then exposes no wildcard', async () => {
    const { url } = await start({ origins: [APP], credentials: true })
    const { headers } = await send(url, '/openai/v1/responses', { origin: APP, ...withKey })
    expect(headers).toMatchObject({
      'access-control-allow-origin': APP,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.not.stringContaining('*'),
    })
    const loaded = checkConfigValue(mounts({ origins: [APP, '*'], credentials: true }))
    expect(loaded.ok ? [] : loaded.problems).toEqual([expect.stringMatching(/^mounts\[1\]\.cors\.origins: /)])
  })
})
