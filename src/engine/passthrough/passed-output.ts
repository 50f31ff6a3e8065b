import { FORMATS, type FormatName, formatOfFraming } from '../../framing/format.ts'
import { type Frame, type FrameReader, isDone, jsonOf } from '../../framing/frame.ts'
import { FRAMINGS, type FramingName } from '../../framing/registry.ts'
import { copied } from '../../text/bytes.ts'
import type { Steps } from '../../text/steps.ts'
import { type AnswerEditor, writeFrame } from './edit-frames.ts'
import { concat, eachFrame, FrameCutter, lastFrameOf } from './frame-cutter.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)
const encoder = new TextEncoder()

/** The bytes of an upstream, as they are sent to the client: in whole frames, with the edits. */
export interface PassedOutput {
  /**
   * The frames that these bytes complete, which may be lent as by `OutputBuffer.take`. `isPlain`: each of them has only
   * the text of a delta. `isProved`: there are no other bytes either, such as comments.
   */
  add(bytes: Uint8Array, isPlain: boolean, isProved: boolean): Uint8Array | Steps<Uint8Array>
  /** Ends the output with this frame, which is the terminal event of the protocol: nothing is written after it. */
  endAt(frame: Frame): void
  /** Frames that the upstream did not terminate, or in line endings that no vendor uses. */
  rest(): Steps<Uint8Array>
  /** The last frame that was written, but for those of plain reads; null if there is none. */
  last(): Frame | null
  /** Writes frames that the gateway adds, and the end of the stream. */
  close(frames: readonly Frame[]): Uint8Array
}

/** Whether a frame without its end is whole. */
const isWhole = (frame: Frame): boolean => isDone(frame) || jsonOf(frame) !== undefined

/** The frames up to the terminal event; all of them if it is not among them. */
function upToFrame(frames: readonly Frame[], terminal: Frame | null): readonly Frame[] {
  const at = terminal === null ? -1 : frames.findIndex((frame) => isSame(frame, terminal))
  return at < 0 ? frames : frames.slice(0, at + 1)
}

const isSame = (one: Frame, other: Frame): boolean => one.data === other.data && one.event === other.event

/** Sends the upstream's own bytes. */
export class SameBytes implements PassedOutput {
  private readonly framing: FramingName
  private readonly editor: AnswerEditor
  private readonly cutter: FrameCutter
  private lastBytes = NO_BYTES
  private terminal: Frame | null = null
  // Of the incomplete frame.
  private isPlainSoFar = true
  private isProvedSoFar = true

  constructor(framing: FramingName, editor: AnswerEditor) {
    this.framing = framing
    this.editor = editor
    this.cutter = new FrameCutter(framing)
  }

  add(bytes: Uint8Array, isPlain: boolean, isProved: boolean): Uint8Array | Steps<Uint8Array> {
    const { framing, cutter, editor } = this
    const allPlain = isPlain && this.isPlainSoFar
    const allProved = isProved && this.isProvedSoFar
    const isFinal = allProved && !editor.hasSecrets()
    // Most reads of a stream are whole frames with text.
    if (isFinal && cutter.isEmpty() && FRAMINGS[framing].boundary.closes(bytes)) return bytes
    const added = cutter.add(bytes)
    const frames = this.terminal === null ? added : this.upTo(added, this.terminal)
    this.isPlainSoFar = cutter.isEmpty() || (frames.length > 0 ? isPlain : allPlain)
    this.isProvedSoFar = cutter.isEmpty() || (frames.length > 0 ? isProved : allProved)
    if (frames.length === 0 || isFinal) return frames
    if (!allPlain) this.lastBytes = lastFrameOf(framing, frames)
    // The memory of the frames is lent, and edits may go on in a later slice.
    return editor.frames(framing, copied(frames))
  }

  endAt(frame: Frame): void {
    this.terminal = frame
  }

  /** Returns the whole frames up to this one. If it is not among them, it is in the rest. */
  private upTo(frames: Uint8Array, terminal: Frame): Uint8Array {
    let end = 0
    for (const piece of eachFrame(this.framing, frames)) {
      end += piece.length
      // A frame has no fewer bytes than its data has characters.
      if (piece.length < terminal.data.length) continue
      const [found] = this.open().push(piece)
      if (found === undefined || !isSame(found, terminal)) continue
      this.cutter.rest()
      return frames.subarray(0, end)
    }
    return frames
  }

  *rest(): Steps<Uint8Array> {
    const reader = this.open()
    const pieces: Uint8Array[] = []
    for (const frame of upToFrame([...reader.push(this.cutter.rest()), ...reader.end()], this.terminal).filter(
      isWhole,
    )) {
      const edited = yield* this.editor.editFrame(frame)
      if (edited !== null) pieces.push(writeFrame(edited, formatOfFraming(this.framing)))
      yield
    }
    this.lastBytes = pieces.at(-1) ?? this.lastBytes
    return concat(pieces)
  }

  last(): Frame | null {
    return this.open().push(this.lastBytes).at(-1) ?? null
  }

  close(frames: readonly Frame[]): Uint8Array {
    return concat(frames.map((frame) => writeFrame(frame, formatOfFraming(this.framing))))
  }

  private open(): FrameReader {
    return FRAMINGS[this.framing].open(Number.MAX_SAFE_INTEGER)
  }
}

/** Sends the upstream's frames in another format. */
export class Reframed implements PassedOutput {
  private readonly editor: AnswerEditor
  private readonly reader: FrameReader
  private readonly write: (typeof FORMATS)[FormatName]['write']
  private state: boolean
  private lastFrame: Frame | null = null
  private terminal: Frame | null = null

  constructor(framing: FramingName, format: FormatName, editor: AnswerEditor, limit: number) {
    this.editor = editor
    this.reader = FRAMINGS[framing].open(limit)
    this.write = FORMATS[format].write
    this.state = this.write.initial
  }

  add(bytes: Uint8Array): Steps<Uint8Array> {
    return this.written(upToFrame(this.reader.push(bytes), this.terminal))
  }

  endAt(frame: Frame): void {
    this.terminal = frame
  }

  rest(): Steps<Uint8Array> {
    return this.terminal === null ? this.written(this.reader.end().filter(isWhole)) : this.written([])
  }

  private *written(frames: readonly Frame[]): Steps<Uint8Array> {
    const pieces: Uint8Array[] = []
    for (const frame of frames) {
      const edited = yield* this.editor.editFrame(frame)
      if (edited !== null) pieces.push(this.step(edited))
      yield
    }
    return concat(pieces)
  }

  last(): Frame | null {
    return this.lastFrame
  }

  close(frames: readonly Frame[]): Uint8Array {
    return concat([...frames.map((frame) => this.step(frame)), encoder.encode(this.write.end(this.state).join(''))])
  }

  private step(frame: Frame): Uint8Array {
    const { state, events } = this.write.step(this.state, frame)
    this.state = state
    this.lastFrame = frame
    return encoder.encode(events.join(''))
  }
}
