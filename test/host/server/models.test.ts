import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { json, KEY, type Loose, startGateway, startTestServer } from '../test-server.ts'

/** The models that clients of each API can read, and the format of errors for unknown paths. */

const open = async () => (await startTestServer(withBody(bodyOf('Hi')))).url
const openai = (url: string) => new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 0 })
const anthropic = (url: string, maxRetries = 0) => new Anthropic({ apiKey: KEY, baseURL: `${url}/api`, maxRetries })
const google = (url: string) =>
  new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/api`, apiVersion: 'v1' } })

const PARTS = [{ role: 'user', parts: [{ text: 'Hello' }] }]
const post = (url: string, body: object = {}, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('a key in the URL', () => {
  it('is accepted like one in a header, for the list and for one model', async () => {
    const base = `${await open()}/api/v1/models`
    for (const path of ['', '/acme/mock-1']) {
      expect((await fetch(`${base}${path}?key=${KEY}`)).status).toBe(200)
      expect((await fetch(`${base}${path}?key=nonsense`)).status).toBe(401)
      expect((await fetch(`${base}${path}`)).status).toBe(401)
      expect((await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${KEY}` } })).status).toBe(200)
    }
  })
})

describe('the endpoints of models', () => {
  it('list the same models in the format of each client API', async () => {
    const url = await open()
    const ids: string[][] = []
    ids.push((await openai(url).models.list()).data.map(({ id }) => id))
    const page = await anthropic(url).models.list()
    expect([page.has_more, page.first_id]).toEqual([false, page.data[0]?.id])
    ids.push(page.data.map(({ id }) => id))
    const names: string[] = []
    for await (const { name = '' } of await google(url).models.list({ config: { queryBase: true } })) names.push(name)
    ids.push(names.map((name) => name.replace(/^models\//, '')))
    expect(ids[0]).toContain('acme/*')
    expect(ids[0]).toContain('replay/hello')
    expect(ids[1]).toEqual(ids[0])
    expect(ids[2]).toEqual(ids[0])
  })

  it.each(['acme/mock-1', 'acme/org/mock:8b', 'replay/hello', 'acme/*'])('return %s in every format', async (id) => {
    const url = await open()
    expect(await openai(url).models.retrieve(id)).toMatchObject({ id, object: 'model', owned_by: id.split('/')[0] })
    expect(await anthropic(url).models.retrieve(id)).toMatchObject({ id, type: 'model', display_name: id })
    expect(await google(url).models.get({ model: id })).toMatchObject({ name: `models/${id}` })
  })

  it.each(['groq/x', 'replay/nonsense', '/bare'])('return 404 for %s in every error format', async (id) => {
    const url = await open()
    await expect(openai(url).models.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
    await expect(anthropic(url).models.retrieve(id)).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error' } },
    })
    await expect(google(url).models.get({ model: id })).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('"NOT_FOUND"'),
    })
  })
})

const isOpenai = ({ error }: Loose): boolean => typeof error.code === 'string' && !('request_id' in error)
const isResponses = ({ error }: Loose): boolean => typeof error.code === 'string' && 'request_id' in error
const isAnthropic = (body: Loose): boolean => body.type === 'error' && typeof body.error.type === 'string'
const isGoogle = ({ error }: Loose): boolean => typeof error.code === 'number' && typeof error.status === 'string'
const isOllama = ({ error }: Loose): boolean => typeof error === 'string'

const STRAYS: readonly (readonly [
  method: string,
  path: string,
  headers: object,
  status: number,
  is: (body: Loose) => boolean,
])[] = [
  ['POST', '/models/x:foo', {}, 404, isGoogle],
  ['POST', '/models/acme/x:embedContent', {}, 404, isGoogle],
  ['POST', '/models/acme/x%3AembedContent', {}, 404, isGoogle],
  ['GET', '/models/acme/x:generateContent', {}, 405, isGoogle],
  ['POST', '/messages/', {}, 401, isAnthropic],
  ['POST', '/messages/batches', {}, 404, isAnthropic],
  ['GET', '/messages/batches/b/results', {}, 404, isAnthropic],
  ['POST', '/chat/completions/', {}, 401, isOpenai],
  ['GET', '/chat/completions/c', {}, 404, isOpenai],
  ['GET', '/api/tags', {}, 401, isOllama],
  ['POST', '/api/pull', {}, 404, isOllama],
  ['GET', '/models/x', {}, 401, isResponses],
  ['GET', '/models/x', { 'x-goog-api-key': KEY }, 404, isGoogle],
  ['GET', '/models/x', { 'anthropic-version': '2023-06-01' }, 401, isAnthropic],
  ['POST', '/models/x', { 'x-goog-api-key': KEY }, 405, isGoogle],
  ['POST', '/complete', { 'anthropic-version': '2023-06-01' }, 404, isAnthropic],
  ['GET', '/files', { 'x-goog-api-key': KEY }, 404, isGoogle],
  ['GET', '/nothing', {}, 404, isResponses],
  ['POST', '/responses/', {}, 401, isResponses],
]

it.each(STRAYS)('%s %s %j is refused in the format of its client API', async (method, path, headers, status, is) => {
  const { url } = await startGateway({})
  const answer = await fetch(`${url}/api/v1${path}`, { method, headers: { ...headers } })
  const body = await json(answer)
  expect([answer.status, body]).toEqual([status, expect.anything()])
  expect(is(body), JSON.stringify(body)).toBe(true)
  const isTheirs = is === isAnthropic
  expect(answer.headers.get('request-id')).toBe(isTheirs ? answer.headers.get('x-request-id') : null)
})

it('a colon in a path may be escaped, as libraries do that escape a whole name', async () => {
  const url = await open()
  for (const path of ['acme%2Fmock-1%3AgenerateContent', 'acme/mock-1%3agenerateContent']) {
    const answer = await post(`${url}/api/v1/models/${path}`, { contents: PARTS }, { 'x-goog-api-key': KEY })
    expect(answer.status).toBe(200)
    expect((await json(answer)).candidates[0].content.parts[0].text).toBe('Hi')
  }
})

describe('the header x-should-retry', () => {
  it('prevents the SDKs from retrying an error that would repeat', async () => {
    const { url, lines } = await startTestServer(withBody('{"error":{"message":"bad key"}}', 401))
    const client = anthropic(url, 2)
    const asked = { model: 'acme/m', messages: [{ role: 'user' as const, content: 'Hi' }] }
    await expect(client.messages.create({ ...asked, max_tokens: 5 })).rejects.toMatchObject({ status: 502 })
    const retrying = new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 2 })
    await expect(retrying.chat.completions.create(asked)).rejects.toMatchObject({ status: 502 })
    expect(lines.filter(({ event }) => event === 'request')).toHaveLength(2)
  })

  it('is absent if the error may be temporary', async () => {
    const { url } = await startTestServer(withBody('{"error":{"message":"busy"}}', 503), { retry: { attempts: 1 } })
    const response = await post(`${url}/api/v1/messages`, { model: 'acme/m', max_tokens: 5, messages: [] }, {})
    expect(response.headers.get('x-should-retry')).toBeNull()
    const busy = await post(
      `${url}/api/v1/chat/completions`,
      { model: 'acme/m', messages: [{ role: 'user', content: 'Hi' }] },
      { authorization: `Bearer ${KEY}` },
    )
    expect([busy.status, busy.headers.get('x-should-retry')]).toEqual([503, null])
  })
})
