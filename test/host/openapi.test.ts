import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateRequest } from '../../src/validation/request.ts'
import { BODIES, mutated } from '../arbitraries/bodies.ts'
import { check } from '../property.ts'
import { json, type Loose, openGateway, post } from './harness.ts'

const MOUNTS = ['/api/v1', '/openai/v1']

async function describeMount(path: string, config: object = {}) {
  const { url } = await openGateway(config)
  const response = await fetch(`${url}${path}/openapi.json`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
  return { url, document: await json(response) }
}

/** A schema of the description, to hold JSON against. */
function schemaOf(document: Loose, name: string) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
  return ajv.compile(document.components.schemas[name])
}

describe.each(MOUNTS)('the description of %s', (path) => {
  it('is OpenAPI 3.1', async () => {
    const { document } = await describeMount(path)
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: path }],
      paths: { '/responses': { post: { requestBody: { required: true } } } },
    })
  })

  it('needs no key, and is all there is at its path', async () => {
    const { url } = await openGateway({})
    const head = await fetch(`${url}${path}/openapi.json`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const other = await fetch(`${url}${path}/openapi.json`, { method: 'PUT' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('tells the limits that are checked', async () => {
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

  it('fits the answers that are recorded, and the refusals', async () => {
    const { url, document } = await describeMount(path)
    const [fits, fitsError] = [schemaOf(document, 'Response'), schemaOf(document, 'Error')]
    for (const name of ['hello', 'reasoning', 'parallel-tools', 'citations', 'refusal', 'length']) {
      const answer = await json(await post(url, { model: `replay/${name}`, input: 'x' }, { path: `${path}/responses` }))
      expect(fits(answer), JSON.stringify(fits.errors)).toBe(true)
      expect(fits({ ...answer, usage: 4 })).toBe(false)
    }
    for (const body of [{}, { model: 'nobody/x', input: 'x' }, '{', { model: 'a/b', input: 'x', store: true }]) {
      const refusal = await json(await post(url, body, { path: `${path}/responses` }))
      expect(fitsError(refusal), JSON.stringify(refusal)).toBe(true)
    }
  })
})

describe('the schema of requests', () => {
  it('takes whatever is taken here, and refuses much that is refused', async () => {
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
    // The rest is wrong between fields, or in a way that JSON Schema has no word for.
    expect(counts.by_both / counts.refused).toBeGreaterThan(0.9)
  })

  it('knows the rule of its mount about the history', async () => {
    const mounts = [{ path: '', dialect: 'openai', history: 'strict' }]
    const { document } = await describeMount('', { mounts })
    const fits = schemaOf(document, 'Request')
    const said = { role: 'assistant', content: 'Hello' }
    const body = (item: object) => ({ model: 'm', input: [item] })
    expect([fits(body(said)), fits(body({ ...said, id: 'msg_1', status: 'completed' }))]).toEqual([false, true])
    expect(document.servers).toEqual([{ url: '/' }])
  })
})
