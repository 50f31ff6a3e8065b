import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { entryOf, KEYS, listing } from '../telemetry/telemetry-server.ts'
import { json, KEY, startTestServer } from '../test-server.ts'

/** Names that the server makes where the configuration has none. */

const headers = { authorization: `Bearer ${KEY}` }

describe('the owner of a model in the list for clients of OpenAI', () => {
  it('is the vendor of the first route of a rule, and the vendor in the name of any other', async () => {
    const models = [{ match: 'fast', to: ['acme/small', 'acme/large'] }]
    const { url } = await startTestServer(withBody(bodyOf('Hi')), { models })
    const { data } = await json(await fetch(`${url}/v1/models`, { headers }))
    const byId = new Map(data.map((one: { id: string }) => [one.id, one]))
    expect(byId.get('fast')).toMatchObject({ owned_by: 'acme', created: expect.any(Number) })
    expect(byId.get('acme/*')).toEqual({ id: 'acme/*', object: 'model', owned_by: 'acme', created: 0 })
    expect((byId.get('fast') as { created: number }).created).toBeGreaterThan(1_700_000_000)
    expect(await json(await fetch(`${url}/v1/models/fast`, { headers }))).toEqual(byId.get('fast'))
  })
})

describe('a destination without an id', () => {
  it('has one of its own, always the same', async () => {
    const { id: _, ...destination } = entryOf('otel-collector', 1, { config: { endpoint: 'http://127.0.0.1:1' } })
    const { id: __, ...other } = entryOf('otel-collector', 2, { config: { endpoint: 'http://127.0.0.1:2' } })
    const idsOf = async (): Promise<readonly string[]> => {
      const { url } = await startTestServer(withBody(bodyOf('Hi')), { destinations: [destination, other], keys: KEYS })
      const { data } = await json(await listing(url))
      return data.map(({ id }: { id: string }) => id)
    }
    const ids = await idsOf()
    expect(new Set(ids).size).toBe(2)
    expect(ids.every((id) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(id))).toBe(true)
    expect(await idsOf()).toEqual(ids)
  })
})
