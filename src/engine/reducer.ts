import type { LongStep, Machine, Step } from '../machine/machine.ts'
import type { CutDelta, Delta, ErrorDelta } from '../protocol/delta.ts'
import { upstreamError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import type { Json } from '../protocol/json.ts'
import type { Limits } from '../protocol/limits.ts'
import type { Head } from '../protocol/response.ts'
import { type Citing, type Hosting, toRespondContext } from '../responses/capabilities.ts'
import { type Origin, OWN_ORIGIN, type Sealer, type Sign, sealReasoning } from '../responses/encrypted-content.ts'
import { Reducer } from '../responses/respond.ts'
import type { RespondState } from '../responses/state.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { hideKeys, type Redact, redactDelta } from '../wires/redact.ts'
import type { InSlices } from './in-slices.ts'
import type { Target, TargetContext } from './target.ts'

type Hub = Machine<RespondState, Delta, Event>

/** Returns the present time in milliseconds, as `Date.now`. */
type Clock = () => number

/** How an upstream is decoded, and the target of its answer. */
export interface PipelineOptions {
  readonly wire: StreamWire
  /** Left out: those of the wire. An answer that is made from several upstream answers has those of any wire. */
  readonly citations?: Citing
  /** The same for items that an upstream runs itself. */
  readonly hosted?: Hosting
  /** `IN_SLICES`, for answers whose long work is done in slices. Left out: each step does all its work. */
  readonly inSlices?: InSlices
  readonly quirks?: Quirks
  readonly target: Target
  readonly head: Head
  /** Read once, at the end of a completed answer. Left out: its time is null. */
  readonly now?: Clock
  readonly limits?: Limits
  /**
   * The source of the answer, stored in the envelopes of its encrypted reasoning. Default: the name of the wire only.
   */
  readonly origin?: Origin
  /** Signs envelopes of encrypted reasoning. */
  readonly sign?: Sign
  /** Hides secrets that were sent to the upstream, in case its failures, losses or model names quote them. */
  readonly redact?: Redact
}

export const targetContextOf = ({ head, wire, origin, sign, inSlices }: PipelineOptions): TargetContext => ({
  head,
  origin: origin ?? { wire: wire.name, vendor: '', model: '' },
  sign,
  write: inSlices?.write,
})

/** The clock of a recording: it stands still, so that the same bytes always give the same output. */
export const clockOf =
  ({ created_at }: Head): Clock =>
  () =>
    created_at * 1000

/** Adds the time of its end to a completed answer. OpenAI gives none to a failed or an incomplete one. */
export function withEndTime(events: readonly Event[], now: Clock | undefined): readonly Event[] {
  if (now === undefined) return events
  return events.map((event) =>
    event.type === 'completed'
      ? { ...event, response: { ...event.response, completed_at: Math.floor(now() / 1000) } }
      : event,
  )
}

export const createReducer = (options: PipelineOptions): Hub => new CleanReducer(options)

/** The reducer, after secrets were removed from its input. A class, because every stream has one. */
class CleanReducer implements Hub, Sealer {
  private readonly options: PipelineOptions
  private readonly hub: Hub
  private readonly redact: Redact | null

  constructor(options: PipelineOptions) {
    const { head, target, redact, wire, citations, hosted, inSlices } = options
    const context = toRespondContext(
      target.capabilities,
      this,
      wire.reportsPhases === true,
      citations ?? wire.citations ?? null,
      hosted ?? wire.hosted ?? null,
    )
    this.options = options
    this.hub = inSlices?.reducer(head, context) ?? new Reducer(head, context)
    this.redact = redact ?? null
  }

  seal(payload: Json, model: string): string {
    const { origin, target, head, quirks } = this.options
    const context = targetContextOf(this.options)
    // A program that has not named the model knows it from the answer, unless the upstream names none (Bedrock).
    if (origin?.model !== '' || model === head.model) return target.seal(payload, context)
    const named = { ...origin, reported: model, hasOwnNames: quirks?.ownModelNames === true }
    return target.seal(payload, { ...context, origin: named })
  }

  sealOwn(payload: Json): string {
    return sealReasoning(OWN_ORIGIN, payload, this.options.sign)
  }

  get initial(): RespondState {
    return this.hub.initial
  }

  step(state: RespondState, delta: Delta): Step<RespondState, Event> {
    return this.hub.step(state, this.clean(delta))
  }

  stepInSlices(state: RespondState, delta: Delta): LongStep<RespondState, Event> | null {
    return this.hub.stepInSlices?.(state, this.clean(delta)) ?? null
  }

  end(state: RespondState): readonly Event[] {
    return this.hub.end(state)
  }

  endInSlices(state: RespondState): LongStep<RespondState, Event> | null {
    return this.hub.endInSlices?.(state) ?? null
  }

  private clean(delta: Delta): Delta {
    return this.redact === null ? hideKeysIn(delta) : redactDelta(delta, this.redact)
  }
}

const hideKeysIn = (delta: Delta): Delta => (hasError(delta) ? { ...delta, error: hideKeys(delta.error) } : delta)

const hasError = (delta: Delta): delta is ErrorDelta | CutDelta => delta.kind === 'error' || delta.kind === 'cut'

export const tooLarge = (what: string, limit: number): Delta => ({
  kind: 'error',
  error: upstreamError('upstream_too_large', `${what} of the upstream is larger than ${limit} bytes.`),
})
