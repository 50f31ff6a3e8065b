import type { JsonObject } from '../protocol/json.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import type { StreamPipeline } from './pipeline.ts'

/** The number of steps of building a body that one slice runs. */
const PAUSES = 16

/** The body that is built from a stream after its end, in further slices. */
export class SlicedBody {
  private readonly stream: Pick<StreamPipeline<unknown, unknown>, 'busy' | 'refill' | 'resume' | 'over'>
  private readonly toBody: () => Steps<JsonObject>
  private readonly isSliced: boolean
  private steps: Steps<JsonObject> | null = null
  private made: JsonObject | null = null

  /** `slice`: as for the stream; undefined: the body is built when `whole` is called. */
  constructor(
    stream: Pick<StreamPipeline<unknown, unknown>, 'busy' | 'refill' | 'resume' | 'over'>,
    toBody: () => Steps<JsonObject>,
    slice: number | undefined,
  ) {
    this.stream = stream
    this.toBody = toBody
    this.isSliced = slice !== undefined
  }

  busy(): boolean {
    return this.stream.busy() || (this.isSliced && this.stream.over() && this.made === null)
  }

  resume(): void {
    if (this.stream.busy()) {
      this.stream.refill()
      this.stream.resume()
      return
    }
    this.steps ??= this.toBody()
    for (let i = 0; i < PAUSES && this.made === null; i += 1) {
      const { done, value } = this.steps.next()
      if (done === true) this.made = value
    }
  }

  /** Returns the body, and does any work that is left at once. */
  whole(): JsonObject {
    while (this.stream.busy()) this.resume()
    this.made ??= runSteps(this.steps ?? this.toBody())
    return this.made
  }
}
