import type { Frame } from '../framing/frame.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { AnswerOptions, BodyCollector, Expected, TurnAnswer } from './answer.ts'
import type { Outcome } from './outcome.ts'
import { StreamPipeline } from './pipeline.ts'
import { targetContextOf } from './reducer.ts'
import { SlicedBody } from './sliced-body.ts'
import { withLosses } from './stream-translation.ts'
import type { TurnMachine, TurnSource } from './turns.ts'

/** Collects one answer, from a stream or a whole body, into the body of the target. */
export const createBodyCollector = (options: AnswerOptions): BodyCollector => new PipelineCollector(options)

/** As `createBodyCollector`, for an answer that is made from several upstream answers. */
export const createTurnCollector = <Input, Command>(
  options: AnswerOptions,
  turns: TurnMachine<Input, Command>,
): BodyCollector & TurnAnswer<void, Input, Command> => new PipelineCollector(options, turns)

/** Translates a whole upstream body to the body of the target. */
export function translateWholeBody(options: AnswerOptions, text: string): { body: JsonObject; outcome: Outcome } {
  const { slice: _, ...whole } = options
  const collector = createBodyCollector(whole)
  collector.receiveBody(text)
  return { body: collector.body(), outcome: collector.outcome() }
}

class PipelineCollector<Input, Command> implements BodyCollector, TurnAnswer<void, Input, Command> {
  private readonly options: AnswerOptions
  private readonly stream: StreamPipeline<unknown, unknown>
  private readonly built: SlicedBody

  constructor(options: AnswerOptions, turns?: TurnMachine<Input, Command>) {
    const { target, slice } = options
    const { machine, add, build } = target.openBody(targetContextOf(options))
    this.options = options
    const quirks = { ...options.quirks, wholeAnswer: true }
    this.stream = new StreamPipeline({ ...options, quirks }, machine, add, slice, turns)
    this.built = new SlicedBody(this.stream, () => build(this.stream.outcome().error), slice)
  }

  receive(bytes: Uint8Array): void {
    const { stream } = this
    // A limit may have ended the stream before its bytes ended.
    if (stream.turnOver()) return
    stream.refill()
    stream.process(stream.within(bytes))
    if (stream.exceeds(bytes.length)) stream.stop()
  }

  receiveBody(body: string): void {
    this.stream.refill()
    this.stream.processBody(body)
  }

  end(): void {
    this.stream.refill()
    this.stream.end()
  }

  fail(error: GatewayError): void {
    this.stream.refill()
    this.stream.fail(error)
  }

  discard(): void {
    // A body is written by the caller.
  }

  body(): JsonObject {
    return this.built.whole()
  }

  busy(): boolean {
    return this.built.busy()
  }

  resume(): void {
    this.built.resume()
  }

  over(): boolean {
    return this.stream.over()
  }

  begun(): boolean {
    return this.stream.begun()
  }

  kept(): number {
    return this.stream.kept()
  }

  outcome(): Outcome {
    return withLosses(this.options, false, this.stream.outcome())
  }

  remainder(): Expected {
    return this.stream.remainder()
  }

  lastFrame(): Frame | null {
    return this.stream.lastFrame()
  }

  changes(): number {
    return this.stream.changes()
  }

  apply(input: Input): { readonly piece: undefined; readonly commands: readonly Command[] } {
    this.stream.refill()
    return { piece: undefined, commands: this.stream.apply(input) as readonly Command[] }
  }

  openTurn(source?: TurnSource): void {
    this.stream.openTurn(source)
  }

  texts(): readonly string[] {
    return this.stream.texts()
  }

  close(error?: GatewayError): void {
    this.stream.refill()
    this.stream.closeTurns(error ?? null)
  }
}
