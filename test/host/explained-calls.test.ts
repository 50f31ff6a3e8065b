import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSigner, toWorkspaceId } from '../../src/gateway/auth/workspaces.ts'
import { NODE_HASHES } from '../../src/host/node-hashes.ts'
import { explainRequest, type TargetName } from '../../src/index.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { formatLoss, reportedLosses } from '../../src/protocol/loss.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { CHATS, CONTENTS, MESSAGES, OLLAMAS } from '../arbitraries/client-requests.ts'
import { requestsOf } from '../arbitraries/requests.ts'
import { ownConversations } from '../engine/own-conversations.ts'
import type { SharedWire } from '../engine/own-upstream.ts'
import { startMockUpstream, withBody } from '../mock-upstreams/server.ts'
import { checkAsync, runsOf } from '../property.ts'
import { withKits } from '../wires/with-kits.ts'
import { post, startGateway, whenDone } from './test-server.ts'

/** The explanation of a request has the same body, headers and losses as the call that a real upstream receives. */

/** A vendor of each wire, with its quirks, and one of its models. */
const UPSTREAMS: Readonly<Record<WireName, readonly [vendor: string, model: string]>> = withKits(
  {
    'openai-chat': ['groq', 'openai/gpt-oss-120b'],
    'openai-responses': ['openai', 'gpt-5.1'],
    'anthropic-messages': ['anthropic', 'claude-sonnet-4-5'],
    'gemini-generate': ['google', 'gemini-3-pro-preview'],
    'bedrock-converse': ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    'cohere-chat': ['cohere', 'command-a-reasoning-08-2025'],
    'ollama-chat': ['ollama', 'gpt-oss:20b'],
  },
  ({ vendor, model }) => [vendor, model] as const,
)

interface Family {
  readonly client: TargetName
  readonly path: (model: string) => string
  readonly bodies: (wire: WireName, model: string) => fc.Arbitrary<JsonObject>
}

const known = (list: readonly JsonObject[], wire: SharedWire) => () =>
  fc.oneof(fc.constantFrom(...list), ownConversations(wire))

const responses = (wire: WireName, model: string) => requestsOf(wire, model) as fc.Arbitrary<JsonObject>

const FAMILIES: readonly Family[] = [
  { client: 'openai', path: () => '/openai/v1/responses', bodies: responses },
  { client: 'beta', path: () => '/api/v1/responses', bodies: responses },
  { client: 'openai-chat', path: () => '/openai/v1/chat/completions', bodies: known(CHATS, 'openai-chat') },
  { client: 'anthropic-messages', path: () => '/openai/v1/messages', bodies: known(MESSAGES, 'anthropic-messages') },
  {
    client: 'gemini-generate',
    path: (model) => `/openai/v1/models/${encodeURIComponent(model)}:generateContent`,
    bodies: known(CONTENTS, 'gemini-generate'),
  },
  { client: 'ollama-chat', path: () => '/openai/v1/api/chat', bodies: known(OLLAMAS, 'ollama-chat') },
]

const SECRET = 'a-secret-of-nobody'

/** The envelopes of encrypted reasoning as this server issues them. */
function signed(body: JsonObject): JsonObject {
  const sign = createSigner(SECRET, NODE_HASHES)(toWorkspaceId('default', NODE_HASHES))
  return JSON.parse(JSON.stringify(body).replace(/\bmr1\.[\w-]+/g, (envelope) => `${envelope}.${sign(envelope)}`))
}

async function startAll() {
  const upstream = await startMockUpstream(withBody('{"error":{"message":"no answer"}}', 400))
  whenDone(upstream.close)
  const entry = { base_url: upstream.url, key: 'x' }
  const vendors = Object.fromEntries(Object.values(UPSTREAMS).map(([vendor]) => [vendor, entry]))
  const server = await startGateway({ vendors, encrypted_content_secret: SECRET, retry: { attempts: 1 } })
  return { ...server, upstream }
}

/** The parts of the log that describe the call. */
interface Noted {
  readonly losses?: readonly string[]
  readonly edits?: readonly string[]
}

/** The headers of the client that name versions and features. */
const HEADERS = { 'anthropic-beta': 'context-1m-2025-08-07', 'openai-beta': 'responses=v1' }

describe.each(FAMILIES)('a request of the protocol $client', ({ client, path, bodies }) => {
  it('is explained with the bytes that the upstream receives, on every wire', async () => {
    const { url, upstream, lines } = await startAll()
    const cases = fc
      .constantFrom(...(Object.keys(UPSTREAMS) as WireName[]))
      .chain((wire) => bodies(wire, UPSTREAMS[wire][1]).map((body) => ({ wire, body })))
    let sent = 0
    await checkAsync(
      fc.asyncProperty(cases, async ({ wire, body: given }) => {
        const [vendor, model] = UPSTREAMS[wire]
        const inPath = client === 'gemini-generate'
        const named = signed(inPath ? given : { ...given, model: `${vendor}/${model}` })
        const body = inPath ? Object.fromEntries(Object.entries(named).filter(([name]) => name !== 'model')) : named
        upstream.received.length = 0
        lines.length = 0
        await (await post(url, body, { path: path(`${vendor}/${model}`), headers: HEADERS })).text()
        const explained = explainRequest(body, {
          client,
          vendor,
          wire: findVendor(vendor)?.wire as WireName,
          headers: HEADERS,
          ...(inPath ? { model, stream: false } : {}),
        })
        const [received, ...others] = upstream.received
        expect(others).toEqual([])
        if (!explained.ok) return void expect(received).toBeUndefined()
        sent += 1
        const { upstream: encoded, headers, isPassed, edits, losses } = explained
        expect(JSON.stringify(encoded)).toBe(received?.text)
        expect(received?.headers).toMatchObject(headers)
        // A base URL that ends with the version of the path does not repeat it.
        expect(received?.url).toBe(`/v1${explained.path}`.replace('/v1/v1/', '/v1/'))
        const [line] = lines.filter(({ event }) => event === 'request') as readonly Noted[]
        expect(line?.losses ?? []).toEqual(reportedLosses(losses).map(formatLoss))
        expect(line?.edits ?? null).toEqual(edits)
        expect(isPassed).toBe(edits !== null)
      }),
      60,
    )
    expect(sent).toBeGreaterThan(runsOf(60) / 2)
  })
})
