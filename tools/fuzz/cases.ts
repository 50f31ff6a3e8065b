import fc from 'fast-check'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { BODIES, corruptedBodies, familiar } from '../../test/arbitraries/bodies.ts'
import { CHATS, CONTENTS, INTERACTIONS, MESSAGES, OLLAMAS } from '../../test/arbitraries/client-requests.ts'
import { damage, damages } from '../../test/arbitraries/corrupt-bytes.ts'
import { corruptedValues } from '../../test/arbitraries/corrupt-values.ts'
import { ANSWERS } from '../../test/arbitraries/wires.ts'
import { HTTP_FRAMINGS, type HttpFraming } from '../../test/mock-upstreams/raw-http.ts'

/** The answer of an upstream or a search engine. */
export interface UpstreamAnswer {
  readonly status: number
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** Bytes of one piece. */
  readonly piece: number
  readonly framing: HttpFraming
  /** How the answer ends: complete, with a broken connection, or without further bytes. */
  readonly end: 'ends' | 'breaks' | 'stalls'
  /** Whether a connection that breaks is reset. */
  readonly isReset: boolean
}

export interface Case {
  readonly wire: WireName
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null for a request without a body. */
  readonly body: string | null
  readonly answer: UpstreamAnswer
  readonly engine: UpstreamAnswer
  /** Number of received bytes after which the client disconnects; null if it stays. */
  readonly leavesAfter: number | null
}

interface Route {
  readonly path: string
  readonly bodies: readonly object[]
}

/** Paths that return model answers, for all client APIs, with valid requests. `%` stands for the vendor. */
const ROUTES: readonly Route[] = [
  { path: '/api/v1/responses', bodies: BODIES },
  { path: '/openai/v1/responses', bodies: BODIES },
  { path: '/openai/v1/responses/compact', bodies: BODIES },
  { path: '/openai/v1/chat/completions', bodies: CHATS },
  { path: '/openai/v1/messages', bodies: MESSAGES },
  { path: '/openai/v1/models/%/m:generateContent', bodies: CONTENTS },
  { path: '/openai/v1/models/%/m:streamGenerateContent', bodies: CONTENTS },
  { path: '/openai/v1/models/%/m:streamGenerateContent?alt=sse', bodies: CONTENTS },
  { path: '/openai/v1/interactions', bodies: INTERACTIONS },
  { path: '/openai/v1/api/chat', bodies: OLLAMAS },
]

/** The other paths that accept POST, and those that accept GET. */
const POSTS: readonly Route[] = [
  { path: '/openai/v1/messages/count_tokens', bodies: MESSAGES },
  { path: '/api/v1beta/models/%/m:generateContent', bodies: CONTENTS },
  { path: '/api/v1beta/models/%/m:streamGenerateContent', bodies: CONTENTS },
  { path: '/openai/v1/models/%/m:countTokens', bodies: CONTENTS },
  { path: '/openai/v1/%/m:generateContent', bodies: CONTENTS },
  { path: '/openai/v1/api/show', bodies: OLLAMAS },
  { path: '/api/v1/chat/completions', bodies: CHATS },
  { path: '/api/v1/messages', bodies: MESSAGES },
  { path: '/api/v1beta/interactions', bodies: INTERACTIONS },
  { path: '/api/v1/api/chat', bodies: OLLAMAS },
]

const READS = [
  '/healthz',
  '/metrics',
  '/api/v1/models',
  '/api/v1/models/%/m',
  '/api/v1beta/models',
  '/api/v1beta/models/%/m',
  '/openai/v1/api/tags',
  '/openai/v1/api/show?model=%/m',
  '/openai/v1/api/version',
  '/openai/v1/api/ps',
  '/api/v1/openapi.json',
  '/openai/v1/openapi.json',
  '/api/v1/observability/destinations?limit=5&offset=1',
  '/api/v1/observability/destinations/x',
] as const

const FAILURES = [201, 204, 301, 302, 400, 401, 403, 404, 408, 413, 422, 429, 500, 503, 529] as const

/** Headers of an answer that change how it is read, or appear to. */
const ANSWER_HEADERS = [
  {},
  {},
  {},
  { 'retry-after': '1e300' },
  { 'retry-after': '-1' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity' },
  { location: 'http://127.0.0.1:9/' },
  { 'x-amzn-errortype': 'ThrottlingException:http://x/' },
  { 'content-disposition': 'attachment', 'x-odd': '\u00e9' },
] as const

const rarely = <T>(often: T, seldom: fc.Arbitrary<T>, weight = 20): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: seldom })

const manner = {
  headers: fc.constantFrom<Readonly<Record<string, string>>>(...ANSWER_HEADERS),
  piece: fc.constantFrom(1, 7, 100, 100_000),
  framing: fc.constantFrom(...HTTP_FRAMINGS),
  isReset: fc.boolean(),
  end: fc.oneof(
    { weight: 60, arbitrary: fc.constant('ends' as const) },
    { weight: 8, arbitrary: fc.constant('breaks' as const) },
    { weight: 1, arbitrary: fc.constant('stalls' as const) },
  ),
}

