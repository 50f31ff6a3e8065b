import fc from 'fast-check'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import {
  HTTP_ENDINGS,
  HTTP_FRAMINGS,
  type HttpEnding,
  type HttpFraming,
  properEnding,
} from '../../test/mock-upstreams/raw-http.ts'

/** How a client reads its answer. */
export type Manner = 'at once' | 'slowly' | 'with pauses' | 'leaves'

/** A protocol of clients, and its path for a stream and for a whole answer. `%` stands for the model. */
export interface ClientProtocol {
  readonly name: string
  /** The wire whose answers it receives as they are. */
  readonly wire: WireName
  readonly path: string
  readonly wholePath: string
  readonly body: object
  readonly isWebSocket: boolean
}

const MESSAGES = [{ role: 'user', content: 'Hello' }]
const plain = (name: string, wire: WireName, path: string, body: object): ClientProtocol => ({
  name,
  wire,
  path,
  wholePath: path,
  body,
  isWebSocket: false,
})

export const PROTOCOLS: readonly ClientProtocol[] = [
  plain('responses', 'openai-responses', '/openai/v1/responses', { input: 'Hello' }),
  plain('responses, beta', 'openai-responses', '/api/v1/responses', { input: 'Hello' }),
  plain('chat', 'openai-chat', '/openai/v1/chat/completions', { messages: MESSAGES }),
  plain('messages', 'anthropic-messages', '/openai/v1/messages', { messages: MESSAGES, max_tokens: 100 }),
  {
    name: 'gemini',
    wire: 'gemini-generate',
    path: '/openai/v1/models/%:streamGenerateContent?alt=sse',
    wholePath: '/openai/v1/models/%:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    isWebSocket: false,
  },
  plain('interactions', 'gemini-interactions', '/openai/v1/interactions', { input: 'Hello' }),
  plain('ollama', 'ollama-chat', '/openai/v1/api/chat', { messages: MESSAGES }),
  { ...plain('websocket', 'openai-responses', '/openai/v1/responses', { input: 'Hello' }), isWebSocket: true },
]

/** One exchange. */
export interface ChaosCase {
  readonly protocol: ClientProtocol
  readonly wire: WireName
  readonly isStream: boolean
  readonly manner: Manner
  readonly framing: HttpFraming
  readonly ending: HttpEnding
  /** The share of the body after which it is cut; null: it is complete. */
  readonly cutAt: number | null
  /** Words of the answer, and the characters of each. */
  readonly words: number
  readonly length: number
  /** Bytes of one write of the upstream, and the milliseconds between two of them. */
  readonly piece: number
  readonly paceMs: number
}

/** Of an answer in many small frames, in few long ones that keep the slices busy, and larger than all buffers. */
const SIZES = [
  { words: 5, length: 10 },
  { words: 400, length: 60 },
  { words: 3, length: 300_000 },
  { words: 300, length: 10_000 },
] as const

/** A connection that stays costs the time of the wait for its next bytes. */
const endings = (framing: HttpFraming): fc.Arbitrary<HttpEnding> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(properEnding(framing)) },
    { weight: 5, arbitrary: fc.constantFrom('fin' as const, 'rst' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...HTTP_ENDINGS) },
  )

const manners: fc.Arbitrary<Manner> = fc.constantFrom('at once', 'at once', 'slowly', 'with pauses', 'leaves')

/** Answers of the protocol of the client are half of all. */
const wiresOf = ({ wire }: ClientProtocol): fc.Arbitrary<WireName> =>
  fc.oneof(fc.constant(wire), fc.constantFrom(...(Object.keys(WIRES) as WireName[])))

export const chaosCases = (hasWebSocket: boolean): fc.Arbitrary<ChaosCase> =>
  fc
    .tuple(
      fc.constantFrom(...PROTOCOLS.filter(({ isWebSocket }) => hasWebSocket || !isWebSocket)),
      fc.constantFrom(...HTTP_FRAMINGS),
    )
    .chain(([protocol, framing]) =>
      fc
        .record({
          wire: wiresOf(protocol),
          isStream: protocol.isWebSocket ? fc.constant(true) : fc.constantFrom(true, true, false),
          manner: manners,
          ending: endings(framing),
          cutAt: fc.oneof(
            { weight: 3, arbitrary: fc.constant(null) },
            { weight: 2, arbitrary: fc.constantFrom(0, 0.02, 0.3, 0.6, 0.9) },
          ),
          size: fc.oneof(
            { weight: 6, arbitrary: fc.constantFrom(...SIZES.slice(0, 3)) },
            { weight: 1, arbitrary: fc.constant(SIZES[3]) },
          ),
          piece: fc.constantFrom(7, 500, 20_000, 1_000_000),
          paceMs: fc.constantFrom(0, 0, 1, 5),
        })
        .map(({ size, ...rest }) => ({ protocol, framing, ...size, ...rest })),
    )

/** Whether the connection of a complete answer goes on, although only its end would end the answer. */
export const isOpenEnded = ({ framing, ending, cutAt }: ChaosCase): boolean =>
  framing.body === 'until the end' && ending === 'stays' && cutAt === null

/** The form of an exchange, as a row of the report. */
export function formOf({ protocol, wire, isStream }: ChaosCase): string {
  if (protocol.isWebSocket) return 'WebSocket'
  const isPassed = wire === protocol.wire && protocol.name !== 'responses, beta'
  return `${isPassed ? 'passed' : 'translated'}, ${isStream ? 'streamed' : 'whole'}`
}
