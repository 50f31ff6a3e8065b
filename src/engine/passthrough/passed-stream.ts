import { getOrCreate } from '../../collections/get-or-create.ts'
import type { OpenFastPath } from '../../fast-path/open-fast-path.ts'
import type { Steps } from '../../text/steps.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import type { TranslationOptions } from '../answer.ts'
import { StreamAnswer } from '../answer-driver.ts'
import { IN_SLICES } from '../in-slices.ts'
import type { Outcome } from '../outcome.ts'
import { PassedFrames } from './passed-frames.ts'
import { SILENT_WRITER } from './silent-writer.ts'

/** The number of steps of the end that one slice runs. */
const ENDS = 8

/** Memory of the process, because streams of the same quirks share a decoder. */
const PASSED = new WeakMap<Quirks, Quirks>()

const NO_QUIRKS: Quirks = {}

const passedQuirks = (quirks = NO_QUIRKS): Quirks =>
  getOrCreate(PASSED, quirks, () => ({ ...quirks, passedAnswer: true }))

/**
 * Passes a stream to a client of the same protocol: the upstream's own frames, with the declared edits. The machines of
 * a translation read the answer for its limits and its outcome. A stream that its clients could not read is translated.
 */
export class PassedStream extends StreamAnswer {
  private readonly frames: PassedFrames
  private readonly isSliced: boolean
  private closing: Steps<void> | null = null
  private isClosed = false

  /** `opener`: null if every chunk takes the slow path. `forgetsText`: the outcome needs no text of the answer. */
  constructor(
    options: TranslationOptions,
    answers: AnswerPassthrough,
    opener: OpenFastPath | null,
    forgetsText = false,
  ) {
    const sliced: TranslationOptions = { inSlices: IN_SLICES, ...options, quirks: passedQuirks(options.quirks) }
    const { wire, target } = options
    const frames = new PassedFrames(sliced, answers)
    // A chunk of the fast path is sent in the format in which it came.
    const isFast = wire.framing.format === target.format
    super(sliced, isFast ? opener : null, undefined, forgetsText, frames)
    frames.attach(this.printer, () => this.progress.writeWith(SILENT_WRITER))
    this.frames = frames
    this.isSliced = options.slice !== undefined
  }

  protected override take(): Uint8Array {
    const { progress } = this
    if (!this.isClosed && progress.over() && !progress.busy()) {
      this.isClosed = true
      this.closing = this.lastFrames()
      this.goOnClosing()
    }
    return super.take()
  }

  private lastFrames(): Steps<void> {
    const { error } = this.progress.outcome()
    return this.frames.close(this.progress.position().upstream, error, this.fastPath?.lastChunk() ?? '')
  }

  private goOnClosing(): void {
    for (let i = 0; this.closing !== null && (i < ENDS || !this.isSliced); i += 1) {
      if (this.closing.next().done === true) this.closing = null
      if (this.printer.waits()) return
    }
  }

  protected override waits(): boolean {
    return this.closing !== null || super.waits()
  }

  protected override goOn(): boolean {
    if (!super.goOn()) return false
    this.goOnClosing()
    return this.closing === null
  }

  override discard(): void {
    super.discard()
    this.closing = null
    this.isClosed = true
  }

  override outcome(): Outcome {
    if (!this.frames.isPassed) return super.outcome()
    // Content that the machines do not model reaches the client all the same.
    const { editor } = this.frames
    return { ...this.progress.outcome(), losses: editor.losses(), edits: editor.edits() }
  }
}
