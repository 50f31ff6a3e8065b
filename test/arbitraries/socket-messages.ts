import fc from 'fast-check'
import { jsonOf } from './json.ts'
import { hostile } from './strings.ts'

/** Sequences of messages over a WebSocket connection: requests, anything else, and a violation of the protocol. */

/** What becomes of a request: the mock upstream reads it from the input. */
export const FATES = ['answer', 'pause', 'break', 'refuse', 'stall', 'overload', 'silence'] as const
export type Fate = (typeof FATES)[number]

/** How the bytes of a message reach the server: the length of each frame, and of each write. */
export interface Pieces {
  readonly frame: number
  readonly write: number
  /** True if a ping is between the frames. */
  readonly pings: boolean
}

export type SocketAction =
  | { readonly does: 'create'; readonly lane: string | null; readonly fate: Fate; readonly more: object }
  /** A request with any members, among them wrong ones. */
  | { readonly does: 'create-any'; readonly body: object }
  | { readonly does: 'send-text'; readonly text: string }
  /** A message about a response, which has no answer. */
  | { readonly does: 'notify'; readonly type: string }
  | { readonly does: 'send-bytes'; readonly bytes: Uint8Array }
  /** Waits for an answer to every message so far. */
  | { readonly does: 'settle' }
  | { readonly does: 'stop-reading' }

export const ENDS = [
  'close',
  'destroy',
  'half-close',
  'invalid-utf8',
  'unmasked',
  'reserved-bit',
  'reserved-opcode',
  'lonely-continuation',
  'oversize',
] as const
export type SocketEnd = (typeof ENDS)[number]

export interface SocketScript {
  readonly actions: readonly SocketAction[]
  readonly pieces: Pieces
  readonly end: SocketEnd
}

const NAMES = ['type', 'model', 'input', 'tools', 'stream_id', 'previous_response_id', 'generate', 'event_id', 'stream']
const anyJson = jsonOf(NAMES, ['response.create', 'response.steer', 'response.inject', 'acme/mock-1'])
const deep = fc.constantFrom('['.repeat(20_000), '{"a":'.repeat(20_000), `${'['.repeat(5_000)}${']'.repeat(5_000)}`)

const lane = fc.constantFrom(null, null, 'a', 'b', 'c')
const more = fc.constantFrom(
  {},
  {},
  { generate: false },
  { store: false },
  { previous_response_id: 'resp_unknown' },
  // Replaced by the id of the last response of the connection.
  { previous_response_id: null },
  { model: 'nobody/none' },
  { tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] },
)

const create = fc.record({ does: fc.constant('create' as const), lane, fate: fc.constantFrom(...FATES), more })
const createAny = fc.record({
  does: fc.constant('create-any' as const),
  body: fc.dictionary(fc.constantFrom(...NAMES.slice(1)), anyJson, { maxKeys: 4, noNullPrototype: true }),
})
const text = fc.oneof(
  anyJson.map((value) => JSON.stringify(value)),
  fc.constantFrom('response.steer', 'response.inject', 'ping').map((type) => `{"type":"${type}"}`),
  hostile,
  deep,
  fc.constant(''),
)

const notice = fc.constantFrom('response.processed', 'response.cancel', 'response.', 'response.create.later')

const action: fc.Arbitrary<SocketAction> = fc.oneof(
  { weight: 6, arbitrary: create },
  { weight: 1, arbitrary: createAny },
  { weight: 1, arbitrary: text.map((text) => ({ does: 'send-text' as const, text })) },
  { weight: 1, arbitrary: notice.map((type) => ({ does: 'notify' as const, type })) },
  {
    weight: 1,
    arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => ({ does: 'send-bytes' as const, bytes })),
  },
  { weight: 2, arbitrary: fc.constant({ does: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'stop-reading' as const }) },
)

const pieces = fc.record({
  frame: fc.constantFrom(100_000, 100_000, 1_000, 7),
  write: fc.constantFrom(1_000_000, 1_000_000, 64, 1),
  pings: fc.boolean(),
})

export const socketScripts: fc.Arbitrary<SocketScript> = fc.record({
  actions: fc.array(action, { maxLength: 10 }),
  pieces,
  end: fc.constantFrom(...ENDS),
})
