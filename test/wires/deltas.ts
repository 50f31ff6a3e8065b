import type { Frame } from '../../src/framing/frame.ts'
import { run } from '../../src/machine/run.ts'
import type { Delta, HostedDelta } from '../../src/protocol/delta.ts'
import type { GatewayError } from '../../src/protocol/error.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { Response } from '../../src/protocol/response.ts'
import type { Usage } from '../../src/protocol/usage.ts'
import { ALL_CAPABILITIES } from '../../src/responses/capabilities.ts'
import { collect } from '../../src/responses/collect.ts'
import { type Origin, type Seal, sealReasoning } from '../../src/responses/encrypted-content.ts'
import { joinCalls } from '../../src/responses/join-calls.ts'
import { respond } from '../../src/responses/respond.ts'
import { eventsToDeltas } from '../../src/responses/to-deltas.ts'
import type { ClientCodec, DecodeContext, DecodedRequest, EncodeContext } from '../../src/wires/client-contract.ts'
import { headOf } from '../engine/run-engine.ts'
import { openReasoning } from '../responses/open-reasoning.ts'

/**
 * Helpers for tests of the client side of a wire: deltas as its encoder receives them, and the contexts of requests and
 * answers. `HOME` is the origin of the reasoning.
 */

export const HOME: Origin = { wire: 'home', vendor: 'acme', model: 'm-1' }

export const sealOf =
  (origin: Origin): Seal =>
  (payload) =>
    sealReasoning(origin, payload)

/** Puts the deltas of any upstream into the order of a response, as the encoder of another wire receives them. */
export const inOrder = (deltas: Iterable<Delta>, seal: Seal = sealOf(HOME)): readonly Delta[] =>
  run(eventsToDeltas, run(respond(headOf('1'), ALL_CAPABILITIES, seal), run(joinCalls, deltas)))

/** The response of any deltas. */
export const responseFrom = (deltas: Iterable<Delta>, seal: Seal = sealOf(HOME)): Response =>
  run(collect, run(respond(headOf('1'), ALL_CAPABILITIES, seal), run(joinCalls, deltas)))[0] as Response

/** `from`: the origin whose reasoning the wire of this client can read. */
export const encodeContext = (settings: JsonObject = {}, from: Origin | null = null): EncodeContext => ({
  id: '1',
  created_at: 1_800_000_000,
  model: 'acme/m-1',
  settings,
  open: (sealed) => (from === null ? undefined : openReasoning(from, sealed)),
  seal: (encrypted) => encrypted,
})

export const decodeContext = (from: Origin | null = null): DecodeContext => ({
  model: null,
  stream: null,
  seal: from === null ? null : sealOf(from),
})

export const framesOf = (
  client: ClientCodec,
  deltas: readonly Delta[],
  answering = encodeContext(),
): readonly Frame[] => run(client.encodeStream(answering), deltas)

/** Returns a decoded request; throws if it was rejected. */
export function requestWith(decoded: DecodedRequest): Extract<DecodedRequest, { readonly ok: true }> {
  if (!decoded.ok) throw new Error(decoded.error.message)
  return decoded
}

/** Returns the message of a request that no other protocol can carry, and the path of the field; else throws. */
export function refusal(decoded: DecodedRequest): { readonly param: string | null; readonly message: string } {
  const error = decoded.ok ? decoded.required?.error : decoded.error
  if (error === undefined) throw new Error('it was taken')
  const { param, message } = error
  return { param, message }
}

const content =
  (kind: 'text' | 'refusal' | 'reasoning' | 'summary') =>
  (text: string, key: string = kind, part = ''): Delta => ({ kind, key, part, text, logprobs: null })

export const text = content('text')
export const refused = content('refusal')
export const reasoning = content('reasoning')
export const summary = content('summary')
export const encrypted = (payload: Json, key = 'reasoning'): Delta => ({ kind: 'opaque', key, payload })
export const called = (name: string, args: string, id = 'call_1', key = id): Delta => ({
  kind: 'call',
  key,
  type: 'function_call',
  callId: id,
  name,
  arguments: args,
})
export const customCalled = (name: string, input: string, id = 'call_1'): Delta => ({
  ...(called(name, input, id) as Extract<Delta, { kind: 'call' }>),
  type: 'custom_tool_call',
})
export const cited = (start: number, end: number, title: string | null = 'A', key = 'text'): Delta => ({
  kind: 'citation',
  key,
  part: '',
  citation: {
    url: 'https://example.org/a',
    title,
    content: null,
    span: { start, end, unit: 'utf16' },
    marker: null,
  },
})
export const usageOf = (usage: Partial<Usage>): Delta => ({
  kind: 'usage',
  usage: {
    input_tokens: null,
    output_tokens: null,
    total_tokens: null,
    cached_tokens: null,
    reasoning_tokens: null,
    ...usage,
  },
})
export const USAGE = usageOf({
  input_tokens: 7,
  output_tokens: 5,
  total_tokens: 12,
  cached_tokens: 2,
  reasoning_tokens: 3,
})
export const hosted = (
  type: HostedDelta['item']['type'],
  fields: JsonObject,
  status = 'completed',
  key = 'hosted',
): Delta => ({ kind: 'hosted', key, item: { type, id: '', status, fields }, done: true })
export const failedWith = (error: GatewayError): Delta => ({ kind: 'error', error })
export const finished = (reason: 'stop' | 'max_output_tokens' | 'content_filter'): Delta => ({ kind: 'finish', reason })
export const stopped = (key: string): Delta => ({ kind: 'stop', key })
export const FINISH: Delta = { kind: 'finish', reason: 'stop' }
export const START: Delta = { kind: 'start', model: 'm-1' }
