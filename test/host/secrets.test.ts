import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { UpstreamRequest } from '../../src/gateway/upstream/transport.ts'
import { DESTINATION_FIELDS, DESTINATION_TYPES } from '../../src/observability/destination-types.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { piecesOf, quotingAnswer } from '../arbitraries/quoted-secrets.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { uuid, valueFor } from '../observability/samples.ts'
import { checkAsync } from '../property.ts'
import { type Answer, createInProcessGateway, type InProcess, toHttp } from './in-process.ts'
import { leaksIn, secretOf } from './leaks.ts'
import { KEY, sha256 } from './test-server.ts'

/** No configured secret is in any byte that leaves the process, except in requests to its own vendor. */

const WIRE_NAMES = Object.keys(WIRES) as WireName[]

/** A server with a secret in every field of its configuration that can contain one, and all of these secrets. */
interface SecretServer {
  readonly inside: InProcess
  /** The secrets that each vendor receives. */
  readonly sent: ReadonlyMap<string, readonly string[]>
  readonly destinations: ReadonlyMap<string, readonly string[]>
  readonly others: readonly string[]
  next: Answer
}

const MANAGEMENT_KEY = 'management-key-of-nobody'
const SERVER_COUNT = 10
const SEARCH = 'exa'

function openServer(number: number): SecretServer {
  const secret = (label: string, shape = 0): string => secretOf(`${number} ${label}`, number + shape)
  const vendors: Record<string, object> = {}
  const sent = new Map<string, readonly string[]>()
  for (const [at, wire] of WIRE_NAMES.entries()) {
    const [key, token, parameter] = [
      secret(`key ${wire}`, at),
      secret(`token ${wire}`, at + 1),
      secret(`url ${wire}`, at + 2),
    ]
    const password = secret(`password ${wire}`, at + 3)
    const basic = Buffer.from(`gate:${password}`).toString('base64')
    const account = {
      base_url: `https://${wire}.example/v1?api-key=${encodeURIComponent(parameter)}`,
      key,
      headers: { 'x-gate-token': token, 'proxy-authorization': `Basic ${basic}` },
    }
    const second = secret(`second key ${wire}`, at + 4)
    // The upstream may quote what any member of a pool sends.
    const isPool = number % 2 === 1
    vendors[wire] = {
      wire,
      quirks: WIRE_UPSTREAMS[wire].quirks,
      ...(isPool ? { pool: [account, { ...account, key: second }] } : account),
    }
    sent.set(wire, [key, token, parameter, password, basic, ...(isPool ? [second] : [])])
  }
  const aws = [secret('id', 9), secret('access', 3), secret('session', 7)]
  vendors.aws = {
    vendor: 'bedrock',
    base_url: 'https://aws.example',
    aws: { region: 'eu-west-1', access_key_id: aws[0], secret_access_key: aws[1], session_token: aws[2] },
  }
  sent.set('aws', aws)
  const engine = secret('engine', 4)
  sent.set(SEARCH, [engine])
  const destinations = new Map<string, readonly string[]>()
  const entries = DESTINATION_TYPES.map((type, at) => {
    const own: string[] = []
    const note = (value: string): string => {
      own.push(value)
      return value
    }
    const fields = Object.entries(DESTINATION_FIELDS[type]).map(([name, field]) => {
      if (field.secret === 'whole') return [name, note(secret(`${type} ${name}`, at % 3))]
      if (field.type === 'url')
        return [name, `https://${type}.example/?token=${encodeURIComponent(note(secret(`${type} ${name}`)))}`]
      return [name, valueFor(name, field)]
    })
    const headers = { 'x-team-token': note(secret(`${type} header`, at % 4)) }
    destinations.set(type, own)
    return {
      id: uuid(at + 1),
      type,
      name: type,
      created_at: '2026-10-01T12:00:00Z',
      config: { ...Object.fromEntries(fields), headers },
    }
  })
  const sealing = secret('sealing')
  const keys = [
    { name: 'tester', sha256: sha256(KEY) },
    { name: 'boss', sha256: sha256(MANAGEMENT_KEY), kind: 'management' },
  ]
  const config = {
    keys,
    vendors,
    destinations: entries,
    encrypted_content_secret: sealing,
    search: { engine: SEARCH, key: engine },
    retry: { attempts: 1, breaker_failures: 0 },
  }
  const server: SecretServer = {
    inside: createInProcessGateway(config, {
      answer: (call) => answerTo(server, call),
      destinationOf: (all) => all[Math.floor(turn++ % all.length)],
    }),
    sent,
    destinations,
    others: [sealing, ...keys.map(({ sha256 }) => sha256)],
    next: { status: 200, headers: {}, chunks: [] },
  }
  return server
}

