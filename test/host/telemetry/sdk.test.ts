import { OpenRouter } from '@openrouter/sdk'
import { BadRequestResponseError, OpenRouterError, UnauthorizedResponseError } from '@openrouter/sdk/models/errors'
import { OpenRouter as OpenRouter013 } from 'openrouter-sdk-0.13'
import { OpenRouter as OpenRouter10 } from 'openrouter-sdk-1.0'
import { OpenRouter as OpenRouter12 } from 'openrouter-sdk-1.2'
import { describe, expect, it } from 'vitest'
import { DESTINATION_TYPES } from '../../../src/observability/destination-types.ts'
import { uuid } from '../../observability/samples.ts'
import { KEY, type Loose, startGateway } from '../test-server.ts'
import { entryOf, KEYS, MANAGEMENT_KEY, ONE_OF_EACH } from './telemetry-server.ts'

/** The newest release, and older ones with different types (docs/description.md, 11.1). */
const RELEASES: Readonly<Record<string, Loose>> = {
  newest: OpenRouter,
  '1.2': OpenRouter12,
  '1.0': OpenRouter10,
  '0.13': OpenRouter013,
}

const open = (Client: Loose, url: string, apiKey = MANAGEMENT_KEY): OpenRouter =>
  new Client({ apiKey, serverURL: `${url}/api/v1`, retryConfig: { strategy: 'none' } })

async function readAll(client: OpenRouter, request?: { limit?: number; workspaceId?: string }): Promise<Loose[]> {
  const all: Loose[] = []
  for await (const page of await client.observability.list(request)) all.push(...page.result.data)
  return all
}

describe.each(Object.keys(RELEASES))('@openrouter/sdk %s', (release) => {
  const Client = RELEASES[release]

  it('parses every type of destination', async () => {
    const { url } = await startGateway({ keys: KEYS, destinations: ONE_OF_EACH })
    const all = await readAll(open(Client, url))
    expect(all.map(({ type }) => type)).toEqual([...DESTINATION_TYPES])
    expect(all.filter(({ isUnknown, type }) => isUnknown === true || type === 'UNKNOWN')).toEqual([])
    expect(all.find(({ type }) => type === 'langfuse').config).toMatchObject({
      secretKey: 'secr...6789',
      publicKey: 'publ...6789',
      baseUrl: 'https://baseurl.example',
    })
  })

  it('reads 120 destinations page by page', async () => {
    const destinations = Array.from({ length: 120 }, (_, at) => entryOf('webhook', at + 1))
    const { url } = await startGateway({ keys: KEYS, destinations })
    const ids = Array.from({ length: 120 }, (_, at) => uuid(at + 1))
    expect((await readAll(open(Client, url), { limit: 50 })).map(({ id }) => id)).toEqual(ids)
    expect((await readAll(open(Client, url), { limit: 40 })).map(({ id }) => id)).toEqual(ids)
  })

  it('parses filter rules, headers, null names and omitted fields', async () => {
    const filter_rules = { groups: [{ rules: [{ field: 'total_tokens', operator: 'gt', value: 5 }] }] }
    const config = { url: 'https://a.example', headers: { authorization: 'Bearer of-nobody-at-all-0123' } }
    const rich = entryOf('webhook', 1, { filter_rules, config, name: null, api_key_hashes: ['a'.repeat(64)] })
    const bare = { id: uuid(2), type: 'webhook', config: { url: 'https://b.example' } }
    const { url } = await startGateway({ keys: KEYS, destinations: [rich, bare] })
    const all = await readAll(open(Client, url))
    expect(all.map(({ type }) => type).toSorted()).toEqual(['webhook', 'webhook'])
    expect(all.find(({ id }) => id === uuid(1))).toMatchObject({
      name: null,
      config: { headers: { authorization: 'Bear...0123' }, method: 'POST' },
      filterRules: { enabled: true, groups: [{ logic: 'and', rules: [{ operator: 'gt' }] }] },
    })
  })
})

describe('@openrouter/sdk', () => {
  it('throws its own error classes for failures', async () => {
    const { url } = await startGateway({ keys: KEYS })
    const list = (key: string, request = {}) => open(OpenRouter, url, key).observability.list(request)
    await expect(list('wrong')).rejects.toThrow(UnauthorizedResponseError)
    await expect(list(MANAGEMENT_KEY, { limit: 500 })).rejects.toThrow(BadRequestResponseError)
    await expect(list(MANAGEMENT_KEY, { offset: -1 })).rejects.toThrow(/offset/)
    await expect(list(KEY)).rejects.toThrow(OpenRouterError)
  })
})
