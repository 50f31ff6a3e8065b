import fc from 'fast-check'
import { FRAMINGS } from '../../src/framing/table.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { WireName } from '../../src/wires/wire.ts'
import { CHATS, CONTENTS, MESSAGES, OLLAMAS } from '../arbitraries/asked.ts'
import { BODIES, familiar, garbled } from '../arbitraries/bodies.ts'
import { damage, damages } from '../arbitraries/damage.ts'
import { spoiled } from '../arbitraries/spoiled.ts'
import { ANSWERS } from '../arbitraries/wires.ts'

/** What an upstream answers. */
export interface UpstreamAnswer {
  readonly status: number
  readonly type: string
  readonly bytes: Uint8Array
  /** Bytes of a piece. */
  readonly piece: number
  /** The connection breaks instead of ending. */
  readonly breaks: boolean
}

export interface Case {
  readonly wire: WireName
  readonly path: string
  readonly body: string
  readonly type: string
  readonly answer: UpstreamAnswer
}

/** The routes of all client families below a mount, and right requests for them. `%` stands for the vendor. */
const ROUTES: readonly { readonly path: string; readonly bodies: readonly object[] }[] = [
  { path: '/api/v1/responses', bodies: BODIES },
  { path: '/openai/v1/responses', bodies: BODIES },
  { path: '/openai/v1/responses/compact', bodies: BODIES },
  { path: '/openai/v1/chat/completions', bodies: CHATS },
  { path: '/openai/v1/messages', bodies: MESSAGES },
  { path: '/openai/v1/models/%/m:generateContent', bodies: CONTENTS },
  { path: '/openai/v1/models/%/m:streamGenerateContent', bodies: CONTENTS },
  { path: '/openai/v1/models/%/m:streamGenerateContent?alt=sse', bodies: CONTENTS },
  { path: '/openai/v1/api/chat', bodies: OLLAMAS },
]

const FAILURES = [201, 302, 400, 401, 403, 404, 408, 413, 422, 429, 500, 503, 529] as const

const answerOf = (wire: WireName): fc.Arbitrary<UpstreamAnswer> => {
  const { stream, body } = ANSWERS[wire]
  const { framing } = WIRES[wire]
  const [streamType = ''] = FRAMINGS[framing].mediaTypes
  const damaged = fc.tuple(stream, damages).map(([bytes, strokes]) => damage(framing, bytes, strokes))
  return fc.record({
    status: fc.oneof(
      { weight: 9, arbitrary: fc.constant(200) },
      { weight: 1, arbitrary: fc.constantFrom(...FAILURES) },
    ),
    type: fc.constantFrom(streamType, streamType, 'application/json', 'text/html', ''),
    bytes: fc.oneof(
      { weight: 3, arbitrary: stream },
      { weight: 4, arbitrary: damaged },
      { weight: 2, arbitrary: body.map((text) => new TextEncoder().encode(text)) },
      { weight: 1, arbitrary: fc.uint8Array() },
    ),
    piece: fc.constantFrom(1, 7, 100, 100_000),
    breaks: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  })
}

const requestOf = (bodies: readonly object[], model: string): fc.Arbitrary<string> => {
  const right = fc.constantFrom(...bodies).map((body) => ({ ...body, model }))
  return fc.oneof(
    { weight: 8, arbitrary: right.map((body) => JSON.stringify(body)) },
    { weight: 4, arbitrary: spoiled(right, familiar).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: garbled },
  )
}

const types = fc.oneof(
  { weight: 20, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', '') },
)

export const cases: fc.Arbitrary<Case> = fc
  .tuple(fc.constantFrom(...(Object.keys(WIRES) as WireName[])), fc.constantFrom(...ROUTES))
  .chain(([wire, { path, bodies }]) =>
    fc.record({
      wire: fc.constant(wire),
      path: fc.constant(path.replace('%', wire)),
      body: requestOf(bodies, `${wire}/m`),
      type: types,
      answer: answerOf(wire),
    }),
  )