let turn = 0

/** The pages that the engine returns if it is not the one that quotes. */
const FOUND = JSON.stringify({ results: [{ url: 'https://a.example/', title: 'A', text: 'Seven degrees.' }] })

/** Returns the quoting answer for the upstream or the engine that must quote, and a normal answer for the other. */
function answerTo(server: SecretServer, { url }: UpstreamRequest): Answer {
  const isEngine = url.hostname === 'api.exa.ai'
  if (isEngine !== quotesEngine) {
    const upstream = WIRE_UPSTREAMS['openai-chat']
    return isEngine
      ? { status: 200, headers: { 'content-type': 'application/json' }, chunks: [Buffer.from(FOUND)] }
      : {
          status: 200,
          headers: { 'content-type': upstream.contentType },
          chunks: [upstream.encodeTurn({ text: ['Hi'], calls: [] })],
        }
  }
  return server.next
}

let quotesEngine = false

const SERVERS = Array.from({ length: SERVER_COUNT }, (_, number) => openServer(number))
afterAll(() => {
  for (const { inside } of SERVERS) inside.close()
})

// ---------------------------------------------------------------- requests

const HEADERS = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
const HI = [{ role: 'user', content: 'How warm is it in Oslo?' }]
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }

type Ask = (vendor: string, stream: boolean) => string

const inBody =
  (path: string, body: object): Ask =>
  (vendor, stream) =>
    toHttp('POST', path, HEADERS, JSON.stringify({ model: `${vendor}/m`, stream, ...body }))

const ASKS: Readonly<Record<string, Ask>> = {
  beta: inBody('/api/v1/responses', { input: 'Hi' }),
  openai: inBody('/openai/v1/responses', { input: 'Hi' }),
  compact: inBody('/openai/v1/responses/compact', { input: 'Hi' }),
  chat: inBody('/openai/v1/chat/completions', { messages: HI }),
  messages: inBody('/openai/v1/messages', { messages: HI, max_tokens: 9 }),
  ollama: inBody('/openai/v1/api/chat', { messages: HI }),
  gemini: (vendor, stream) =>
    toHttp(
      'POST',
      `/openai/v1/models/${vendor}/m:${stream ? 'streamGenerateContent' : 'generateContent'}`,
      HEADERS,
      JSON.stringify(CONTENTS),
    ),
}

/** Requests that search the web before they reach the model, which the plugin always causes. */
const SEARCHES: Readonly<Record<string, Ask>> = {
  plugin: inBody('/openai/v1/chat/completions', { messages: HI, plugins: [{ id: 'web' }] }),
  'beta plugin': inBody('/api/v1/responses', { input: 'Hi there', plugins: [{ id: 'web' }] }),
}

/** Returns the head and the body of an answer; a chunked body is decoded. */
function textOf(answer: Buffer): string {
  const text = answer.toString()
  const at = text.indexOf('\r\n\r\n')
  const [head, body] = [text.slice(0, at), answer.subarray(Buffer.byteLength(text.slice(0, at)) + 4)]
  if (!/transfer-encoding: chunked/i.test(head)) return head + body.toString()
  const chunks: Buffer[] = []
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf('\r\n', start)
    const size = Number.parseInt(body.subarray(start, end).toString(), 16)
    chunks.push(body.subarray(end + 2, end + 2 + size))
    start = end + 2 + size + 2
  }
  return head + Buffer.concat(chunks).toString()
}

/** Returns every secret of a server except those of one destination. */
const allBut = ({ sent, destinations, others }: SecretServer, own: string | null): readonly string[] => [
  ...[...sent.values()].flat(),
  ...[...destinations].flatMap(([type, secrets]) => (type === own ? [] : secrets)),
  ...others,
]

