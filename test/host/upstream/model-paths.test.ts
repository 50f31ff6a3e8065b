import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { createVendorRegistry } from '../../../src/gateway/vendors/vendor-registry.ts'
import { createRecordings } from '../../../src/host/config/recordings-account.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { MAX_LENGTHS } from '../../../src/protocol/limits.ts'
import { isNonEmptyString } from '../../../src/text/json.ts'
import { validateRequest } from '../../../src/validation/request.ts'
import { findVendor, VENDOR_NAMES } from '../../../src/vendors/registry.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { upstreamUrl } from '../../../src/wires/shared/upstream/upstream-url.ts'
import { anyCodePoints, hostile } from '../../arbitraries/strings.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { check } from '../../property.ts'
import { json, post, startGateway, startTestServer } from '../test-server.ts'

/**
 * Every row of the vendor table with a base URL that has a path, and one vendor of every wire with a base URL that has
 * none.
 */
const entries: Readonly<Record<string, object>> = Object.fromEntries([
  ...VENDOR_NAMES.map((vendor) => [vendor, { base_url: `https://${vendor}.example/v1/projects/OURS/` }]),
  ...Object.keys(WIRES).map((wire) => [`own-${wire}`, { wire, base_url: `https://${wire}.example` }]),
])

const ENV = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' }

const loaded = checkConfigValue({ vendors: entries })
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
const accounts = createVendorRegistry(loaded.config, ENV, () => Promise.reject(new Error('nothing is sent')), {
  hashes: NODE_HASHES,
  recordings: createRecordings(),
})

const SPECIAL = [
  '..',
  '.',
  '/',
  '\\',
  '%2e',
  '%2F',
  '?',
  '#',
  ':',
  '@',
  ' ',
  '\t',
  '\n',
  '\ud800',
  '',
  'models/',
  'gpt-5',
]
const hostileName = fc.oneof(
  hostile,
  anyCodePoints({ maxLength: 30 }),
  fc
    .array(fc.oneof(fc.constantFrom(...SPECIAL), fc.string({ maxLength: 3 })), { maxLength: 8 })
    .map((parts) => parts.join('')),
)

const valid = validateRequest({ model: 'any/model', input: 'Hello', max_output_tokens: 9 })
if (!valid.ok) throw new Error(valid.error.message)
const REQUEST = valid.request

/** Returns the URL of a request for this model, or null if the model is refused. */
function urlFor(vendor: string, model: string): URL | null {
  const row = findVendor(vendor)
  const wire = WIRES[row?.wire ?? (vendor.replace(/^own-/, '') as keyof typeof WIRES)]
  const quirks = row?.quirks ?? {}
  const base = (entries[vendor] as { base_url: string }).base_url
  const encoded = encodeFor(wire, REQUEST, { model, quirks, open: () => undefined })
  if (!encoded.ok) {
    expect(encoded.error).toMatchObject({ party: 'client', param: 'model' })
    return null
  }
  const url = upstreamUrl(base, encoded.path)
  if (url === null) return null
  // The model name fills one or more path segments: no part of it becomes a query, a fragment or another path.
  expect(url.origin).toBe(new URL(base).origin)
  expect(url.pathname.startsWith(new URL(base).pathname.replace(/\/+$/, '/'))).toBe(true)
  expect(url.hash).toBe('')
  expect(url.pathname).toBe(new URL(base).pathname.replace(/\/+$/, '') + encoded.path.split('?', 1)[0])
  return url
}

describe('the name of a model', () => {
  it.each(Object.keys(entries))('never leads outside the base URL of %s', (vendor) => {
    check(
      fc.property(hostileName, (model) => void urlFor(vendor, model)),
      Math.ceil(2000 / Object.keys(entries).length),
    )
  })

  it('is either found, or rejected with the parameter model', async () => {
    for (const vendor of Object.keys(entries)) {
      for (const model of [...SPECIAL, '../../OTHER', 'a/../b', 'x\u0000', 'x\u2028', '\ud800\udc00', 'a b']) {
        const found = await accounts.find(`${vendor}/${model}`)
        if (!found.ok) {
          expect(found.error).toMatchObject({ party: 'client', param: 'model' })
          expect([400, 404]).toContain(found.error.status)
        } else {
          expect(isNonEmptyString(found.value.model)).toBe(true)
          expect(urlFor(vendor, found.value.model)).not.toBeNull()
        }
      }
    }
  })

  it.each([
    ['vertex', '../../../../../OTHER/locations/eu/endpoints/123'],
    ['vertex', 'models/../x'],
    ['bedrock', '..'],
    ['bedrock', '.'],
    ['google', 'a//b'],
    ['vertex-anthropic', 'a/b'],
    ['groq', '\ud800'],
    ['groq', 'a\nb'],
  ])('is rejected for the vendor %s if it is %j', async (vendor, model) => {
    const found = await accounts.find(`${vendor}/${model}`)
    expect(found).toMatchObject({ ok: false, error: { code: 'invalid_prompt', status: 400, param: 'model' } })
  })

  it.each([
    ['google', 'gemini-3-pro'],
    ['google', 'models/gemini-3-pro'],
    ['google', 'tunedModels/mine-1'],
    ['bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0'],
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-pro-v1:0'],
    ['vertex-anthropic', 'claude-sonnet-4@20250514'],
    ['groq', 'openai/gpt-oss-120b'],
    ['openrouter', 'meta-llama/llama-3:free'],
    ['openai', 'ft:gpt-4o:acme::abc'],
    ['groq', 'моя модель'],
  ])('is accepted for the vendor %s if it is %j', async (vendor, model) => {
    expect(await accounts.find(`${vendor}/${model}`)).toMatchObject({ ok: true, value: { model } })
  })
})

describe('a request for a model', () => {
  const refusal = async (response: Response) => {
    const { error } = await json(response)
    return [response.status, error.code ?? error.type, error.param ?? error.message]
  }

  it.each([
    ['/api/v1/responses', { input: 'Hello' }],
    ['/openai/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }],
    ['/openai/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] }],
    ['/openai/v1/api/chat', { messages: [{ role: 'user', content: 'Hello' }] }],
  ])('with a lone surrogate in its name is rejected at %s', async (path, body) => {
    const { url, upstream } = await startTestServer(withBody(bodyOf('Hello')))
    const response = await post(url, { model: 'acme/\ud800', ...body }, { path })
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain(
      'model: expected a name of printable characters on one line, got',
    )
    expect(upstream.received).toEqual([])
  })

  it('with a name above the maximum length is rejected, and the name is not logged', async () => {
    const { url, lines } = await startGateway({})
    const model = `acme/${'m'.repeat(MAX_LENGTHS.model)}`
    const response = await post(url, { model, input: 'Hello' })
    expect(await refusal(response)).toEqual([400, 'invalid_prompt', 'model'])
    expect(JSON.stringify(lines).length).toBeLessThan(1000)
    const kept = await post(url, { model: model.slice(0, MAX_LENGTHS.model), input: 'Hello' })
    expect(await refusal(kept)).toEqual([404, 'model_not_found', 'model'])
  })
})
