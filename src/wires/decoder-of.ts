import { getOrCreate } from '../collections/get-or-create.ts'
import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { StreamWire } from './contract.ts'
import type { Quirks } from './quirks.ts'

type Decoder = Machine<unknown, Frame, Delta>

const NO_QUIRKS: Quirks = {}

/** Memory of the process: a decoder has no state, so that all streams of an upstream share it. */
const DECODERS = new WeakMap<StreamWire, WeakMap<Quirks, Decoder>>()

const newDecoders = (): WeakMap<Quirks, Decoder> => new WeakMap()

export function decoderOf(wire: StreamWire, quirks: Quirks = NO_QUIRKS): Decoder {
  const decoders = getOrCreate(DECODERS, wire, newDecoders)
  return getOrCreate(decoders, quirks, () => wire.decodeStream(quirks))
}
