import type { FastPath } from '../fast-path/fast-path.ts'
import type { DecoderKind } from '../fast-path/kept-shapes.ts'
import type { OpenFastPath } from '../fast-path/open-fast-path.ts'
import type { FastPathOptions, PassedChunks } from '../fast-path/options.ts'
import type { TemplateFields } from '../fast-path/patterns/pattern.ts'
import type { WriterState } from '../fast-path/slow-path.ts'
import type { Boundary } from '../framing/boundary.ts'
import type { Machine } from '../machine/machine.ts'
import { createPrinter, type Output, type Printer } from '../output/frame-printer.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { AnswerOptions, FrameOutput, TranslationOptions, TurnAnswer, UpstreamInput } from './answer.ts'
import type { Outcome } from './outcome.ts'
import { type Receiver, StreamPipeline } from './pipeline.ts'
import { type PipelineOptions, targetContextOf } from './reducer.ts'
import type { TurnSource, TurnStage } from './turns.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** The largest text, in bytes, that the fast path may keep back from the machines. */
const MOST_TEXT = 32 * 1024

/**
 * One answer: the pipeline, the fast path before it, and the output behind it, which is what the subclasses differ in.
 * A class, because closures cost more for each stream.
 */
export abstract class AnswerDriver<Piece, State = unknown, Out = unknown, Input = never, Command = never>
  implements TurnAnswer<Piece, Input, Command>
{
  readonly progress: StreamPipeline<State, Out>
  protected fastPath: FastPath | null = null

  /** `forgetsText`: nothing is written from texts that have passed. `frames`: left out unless the answer is passed on. */
  constructor(
    options: AnswerOptions,
    writer: Machine<State, Event, Out>,
    receiver: Receiver<Out>,
    turns?: TurnStage<Input, Command>,
    forgetsText?: boolean,
    frames?: FrameOutput,
  ) {
    this.progress = new StreamPipeline(options, writer, receiver, options.slice, turns, forgetsText, frames)
  }

  /** Returns the output since the last call. */
  protected abstract take(): Piece

  /** Whether work is left that is not the machines'. */
  protected abstract waits(): boolean

  /** Does a slice of that work. Returns true if the machines may go on. */
  protected abstract goOn(): boolean

  abstract outcome(): Outcome

  abstract discard(): void

  /** Begins a call, or a slice of it. */
  protected begin(): void {
    this.progress.refill()
  }

  push(input: UpstreamInput): Piece {
    this.begin()
    // A limit may have ended the answer before its input ended.
    if (!this.progress.turnOver()) this.read(input)
    return this.take()
  }

  private read(input: UpstreamInput): void {
    const { progress, fastPath } = this
    if (ArrayBuffer.isView(input)) {
      const bytes = progress.within(input)
      if (fastPath === null) progress.process(bytes)
      else fastPath.process(bytes)
      if (progress.exceeds(input.length)) this.stop()
    } else if (input !== 'end' && 'body' in input) progress.processBody(input.body)
    else {
      fastPath?.flush()
      if (progress.exceeds(0)) progress.stop()
      else if (input === 'end') progress.end()
      else progress.fail(input.error)
    }
  }

  busy(): boolean {
    const { progress } = this
    return progress.busy() || this.waits() || (this.fastPath?.waits() === true && !progress.turnOver())
  }

  resume(): Piece {
    this.begin()
    if (this.goOn()) this.resumeMachines()
    return this.take()
  }

  private resumeMachines(): void {
    const { progress, fastPath } = this
    progress.resume()
    if (fastPath?.waits() !== true || progress.turnOver() || progress.sliceOver()) return
    fastPath.process(NO_BYTES)
    if (progress.exceeds(0)) this.stop()
  }

  /** Ends an answer that exceeded a limit. */
  private stop(): void {
    this.fastPath?.flush()
    this.progress.stop()
  }

  kept(): number {
    return this.progress.kept()
  }

  apply(input: Input): { readonly piece: Piece; readonly commands: readonly Command[] } {
    this.begin()
    const commands = this.progress.apply(input) as readonly Command[]
    return { piece: this.take(), commands }
  }

  openTurn(source?: TurnSource): void {
    this.progress.openTurn(source)
  }

  texts(): readonly string[] {
    return this.progress.texts()
  }

  close(error?: GatewayError): Piece {
    this.begin()
    this.progress.closeTurns(error ?? null)
    return this.take()
  }
}

