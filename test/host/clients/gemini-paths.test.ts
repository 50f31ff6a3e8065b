import { GoogleGenAI } from '@google/genai'
import { GoogleGenerativeAI } from '@google/generative-ai'
import { describe, expect, it } from 'vitest'
import { bodyOf, inPieces, streamOf, withBody } from '../../mock-upstreams/server.ts'
import { eventsOf, json, KEY, lineOf, startTestServer } from '../test-server.ts'

/** The URLs that Google's SDKs request, with their default API version and with a chosen one. */

const MODELS = ['acme/mock-1', 'acme/org/mock:8b', 'acme/models/mock-1']
const VERSIONS = ['v1', 'v1beta'] as const
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello' }] }]

const openWhole = () => startTestServer(withBody(bodyOf('Hi there')))
const openStream = () => startTestServer(inPieces(streamOf('Hel', 'lo'), 10))

const post = (url: string, headers: Record<string, string> = { 'x-goog-api-key': KEY }): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ contents: CONTENTS }),
  })

describe.each([...VERSIONS, undefined])('@google/genai with apiVersion %s', (apiVersion) => {
  const open = (url: string, apiKey = KEY) =>
    new GoogleGenAI({
      apiKey,
      httpOptions: { baseUrl: `${url}/api`, ...(apiVersion === undefined ? {} : { apiVersion }) },
    })

  it.each(MODELS)('generates content with the model %s', async (model) => {
    const { url, upstream } = await openWhole()
    const answer = await open(url).models.generateContent({ model, contents: 'Hello' })
    expect(answer.text).toBe('Hi there')
    expect(upstream.received[0]?.body.model).toBe(model.slice('acme/'.length))
  })

  it.each(MODELS)('streams content with the model %s', async (model) => {
    const { url, upstream } = await openStream()
    const texts: string[] = []
    for await (const { text = '' } of await open(url).models.generateContentStream({ model, contents: 'Hello' })) {
      texts.push(text)
    }
    expect(texts.join('')).toBe('Hello')
    expect(upstream.received[0]?.body).toMatchObject({ model: model.slice('acme/'.length), stream: true })
  })

  it('receives a count of tokens, and 401 with a wrong key', async () => {
    const { url } = await openWhole()
    const counting = { model: 'acme/mock-1', contents: 'Hello' }
    expect((await open(url).models.countTokens(counting)).totalTokens).toBeGreaterThan(0)
    await expect(open(url, 'nonsense').models.countTokens(counting)).rejects.toMatchObject({ status: 401 })
  })

  it('lists models and retrieves one by its name', async () => {
    const { url } = await openWhole()
    const names: string[] = []
    const list = await open(url).models.list({ config: { queryBase: true } })
    for await (const { name = '' } of list) names.push(name)
    expect(names).toContain('models/acme/*')
    expect(await open(url).models.get({ model: 'acme/mock-1' })).toMatchObject({ name: 'models/acme/mock-1' })
  })
})

describe.each(VERSIONS)('@google/generative-ai with %s, which omits "models/" before a slash', (apiVersion) => {
  const open = (url: string, model: string) =>
    new GoogleGenerativeAI(KEY).getGenerativeModel({ model }, { baseUrl: `${url}/api`, apiVersion })

  it.each(MODELS)('generates and streams content with the model %s', async (model) => {
    const whole = await openWhole()
    const { response } = await open(whole.url, model).generateContent('Hello')
    expect(response.text()).toBe('Hi there')
    expect(whole.upstream.received[0]?.body.model).toBe(model.slice('acme/'.length))
    expect((await lineOf(whole.lines)).path).toBe(`/api/${apiVersion}/*:generateContent`)

    const streamed = await openStream()
    const { stream } = await open(streamed.url, model).generateContentStream('Hello')
    const texts: string[] = []
    for await (const chunk of stream) texts.push(chunk.text())
    expect(texts.join('')).toBe('Hello')
    expect(streamed.upstream.received[0]?.body.model).toBe(model.slice('acme/'.length))
  })

  it('receives a count of tokens', async () => {
    const { url } = await openWhole()
    expect((await open(url, 'acme/mock-1').countTokens('Hello')).totalTokens).toBeGreaterThan(0)
  })
})

