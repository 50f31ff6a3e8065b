import { FORMATS, type FormatName } from '../../framing/format.ts'
import { type Frame, type FrameReader, isDone, jsonOf } from '../../framing/frame.ts'
import type { Framing } from '../../framing/framing.ts'
import { splitFrame } from '../../framing/json-array.ts'
import { copied } from '../../text/bytes.ts'
import type { Steps } from '../../text/steps.ts'
import { type AnswerEditor, writeFrame } from './edit-frames.ts'
import type { PassedEnding } from './ending.ts'
import { concat, FrameCutter } from './frame-cutter.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)
const encoder = new TextEncoder()
const COMMENT = encoder.encode(':\n')

/** The bytes of an upstream, as they are sent to the client: in whole frames, with the edits. */
export interface PassedOutput {
  /**
   * The frames that these bytes complete, which may be lent as by `OutputBuffer.take`; as steps if they are examined.
   * `isProved`: each of them has only the text of a delta, and there are no other bytes either, such as comments.
   */
  add(bytes: Uint8Array, isProved: boolean): Uint8Array | Steps<Uint8Array>
  /**
   * The remaining frames: in line endings that no vendor uses and, if the upstream has ended its stream, without an end.
   */
  rest(hasEnded: boolean): Steps<Uint8Array>
  close(ending: PassedEnding): Uint8Array
}

const isWhole = (frame: Frame): boolean => isDone(frame) || jsonOf(frame) !== undefined

/** The whole frames in a frame without its end, which may be several that a proxy joined. */
const wholeIn = (frame: Frame): readonly Frame[] => (isWhole(frame) ? [frame] : splitFrame(frame).flatMap(wholeIn))

/** Sends the upstream's own bytes. */
export class SameBytes implements PassedOutput {
  private readonly framing: Framing
  private readonly editor: AnswerEditor
  private readonly cutter: FrameCutter
  /** Of the incomplete frame. */
  private isProvedSoFar = true
  private hasBegun = false

  constructor(framing: Framing, editor: AnswerEditor) {
    this.framing = framing
    this.editor = editor
    this.cutter = new FrameCutter(framing)
  }

  add(bytes: Uint8Array, isProved: boolean): Uint8Array | Steps<Uint8Array> {
    const { framing, cutter, editor } = this
    const allProved = isProved && this.isProvedSoFar
    const isFinal = allProved && !editor.examinesFast()
    // Most reads of a stream are whole frames with text.
    if (isFinal && cutter.isEmpty() && framing.boundary.closes(bytes)) {
      this.hasBegun = true
      return bytes
    }
    const frames = cutter.add(bytes)
    this.hasBegun ||= frames.length > 0
    this.isProvedSoFar = cutter.isEmpty() || (frames.length > 0 ? isProved : allProved)
    if (frames.length === 0 || isFinal) return frames
    // The memory of the frames is lent, and edits may go on in a later slice.
    return editor.frames(framing, copied(frames))
  }

  rest(hasEnded: boolean): Steps<Uint8Array> {
    const reader = this.framing.open(Number.MAX_SAFE_INTEGER)
    // Only the beginning of a stream decides whether it is bare JSON.
    if (this.hasBegun && this.framing.format === 'sse') reader.push(COMMENT)
    const frames = [...reader.push(this.cutter.rest()), ...(hasEnded ? reader.end() : [])]
    return this.editor.written(this.framing, frames.flatMap(wholeIn))
  }

  close({ before, keepsHeld, after }: PassedEnding): Uint8Array {
    const write = (frame: Frame): Uint8Array => writeFrame(frame, this.framing.format)
    const held = keepsHeld ? this.editor.sent.held : NO_BYTES
    return concat([...before.map(write), held, ...after.map(write)])
  }
}

/** Sends the upstream's frames in another format. */
export class Reframed implements PassedOutput {
  private readonly editor: AnswerEditor
  private readonly reader: FrameReader
  private readonly write: (typeof FORMATS)[FormatName]['write']
  private state: boolean

  constructor(framing: Framing, format: FormatName, editor: AnswerEditor, limit: number) {
    this.editor = editor
    this.reader = framing.open(limit)
    this.write = FORMATS[format].write
    this.state = this.write.initial
  }

  add(bytes: Uint8Array): Steps<Uint8Array> {
    return this.written(this.reader.push(bytes))
  }

  rest(hasEnded: boolean): Steps<Uint8Array> {
    return this.written(hasEnded ? this.reader.end().flatMap(wholeIn) : [])
  }

  private *written(frames: readonly Frame[]): Steps<Uint8Array> {
    return concat(yield* this.editor.each(frames, (frame) => this.step(frame)))
  }

  close({ before, keepsHeld, after }: PassedEnding): Uint8Array {
    const write = (frame: Frame): Uint8Array => this.step(frame)
    const held = keepsHeld ? this.editor.sent.held : NO_BYTES
    const pieces = [...before.map(write), held, ...after.map(write)]
    return concat([...pieces, encoder.encode(this.write.end(this.state).join(''))])
  }

  private step(frame: Frame): Uint8Array {
    const { state, events } = this.write.step(this.state, frame)
    this.state = state
    return encoder.encode(events.join(''))
  }
}