async function expectNoLeak(server: SecretServer, vendor: string, request: string): Promise<void> {
  const { inside, sent } = server
  const answer = textOf(await inside.send(request))
  const output = `${answer}\n${JSON.stringify(inside.takeLines())}`
  const deliveries = inside.takeDeliveries()
  // The upstream may quote parts and encoded forms of the secrets that it received. The others are searched in plain
  // form.
  expect(leaksIn(output, sent.get(vendor) ?? []), output.slice(0, 3000)).toEqual([])
  expect(allBut(server, null).filter((secret) => output.includes(secret))).toEqual([])
  for (const { destination, head, body } of deliveries) {
    const text = Buffer.from(body).toString()
    expect(leaksIn(text, sent.get(vendor) ?? []), text.slice(0, 3000)).toEqual([])
    expect(allBut(server, destination.type).filter((secret) => `${head}${text}`.includes(secret))).toEqual([])
  }
}

interface Run {
  readonly server: number
  readonly vendor: string
  readonly wire: WireName
  readonly which: number
}

const runs: fc.Arbitrary<Run> = fc
  .tuple(fc.nat({ max: SERVER_COUNT - 1 }), fc.constantFrom(...WIRE_NAMES, 'aws'), fc.nat({ max: 9 }))
  .map(([server, vendor, which]) => ({
    server,
    vendor,
    wire: vendor === 'aws' ? 'bedrock-converse' : (vendor as WireName),
    which,
  }))

const serverAt = (number: number): SecretServer => {
  const server = SERVERS[number]
  if (server === undefined) throw new Error('no such house')
  return server
}

const secretAt = (server: SecretServer, vendor: string, which: number): string => {
  const secrets = server.sent.get(vendor) ?? []
  return secrets[which % secrets.length] ?? ''
}

describe('no secret of the configuration', () => {
  it('is in an answer, log line or trace when an upstream quotes it in any form', async () => {
    const property = fc.asyncProperty(
      runs.chain(({ server, vendor, wire, which }) =>
        fc.tuple(
          fc.constant({ server, vendor }),
          fc.constantFrom(...Object.keys(ASKS)),
          fc.boolean(),
          quotingAnswer(wire, secretAt(serverAt(server), vendor, which)),
        ),
      ),
      async ([{ server: number, vendor }, ask, stream, answer]) => {
        const server = serverAt(number)
        quotesEngine = false
        server.next = { ...answer, chunks: piecesOf(answer) }
        await expectNoLeak(server, vendor, ASKS[ask]?.(vendor, stream) ?? '')
      },
    )
    await checkAsync(property)
  })

  it('is in an answer, log line or trace when a search engine quotes it in any form', async () => {
    const property = fc.asyncProperty(
      fc
        .nat({ max: SERVER_COUNT - 1 })
        .chain((server) =>
          fc.tuple(
            fc.constant(server),
            fc.constantFrom(...Object.keys(SEARCHES)),
            fc.boolean(),
            quotingAnswer('ollama-chat', secretAt(serverAt(server), SEARCH, 0)),
          ),
        ),
      async ([number, ask, stream, answer]) => {
        const server = serverAt(number)
        quotesEngine = true
        server.next = { ...answer, chunks: piecesOf(answer) }
        await expectNoLeak(server, SEARCH, SEARCHES[ask]?.('openai-chat', stream) ?? '')
      },
    )
    await checkAsync(property, 100)
  })

  it("is in an answer of the server's own endpoints", async () => {
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
    for (const server of SERVERS) {
      for (const [path, key] of [
        ['/healthz', ''],
        ['/metrics', ''],
        ['/api/v1/models', KEY],
        ['/api/v1/models/openai-chat/x', KEY],
        ['/openai/v1/api/tags', KEY],
        ['/api/v1/openapi.json', KEY],
        ['/api/v1/observability/destinations?limit=100', MANAGEMENT_KEY],
        ['/api/v1/observability/destinations?limit=100', KEY],
        ['/api/v1/observability/destinations', 'wrong'],
        ['/nowhere', KEY],
        ['/api/v1/responses', KEY],
      ] as const) {
        const answer = textOf(await server.inside.send(toHttp('GET', path, key === '' ? {} : bearer(key))))
        const text = answer + JSON.stringify(server.inside.takeLines())
        expect(leaksIn(text, allBut(server, null)), path).toEqual([])
      }
    }
  })
})
