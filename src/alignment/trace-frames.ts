import { type CheckViolation, inspectStream } from '../dialects/check-stream.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { openaiReasoningText } from '../dialects/openai.ts'
import type { Translation } from '../engine/answer.ts'
import type { Outcome } from '../engine/outcome.ts'
import { StreamPipeline } from '../engine/pipeline.ts'
import { clockOf } from '../engine/reducer.ts'
import { dialectTarget } from '../engine/target.ts'
import { createTranslation, streamWholeBody } from '../engine/translation.ts'
import type { Frame } from '../framing/frame.ts'
import { FRAMINGS, splitFrames } from '../framing/registry.ts'
import { identity } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { Head } from '../protocol/response.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import type { NamedTarget } from './named-target.ts'
import { type DecoderObserver, observedWire } from './observed-wire.ts'

export interface TraceOptions {
  readonly wire: StreamWire
  readonly quirks: Quirks
  readonly head: Head
  readonly target: NamedTarget
  /** Switches the fast path off. */
  readonly slow: boolean
}

/** The path of a frame through the engine. */
export type EnginePath = 'fast' | 'slow'

/** One frame of a recording with its deltas, its events and the text written for it. */
export interface TracedFrame {
  /**
   * Number of the frame from 0; `body`: a whole body; `end`: the additions at the end of the recording, or at a limit.
   */
  readonly frame: number | 'body' | 'end'
  /** Start of the read that completed the frame, and the size of that read, in bytes of the recording. */
  readonly offset: number
  readonly size: number
  readonly event: string
  readonly data: string
  readonly path: EnginePath
  readonly deltas: readonly Delta[]
  readonly events: readonly Event[]
  /** The text that the target writes for the frame. If a read completes several frames, the last one has all of it. */
  readonly written: string
}

/** A violation with the frame that caused it; null if it concerns the whole stream. */
export type TracedViolation = CheckViolation & { readonly frame: TracedFrame['frame'] | null }

export interface TraceEnd {
  readonly outcome: Outcome
  /** Events that the checker inspected: in the target's dialect, or in `openai` if the target is a client wire. */
  readonly checked: number
  readonly violations: readonly TracedViolation[]
  /**
   * Reads for which the fast path wrote other bytes than the slow path, by their last frame. An entry means a defect.
   */
  readonly differences: readonly TracedFrame['frame'][]
}

/**
 * Translates a recording of one wire in reads of one frame, as `translate` does, and reports each frame. The fast path
 * does not step the machines; a second stream without it supplies the deltas and events.
 */
export function traceStream(options: TraceOptions, bytes: Uint8Array, report: (traced: TracedFrame) => void): TraceEnd {
  const { wire, quirks, head, target } = options
  const reads = new ReadRecorder(options)
  const slow = { wire: withoutTemplate(wire), quirks, head, now: clockOf(head), target: target.target }
  // Shapes are kept by decoder: with one of its own, earlier recordings of the process change nothing of the trace.
  const alone = {
    ...wire,
    decodeStream: (...given: Parameters<typeof wire.decodeStream>) => wire.decodeStream(...given),
  }
  const translation = createTranslation(options.slow ? slow : { ...slow, wire: alone })
  const plain = createTranslation(slow)
  const checked = new CheckedText(options)
  const differences: TracedFrame['frame'][] = []
  let fast = 0
  let offset = 0

  const trace = (size: number, receive: (of: Translation) => Uint8Array): void => {
    const written = receive(translation)
    const taken = translation.outcome().chunks.fast
    const frames = reads.take(offset, size, taken > fast ? 'fast' : 'slow', decodeText(written))
    const last = frames.at(-1)
    checked.add(decodeText(receive(checked.translation)), last?.frame ?? null)
    if (!isSame(receive(plain), written) && last !== undefined) differences.push(last.frame)
    for (const frame of frames) report(frame)
    fast = taken
    offset += size
  }
  for (const read of splitFrames(FRAMINGS[wire.framing], bytes)) {
    if (reads.stream.over()) break
    reads.receive(read)
    trace(read.length, (of) => of.push(read))
  }
  reads.end()
  trace(0, (of) => of.push('end'))
  return { ...checked.inspect(), outcome: translation.outcome(), differences }
}

