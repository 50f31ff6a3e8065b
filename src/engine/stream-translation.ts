import type { FastPath } from '../fast-path/fast-path.ts'
import type { OpenFastPath } from '../fast-path/open-fast-path.ts'
import type { WriterState } from '../fast-path/slow-path.ts'
import type { Frame } from '../framing/frame.ts'
import { FRAMINGS } from '../framing/registry.ts'
import { createPrinter, type Output, type Printer } from '../output/frame-printer.ts'
import type { GatewayError } from '../protocol/error.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { Expected, TranslationOptions, TurnAnswer } from './answer.ts'
import type { BareBody } from './bare-body.ts'
import type { Outcome } from './outcome.ts'
import { StreamPipeline } from './pipeline.ts'
import { targetContextOf } from './reducer.ts'
import type { TurnMachine, TurnSource } from './turns.ts'

const NO_BYTES = new Uint8Array(0)

/** The largest text, in bytes, that the fast path may keep back from the machines. */
const MOST_TEXT = 32 * 1024

/** The pipeline of one stream, its fast path and its printer. A class, because closures cost more for each stream. */
export class StreamTranslation<Input, Command> implements TurnAnswer<Uint8Array, Input, Command> {
  private options: TranslationOptions
  private readonly opener: OpenFastPath | null
  private readonly lend: boolean
  private readonly coalesce: boolean
  private readonly hasTurns: boolean
  private readonly printer: Printer
  private readonly stream: StreamPipeline<WriterState, Output>
  private fastPath: FastPath | null
  /** Chunks on the fast path in earlier turns. */
  private fastBefore = 0

  /** `opener`: null if every chunk takes the slow path. `forgetsText`: nothing is written from texts that have passed. */
  constructor(
    options: TranslationOptions,
    opener: OpenFastPath | null,
    turns?: TurnMachine<Input, Command>,
    forgetsText = false,
  ) {
    const { target, slice, lend = false } = options
    const coalesce = target.coalesces && options.coalesce === true
    this.options = options
    this.hasTurns = turns !== undefined
    this.opener = opener
    this.lend = lend
    this.coalesce = coalesce
    const printer = createPrinter(slice !== undefined)
    this.printer = printer
    const writer = target.stream(targetContextOf(options), coalesce)
    this.stream = new StreamPipeline(options, writer, (output) => printer.emit(output), slice, turns, forgetsText)
    this.fastPath = this.openFastPath()
  }

  private openFastPath(): FastPath | null {
    const { wire, quirks = {}, limits = LIMITS } = this.options
    const { template, framing } = wire
    if (template === undefined || this.opener === null) return null
    return this.opener(this.stream, {
      printer: this.printer,
      coalesce: this.coalesce,
      leaves: template,
      boundary: FRAMINGS[framing].boundary,
      limit: limits.upstreamEvent,
      decoder: this.hasTurns ? null : { decodeStream: wire.decodeStream, quirks },
      mostText: Math.min(MOST_TEXT, limits.answerSize),
    })
  }

  receive(bytes: Uint8Array): Uint8Array {
    const { stream, fastPath } = this
    if (stream.turnOver()) return NO_BYTES
    this.begin()
    const read = stream.within(bytes)
    if (fastPath === null) stream.process(read)
    else fastPath.process(read)
    if (stream.exceeds(bytes.length)) this.stop()
    return this.printer.take(this.lend)
  }

  bareBody(): BareBody | null {
    return this.stream.bareBody()
  }

  receiveBody(body: string): Uint8Array {
    this.begin()
    this.stream.processBody(body)
    return this.printer.take(this.lend)
  }

  end(): Uint8Array {
    if (this.stream.turnOver()) return NO_BYTES
    this.flush()
    if (this.stream.exceeds(0)) this.stream.stop()
    else this.stream.end()
    return this.printer.take(this.lend)
  }

  fail(error: GatewayError): Uint8Array {
    if (this.stream.turnOver()) return NO_BYTES
    this.flush()
    if (this.stream.exceeds(0)) this.stream.stop()
    else this.stream.fail(error)
    return this.printer.take(this.lend)
  }

  discard(): void {
    this.printer.discard()
  }

  busy(): boolean {
    return this.stream.busy() || this.printer.waits() || (this.fastPath?.waits() === true && !this.stream.turnOver())
  }

  resume(): Uint8Array {
    this.begin()
    this.printer.resume()
    if (!this.printer.waits()) this.resumeMachines()
    return this.printer.take(this.lend)
  }

  private resumeMachines(): void {
    const { stream, fastPath } = this
    stream.resume()
    if (fastPath?.waits() !== true || stream.turnOver() || stream.spent()) return
    fastPath.process(NO_BYTES)
    if (stream.exceeds(0)) this.stop()
  }

  over(): boolean {
    return this.stream.over()
  }

  /** The number of frames that did not take the fast path so far. */
  slowCount(): number {
    return this.stream.slowCount()
  }

  /** The number of pieces that did not take the fast path so far, which may have only comments. */
  slowReads(): number {
    return this.stream.slowReads()
  }

  /** The number of frames that took the fast path so far. */
  fastCount(): number {
    return this.fastBefore + (this.fastPath?.fastCount() ?? 0)
  }

  begun(): boolean {
    return this.stream.begun()
  }

  kept(): number {
    return this.stream.kept() + (this.fastPath?.waitingText() ?? 0)
  }

  outcome(): Outcome {
    const { fastPath, stream, options } = this
    fastPath?.syncMachines()
    return withLosses(options, true, stream.outcome(this.fastCount()))
  }

  remainder(): Expected {
    return this.stream.remainder()
  }

  changes(): number {
    return this.stream.changes() + this.fastCount()
  }

  lastFrame(): Frame | null {
    return this.stream.lastFrame()
  }

  apply(input: Input): { readonly piece: Uint8Array; readonly commands: readonly Command[] } {
    this.begin()
    const commands = this.stream.apply(input) as readonly Command[]
    return { piece: this.printer.take(this.lend), commands }
  }

  openTurn(source?: TurnSource): void {
    this.fastBefore += this.fastPath?.fastCount() ?? 0
    if (source !== undefined) this.options = { ...this.options, ...source }
    this.stream.openTurn(source)
    this.fastPath = this.openFastPath()
  }

  texts(): readonly string[] {
    return this.stream.texts()
  }

  close(error?: GatewayError): Uint8Array {
    this.begin()
    this.stream.closeTurns(error ?? null)
    return this.printer.take(this.lend)
  }

  private begin(): void {
    const { stream, printer } = this
    printer.begin()
    stream.refill()
    if (!this.coalesce) return
    const position = stream.position()
    stream.move({ ...position, writerState: { ...position.writerState, open: false } })
  }

  private flush(): void {
    this.begin()
    this.fastPath?.flush()
  }

  /** Ends a stream that exceeded a limit. */
  private stop(): void {
    this.fastPath?.flush()
    this.stream.stop()
  }
}

/** Adds the losses of the answer: content that the target cannot express. */
export function withLosses(
  { target }: Pick<TranslationOptions, 'target'>,
  streamed: boolean,
  outcome: Outcome,
): Outcome {
  const losses = outcome.answer === null ? [] : target.lossesOf(outcome.answer, outcome.served ?? {}, streamed)
  return losses.length === 0 ? outcome : { ...outcome, losses: [...new Set([...outcome.losses, ...losses])] }
}
