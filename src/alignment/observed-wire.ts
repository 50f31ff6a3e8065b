import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { StreamWire } from '../wires/contract.ts'

/** Receives each result of a decoder, before the deltas are taken through the machines behind it. */
export interface DecoderObserver {
  frame(frame: Frame, deltas: readonly Delta[]): void
  body(deltas: readonly Delta[]): void
  /** The deltas that are owed when the stream ends. */
  ended(deltas: readonly Delta[]): void
}

/**
 * The same wire, whose decoders report what they return. The engine takes each delta through all machines before it
 * decodes the next frame: an event belongs to the frame that was decoded last. Without a template, because the fast
 * path does not step the machines.
 */
export function observedWire({ template: _, ...wire }: StreamWire, observer: DecoderObserver): StreamWire {
  return {
    ...wire,
    decodeStream: (quirks) => observedDecoder(wire.decodeStream(quirks), observer),
    decodeBody(body, quirks) {
      const deltas = wire.decodeBody(body, quirks)
      observer.body(deltas)
      return deltas
    },
  }
}

const observedDecoder = (
  decode: Machine<unknown, Frame, Delta>,
  observer: DecoderObserver,
): Machine<unknown, Frame, Delta> => ({
  initial: decode.initial,
  step(state, frame) {
    const step = decode.step(state, frame)
    observer.frame(frame, step.events)
    return step
  },
  remainder: (state) => decode.remainder?.(state) ?? 'more',
  end(state) {
    const deltas = decode.end(state)
    observer.ended(deltas)
    return deltas
  },
})