describe('a path with a model and a method', () => {
  it.each([
    '/api/v1/acme/mock-1:generateContent',
    '/api/v1/acme%2Fmock-1%3AgenerateContent',
    '/api/v1beta/acme/mock-1%3agenerateContent',
    '/openai/v1beta/models/acme%2fmock-1:generateContent',
  ])('reaches the upstream if it is written as %s', async (path) => {
    const { url, upstream } = await openWhole()
    expect((await post(url + path)).status).toBe(200)
    expect(upstream.received[0]?.body.model).toBe('mock-1')
  })

  it.each([
    ['/api/v1/acme/mock-1:embedContent', 404, 'NOT_FOUND'],
    ['/api/v1beta/acme/mock-1:embedContent', 404, 'NOT_FOUND'],
    ['/api/v1beta/models/acme/mock-1:batchEmbedContents', 404, 'NOT_FOUND'],
    ['/api/v1/groq/x:countTokens', 404, 'NOT_FOUND'],
    ['/api/v1beta/models/groq/x:generateContent', 404, 'NOT_FOUND'],
  ])('is refused in the error format of Gemini: %s', async (path, status, word) => {
    const { url } = await openWhole()
    const answer = await post(url + path)
    expect(answer.status).toBe(status)
    expect(await json(answer)).toMatchObject({ error: { code: status, status: word } })
  })

  it('requires a slash in the model name if it has no "models/"', async () => {
    const { url } = await openWhole()
    for (const path of ['/api/v1/responses:generateContent', '/api/v1/mock-1:generateContent']) {
      expect((await post(url + path)).status).toBe(404)
    }
  })

  it('allows only the method POST', async () => {
    const { url } = await openWhole()
    const headers = { 'x-goog-api-key': KEY }
    const answer = await fetch(`${url}/api/v1/acme/mock-1:generateContent`, { headers })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('the path v1beta', () => {
  it('serves only Gemini, in its format even for a bearer token', async () => {
    const { url } = await openWhole()
    const headers = { authorization: `Bearer ${KEY}` }
    expect(await json(await fetch(`${url}/api/v1beta/models`, { headers }))).toHaveProperty('models')
    const one = await json(await fetch(`${url}/api/v1beta/models/acme/mock-1`, { headers }))
    expect(one).toMatchObject({ name: 'models/acme/mock-1' })
    const missing = await fetch(`${url}/api/v1beta/models/groq/x`, { headers })
    expect(await json(missing)).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
    expect((await fetch(`${url}/api/v1beta/responses`, { method: 'POST', headers })).status).toBe(404)
  })

  it('is available below a mount whose path does not end in v1', async () => {
    const upstream = await startTestServer(inPieces(streamOf('Hel', 'lo'), 10), {
      mounts: [
        { path: '/', dialect: 'beta' },
        { path: '/house', dialect: 'beta' },
      ],
    })
    for (const path of ['/v1beta', '/house/v1beta']) {
      const answer = await post(`${upstream.url}${path}/models/acme/mock-1:streamGenerateContent?alt=sse`)
      expect(answer.status).toBe(200)
      expect(eventsOf(await answer.text()).length).toBeGreaterThan(1)
    }
  })

  it('is no alias if a mount has that path itself', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')), {
      mounts: [
        { path: '/api/v1beta', dialect: 'openai' },
        { path: '/api/v1', dialect: 'beta' },
      ],
    })
    const headers = { authorization: `Bearer ${KEY}` }
    expect(await json(await fetch(`${url}/api/v1beta/models`, { headers }))).toHaveProperty('object', 'list')
  })
})
