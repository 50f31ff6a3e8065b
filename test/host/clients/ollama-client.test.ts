import { Ollama } from 'ollama'
import { describe, expect, it } from 'vitest'
import { bodyOf, inPieces, streamOf, withBody } from '../../mock-upstreams/server.ts'
import { json, KEY, startGateway, startTestServer } from '../test-server.ts'

/** The npm package `ollama` against the running server. */

const HEADERS = { authorization: `Bearer ${KEY}` }
const open = (url: string, key = KEY) =>
  new Ollama({ host: `${url}/api/v1`, headers: { authorization: `Bearer ${key}` } })
const MESSAGES = [{ role: 'user', content: 'Hello' }]

const MODEL = {
  details: {
    parent_model: '',
    format: '',
    family: 'acme',
    families: ['acme'],
    parameter_size: '',
    quantization_level: '',
  },
}

describe('the ollama client', () => {
  it('lists all models with the fields of Ollama', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const { models } = await open(url).list()
    const list = await json(await fetch(`${url}/api/v1/models`, { headers: HEADERS }))
    expect(models.map(({ name }) => name)).toEqual(list.data.map(({ id }: { id: string }) => id))
    expect(models.map(({ model }) => model)).toEqual(models.map(({ name }) => name))
    const acme = models.find(({ name }) => name === 'acme/*')
    expect(acme).toEqual({
      name: 'acme/*',
      model: 'acme/*',
      modified_at: '1970-01-01T00:00:00Z',
      size: 0,
      digest: '0'.repeat(64),
      ...MODEL,
    })
  })

  it('shows a model with its capabilities', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const shown = await open(url).show({ model: 'acme/org/mock:8b' })
    expect(shown).toMatchObject({
      ...MODEL,
      license: '',
      modelfile: '',
      parameters: '',
      template: '',
      modified_at: '1970-01-01T00:00:00Z',
      model_info: { 'general.architecture': 'acme', 'general.basename': 'acme/org/mock:8b' },
    })
    expect(shown.capabilities).toEqual(expect.arrayContaining(['completion', 'tools', 'thinking', 'vision']))
  })

  it('reads the version and an empty list of running models', async () => {
    const { url } = await startGateway({})
    expect((await open(url).version()).version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(await open(url).ps()).toEqual({ models: [] })
  })

  it('chats with listed models, streamed and unstreamed', async () => {
    const whole = await startTestServer(withBody(bodyOf('Hi there')))
    const answer = await open(whole.url).chat({ model: 'acme/mock-1', messages: MESSAGES })
    expect(answer).toMatchObject({
      done: true,
      done_reason: 'stop',
      message: { role: 'assistant', content: 'Hi there' },
    })
    const streamed = await startTestServer(inPieces(streamOf('Hel', 'lo'), 10))
    const texts: string[] = []
    for await (const { message } of await open(streamed.url).chat({
      model: 'acme/mock-1',
      messages: MESSAGES,
      stream: true,
    })) {
      texts.push(message.content)
    }
    expect(texts.join('')).toBe('Hello')
    const { models } = await open(streamed.url).list()
    const recorded = models.find(({ name }) => name === 'replay/hello')?.name ?? ''
    const replayed = await open(streamed.url).chat({ model: recorded, messages: MESSAGES })
    expect(replayed.message.content.length).toBeGreaterThan(5)
  })

  it('receives errors as texts with a status', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    for (const model of ['groq/x', '/bare']) {
      await expect(open(url).show({ model })).rejects.toMatchObject({ status_code: 404, error: expect.any(String) })
    }
    await expect(open(url, 'nonsense').list()).rejects.toMatchObject({ status_code: 401 })
    await expect(open(url, 'nonsense').show({ model: 'acme/x' })).rejects.toMatchObject({ status_code: 401 })
    await expect(open(url, 'nonsense').chat({ model: 'acme/x', messages: MESSAGES })).rejects.toMatchObject({
      status_code: 401,
    })
  })
})

describe('a request of an Ollama client', () => {
  const show = (url: string, body: string, method = 'POST'): Promise<Response> =>
    fetch(`${url}/api/v1/api/show`, { method, headers: { ...HEADERS, 'content-type': 'application/json' }, body })

  it('may name the model to show in the older field, or in the query', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const shown = await json(await show(url, JSON.stringify({ model: 'acme/x', verbose: true })))
    expect(await json(await show(url, JSON.stringify({ name: 'acme/x' })))).toEqual(shown)
    for (const query of ['model=acme/x', 'name=acme%2Fx']) {
      const answer = await fetch(`${url}/api/v1/api/show?${query}`, { headers: HEADERS })
      expect([answer.status, await json(answer)]).toEqual([200, shown])
    }
  })

  it.each([
    ['{"model":', 400],
    ['{}', 400],
    ['{"model":3}', 400],
    ['{"model":"groq/x"}', 404],
  ])('to show %s is rejected with an error text', async (body, status) => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const answer = await show(url, body)
    expect([answer.status, await json(answer)]).toEqual([status, { error: expect.stringMatching(/\w/) }])
  })

  it('with an unsupported method is answered with 405 and the allowed methods', async () => {
    const { url } = await startGateway({})
    for (const [path, allow] of [
      ['tags', 'GET, HEAD'],
      ['ps', 'GET, HEAD'],
      ['version', 'GET, HEAD'],
      ['show', 'GET, POST'],
      ['chat', 'POST'],
    ]) {
      const answer = await fetch(`${url}/api/v1/api/${path}`, { method: 'DELETE', headers: HEADERS })
      expect([answer.status, answer.headers.get('allow')], path).toEqual([405, allow])
      expect(await json(answer)).toEqual({ error: expect.any(String) })
    }
  })

  it.each([undefined, 'application/x-www-form-urlencoded', 'text/plain;charset=UTF-8'])(
    'needs no JSON type, but a key: %s',
    async (type) => {
      const { url } = await startTestServer(withBody(bodyOf('Hi')))
      const body = JSON.stringify({
        model: 'acme/mock-1',
        stream: false,
        messages: [{ role: 'user', content: 'Hello' }],
      })
      const ask = (path: string, headers: Record<string, string>) =>
        fetch(`${url}${path}`, {
          method: 'POST',
          body: Buffer.from(body),
          headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
        })
      expect((await ask('/api/v1/api/chat', HEADERS)).status).toBe(200)
      expect((await ask('/api/v1/api/show', HEADERS)).status).toBe(200)
      expect((await ask('/api/v1/api/chat', {})).status).toBe(401)
      expect((await ask('/api/v1/chat/completions', HEADERS)).status).toBe(415)
    },
  )

  it('needs a key for models, but none for ps and version', async () => {
    const { url } = await startGateway({})
    const statuses = ['tags', 'show?model=replay/hello', 'ps', 'version'].map(
      async (path) => (await fetch(`${url}/api/v1/api/${path}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([401, 401, 200, 200])
  })
})
