import { type CheckRule, detectDialect, inspectInSteps } from '../dialects/check-stream.ts'
import { openaiReasoningText } from '../dialects/openai.ts'
import { withLosses } from '../engine/answer-driver.ts'
import type { Outcome } from '../engine/outcome.ts'
import { dialectTarget, type Target } from '../engine/target.ts'
import { frameReads } from '../framing/framing.ts'
import type { Head } from '../protocol/response.ts'
import { RESPONSES_WIRE, type StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { FrameRecorder, type RecordedFrame, type WrittenEvent } from './frame-recorder.ts'
import type { NamedTarget } from './named-target.ts'

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
export interface AlignedFrame extends Omit<RecordedFrame, 'events'> {
  /** The bytes of the recording that belong to the row. Rows follow each other without a gap and contain all bytes. */
  readonly offset: number
  readonly size: number
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
  run.recorder.frames.forEach(({ frame, events }, at) => {
    rows[frame === 'end' ? rowCount - 1 : Math.min(at, rowCount - 1)]?.push(...events)
  })
  yield source.bytes.length
  const findings = dialect === null ? [] : (yield* inspectInSteps(textOf(rows), dialect)).violations
  const placeOf = findings.length === 0 ? () => NOWHERE : placesOf(rows)
  const placed = findings.map(({ rule, message, event }) => ({ rule, message, ...placeOf(event) }))
  return {
    name: target.name,
    rows,
    outcome: withLosses({ target }, true, run.recorder.stream.outcome()),
    findings: placed,
  }
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

/** The recording of one target, and the places of its frames. */
class AlignmentRun {
  readonly recorder: FrameRecorder
  private readonly source: AlignedSource
  private readonly places: Pick<AlignedFrame, 'offset' | 'size'>[] = []
  private offset = 0
  private size = 0

  constructor(source: AlignedSource, target: Target) {
    this.source = source
    this.recorder = new FrameRecorder({ ...source, target })
  }

  *steps(): AlignmentSteps<void> {
    const { recorder, source } = this
    const { wire, bytes, isBody } = source
    if (isBody) {
      yield* recorder.readBody(new TextDecoder().decode(bytes))
      return this.place(bytes.length)
    }
    for (const read of frameReads(wire.framing, bytes)) {
      if (recorder.stream.over()) break
      yield* recorder.read(read)
      this.place(read.length)
      yield this.offset + this.size
    }
    yield* recorder.end()
    this.place(0)
  }

  /** The bytes of a read that completes several frames belong to the first one. */
  private place(size: number): void {
    const { places, recorder } = this
    this.size += size
    while (places.length < recorder.frames.length) {
      places.push({ offset: this.offset, size: this.size })
      this.offset += this.size
      this.size = 0
    }
  }

  /** The frames, and for a stream the row of its end with the bytes that were not read. */
  rows(): readonly AlignedFrame[] {
    const { recorder, places, offset, source } = this
    const frames = recorder.frames.map(
      ({ events: _, ...frame }, at): AlignedFrame => ({ ...frame, ...(places[at] as (typeof places)[number]) }),
    )
    const last = frames.at(-1)
    if (last?.frame === 'body') return frames
    const rest = source.bytes.length - offset
    if (last?.frame === 'end') return [...frames.slice(0, -1), { ...last, size: last.size + rest }]
    return [...frames, { frame: 'end', offset, size: rest, event: '', data: '', deltas: [], isKept: false }]
  }
}
