import { IN_SLICES } from '../engine/in-slices.ts'
import { StreamPipeline } from '../engine/pipeline.ts'
import { clockOf, targetContextOf } from '../engine/reducer.ts'
import type { Target } from '../engine/target.ts'
import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import { createPrinter, type Output } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { Head } from '../protocol/response.ts'
import type { Steps } from '../text/steps.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { type DecoderObserver, observedWire } from './observed-wire.ts'

/** One event, and the text that the target writes for it; null: what the target adds after the last event. */
export interface WrittenEvent {
  readonly event: Event | null
  readonly written: string
}

/** One frame of a recording, with its deltas and its events. */
export interface RecordedFrame {
  /** Number of the frame from 0; `body`: a whole body; `end`: the additions at the end of the recording, or at a limit. */
  readonly frame: number | 'body' | 'end'
  readonly event: string
  readonly data: string
  readonly deltas: Delta[]
  /** The frame has no deltas, but the decoder keeps something of it: it takes effect later. */
  readonly isKept: boolean
  readonly events: WrittenEvent[]
}

interface RecordedSource {
  readonly wire: StreamWire
  readonly quirks: Quirks
  readonly head: Head
  readonly target: Target
}

/** Steps of the engine between two yields: a frame of megabytes takes many. */
const SLICE = 128

/** One stream whose decoder and writer record their results, without the fast path. */
export class FrameRecorder implements DecoderObserver {
  readonly frames: RecordedFrame[] = []
  readonly stream: StreamPipeline<unknown, Output>
  private readonly printer = createPrinter()
  private readonly decoder = new TextDecoder()
  private count = 0

  constructor({ wire, quirks, head, target }: RecordedSource) {
    const options = {
      wire: observedWire(wire, this),
      inSlices: IN_SLICES,
      quirks,
      head,
      now: clockOf(head),
      target,
    }
    const writer = this.recorded(target.stream(targetContextOf(options), false) as Machine<unknown, Event, Output>)
    this.stream = new StreamPipeline(options, writer, { emit: () => false }, SLICE)
  }

  /** Reads a part of the recording; yields within a long frame. */
  *read(bytes: Uint8Array): Steps<void> {
    const { stream } = this
    stream.process(stream.within(bytes))
    yield* this.rest()
    if (!stream.exceeds(bytes.length)) return
    this.open('end')
    stream.stop()
  }

  *readBody(body: string): Steps<void> {
    this.open('body', { event: '', data: body })
    this.stream.processBody(body)
    yield* this.rest()
  }

  *end(): Steps<void> {
    this.stream.end()
    yield* this.rest()
  }

  private *rest(): Steps<void> {
    const { stream } = this
    while (stream.busy()) {
      yield
      stream.refill()
      stream.resume()
    }
    stream.refill()
  }

  frame(frame: Frame, deltas: readonly Delta[], isKept: boolean): void {
    this.open(this.count, frame, deltas, isKept)
    this.count += 1
  }

  body(deltas: readonly Delta[]): void {
    if (this.frames.length === 0) this.open('end')
    this.frames.at(-1)?.deltas.push(...deltas)
  }

  ended(deltas: readonly Delta[]): void {
    if (this.frames.at(-1)?.frame !== 'end') this.open('end')
    this.body(deltas)
  }

  private open(
    frame: RecordedFrame['frame'],
    { event, data }: Frame = { event: '', data: '' },
    deltas: readonly Delta[] = [],
    isKept = false,
  ): void {
    this.frames.push({ frame, event, data, deltas: [...deltas], isKept, events: [] })
  }

  private recorded(writer: Machine<unknown, Event, Output>): Machine<unknown, Event, Output> {
    return {
      initial: writer.initial,
      step: (state, event) => {
        const step = writer.step(state, event)
        this.write(event, step.events)
        return step
      },
      end: (state) => {
        const outputs = writer.end(state)
        if (outputs.length > 0) this.write(null, outputs)
        return outputs
      },
    }
  }

  private write(event: Event | null, outputs: readonly Output[]): void {
    const { printer } = this
    printer.begin()
    for (const output of outputs) printer.emit(output)
    if (this.frames.length === 0) this.open('end')
    this.frames.at(-1)?.events.push({ event, written: this.decoder.decode(printer.take()) })
  }
}