/** Does the same for a whole body, which is one frame and has no fast path. */
export function traceBody(options: TraceOptions, bytes: Uint8Array, report: (traced: TracedFrame) => void): TraceEnd {
  const { wire, quirks, head, target } = options
  const body = decodeText(bytes)
  const reads = new ReadRecorder(options)
  const checked = new CheckedText(options)
  const { bytes: written, outcome } = streamWholeBody(
    { wire, quirks, head, now: clockOf(head), target: target.target },
    body,
  )
  reads.receiveBody(body)
  for (const frame of reads.take(0, bytes.length, 'slow', decodeText(written))) report(frame)
  checked.add(decodeText(checked.translation.push({ body })), 'body')
  return { ...checked.inspect(), outcome, differences: [] }
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at])

const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

function withoutTemplate({ template: _, ...wire }: StreamWire): StreamWire {
  return wire
}

// ---------------------------------------------------------------- deltas and events

interface Recorded {
  readonly frame: TracedFrame['frame']
  readonly event: string
  readonly data: string
  readonly deltas: Delta[]
  readonly events: Event[]
}

/** One stream whose decoder records the frames that it reads and the deltas that it returns. */
class ReadRecorder implements DecoderObserver {
  readonly stream: StreamPipeline<null, Event>
  private recorded: Recorded[] = []
  private count = 0

  constructor({ wire, quirks, head, target }: TraceOptions) {
    const options = { wire: observedWire(wire, this), quirks, head, now: clockOf(head), target: target.target }
    this.stream = new StreamPipeline(options, identity<Event>(), (event) => {
      this.last().events.push(event)
      return false
    })
  }

  receive(bytes: Uint8Array): void {
    this.stream.process(bytes)
    if (!this.stream.exceeds(bytes.length)) return
    this.open('end')
    this.stream.stop()
  }

  receiveBody(body: string): void {
    this.open('body', { event: '', data: body })
    this.stream.processBody(body)
  }

  end(): void {
    this.stream.end()
  }

  /** Returns the frames recorded since the last call. */
  take(offset: number, size: number, path: EnginePath, written: string): readonly TracedFrame[] {
    const recorded = this.recorded
    this.recorded = []
    return recorded.map((one, i) => ({
      ...one,
      offset,
      size,
      path,
      written: i === recorded.length - 1 ? written : '',
    }))
  }

  private last(): Recorded {
    return this.recorded.at(-1) ?? this.open('end')
  }

  private open(frame: Recorded['frame'], { event, data }: Frame = { event: '', data: '' }): Recorded {
    const opened: Recorded = { frame, event, data, deltas: [], events: [] }
    this.recorded.push(opened)
    return opened
  }

  frame(frame: Frame, deltas: readonly Delta[]): void {
    this.open(this.count, frame).deltas.push(...deltas)
    this.count += 1
  }

  body(deltas: readonly Delta[]): void {
    this.last().deltas.push(...deltas)
  }

  ended(deltas: readonly Delta[]): void {
    const opened = this.recorded.at(-1)?.frame === 'end' ? this.last() : this.open('end')
    opened.deltas.push(...deltas)
  }
}

// ---------------------------------------------------------------- the checker

/** The text that the grammar checker inspects, always written by the slow path, and the frames that caused it. */
class CheckedText {
  readonly translation: Translation
  private readonly dialect: Dialect
  private readonly pieces: string[] = []
  /** For each written frame, the frame of the recording that caused it. */
  private readonly sources: TracedViolation['frame'][] = []

  constructor({ wire, quirks, head, target }: TraceOptions) {
    this.dialect = target.dialect ?? openaiReasoningText
    const slow = withoutTemplate(wire)
    this.translation = createTranslation({ wire: slow, quirks, head, target: dialectTarget(this.dialect) })
  }

  add(text: string, source: TracedViolation['frame']): void {
    this.pieces.push(text)
    for (let left = text.split('\n\n').length - 1; left > 0; left -= 1) this.sources.push(source)
  }

  inspect(): Pick<TraceEnd, 'checked' | 'violations'> {
    const { violations, events } = inspectStream(this.pieces.join(''), this.dialect)
    const placed = violations.map((violation) => ({
      ...violation,
      frame: violation.event === null ? null : (this.sources[violation.event] ?? null),
    }))
    return { checked: events, violations: placed }
  }
}
