import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Output } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { RespondState } from '../responses/state.ts'

/** The state of the machine that writes an answer. */
export interface WriterState {
  /** The number of the next frame. Frames of a target without numbers do not contain it. */
  readonly sequence: number
  /** Whether its last frame may still grow. */
  readonly open: boolean
  /** The rest of its state, if text may change it. A dialect's writer has none. */
  readonly inner?: unknown
}

/** The states of the machines of one translation. */
export interface Position<State = WriterState> {
  readonly upstream: unknown
  readonly responseState: RespondState
  readonly writerState: State
}

export interface Machines<State = WriterState, Out = Output> {
  readonly decode: Machine<unknown, Frame, Delta>
  readonly hub: Machine<RespondState, Delta, Event>
  readonly last: Machine<State, Event, Out>
}

/** The slow path, as the fast path uses it. */
export interface SlowPath<State = WriterState, Out = Output> extends Machines<State, Out> {
  /** Processes these bytes. Returns the frames that they completed. */
  process(bytes: Uint8Array): readonly Frame[]
  /** Returns whether these bytes changed a state or produced output. */
  madeProgress(): boolean
  /** Returns whether work is left of the received bytes. The machines are in the middle of it then. */
  busy(): boolean
  /** Returns whether nothing more is read. */
  turnOver(): boolean
  /** Returns whether the slice of work is used up. */
  sliceOver(): boolean
  /** Returns whether a frame was too large, after which no further bytes are processed. */
  overflowed(): boolean
  position(): Position<State>
  move(position: Position<State>): void
}

export interface FrameResult {
  readonly event: Event | null
  readonly outputs: readonly Output[]
  readonly after: Position
}

/** Runs the machines on this frame; null if it produced more than one event. */
export function runOne(machines: Machines, position: Position, frame: Frame): FrameResult | null {
  const { state, events } = machines.decode.step(position.upstream, frame)
  return applyDeltas(machines, position, state, events)
}

/** Runs the machines after the decoder, which emitted these deltas; null if they produced more than one event. */
export function applyDeltas(
  { hub, last }: Omit<Machines, 'decode'>,
  { responseState, writerState }: Position,
  upstream: unknown,
  deltas: readonly Delta[],
): FrameResult | null {
  let now = responseState
  let event: Event | null = null
  for (const delta of deltas) {
    const responded = hub.step(now, delta)
    now = responded.state
    if (responded.events.length > (event === null ? 1 : 0)) return null
    event = responded.events[0] ?? event
  }
  const written = event === null ? null : last.step(writerState, event)
  const after = { upstream, responseState: now, writerState: written?.state ?? writerState }
  return { event, outputs: written?.events ?? [], after }
}
