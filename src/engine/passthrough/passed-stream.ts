import type { OpenFastPath } from '../../fast-path/open-fast-path.ts'
import { type Frame, type FrameReader, jsonOf } from '../../framing/frame.ts'
import { splitFrame } from '../../framing/json-array.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { copied } from '../../text/bytes.ts'
import { isObject } from '../../text/json.ts'
import type { Steps } from '../../text/steps.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { AnswerProgress, Translation, TranslationOptions, UpstreamInput } from '../answer.ts'
import { StreamAnswer } from '../answer-driver.ts'
import { IN_SLICES } from '../in-slices.ts'
import type { Outcome } from '../outcome.ts'
import { type AnswerEditor, createEditor } from './edit-frames.ts'
import { passedEnding } from './ending.ts'
import { concat } from './frame-cutter.ts'
import { type PassedOutput, Reframed, SameBytes } from './passed-output.ts'
import { silentTarget } from './silent-target.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Frames of one read. `isProved`: as of `PassedOutput.add`. */
interface Part {
  readonly bytes: Uint8Array
  readonly isProved: boolean
}

/** The first event that the edits do not remove as unreadable; a proxy may have joined it with others in one frame. */
function firstEvent(frames: readonly Frame[]): { readonly value: JsonObject; readonly event: string } | null {
  for (const frame of frames) {
    const value = jsonOf(frame)
    if (isObject(value)) return { value: value as JsonObject, event: frame.event }
    const joined = firstEvent(splitFrame(frame))
    if (joined !== null) return joined
  }
  return null
}

/** The number of steps of editing that one slice runs. */
const EDITS = 8

/**
 * Passes a stream to a client of the same protocol: the upstream's own bytes, with the declared edits. The machines of a
 * translation read the answer beside it, for its limits, its outcome and its end.
 */
export class PassedStream implements Translation {
  private readonly options: TranslationOptions
  private readonly answers: AnswerPassthrough
  private readonly opener: OpenFastPath | null
  private readonly editor: AnswerEditor
  /** Reads the answer. It writes only an answer that arrived as a whole body, which is translated. */
  private reader: StreamAnswer
  private isTranslated = false
  private output: PassedOutput | null = null
  // The bytes that the reader has received and the client has not.
  private waiting: Uint8Array[] | null = null
  // The search for the first event: its reader, how many of the waiting reads it has, and the frames that were none.
  private firstReader: FrameReader | null = null
  private searched = 0
  private unreadable = 0
  // The edits in progress.
  private editing: Steps<Uint8Array> | null = null
  // The end of the input.
  private closing: Exclude<UpstreamInput, Uint8Array | { readonly body: string }> | null = null
  private isClosed = false
  private discards = false

  /** `opener`: null if every chunk takes the slow path. `forgetsText`: the outcome needs no text of the answer. */
  constructor(
    options: TranslationOptions,
    answers: AnswerPassthrough,
    opener: OpenFastPath | null,
    forgetsText = false,
  ) {
    this.options = { inSlices: IN_SLICES, ...options }
    this.answers = answers
    this.opener = opener
    this.editor = createEditor(options, answers)
    const silent = { ...this.options, target: silentTarget(options.target) }
    this.reader = new StreamAnswer(silent, opener, undefined, forgetsText)
    this.reader.progress.takeSlowPieces()
  }

  get progress(): AnswerProgress {
    return this.reader.progress
  }

  push(input: UpstreamInput): Uint8Array {
    if (this.isTranslated) return this.reader.push(input)
    if (ArrayBuffer.isView(input)) return this.receive(input)
    if (input === 'end') {
      const body = this.reader.progress.bareBody()
      if (body !== null && body.error === null) return this.translate().push({ body: body.text })
    } else if ('body' in input) return this.translate().push(input)
    this.closing = input
    this.reader.push(input)
    return this.settle(NO_BYTES)
  }

  private receive(input: Uint8Array): Uint8Array {
    const { reader } = this
    const { progress } = reader
    if (this.isClosed || progress.over()) return NO_BYTES
    const bytes = progress.within(input)
    reader.push(input)
    // Before its first event, a stream may turn out to be the body of a failure, or one that clients cannot read.
    const waits = this.output === null && progress.slowCount() === this.unreadable && !progress.over()
    if (reader.busy() || waits) {
      this.waiting ??= []
      this.waiting.push(copied(bytes))
      return NO_BYTES
    }
    const passed = this.settle(bytes)
    return this.options.lend === true ? passed : copied(passed)
  }

  private translate(): StreamAnswer {
    this.isTranslated = true
    this.waiting = null
    this.reader = new StreamAnswer(this.options, this.opener)
    if (this.discards) this.reader.discard()
    return this.reader
  }

  discard(): void {
    this.discards = true
    this.reader.discard()
  }

  busy(): boolean {
    return this.reader.busy() || this.editing !== null
  }

  resume(): Uint8Array {
    if (this.isTranslated) return this.reader.resume()
    if (this.reader.busy()) this.reader.resume()
    return this.settle(NO_BYTES)
  }

  kept(): number {
    return this.reader.kept()
  }

  outcome(): Outcome {
    const outcome = this.reader.outcome()
    // Content that the machines do not model reaches the client all the same.
    return this.isTranslated ? outcome : { ...outcome, losses: [], edits: this.editor.edits() }
  }

