import type { Restriction } from '../../engine/rules/refusal.ts'
import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { callUpstream, openWithin } from '../answer/call-upstream.ts'
import type { Continuation } from '../answer/continued-turns.ts'
import { type CurrentCall, explainAttempt, writeAttempts } from '../call/attempts.ts'
import { type FurtherUpstream, type Prepared, withoutReasoning } from '../call/prepare-request.ts'
import type { Attempted } from '../exchange/journal.ts'
import { noteLosses } from '../exchange/loss-header.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { type Awaitable, awaited, type Work } from '../run-in-slices.ts'
import type { RefusedTry } from '../telemetry/metrics-contract.ts'
import type { RepeatedRequest } from '../upstream/client-repeats.ts'
import { shownFailure } from '../upstream/explain-failure.ts'
import { isSameCall, restrictionsOf } from '../upstream/read-restrictions.ts'
import { areSameRestrictions } from '../upstream/restriction-memory.ts'
import { fallsBack, mayPass, retryDelay, sleep } from '../upstream/retry.ts'
import { type GuardedCall, type UpstreamState, upstreamName } from '../upstream/upstream-guard.ts'
import { noteRoute } from './plan-request.ts'
import { isSameModel, isTooSmall, shownOf, TOO_LONG } from './route-fit.ts'

/** The reason why a request has no answer. */
interface Failed {
  readonly error: GatewayError
  /**
   * The gateway has retried the request already, or may not retry it. A client that retries as well would multiply the
   * load of the upstream.
   */
  readonly isRetried: boolean
}

/**
 * The calls of one request, as long as nothing was sent to the client. After a failure that another upstream may not
 * have, the next one is called at once; the last one is called again, after pauses, if the failure may pass.
 */
export class UpstreamCalls {
  private readonly gateway: Gateway
  private readonly context: RequestContext
  private readonly further: FurtherUpstream[]
  private called: readonly string[] = []
  private current: Prepared
  /** Calls of the current upstream. */
  private tries = 0
  /** Calls of all upstreams. */
  private calls = 0
  private last: GatewayError | null = null
  /** The first route. */
  private readonly start: Prepared
  /** The failure of the first route. */
  private first: GatewayError | null = null
  private readonly sent: RepeatedRequest
  /** The client repeats a request that has failed a short time before, so that this gateway does not as well. */
  private isRepeated = false
  private currentCall: CurrentCall | null = null
  /** The last upstream that has written a part of the answer, which others continue. */
  private writer: UpstreamState | null = null
  /** The call that the guard has admitted; null before the first one. */
  private admitted: GuardedCall | null = null
  /** The seconds after which the first of the upstreams that have asked for a pause may be called again. */
  private soonest: number | null = null
  /** The restrictions for which this request was sent again to the current upstream. They are kept if it accepts them. */
  private restrictions: readonly Restriction[] = []

  constructor(gateway: Gateway, context: RequestContext, first: Prepared) {
    this.gateway = gateway
    this.context = context
    this.further = [...first.further]
    this.current = first
    this.start = first
    const { vendor, model } = first.options.origin
    this.sent = {
      key: context.journal.last('admitted')?.key ?? null,
      vendor,
      model,
      body: first.routed.client.sent.body,
    }
  }

  /**
   * Resolves when the client has its answer or the beginning of it (`RequestContext.delivery`), or after `refuse`, which
   * receives the reason why nothing was sent to it.
   */
  *answer(refuse: (failed: Failed) => void): Work<void> {
    noteLosses(this.context, this.current)
    this.isRepeated = yield* awaited(this.gateway.repeats.has(this.sent))
    const failed = yield* awaited(this.admit())
    if (failed !== null) return yield* awaited(this.end(failed, refuse))
    const error = yield* awaited(this.call())
    if (error !== null) yield* awaited(this.goOnAfter(error, refuse))
  }

