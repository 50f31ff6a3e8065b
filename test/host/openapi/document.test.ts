import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { RESUME_HEADER } from '../../../src/gateway/resume/kept-context.ts'
import { toRoutes } from '../../../src/gateway/routing/routes.ts'
import { validateRequest } from '../../../src/validation/request.ts'
import { BODIES, mutated } from '../../arbitraries/bodies.ts'
import { check } from '../../property.ts'
import { json, KEY, type Loose, post, startGateway } from '../test-server.ts'

const MOUNTS = ['/api/v1', '/openai/v1']

async function describeMount(path: string, config: object = {}) {
  const { url } = await startGateway(config)
  const response = await fetch(`${url}${path}/openapi.json`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return { url, document: await json(response) }
}

/** Compiles a schema of the OpenAPI document, to validate JSON with it. */
function schemaOf(document: Loose, name: string) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  return ajv.compile(document.components.schemas[name])
}

describe.each(MOUNTS)('the OpenAPI document of %s', (path) => {
  it('is valid by the specification of OpenAPI 3.1', async () => {
    const { document } = await describeMount(path, { resume: {} })
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: path }],
      paths: {
        '/responses': { post: { requestBody: { required: true } } },
        '/responses/{id}': { get: { responses: { '200': { headers: { [RESUME_HEADER]: {} } } } } },
      },
    })
  })

  it('needs no key, and allows only GET and HEAD', async () => {
    const { url } = await startGateway({})
    const head = await fetch(`${url}${path}/openapi.json`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const other = await fetch(`${url}${path}/openapi.json`, { method: 'PUT' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('contains the limits that requests are checked against', async () => {
    const { document } = await describeMount(path)
    const { properties, required } = document.components.schemas.Request
    expect(required.toSorted()).toEqual(['input', 'model'])
    expect(JSON.stringify(properties.temperature)).toBe(
      '{"anyOf":[{"type":"number","minimum":0,"maximum":2},{"type":"null"}]}',
    )
    expect(JSON.stringify(properties.top_p)).toContain('"minimum":0,"maximum":1')
    expect(properties.store.enum).toEqual([null, false])
    expect(properties.previous_response_id.enum).toEqual([null])
    expect(JSON.stringify(properties.metadata)).toContain('"maxProperties":16')
    expect(properties.input.anyOf[0]).toEqual({ type: 'string' })
  })

  it('matches the recorded answers and the errors', async () => {
    const { url, document } = await describeMount(path)
    const [fits, fitsError] = [schemaOf(document, 'Response'), schemaOf(document, 'Error')]
    for (const name of ['hello', 'reasoning', 'parallel-tools', 'citations', 'refusal', 'length']) {
      const answer = await json(await post(url, { model: `replay/${name}`, input: 'x' }, { path: `${path}/responses` }))
      expect(fits(answer), JSON.stringify(fits.errors)).toBe(true)
      expect(fits({ ...answer, usage: 4 })).toBe(false)
    }
    for (const body of [{}, { model: 'groq/x', input: 'x' }, '{', { model: 'a/b', input: 'x', store: true }]) {
      const refusal = await json(await post(url, body, { path: `${path}/responses` }))
      expect(fitsError(refusal), JSON.stringify(refusal)).toBe(true)
    }
  })
})

describe('the schema of requests', () => {
  it('accepts every valid request, and rejects over 90 % of the invalid ones', async () => {
    const { document } = await describeMount('/openai/v1')
    const fits = schemaOf(document, 'Request')
    for (const right of BODIES) expect(fits(right), JSON.stringify(fits.errors)).toBe(true)
    const counts = { refused: 0, by_both: 0 }
    check(
      fc.property(mutated, (body) => {
        const value: unknown = JSON.parse(JSON.stringify(body) ?? 'null')
        const described = fits(value)
        if (validateRequest(value).ok) expect(described, JSON.stringify(fits.errors)).toBe(true)
        else {
          counts.refused += 1
          counts.by_both += described ? 0 : 1
        }
      }),
      5000,
    )
    // The other mistakes are conflicts between fields, or cannot be expressed in JSON Schema.
    expect(counts.by_both / counts.refused).toBeGreaterThan(0.9)
  })

  it('follows the history rule of its mount', async () => {
    const mounts = [{ path: '', dialect: 'openai', history: 'strict' }]
    const { document } = await describeMount('', { mounts })
    const fits = schemaOf(document, 'Request')
    const message = { role: 'assistant', content: 'Hello' }
    const body = (item: object) => ({ model: 'm', input: [item] })
    expect([fits(body(message)), fits(body({ ...message, id: 'msg_1', status: 'completed' }))]).toEqual([false, true])
    expect(document.servers).toEqual([{ url: '/' }])
  })
})

describe('the paths in the OpenAPI document', () => {
  const METHODS = ['GET', 'POST']

  it.each(MOUNTS.flatMap((mount) => [[mount, {}] as const, [mount, { resume: {} }] as const]))(
    'of %s with the settings %j are exactly those that are served',
    async (mount, settings) => {
      const loaded = checkConfigValue(settings)
      if (!loaded.ok) return expect.unreachable()
      const served = [...toRoutes({ config: loaded.config }, { paths: [], admitSocket: null }).paths].flatMap(
        ([path, { endpoints }]) =>
          METHODS.filter((method) => method in endpoints && path.startsWith(`${mount}/`)).map(
            (method) =>
              `${method} ${path.slice(mount.length).replace('responses/*', 'responses/{id}').replace('*', '{model}')}`,
          ),
      )
      const { document } = await describeMount(mount, settings)
      const described = Object.entries<Loose>(document.paths).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      )
      expect(described.toSorted()).toEqual(served.toSorted())
      expect(served.length).toBeGreaterThan(10)
      const ids = Object.values<Loose>(document.paths).flatMap((it) =>
        Object.values<Loose>(it).map((one) => one.operationId),
      )
      expect(new Set(ids).size).toBe(described.length)
    },
  )
})

const HI = [{ role: 'user', content: 'Hi' }]

/** One request for each client API, for a recording, and the path of streams if it is another one. */
const FAMILIES: Readonly<Record<string, { whole: object; path?: string; streamPath?: string }>> = {
  '/chat/completions': { whole: { messages: HI } },
  '/messages': { whole: { messages: HI, max_tokens: 100 } },
  '/models/{model}:generateContent': {
    whole: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    streamPath: '/models/{model}:streamGenerateContent',
  },
  '/api/chat': { whole: { messages: HI, stream: false } },
}

describe.each(Object.entries(FAMILIES))('the documented schemas of %s', (path, { whole, streamPath = path }) => {
  const open = async () => {
    const { url, document } = await describeMount('/api/v1')
    const ask = (model: string, body: object, key = KEY, at = path) =>
      fetch(`${url}/api/v1${at.replace('{model}', model)}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(path.includes('{model}') ? body : { model, ...body }),
      })
    const operationAt = (at: string): Loose => document.paths[at].post
    const nameIn = (content: Loose): string => /[^/]+$/.exec(content['application/json'].schema.$ref)?.[0] ?? ''
    return { document, ask, operationAt, nameIn }
  }

  it('match the requests that it accepts and its answers', async () => {
    const { document, ask, operationAt, nameIn } = await open()
    const operation = operationAt(path)
    const takes = schemaOf(document, nameIn(operation.requestBody.content))
    const fits = schemaOf(document, nameIn(operation.responses['200'].content))
    expect(takes({ ...whole, model: 'replay/hello', more: true })).toBe(true)
    expect([takes({}), takes({ ...whole, model: 3, contents: 3 }), fits({})]).toEqual([false, false, false])
    for (const name of ['hello', 'reasoning', 'parallel-tools', 'citations', 'refusal', 'length']) {
      const answer = await ask(`replay/${name}`, whole)
      expect(answer.status).toBe(200)
      expect(fits(await json(answer)), JSON.stringify(fits.errors)).toBe(true)
    }
    const stream = await ask('replay/refusal', { ...whole, stream: true }, KEY, streamPath)
    const type = stream.headers.get('content-type')?.split(';')[0]
    await stream.text()
    expect(Object.keys(operationAt(streamPath).responses['200'].content)).toContain(type)
  })

  it('match the errors that it returns', async () => {
    const { document, ask, operationAt, nameIn } = await open()
    const { responses } = operationAt(path)
    const refusals = await Promise.all([
      ask('groq/x', whole),
      ask('replay/hello', whole, 'nonsense'),
      ask('replay/hello', { messages: 3, contents: 3, stream: false }),
      ask('replay/error-midstream', whole),
    ])
    const statuses = refusals.map(({ status }) => status)
    expect(new Set(statuses).size).toBeGreaterThan(3)
    for (const refusal of refusals) {
      const { content, headers } = responses[refusal.status]
      const fits = schemaOf(document, nameIn(content))
      expect(fits(await json(refusal)), JSON.stringify(fits.errors)).toBe(true)
      expect(fits({ error: {} })).toBe(false)
      for (const header of ['x-request-id', ...Object.keys(headers).filter((name) => name === 'request-id')]) {
        expect(refusal.headers.get(header)).toBeTruthy()
      }
    }
  })
})

it('counts of tokens match their documented schemas', async () => {
  const { url, document } = await describeMount('/api/v1')
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const messages = [{ role: 'user', content: 'Hello' }]
  const contents = [{ parts: [{ text: 'Hello' }] }]
  for (const [path, body] of [
    ['/responses/input_tokens', { model: 'replay/hello', input: 'Hello' }],
    ['/messages/count_tokens', { model: 'replay/hello', messages }],
    ['/models/{model}:countTokens', { contents }],
    ['/models/{model}:countTokens', { generateContentRequest: { contents } }],
  ] as const) {
    const { requestBody, responses } = document.paths[path].post
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${url}/api/v1${path.replace('{model}', 'replay/hello')}`, request)
    expect(answer.status).toBe(200)
    for (const header of Object.keys(responses['200'].headers).filter((name) => name.includes('responses')))
      expect(answer.headers.get(header)).toBe('default; answers=0; reason=unsupported')
    const fits = ({ 'application/json': { schema } }: Loose, value: unknown): boolean =>
      schemaOf(document, schema.$ref.split('/').at(-1))(value)
    expect([fits(requestBody.content, body), fits(requestBody.content, {})]).toEqual([true, false])
    expect([fits(responses['200'].content, await json(answer)), fits(responses['200'].content, {})]).toEqual([
      true,
      false,
    ])
  }
})

it('the lists match their documented schemas', async () => {
  const { url, document } = await describeMount('/api/v1')
  const headers = { authorization: `Bearer ${KEY}` }
  const models = await json(await fetch(`${url}/api/v1/models`, { headers }))
  expect(models.data.length).toBeGreaterThan(0)
  expect(schemaOf(document, 'Models')(models)).toBe(true)
  for (const own of [{}, { 'x-api-key': KEY }, { 'x-goog-api-key': KEY }]) {
    const list = await json(await fetch(`${url}/api/v1/models`, { headers: { ...headers, ...own } }))
    expect(schemaOf(document, 'Models')(list)).toBe(true)
    const one = await json(await fetch(`${url}/api/v1/models/replay/hello`, { headers: { ...headers, ...own } }))
    expect(schemaOf(document, 'Model')(one)).toBe(true)
    expect(schemaOf(document, 'Model')(list)).toBe(false)
    const none = await json(await fetch(`${url}/api/v1/models/groq/x`, { headers: { ...headers, ...own } }))
    const errors = ['Error', 'MessageError', 'GenerateContentError'].filter((name) => schemaOf(document, name)(none))
    expect(errors).toHaveLength(1)
  }
  const tags = await json(await fetch(`${url}/api/v1/api/tags`, { headers }))
  expect([schemaOf(document, 'OllamaChatModels')(tags), schemaOf(document, 'OllamaChatModels')(models)]).toEqual([
    true,
    false,
  ])
  const shown = await json(await fetch(`${url}/api/v1/api/show?model=replay/hello`, { headers }))
  expect([schemaOf(document, 'OllamaChatModel')(shown), schemaOf(document, 'OllamaChatModel')(tags)]).toEqual([
    true,
    false,
  ])
  const refused = await fetch(`${url}/api/v1/observability/destinations`, { headers })
  expect(refused.status).toBe(401)
  expect(schemaOf(document, 'DestinationsError')(await json(refused))).toBe(true)
})

it('the list of destinations is documented as in docs/description.md, 4.1', async () => {
  const { document } = await describeMount('/api/v1')
  const { operationId, parameters, responses } = document.paths['/observability/destinations'].get
  expect(operationId).toBe('listObservabilityDestinations')
  expect(Object.keys(responses)).toEqual(['200', '401', '500'])
  expect(parameters.map(({ name, schema }: Loose) => [name, schema])).toEqual([
    ['offset', { type: ['integer', 'null'], minimum: 0, default: 0 }],
    ['limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }],
    ['workspace_id', { type: 'string', format: 'uuid' }],
  ])
})
