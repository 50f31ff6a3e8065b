import { type CheckRule, detectDialect, inspectInSteps } from '../dialects/check-stream.ts'
import { openaiReasoningText } from '../dialects/openai.ts'
import { withLosses } from '../engine/answer-driver.ts'
import type { Outcome } from '../engine/outcome.ts'
import { StreamPipeline } from '../engine/pipeline.ts'
import { clockOf, targetContextOf } from '../engine/reducer.ts'
import { dialectTarget, type Target } from '../engine/target.ts'
import type { Frame } from '../framing/frame.ts'
import { FRAMINGS, frameReads } from '../framing/registry.ts'
import type { Machine } from '../machine/machine.ts'
import { createPrinter, type Output } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { Head } from '../protocol/response.ts'
import { RESPONSES_WIRE, type StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import type { NamedTarget } from './named-target.ts'
import { type DecoderObserver, observedWire } from './observed-wire.ts'

/** Recorded bytes of an upstream, and how they are read. */
export interface AlignedSource {
  readonly wire: StreamWire
  readonly quirks: Quirks
  readonly head: Head
  readonly bytes: Uint8Array
  /** The bytes are a whole body, which is one frame. */
  readonly isBody: boolean
}

/** One row of an alignment: a frame of the recording, a whole body, or what is added at the end of the recording. */
export interface AlignedFrame {
  readonly frame: number | 'body' | 'end'
  /** The bytes of the recording that belong to the row. Rows follow each other without a gap and contain all bytes. */
  readonly offset: number
  readonly size: number
  readonly event: string
  readonly data: string
  readonly deltas: readonly Delta[]
  /** The frame has no deltas, but the decoder keeps something of it: it takes effect later. */
  readonly isKept: boolean
}

/** One event of a row, and the text that the target writes for it; null: what the target adds after the last event. */
export interface WrittenEvent {
  readonly event: Event | null
  readonly written: string
}

/** A violation of the grammar, with the place of its event; null if it concerns the whole stream. */
export interface Finding {
  readonly rule: CheckRule
  readonly message: string
  readonly row: number | null
  /** The index of the event in its row. */
  readonly index: number | null
}

/** The output of a target for the rows of a recording. All texts in order are the output of `translate`. */
export interface AlignedTarget {
  readonly name: string
  readonly rows: readonly (readonly WrittenEvent[])[]
  readonly outcome: Outcome
  /** Of the target's own dialect. A client wire has no grammar of events, so that its list is empty. */
  readonly findings: readonly Finding[]
}

/** Work in pieces of one frame: yields the number of bytes that were read so far, or nothing where none is read. */
export type AlignmentSteps<Made> = Generator<number | undefined, Made>

/** Reads the rows of a recording. The same source gives the same rows to every target. */
export function* alignFrames(source: AlignedSource): AlignmentSteps<readonly AlignedFrame[]> {
  const run = new AlignmentRun(source, dialectTarget(openaiReasoningText))
  yield* run.steps()
  return run.rows()
}

/**
 * Checks the recording itself, which is a stream of our own events if its upstream has the Responses API. Recordings of
 * other wires have no findings.
 */
export function* findingsOfSource(
  { wire, isBody, bytes }: AlignedSource,
  frames: readonly AlignedFrame[],
): AlignmentSteps<readonly Finding[]> {
  if (wire.name !== RESPONSES_WIRE || isBody) return []
  const text = new TextDecoder().decode(bytes)
  const { violations } = yield* inspectInSteps(text, detectDialect(text))
  return violations.map(({ rule, message, event }) => ({
    rule,
    message,
    row: event !== null && event < frames.length ? event : null,
    index: null,
  }))
}

/** Writes a recording for one target. `rowCount`: the number of rows that `alignFrames` returned. */
export function* alignTarget(
  source: AlignedSource,
  { target, dialect }: NamedTarget,
  rowCount: number,
): AlignmentSteps<AlignedTarget> {
  const run = new AlignmentRun(source, target)
  yield* run.steps()
  const rows: WrittenEvent[][] = Array.from({ length: rowCount }, () => [])
  run.events.forEach((events, at) => {
    const row = run.frames[at]?.frame === 'end' ? rowCount - 1 : Math.min(at, rowCount - 1)
    rows[row]?.push(...events)
  })
  yield source.bytes.length
  const findings = dialect === null ? [] : (yield* inspectInSteps(textOf(rows), dialect)).violations
  const placeOf = findings.length === 0 ? () => NOWHERE : placesOf(rows)
  const placed = findings.map(({ rule, message, event }) => ({ rule, message, ...placeOf(event) }))
  return { name: target.name, rows, outcome: withLosses({ target }, true, run.stream.outcome()), findings: placed }
}

const NOWHERE: Pick<Finding, 'row' | 'index'> = { row: null, index: null }

const textOf = (rows: AlignedTarget['rows']): string =>
  rows.flatMap((row) => row.map(({ written }) => written)).join('')

/** Maps the number of a written frame to its row and event. An event may be written as several frames. */
function placesOf(rows: readonly (readonly WrittenEvent[])[]) {
  const places: Pick<Finding, 'row' | 'index'>[] = []
  rows.forEach((events, row) => {
    events.forEach(({ written }, index) => {
      for (let left = written.split('\n\n').length - 1; left > 0; left -= 1) places.push({ row, index })
    })
  })
  return (event: number | null) => (event === null ? null : places[event]) ?? NOWHERE
}

/** Steps of the engine between two yields: a frame of megabytes takes many. */
const SLICE = 128

/** One stream whose decoder and writer record their results, without the fast path. */
class AlignmentRun implements DecoderObserver {
  readonly frames: AlignedFrame[] = []
  /** The events of each frame. */
  readonly events: WrittenEvent[][] = []
  readonly stream: StreamPipeline<unknown, Output>
  private readonly source: AlignedSource
  private readonly printer = createPrinter()
  private readonly decoder = new TextDecoder()
  private count = 0
  private offset = 0
  private size = 0

  constructor(source: AlignedSource, target: Target) {
    this.source = source
    const { wire, quirks, head } = source
    const options = { wire: observedWire(wire, this), quirks, head, now: clockOf(head), target }
    const writer = this.recorded(target.stream(targetContextOf(options), false) as Machine<unknown, Event, Output>)
    this.stream = new StreamPipeline(options, writer, () => false, SLICE)
  }

  *steps(): AlignmentSteps<void> {
    const { stream, source } = this
    if (source.isBody) {
      this.readBody()
      return yield* this.rest()
    }
    for (const read of frameReads(FRAMINGS[source.wire.framing], source.bytes)) {
      if (stream.over()) break
      this.size += read.length
      stream.process(stream.within(read))
      yield* this.rest()
      if (stream.exceeds(read.length)) this.stop()
      yield this.offset + this.size
    }
    stream.end()
    yield* this.rest()
  }

  /** Finishes the work of a long frame or body. */
  private *rest(): AlignmentSteps<void> {
    const { stream } = this
    while (stream.busy()) {
      yield
      stream.refill()
      stream.resume()
    }
    stream.refill()
  }

  /** The frames, and for a stream the row of its end with the bytes that were not read. */
  rows(): readonly AlignedFrame[] {
    const { frames, offset, source } = this
    const last = frames.at(-1)
    if (last?.frame === 'body') return frames
    const rest = source.bytes.length - offset
    if (last?.frame === 'end') return [...frames.slice(0, -1), { ...last, size: last.size + rest }]
    return [...frames, { frame: 'end', offset, size: rest, event: '', data: '', deltas: [], isKept: false }]
  }

  private stop(): void {
    this.open('end')
    this.stream.stop()
  }

  private readBody(): void {
    const { bytes } = this.source
    const data = this.decoder.decode(bytes)
    this.size = bytes.length
    this.open('body', { event: '', data })
    this.stream.processBody(data)
  }

  frame(frame: Frame, deltas: readonly Delta[], isKept: boolean): void {
    this.open(this.count, frame, deltas, isKept)
    this.count += 1
  }

  body(deltas: readonly Delta[]): void {
    this.addDeltas(deltas)
  }

  ended(deltas: readonly Delta[]): void {
    if (this.frames.at(-1)?.frame !== 'end') this.open('end')
    this.addDeltas(deltas)
  }

  private addDeltas(deltas: readonly Delta[]): void {
    const last = this.frames.pop()
    if (last !== undefined) this.frames.push({ ...last, deltas: [...last.deltas, ...deltas] })
  }

  private open(
    frame: AlignedFrame['frame'],
    { event, data }: Frame = { event: '', data: '' },
    deltas: readonly Delta[] = [],
    isKept = false,
  ): void {
    // The bytes of a read that completes several frames belong to the first one.
    this.frames.push({ frame, offset: this.offset, size: this.size, event, data, deltas, isKept })
    this.events.push([])
    this.offset += this.size
    this.size = 0
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
    if (this.events.length === 0) this.open('end')
    this.events.at(-1)?.push({ event, written: this.decoder.decode(printer.take()) })
  }
}