  /** Makes the calls after one that has failed. */
  private async goOnAfter(error: GatewayError, refuse: (failed: Failed) => void): Promise<void> {
    try {
      for (let next: GatewayError | null = error; next !== null; next = await this.call()) {
        this.last = shownFailure(next, this.current.options.redact, this.current.routed.route)
        // Further routes may be other models of the same vendor.
        if (this.current.routed.route === this.start.routed.route) this.first = this.last
        await explainAttempt(this.gateway, this.context, this.last, this.current.call)
        this.noteRetryAfter(this.last.retryAfter)
        const failed = this.gone() ?? (await this.recover(this.last)) ?? this.gone()
        if (failed !== null) return await this.end(failed, refuse)
      }
    } finally {
      // One that was not made. A call that was made has ended.
      this.admitted?.cancel()
    }
  }

  private async end({ error, isRetried }: Failed, refuse: (failed: Failed) => void): Promise<void> {
    if (mayPass(error)) await this.gateway.repeats.noteFailure(this.sent)
    const { retryAfter } = error
    const isLater = this.soonest !== null && retryAfter !== null && this.soonest < retryAfter
    refuse({ error: isLater ? { ...error, retryAfter: this.soonest } : error, isRetried })
  }

  private noteRetryAfter(seconds: number | null): void {
    if (seconds !== null) this.soonest = Math.min(seconds, this.soonest ?? seconds)
  }

  /** Returns the failure if the current upstream may not be called, nor any further one. */
  private admit(): Awaitable<Failed | null> {
    const upstream = upstreamOf(this.current)
    const admitted = this.gateway.guard.admit(upstream)
    if (!admitted.ok) return this.skip(upstream, admitted.error)
    this.admitted = admitted.value
    return null
  }

  private async skip(upstream: UpstreamState, refusal: GatewayError): Promise<Failed | null> {
    this.gateway.metrics.noteRefusedTry(upstream.vendor, 'breaker')
    if (this.tries === 0) this.noteSkipped(upstream, 'breaker')
    if (await this.goOn()) return null
    return { error: this.last === null ? refusal : shownOf(this.first, this.last), isRetried: this.last !== null }
  }

  private call(): Promise<GatewayError | null> {
    const { gateway, context, current } = this
    const guarded = this.admitted
    if (guarded === null) throw new Error('a call that the guard has not admitted')
    this.admitted = null
    const upstream = upstreamOf(current)
    const place = upstreamName(upstream)
    if (!this.called.includes(place)) {
      if (this.isRepeated) gateway.guard.spendRepeat(place)
      else gateway.guard.spendFirst(place)
      this.called = [...this.called, place]
    }
    this.tries += 1
    this.calls += 1
    writeAttempts(context, upstream)
    context.journal.mark('called')
    const further = current.continues && current.call.stream && this.further.length > 0 ? this.continuation : null
    const call: CurrentCall = { guarded, failure: null }
    this.currentCall = call
    const exchange = { gateway, prepared: current, context, further, call }
    return guarded.isProbe && this.further.length > 0
      ? this.probe(exchange)
      : this.ended(call, callUpstream(exchange, this.noteAccepted))
  }

  private ended(call: CurrentCall, answered: Promise<GatewayError | null>): Promise<GatewayError | null> {
    return answered.catch((bug: unknown) => {
      call.guarded.cancel()
      throw bug
    })
  }

  /**
   * Calls an upstream that has failed many times, and may not answer at all. Its client does not wait for that: the next
   * upstream answers instead, and the call only shows whether this one is back.
   */
  private async probe(exchange: Parameters<typeof callUpstream>[0]): Promise<GatewayError | null> {
    const { current, context, gateway } = this
    const { call } = exchange
    const { opening, isInTime } = await openWithin(exchange, gateway.config.retry.breaker_seconds * 1000)
    const answered = (): Promise<GatewayError | null> =>
      this.ended(call, callUpstream(exchange, this.noteAccepted, opening))
    if (isInTime || context.signal.aborted) return answered()
    const late = upstreamOf(current)
    if (!(await this.goOn())) return answered()
    context.journal.add({ type: 'attempted', ...named(late), error: TOO_LATE, isSkipped: false })
    void opening.then((opened) => {
      if (opened.ok) opened.value.abort()
      if (context.signal.aborted) call.guarded.cancel()
      else if (!opened.ok) call.guarded.end(opened.error)
      else if (opened.value.status < 400) call.guarded.end(null)
      else call.guarded.end(STILL_FAILING)
    })
    return this.call()
  }

