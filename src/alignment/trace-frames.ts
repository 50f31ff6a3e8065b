import { type CheckViolation, inspectStream } from '../dialects/check-stream.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { openaiReasoningText } from '../dialects/openai.ts'
import type { Translation } from '../engine/answer.ts'
import type { Outcome } from '../engine/outcome.ts'
import { clockOf } from '../engine/reducer.ts'
import { dialectTarget } from '../engine/target.ts'
import { createTranslation, streamWholeBody } from '../engine/translation.ts'
import { splitFrames } from '../framing/framing.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { Head } from '../protocol/response.ts'
import { runSteps } from '../text/steps.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { FrameRecorder, type RecordedFrame } from './frame-recorder.ts'
import type { NamedTarget } from './named-target.ts'

interface TraceOptions {
  readonly wire: StreamWire
  readonly quirks: Quirks
  readonly head: Head
  readonly target: NamedTarget
  /** Switches the fast path off. */
  readonly slow: boolean
}

export type EnginePath = 'fast' | 'slow'

/** One frame of a recording with its deltas, its events and the text written for it. */
export interface TracedFrame extends Pick<RecordedFrame, 'frame' | 'event' | 'data'> {
  /** Start of the read that completed the frame, and the size of that read, in bytes of the recording. */
  readonly offset: number
  readonly size: number
  readonly path: EnginePath
  readonly deltas: readonly Delta[]
  readonly events: readonly Event[]
  /** The text that the target writes for the frame. If a read completes several frames, the last one has all of it. */
  readonly written: string
}

/** A violation with the frame that caused it; null if it concerns the whole stream. */
type TracedViolation = CheckViolation & { readonly frame: TracedFrame['frame'] | null }

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
  const recorder = new FrameRecorder({ ...options, target: target.target })
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
  let traced = 0

  const trace = (size: number, receive: (of: Translation) => Uint8Array): void => {
    const written = receive(translation)
    const taken = translation.outcome().chunks.fast
    const recorded = recorder.frames.slice(traced)
    const frames = tracedFrames(recorded, offset, size, taken > fast ? 'fast' : 'slow', decodeText(written))
    traced = recorder.frames.length
    const last = frames.at(-1)
    checked.add(decodeText(receive(checked.translation)), last?.frame ?? null)
    if (!isSame(receive(plain), written) && last !== undefined) differences.push(last.frame)
    for (const frame of frames) report(frame)
    fast = taken
    offset += size
  }
  for (const read of splitFrames(wire.framing, bytes)) {
    if (recorder.stream.over()) break
    runSteps(recorder.read(read))
    trace(read.length, (of) => of.push(read))
  }
  runSteps(recorder.end())
  trace(0, (of) => of.push('end'))
  return { ...checked.inspect(), outcome: translation.outcome(), differences }
}

/** Does the same for a whole body, which is one frame and has no fast path. */
export function traceBody(options: TraceOptions, bytes: Uint8Array, report: (traced: TracedFrame) => void): TraceEnd {
  const { wire, quirks, head, target } = options
  const body = decodeText(bytes)
  const recorder = new FrameRecorder({ ...options, target: target.target })
  const checked = new CheckedText(options)
  const { bytes: written, outcome } = streamWholeBody(
    { wire, quirks, head, now: clockOf(head), target: target.target },
    body,
  )
  runSteps(recorder.readBody(body))
  for (const frame of tracedFrames(recorder.frames, 0, bytes.length, 'slow', decodeText(written))) report(frame)
  checked.add(decodeText(checked.translation.push({ body })), 'body')
  return { ...checked.inspect(), outcome, differences: [] }
}

const tracedFrames = (
  recorded: readonly RecordedFrame[],
  offset: number,
  size: number,
  path: EnginePath,
  written: string,
): readonly TracedFrame[] =>
  recorded.map(({ frame, event, data, deltas, events }, at) => ({
    frame,
    event,
    data,
    deltas,
    events: events.flatMap((one) => one.event ?? []),
    offset,
    size,
    path,
    written: at === recorded.length - 1 ? written : '',
  }))

const isSame = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, at) => byte === b[at])

const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

function withoutTemplate({ template: _, ...wire }: StreamWire): StreamWire {
  return wire
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
