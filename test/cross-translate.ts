import { type ClientWire, formatOf } from '../src/engine/client-target.ts'
import { FORMATS } from '../src/framing/format.ts'
import { pipe } from '../src/machine/pipe.ts'
import { run } from '../src/machine/run.ts'
import type { Delta } from '../src/protocol/delta.ts'
import type { Event } from '../src/protocol/event.ts'
import type { Json } from '../src/protocol/json.ts'
import type { Response } from '../src/protocol/response.ts'
import { ALL_CAPABILITIES } from '../src/responses/capabilities.ts'
import { respond } from '../src/responses/respond.ts'
import { eventsToDeltas } from '../src/responses/to-deltas.ts'
import type { KnownWire } from '../src/wires/contract.ts'
import { WIRES } from '../src/wires/registry.ts'
import { headOf, toBytes } from './engine/run-engine.ts'

/** Writes internal events for the clients of a wire and reads them back with the wire's own decoder. */

/** Every wire with a client side. New wires are included automatically. */
export const CLIENT_WIRES: readonly (KnownWire & ClientWire)[] = Object.values<KnownWire>(WIRES).flatMap((wire) =>
  wire.client === undefined ? [] : [{ ...wire, client: wire.client }],
)

/** Settings of a client that requests everything optional, such as the usage of a stream. */
export const REQUEST_WITH_EVERYTHING = { usage: true }

const asItIs = (payload: Json): string => (typeof payload === 'string' ? payload : JSON.stringify(payload))

export const encodeAnswerAs = (deltas: readonly Delta[]): readonly Event[] =>
  run(respond(headOf('x'), ALL_CAPABILITIES, asItIs), deltas)

export function closing(events: readonly Event[]): Response {
  const last = events.at(-1)
  if (last === undefined || !('response' in last)) throw new Error('a response without an end')
  return last.response
}

/** Decodes the bytes with the wire's own decoder. */
export function readAnswerAs(wire: KnownWire, bytes: Uint8Array): Response {
  const reader = wire.framing.open(1 << 26)
  return closing(encodeAnswerAs(run(wire.decodeStream({}), [...reader.push(bytes), ...reader.end()])))
}

/** Returns the stream that clients of the wire receive. `open` opens envelopes that the client's own vendor issued. */
export function textFor(
  wire: ClientWire,
  events: readonly Event[],
  open: (sealed: string) => Json | undefined = () => undefined,
): string {
  const answering = {
    id: 'x',
    created_at: 1_700_000_000,
    model: 'acme/mock-1',
    settings: REQUEST_WITH_EVERYTHING,
    open,
    seal: (encrypted: string) => encrypted,
  }
  const encode = pipe(eventsToDeltas, wire.client.encodeStream(answering))
  return run(pipe(encode, FORMATS[formatOf(wire)].write), events).join('')
}

export const crossTranslate = (wire: KnownWire & ClientWire, deltas: readonly Delta[]): Response =>
  readAnswerAs(wire, toBytes(textFor(wire, encodeAnswerAs(deltas))))