  /** Prepares the next call after a failure. Returns the failure if there is none. */
  private async recover(error: GatewayError): Promise<Failed | null> {
    const unsealed = isOfSeal(error) ? await withoutReasoning(this.current) : null
    if (unsealed !== null) {
      this.current = unsealed
      noteLosses(this.context, unsealed)
      this.context.journal.mark('retried')
      return this.admit()
    }
    const fitting = await this.learn(error)
    if (fitting !== null) {
      this.current = fitting
      noteLosses(this.context, fitting)
      this.context.journal.mark('retried')
      return this.admit()
    }
    if (error.party === 'upstream' && error.code === TOO_LONG) {
      if (await this.goOn([], this.current)) return null
    } else if (fallsBack(error) && (await this.goOn())) return null
    return (await this.pause(error)) ?? this.admit()
  }

  /** Reads the refusal of a model, and prepares the request again without what it refuses; null if nothing changes. */
  private async learn(error: GatewayError): Promise<Prepared | null> {
    const { again, call } = this.current
    const restrictions = again === null ? [] : await restrictionsOf(error, call)
    if (again === null || restrictions.length === 0) return null
    if (this.restrictions.length > 0) {
      // The upstream accepts the request so far: the next one begins with what this one has learned.
      if (!areSameRestrictions(this.restrictions, restrictions)) this.keepRestrictions()
      return null
    }
    const prepared = await again(restrictions)
    if (!prepared.ok || isSameCall(prepared.value.call, call)) return null
    this.restrictions = restrictions
    return prepared.value
  }

  private readonly keepRestrictions = (): void => {
    if (this.restrictions.length === 0) return
    const { restrictions: memory, metrics } = this.gateway
    const { learner } = this.current
    for (const restriction of this.restrictions) {
      if (memory.note(learner, restriction)) metrics.noteRestriction(learner.vendor)
    }
    this.restrictions = []
    this.context.journal.add({ type: 'learned', lines: memory.linesFor(learner) })
  }

  private readonly noteAccepted = (): void => {
    const { learner, call } = this.current
    this.keepRestrictions()
    this.gateway.restrictions.noteAccepted(learner, call.json)
  }

  /** Waits before the current upstream is called again. Returns the failure if it may not be called again. */
  private async pause(error: GatewayError): Promise<Failed | null> {
    const { guard, jitter, config, metrics } = this.gateway
    const upstream = upstreamOf(this.current)
    const delay = retryDelay(error, this.tries, jitter(), config.retry)
    if (delay === null || this.isRepeated)
      return { error: shownOf(this.first, error), isRetried: this.calls > 1 || this.isRepeated }
    if (!guard.spendAgain(upstreamName(upstream))) {
      metrics.noteRefusedTry(upstream.vendor, 'budget')
      return { error: shownOf(this.first, error), isRetried: true }
    }
    this.context.journal.mark('retried')
    await sleep(delay, this.context.signal)
    return null
  }

  /**
   * Chooses the next upstream that may be called. `refusing`: the one that the conversation is too long for; null: it
   * has another failure. Returns false if there is none.
   */
  private async goOn(earlier: readonly string[] = [], refusing: Prepared | null = null): Promise<boolean> {
    for (let next = this.further.shift(); next !== undefined; next = this.further.shift()) {
      if (refusing !== null && isSameModel(next, refusing)) continue
      const prepared = await next.prepare(earlier)
      const refusal = prepared.ok ? await this.obstacleOf(prepared.value, refusing) : prepared.error.code
      if (prepared.ok && refusal === null) {
        this.take(prepared.value, earlier.length > 0)
        return true
      }
      this.noteSkipped(next, refusal)
    }
    return false
  }

