import type { CountedModel } from '../../engine/token-counts/calibration.ts'
import { measureRequest, type RequestSize } from '../../engine/token-counts/request-size.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { runSteps } from '../../text/steps.ts'
import { LARGE } from '../body/receive-request.ts'
import type { Prepared } from '../call/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { afterTick, runInSlices, yieldToLoop } from '../run-in-slices.ts'
import type { TokenCounter } from './count-memory.ts'

/**
 * Returns the measure of a request whose answer has begun, so that nothing keeps the request for the whole answer; null
 * if nothing is learned from the answer. `onBug` receives an exception.
 */
export const measureToLearn = (
  { counts }: TokenCounter,
  { call, options, search }: Pick<Prepared, 'call' | 'options' | 'search'>,
  onBug: (bug: unknown) => void,
): RequestMeasure | null =>
  // The usage of a search is that of all its turns.
  search !== null || !counts.calibration.wants(options.origin) ? null : new RequestMeasure(call, onBug)

/** Measures a request after the turn in which its answer begins, which must not wait. */
export class RequestMeasure {
  private json: JsonObject | null
  private size: RequestSize | null = null
  /** Of a large request, whose measure takes several turns. */
  private readonly measured: Promise<void> | null

  constructor({ json, size }: Pick<Prepared['call'], 'json' | 'size'>, onBug: (bug: unknown) => void) {
    this.json = json
    this.measured = size > LARGE ? this.measureInSlices(json) : null
    if (this.measured !== null) this.measured.catch(onBug)
    else
      afterTick(() => {
        try {
          this.measure()
        } catch (bug) {
          onBug(bug)
        }
      })
  }

  /**
   * Learns from the usage of the answer how many tokens a request of its size has. Returns a promise if the request is
   * not measured yet.
   */
  learn(counter: TokenCounter, origin: CountedModel, context: Pick<RequestContext, 'journal'>): Promise<void> | null {
    if (this.measured !== null && this.size === null)
      return this.measured.then(() => this.note(counter, origin, context))
    this.measure()
    this.note(counter, origin, context)
    return null
  }

  private measure(): void {
    if (this.json === null) return
    this.size = runSteps(measureRequest(this.json))
    this.json = null
  }

  private async measureInSlices(json: JsonObject): Promise<void> {
    this.json = null
    await yieldToLoop()
    this.size = await runInSlices(measureRequest(json))
  }

  private note(
    { counts: { calibration } }: TokenCounter,
    origin: CountedModel,
    { journal }: Pick<RequestContext, 'journal'>,
  ): void {
    const { size } = this
    const { input_tokens: tokens = null } = journal.last('answered')?.usage ?? {}
    if (size === null) return
    if (tokens === null || tokens === 0 || !size.isWhole) calibration.miss(origin)
    else calibration.learn(origin, { size, tokens })
  }
}
