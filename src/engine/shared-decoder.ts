import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'

const NO_QUIRKS: Quirks = {}

/** Memory of the process: a decoder has no state, so that all streams of an upstream share it. */
const DECODERS = new WeakMap<StreamWire, WeakMap<Quirks, Machine<unknown, Frame, Delta>>>()

export function decoderOf(wire: StreamWire, quirks: Quirks = NO_QUIRKS): Machine<unknown, Frame, Delta> {
  const decoders = DECODERS.get(wire) ?? new WeakMap<Quirks, Machine<unknown, Frame, Delta>>()
  DECODERS.set(wire, decoders)
  const decoder = decoders.get(quirks) ?? wire.decodeStream(quirks)
  decoders.set(quirks, decoder)
  return decoder
}