  private async obstacleOf(prepared: Prepared, refusing: Prepared | null): Promise<string | null> {
    return (await isTooSmall(prepared, this.gateway, refusing)) ? TOO_LONG : this.refusalOf(prepared)
  }

  /** The first call of an upstream is a retry for a vendor that was called already with another model. */
  private refusalOf(prepared: Prepared): RefusedTry | null {
    const { guard, metrics } = this.gateway
    const upstream = upstreamOf(prepared)
    const place = upstreamName(upstream)
    const refusedBy = (): RefusedTry | null => {
      const rest = guard.restOf(upstream)
      if (rest > 0) {
        this.noteRetryAfter(Math.ceil(rest / 1000))
        return 'retry_after'
      }
      const admitted = guard.admit(upstream)
      if (!admitted.ok) return 'breaker'
      if (this.called.includes(place) && !guard.spendAgain(place)) {
        admitted.value.cancel()
        return 'budget'
      }
      this.admitted = admitted.value
      return null
    }
    const reason = refusedBy()
    if (reason !== null) metrics.noteRefusedTry(upstream.vendor, reason)
    return reason
  }

  private take(prepared: Prepared, continues: boolean): void {
    this.current = prepared
    this.tries = 0
    this.restrictions = []
    noteRoute(this.context, prepared.routed.route)
    if (!continues) noteLosses(this.context, prepared)
    if (this.last !== null) this.context.journal.mark('retried')
  }

  /** The client has the beginning of the answer, and the next upstream gets it. */
  private readonly continuation: Continuation = {
    next: async (earlier, { error, wrote }) => {
      const { gateway, current } = this
      const { journal } = this.context
      const from = upstreamOf(current)
      const { call } = current
      const writer = wrote || this.writer === null ? from : this.writer
      this.writer = writer
      this.last = error
      if (!(await this.goOn(earlier))) return null
      const to = upstreamOf(this.current)
      const place = upstreamName(to)
      if (!this.called.includes(place)) gateway.guard.spendFirst(place)
      this.called = [...this.called, place]
      this.currentCall?.guarded.end(error)
      if (this.currentCall !== null && this.admitted !== null) {
        this.currentCall.guarded = this.admitted
        this.currentCall.failure = null
      }
      this.admitted = null
      journal.add({ type: 'attempted', ...named(from), error: error.code, isSkipped: false })
      await explainAttempt(gateway, this.context, error, call)
      journal.mark('called')
      const characters = earlier.reduce((sum, { length }) => sum + length, 0)
      const names = { from: `${upstreamName(writer)}/${writer.model}`, to: `${upstreamName(to)}/${to.model}` }
      if (characters > 0) journal.add({ type: 'continued', ...names, characters })
      const feature =
        characters === 0
          ? `${names.from} broke off before it had answered, and ${names.to} answered`
          : `the answer of ${names.from} broke off after ${characters} characters, and ${names.to} continued it`
      return { prepared: this.current, feature }
    },
  }

  private noteSkipped({ vendor, member, model }: Attempted, error: string | null): void {
    this.context.journal.add({ type: 'attempted', vendor, member, model, error, isSkipped: true })
  }

  /** The failure of a client that has left. */
  private gone(): Failed | null {
    const { reason } = this.context.signal
    return reason === null ? null : { error: reason, isRetried: false }
  }
}

const upstreamOf = ({ routed: { route }, learner }: Prepared): UpstreamState => ({
  vendor: route.vendor,
  member: route.member ?? null,
  credential: learner.identity.account,
  model: route.model,
})

const named = ({ vendor, member, model }: UpstreamState): Attempted => ({ vendor, member, model })

/** Encrypted reasoning that this account cannot read; the words are those of Azure for another resource. */
const isOfSeal = ({ code, message }: GatewayError): boolean =>
  code === 'invalid_encrypted_content' || /\bcreated under a different Azure OpenAI resource\b/.test(message)

const TOO_LATE = 'upstream_timeout'

const STILL_FAILING = upstreamError('server_is_overloaded', 'The upstream fails still.', 503)
