import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import type { VendorAccount } from '../../../src/gateway/vendors/accounts.ts'
import { createVendorRegistry } from '../../../src/gateway/vendors/vendor-registry.ts'
import { createRecordings } from '../../../src/host/config/recordings-account.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { type MockUpstream, startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { post, startGateway, whenDone } from '../test-server.ts'

async function startUpstream(wire: keyof typeof WIRE_UPSTREAMS): Promise<MockUpstream> {
  const { contentType, encodeTurn } = WIRE_UPSTREAMS[wire]
  const upstream = await startMockUpstream((response) => {
    response.writeHead(200, { 'content-type': contentType })
    response.end(encodeTurn({ text: ['Moin.'], calls: [] }))
  })
  whenDone(upstream.close)
  return upstream
}

const MESSAGES = { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], stream: true }
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }

it.each([
  ['openai-responses', '/openai/v1/responses', { input: 'Hi', stream: true }],
  ['openai-responses', '/api/v1/responses', { input: 'Hi', stream: true }],
  ['anthropic-messages', '/api/v1/messages', MESSAGES],
  ['openai-chat', '/api/v1/chat/completions', MESSAGES],
  // The vendor does not speak the protocol of this client.
  ['openai-chat', '/api/v1/models/acme/m:streamGenerateContent', CONTENTS],
] as const)('a vendor with several wires is called by %s for a client at %s', async (wire, path, body) => {
  const upstreams = {
    'openai-chat': await startUpstream('openai-chat'),
    'openai-responses': await startUpstream('openai-responses'),
    'anthropic-messages': await startUpstream('anthropic-messages'),
  }
  const { 'openai-chat': chat, 'openai-responses': responses, 'anthropic-messages': messages } = upstreams
  const acme = {
    wire: 'openai-chat',
    base_url: chat.url,
    wires: { 'openai-responses': responses.url, 'anthropic-messages': messages.url },
    key: { env: 'ACME_KEY' },
    quirks: { keyHeader: 'x-key' },
  }
  const { url } = await startGateway({ vendors: { acme } })
  const answer = await post(url, { ...body, model: 'acme/m' }, { path })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('Moin.')
  for (const [name, { received }] of Object.entries(upstreams)) expect(received.length).toBe(name === wire ? 1 : 0)
  expect(upstreams[wire].received[0]?.headers['x-key']).toMatch(/upstream-secret/)
})

describe('the account of a vendor with several wires', () => {
  const ENV = { GROQ_API_KEY: 'gsk', DEEPSEEK_API_KEY: 'dsk', OTHER_KEY: 'other' }

  async function find(name: string, client: WireName | undefined, vendors: object = {}): Promise<VendorAccount> {
    const loaded = checkConfigValue({ vendors })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const accounts = createVendorRegistry(loaded.config, ENV, () => Promise.reject(new Error('nothing is sent')), {
      hashes: NODE_HASHES,
      recordings: createRecordings(),
    })
    const found = await accounts.find(`${name}/m`, client)
    return found.ok ? found.value.account : expect.unreachable(found.error.message)
  }

  const placeOf = ({ wire, baseUrl, key }: VendorAccount) => [wire.name, baseUrl, key]

  it('has the address and the key of the table', async () => {
    expect(placeOf(await find('deepseek', 'anthropic-messages'))).toEqual([
      'anthropic-messages',
      'https://api.deepseek.com/anthropic',
      'dsk',
    ])
    const chat = ['openai-chat', 'https://api.deepseek.com', 'dsk']
    for (const client of ['openai-chat', 'openai-responses', 'ollama-chat', undefined] as const)
      expect(placeOf(await find('deepseek', client))).toEqual(chat)
    expect((await find('deepseek', 'anthropic-messages')).quirks).not.toHaveProperty('effort')
  })

  it('has the address and the quirks of a further wire that the configuration selects', async () => {
    const ours = { vendor: 'deepseek', wire: 'anthropic-messages', key: { env: 'OTHER_KEY' } }
    const found = await find('ours', 'openai-chat', { ours })
    expect(placeOf(found)).toEqual(['anthropic-messages', 'https://api.deepseek.com/anthropic', 'other'])
    expect(found.quirks).toEqual((await find('deepseek', 'anthropic-messages')).quirks)
    const proxied = { ...ours, base_url: 'https://a.example' }
    expect(placeOf(await find('ours', undefined, { ours: proxied }))).toEqual([
      'anthropic-messages',
      'https://a.example',
      'other',
    ])
  })

  it('is changed by the configuration: an address, quirks, or no further wire', async () => {
    const groq = { vendor: 'groq', key: { env: 'OTHER_KEY' } }
    const chat = ['openai-chat', 'https://api.groq.com/openai/v1', 'other']
    expect(placeOf(await find('ours', 'openai-responses', { ours: groq }))).toEqual([
      'openai-responses',
      'https://api.groq.com/openai/v1',
      'other',
    ])
    const off = { ...groq, wires: { 'openai-responses': false } }
    expect(placeOf(await find('ours', 'openai-responses', { ours: off }))).toEqual(chat)
    const set = {
      ...groq,
      wires: { 'openai-responses': 'https://a.example/v1' },
      quirks: { effort: 'xai', likeModels: undefined },
    }
    const found = await find('ours', 'openai-responses', { ours: set })
    expect(placeOf(found)).toEqual(['openai-responses', 'https://a.example/v1', 'other'])
    expect(found.quirks).toMatchObject({ platform: 'groq', nativeSearch: 'none', effort: 'xai' })
  })

  it('does not send the key of the environment to an address of the configuration', async () => {
    const groq = { wires: { 'openai-responses': 'https://a.example/v1' } }
    expect((await find('groq', 'openai-responses', { groq })).key).toBeNull()
    expect((await find('groq', 'openai-chat', { groq })).key).toBe('gsk')
  })

  it.each([{ base_url: 'https://a.example/v1' }, { wire: 'openai-chat' }])(
    'has no further wires of the table with %j',
    async (entry) => {
      expect((await find('groq', 'openai-responses', { groq: entry })).wire.name).toBe('openai-chat')
    },
  )
})
