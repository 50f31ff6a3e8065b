import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { CITATIONS } from '../responses/apply-citations.ts'
import { HOSTED_ITEMS } from '../responses/hosted-tools.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import type { AnswerOptions, BodyCollector, FrameOutput, TurnAnswer } from './answer.ts'
import { AnswerDriver, withLosses } from './answer-driver.ts'
import { IN_SLICES } from './in-slices.ts'
import type { Outcome } from './outcome.ts'
import { targetContextOf } from './reducer.ts'
import type { BodyBuilder } from './target.ts'
import { type TurnMachine, TurnStage } from './turns.ts'

/** Collects one answer, from a stream or a whole body, into the body of the target. */
export const createBodyCollector = (options: AnswerOptions): BodyCollector =>
  new BodyAnswer({ inSlices: IN_SLICES, ...options })

/** As `createBodyCollector`, for an answer that is made from several upstream answers. */
export const createTurnCollector = <Input, Command>(
  options: AnswerOptions,
  turns: TurnMachine<Input, Command>,
): BodyCollector & TurnAnswer<void, Input, Command> =>
  new BodyAnswer({ inSlices: IN_SLICES, citations: CITATIONS, hosted: HOSTED_ITEMS, ...options }, new TurnStage(turns))

export function translateWholeBody(options: AnswerOptions, text: string): { body: JsonObject; outcome: Outcome } {
  const { slice: _, ...whole } = options
  const collector = createBodyCollector(whole)
  collector.push({ body: text })
  return { body: collector.body(), outcome: collector.outcome() }
}

/** The number of steps of building a body that one slice runs. */
const PAUSES = 16

/** An answer as one body, which is built after its end, in further slices. */
export class BodyAnswer<Input = never, Command = never>
  extends AnswerDriver<void, unknown, unknown, Input, Command>
  implements BodyCollector
{
  protected readonly options: AnswerOptions
  private readonly build: BodyBuilder['build']
  private steps: Steps<JsonObject> | null = null
  private made: JsonObject | null = null

  /** `frames`: left out unless the answer is passed on. */
  constructor(options: AnswerOptions, turns?: TurnStage<Input, Command>, frames?: FrameOutput) {
    const { machine, add, build } = options.target.openBody(targetContextOf(options))
    super(
      { ...options, quirks: { ...options.quirks, wholeAnswer: true } },
      machine,
      { emit: add },
      turns,
      false,
      frames,
    )
    this.options = options
    this.build = build
  }

  protected take(): void {
    // `body` returns it.
  }

  /** Without slices, the body is built when it is read. */
  protected waits(): boolean {
    return this.options.slice !== undefined && this.progress.over() && this.made === null
  }

  protected goOn(): boolean {
    if (this.progress.busy()) return true
    const steps = this.building()
    for (let i = 0; i < PAUSES && this.made === null; i += 1) {
      const { done, value } = steps.next()
      if (done === true) this.made = value
    }
    return false
  }

  private building(): Steps<JsonObject> {
    this.steps ??= this.make(this.progress.outcome().error)
    return this.steps
  }

  /** Makes the body. `error`: null if the answer has not failed. */
  protected make(error: GatewayError | null): Steps<JsonObject> {
    return this.build(error)
  }

  body(): JsonObject {
    while (this.progress.busy()) this.resume()
    this.made ??= runSteps(this.building())
    return this.made
  }

  text(): string | null {
    return null
  }

  outcome(): Outcome {
    return withLosses(this.options, false, this.progress.outcome())
  }

  discard(): void {
    // A body is written by the caller.
  }
}