/** An answer as a stream, written as bytes. */
export class StreamAnswer<Input = never, Command = never>
  extends AnswerDriver<Uint8Array, WriterState, Output, Input, Command>
  implements FastPathOptions
{
  private options: TranslationOptions
  private readonly opener: OpenFastPath | null
  private readonly lend: boolean
  readonly coalesce: boolean
  private readonly hasTurns: boolean
  readonly printer: Printer
  readonly passed: PassedChunks | null

  /** `opener`: null if every chunk takes the slow path. `frames`: left out unless the answer is passed on. */
  constructor(
    options: TranslationOptions,
    opener: OpenFastPath | null,
    turns?: TurnStage<Input, Command>,
    forgetsText = false,
    frames?: FrameOutput & PassedChunks,
  ) {
    const { target, slice, inSlices, lend = false } = options
    const coalesce = target.coalesces && options.coalesce === true
    const openPrinter = slice === undefined ? createPrinter : (inSlices?.openPrinter ?? createPrinter)
    const printer = openPrinter()
    const writer = target.stream(targetContextOf(options), coalesce)
    super(options, writer, printer, turns, forgetsText, frames)
    this.options = options
    this.passed = frames ?? null
    this.hasTurns = turns !== undefined
    this.opener = opener
    this.lend = lend
    this.coalesce = coalesce
    this.printer = printer
    this.openFastPath()
  }

  private openFastPath(): void {
    const { opener, options, progress } = this
    this.fastPath = opener === null || options.wire.template === undefined ? null : opener(progress, this)
    progress.attach(this.fastPath)
  }

  /** Wires without these fields have no fast path. */
  get leaves(): TemplateFields {
    return this.options.wire.template as TemplateFields
  }

  get boundary(): Boundary {
    return this.options.wire.framing.boundary
  }

  get limit(): number {
    return (this.options.limits ?? LIMITS).upstreamEvent
  }

  get decoder(): DecoderKind | null {
    const { wire, quirks = {} } = this.options
    return this.hasTurns ? null : { decodeStream: wire.decodeStream, quirks }
  }

  get mostText(): number {
    return Math.min(MOST_TEXT, (this.options.limits ?? LIMITS).answerSize)
  }

  protected override begin(): void {
    const { progress, printer } = this
    printer.begin()
    progress.refill()
    if (!this.coalesce) return
    const position = progress.position()
    progress.move({ ...position, writerState: { ...position.writerState, open: false } })
  }

  protected take(): Uint8Array {
    return this.printer.take(this.lend)
  }

  protected waits(): boolean {
    return this.printer.waits()
  }

  protected goOn(): boolean {
    this.printer.resume()
    return !this.printer.waits()
  }

  override openTurn(source?: TurnSource): void {
    if (source !== undefined) this.options = { ...this.options, ...source }
    super.openTurn(source)
    this.openFastPath()
  }

  outcome(): Outcome {
    return withLosses(this.options, true, this.progress.outcome())
  }

  discard(): void {
    this.printer.discard()
  }
}

/** Adds the losses of the answer: content that the target cannot express. */
export function withLosses({ target }: Pick<PipelineOptions, 'target'>, streamed: boolean, outcome: Outcome): Outcome {
  const losses = outcome.answer === null ? [] : target.lossesOf(outcome.answer, outcome.served ?? {}, streamed)
  return losses.length === 0 ? outcome : { ...outcome, losses: [...new Set([...outcome.losses, ...losses])] }
}