  /** Returns the output for the waiting bytes and the last ones that the reader has read, as soon as no work is left. */
  private settle(last: Uint8Array): Uint8Array {
    if (this.reader.busy()) return NO_BYTES
    const passed = this.editing === null ? this.take(last) : this.goOn(this.editing)
    if (this.editing !== null || this.isClosed || this.isTranslated) return passed
    // Nothing follows the end of the answer, also if its upstream keeps the connection open.
    if (this.editor.sent.isOver) this.reader.push('end')
    if (this.reader.busy() || !this.progress.over()) return passed
    this.isClosed = true
    return this.goOn(this.finish(passed))
  }

  private take(last: Uint8Array): Uint8Array {
    const { progress } = this.reader
    const { sent } = this.editor
    if (this.discards) {
      this.waiting = null
      progress.takeSlowPieces()
      return NO_BYTES
    }
    const isReadable = this.output === null ? this.isReadable(last) : true
    if (isReadable === null && this.closing === null && !progress.over()) return this.waitFor(last)
    const bytes = this.waiting === null ? last : concat([...this.waiting, last])
    this.waiting = null
    if (bytes.length === 0) return NO_BYTES
    if (isReadable === false) return this.translateAll(bytes)
    const slow = progress.takeSlowPieces()
    this.output ??= this.createOutput(bytes)
    // Of a read in which a limit ends the answer, the machines have not read all frames.
    const isRead = !progress.over() || progress.lastFrame() !== null
    const parts = isRead && slow.length > 0 ? this.partsOf(bytes, slow) : null
    if (parts !== null) return this.goOn(this.addParts(this.output, parts))
    const added = this.output.add(bytes, isRead && slow.length === 0 && sent.ending === null)
    if (!(added instanceof Uint8Array)) return this.goOn(added)
    sent.skip(added)
    return added
  }

  /** Keeps bytes before the first event. */
  private waitFor(last: Uint8Array): Uint8Array {
    this.unreadable = this.reader.progress.slowCount()
    this.waiting ??= []
    if (last.length > 0) this.waiting.push(copied(last))
    this.searched = this.waiting.length
    return NO_BYTES
  }

  /**
   * Divides a read into the frames that took the fast path, and those that did not: of many, often only the first or the
   * last ones. Returns null if all of them are to be examined.
   */
  private partsOf(bytes: Uint8Array, slow: readonly Uint8Array[]): readonly Part[] | null {
    const own = copied(bytes)
    const parts: Part[] = []
    let from = 0
    const add = (to: number, isProved: boolean): void => {
      if (to > from) parts.push({ bytes: own.subarray(from, to), isProved })
      from = to
    }
    for (const piece of slow) {
      const at = piece.byteOffset - bytes.byteOffset
      const isInside = piece.buffer === bytes.buffer && at >= from && at + piece.length <= bytes.length
      if (!isInside) return null
      add(at, true)
      add(at + piece.length, false)
    }
    // The machines have not read what follows the end.
    add(bytes.length, !this.reader.progress.over())
    return parts
  }

  private *addParts(output: PassedOutput, parts: readonly Part[]): Steps<Uint8Array> {
    const { sent } = this.editor
    const pieces: Uint8Array[] = []
    for (const { bytes, isProved } of parts) {
      const added = output.add(bytes, isProved && sent.ending === null)
      if (added instanceof Uint8Array) {
        sent.skip(added)
        pieces.push(copied(added))
        continue
      }
      pieces.push(yield* added)
      if (sent.isOver) break
    }
    return concat(pieces)
  }

  /** Translates what has arrived: only the end of the input may show that clients cannot read it. */
  private translateAll(bytes: Uint8Array): Uint8Array {
    const { closing } = this
    const reader = this.translate()
    const first = copied(reader.push(bytes))
    return closing === null ? first : concat([first, reader.push(closing)])
  }

  /** Whether clients read a stream: the first event that they receive decides. Null: there is none so far. */
  private isReadable(last: Uint8Array): boolean | null {
    const { answers, options, closing } = this
    if (answers.begins === undefined) return true
    this.firstReader ??= options.wire.framing.open((options.limits ?? LIMITS).upstreamEvent)
    const frames = [...(this.waiting ?? []).slice(this.searched), last].flatMap(
      (bytes) => this.firstReader?.push(bytes) ?? [],
    )
    const first = firstEvent([...frames, ...(closing === 'end' ? this.firstReader.end() : [])])
    return first === null ? null : answers.begins(first.value, first.event)
  }

  private goOn(steps: Steps<Uint8Array>): Uint8Array {
    if (this.discards) {
      this.editing = null
      return NO_BYTES
    }
    this.editing = steps
    const isSliced = this.options.slice !== undefined
    for (let i = 0; i < EDITS || !isSliced; i += 1) {
      const { done, value } = steps.next()
      if (done !== true) continue
      this.editing = null
      return value
    }
    return NO_BYTES
  }

  private *finish(passed: Uint8Array): Steps<Uint8Array> {
    const { options, answers, reader, editor } = this
    this.output ??= this.createOutput(NO_BYTES)
    const rest = editor.sent.isOver ? NO_BYTES : yield* this.output.rest(this.closing === 'end')
    const { before, keepsHeld, after } = passedEnding(options, answers, editor.sent, reader.outcome())
    const ending = { before: yield* editor.hidden(before), keepsHeld, after: yield* editor.hidden(after) }
    return concat([passed, rest, this.output.close(ending)])
  }

  private createOutput(first: Uint8Array): PassedOutput {
    const { wire, target, limits = LIMITS } = this.options
    const { framing } = wire
    const hasFormat = framing.format === target.format
    // The upstream of Gemini may answer with an array.
    const isFramed = framing.boundary.begins(first) !== false
    return hasFormat && isFramed
      ? new SameBytes(framing, this.editor)
      : new Reframed(framing, target.format, this.editor, limits.upstreamEvent)
  }
}