const status = fc.oneof(
  { weight: 9, arbitrary: fc.constant(200) },
  { weight: 1, arbitrary: fc.constantFrom(...FAILURES) },
)

const answerOf = (wire: WireName): fc.Arbitrary<UpstreamAnswer> => {
  const { stream, body } = ANSWERS[wire]
  const { framing } = WIRES[wire]
  const [streamType = ''] = framing.mediaTypes
  const damaged = fc.tuple(stream, damages).map(([bytes, strokes]) => damage(framing, bytes, strokes))
  return fc.record({
    ...manner,
    status,
    type: fc.constantFrom(streamType, streamType, 'application/json', 'text/html', ''),
    bytes: fc.oneof(
      { weight: 3, arbitrary: stream },
      { weight: 4, arbitrary: damaged },
      { weight: 2, arbitrary: body.map((text) => new TextEncoder().encode(text)) },
      { weight: 1, arbitrary: fc.uint8Array() },
    ),
  })
}

const PAGES = {
  results: [
    { url: 'https://a.example/1', title: 'A', content: 'Seven degrees.', publishedDate: '2026-01-01' },
    { url: 'https://b.example/2', title: 'B', content: 'Rain.' },
  ],
}

const engineAnswer: fc.Arbitrary<UpstreamAnswer> = fc.record({
  ...manner,
  status,
  type: fc.constantFrom('application/json', 'text/html', ''),
  bytes: fc
    .oneof(
      fc.constant(JSON.stringify(PAGES)),
      corruptedValues(fc.constant(PAGES), familiar).map((body) => JSON.stringify(body)),
      corruptedBodies,
    )
    .map((text) => new TextEncoder().encode(text)),
})

const requestOf = (bodies: readonly object[], model: string): fc.Arbitrary<string> => {
  const right = fc
    .tuple(fc.constantFrom(...bodies), fc.constantFrom({}, {}, { stream: true }, { stream: false }))
    .map(([body, stream]) => ({ ...body, ...stream, model }))
  return fc.oneof(
    { weight: 8, arbitrary: right.map((body) => JSON.stringify(body)) },
    { weight: 4, arbitrary: corruptedValues(right, familiar).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: corruptedBodies },
  )
}

/** `$` stands for the API key. */
const REQUEST_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'x-responses-dialect': 'openai' },
  { 'x-responses-dialect': 'none' },
  { 'x-request-id': 'a b' },
  { 'x-request-id': 'x'.repeat(3000) },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': '' },
  { 'content-encoding': 'gzip' },
  { authorization: 'Bearer wrong' },
  { authorization: '' },
  { authorization: '', 'x-api-key': '$' },
  { authorization: '', 'x-goog-api-key': '$' },
  { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' },
  { 'x-goog-api-client': 'x' },
  { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  { origin: 'https://evil.example' },
  { host: 'evil.example' },
  { expect: '100-continue' },
  { expect: 'nothing' },
  { upgrade: 'websocket', connection: 'upgrade' },
  { cookie: 'a='.repeat(20_000) },
]

const headers = rarely<Readonly<Record<string, string>>>({}, fc.constantFrom(...REQUEST_HEADERS))

/** Changes a path at one position, without characters that the HTTP client refuses to send. */
const spoiledPath = (path: string): fc.Arbitrary<string> =>
  rarely(
    path,
    fc
      .tuple(
        fc.nat(),
        fc.constantFrom(
          '',
          '/',
          '//',
          '..',
          '%2e%2e',
          '%',
          '%ff',
          '?',
          '?key=',
          '#',
          ':',
          '*',
          '%00',
          'x'.repeat(9000),
        ),
      )
      .map(([at, piece]) => path.slice(0, 1 + (at % path.length)) + piece + path.slice(1 + (at % path.length))),
  )

const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'POST'] as const

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: string | null
}

const askedOf = (wire: WireName): fc.Arbitrary<Asked> => {
  const posted = fc
    .oneof({ weight: 4, arbitrary: fc.constantFrom(...ROUTES) }, { weight: 1, arbitrary: fc.constantFrom(...POSTS) })
    .chain(({ path, bodies }) =>
      fc.record({
        method: rarely<string>('POST', fc.constantFrom(...METHODS)),
        path: spoiledPath(path.replace('%', wire)),
        body: requestOf(bodies, `${wire}/m`),
      }),
    )
  const read = fc.constantFrom(...READS).chain((path) =>
    fc.record({
      method: rarely<string>('GET', fc.constantFrom(...METHODS)),
      path: spoiledPath(path.replace('%', wire)),
      body: fc.constant(null),
    }),
  )
  return fc.oneof({ weight: 12, arbitrary: posted }, { weight: 1, arbitrary: read })
}

export const cases: fc.Arbitrary<Case> = fc.constantFrom(...(Object.keys(WIRES) as WireName[])).chain((wire) =>
  fc
    .record({
      asked: askedOf(wire),
      headers,
      answer: answerOf(wire),
      engine: engineAnswer,
      leavesAfter: rarely<number | null>(null, fc.nat({ max: 2000 })),
    })
    .map(({ asked, ...rest }) => ({ wire, ...asked, ...rest })),
)
