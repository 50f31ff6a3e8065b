import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { StreamWire } from '../wires/contract.ts'

/** Receives each result of a decoder, before the deltas are taken through the machines behind it. */
export interface DecoderObserver {
  /** `isKept`: the frame has no deltas, but changes how the decoder reads later frames, or its end. */
  frame(frame: Frame, deltas: readonly Delta[], isKept: boolean): void
  body(deltas: readonly Delta[]): void
  /** The deltas that are still to be emitted when the stream ends. */
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

/** States are plain JSON, and a step shares with the state before it all that it leaves as it is. */
function isSameState(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const [names, others] = [Object.keys(one), Object.keys(other)]
  const fields = other as Readonly<Record<string, unknown>>
  return (
    names.length === others.length && names.every((name) => isSameState((one as typeof fields)[name], fields[name]))
  )
}

const observedDecoder = (
  decode: Machine<unknown, Frame, Delta>,
  observer: DecoderObserver,
): Machine<unknown, Frame, Delta> => ({
  initial: decode.initial,
  step(state, frame) {
    const step = decode.step(state, frame)
    observer.frame(frame, step.events, step.events.length === 0 && !isSameState(state, step.state))
    return step
  },
  remainder: (state) => decode.remainder?.(state) ?? 'more',
  end(state) {
    const deltas = decode.end(state)
    observer.ended(deltas)
    return deltas
  },
})
