import type { Lesson } from '../../engine/rules/refusal.ts'
import { withoutEncryptedReasoning } from '../../engine/upstream-call.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { callUpstream } from '../answer/call-upstream.ts'
import type { Continuation } from '../answer/continued-turns.ts'
import { writeAttempts } from '../call/attempts.ts'
import { encodeCall, type FurtherUpstream, type Prepared } from '../call/prepare-request.ts'
import { noteLosses } from '../exchange/loss-header.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { type Awaitable, onceReady } from '../run-in-slices.ts'
import type { RefusedTry } from '../telemetry/metrics-contract.ts'
import type { RepeatedRequest } from '../upstream/client-repeats.ts'
import { shownFailure } from '../upstream/explain-failure.ts'
import { areSameLessons } from '../upstream/lesson-memory.ts'
import { isSameCall, lessonsOf } from '../upstream/read-lessons.ts'
import { fallsBack, mayPass, retryDelay, sleep } from '../upstream/retry.ts'
import { type UpstreamState, upstreamName } from '../upstream/upstream-guard.ts'
import { noteRoute } from './plan-request.ts'
import { isSameModel, isTooSmall, shownOf, TOO_LONG } from './route-fit.ts'

/** The reason why a request has no answer. */
export interface Failed {
  readonly error: GatewayError
  /**
   * The gateway has retried the request already, or may not retry it. A client that retries as well would multiply the
   * load of the upstream.
   */
  readonly isSpent: boolean
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
  /** The failure of the first route. */
  private first: GatewayError | null = null
  private readonly sent: RepeatedRequest
  /** The client repeats a request that has failed a short time before, so that this gateway does not as well. */
  private isRepeated = false
  /** The lessons for which this request was sent again to the current upstream. They are kept if it accepts them. */
  private lessons: readonly Lesson[] = []

  constructor(gateway: Gateway, context: RequestContext, first: Prepared) {
    this.gateway = gateway
    this.context = context
    this.further = [...first.further]
    this.current = first
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
  answer(refuse: (failed: Failed) => void): Awaitable<void> {
    noteLosses(this.context, this.current)
    return onceReady(this.gateway.repeats.has(this.sent), (isRepeated) => {
      this.isRepeated = isRepeated
      return onceReady(this.admit(), (failed) =>
        failed === null
          ? this.call().then((error) => (error === null ? undefined : this.goOnAfter(error, refuse)))
          : this.end(failed, refuse),
      )
    })
  }

  /** Makes the calls after one that has failed. */
  private async goOnAfter(error: GatewayError, refuse: (failed: Failed) => void): Promise<void> {
    for (let next: GatewayError | null = error; next !== null; next = await this.call()) {
      this.last = shownFailure(next, this.current.options.redact, this.current.routed.route)
      if (this.called.length === 1) this.first = this.last
      const failed = this.gone() ?? (await this.recover(this.last)) ?? this.gone()
      if (failed !== null) return this.end(failed, refuse)
    }
  }

  private async end(failed: Failed, refuse: (failed: Failed) => void): Promise<void> {
    if (mayPass(failed.error)) await this.gateway.repeats.noteFailure(this.sent)
    refuse(failed)
  }

  /** Returns the failure if the current upstream may not be called, nor any further one. */
  private admit(): Awaitable<Failed | null> {
    const upstream = upstreamOf(this.current)
    const refusal = this.gateway.guard.admit(upstream)
    return refusal === null ? null : this.skip(upstream, refusal)
  }

  private async skip(upstream: UpstreamState, refusal: GatewayError): Promise<Failed | null> {
    this.gateway.metrics.noteRefusedTry(upstream.vendor, 'breaker')
    if (this.tries === 0) this.noteSkipped(upstream, 'breaker')
    if (await this.goOn()) return null
    return { error: this.last === null ? refusal : shownOf(this.first, this.last), isSpent: this.last !== null }
  }

  private call(): Promise<GatewayError | null> {
    const { gateway, context, current } = this
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
    return callUpstream(gateway, current, context, this.noteAccepted, further)
  }

  /** Prepares the next call after a failure. Returns the failure if there is none. */
  private async recover(error: GatewayError): Promise<Failed | null> {
    const unsealed = error.code === 'invalid_encrypted_content' ? await withoutReasoning(this.current) : null
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
    const lessons = again === null ? [] : await lessonsOf(error, call)
    if (again === null || lessons.length === 0) return null
    if (this.lessons.length > 0) {
      // The upstream accepts the request so far: the next one begins with what this one has learned.
      if (!areSameLessons(this.lessons, lessons)) this.keepLessons()
      return null
    }
    const prepared = await again(lessons)
    if (!prepared.ok || isSameCall(prepared.value.call, call)) return null
    this.lessons = lessons
    return prepared.value
  }

  private readonly keepLessons = (): void => {
    if (this.lessons.length === 0) return
    const { lessons: memory, metrics } = this.gateway
    const { learner } = this.current
    for (const lesson of this.lessons) {
      if (memory.note(learner, lesson)) metrics.noteLesson(learner.vendor)
    }
    this.lessons = []
    this.context.journal.add({ type: 'learned', lines: memory.linesFor(learner) })
  }

  private readonly noteAccepted = (): void => {
    const { learner, call } = this.current
    this.keepLessons()
    this.gateway.lessons.noteAccepted(learner, call.json)
  }

  /** Waits before the current upstream is called again. Returns the failure if it may not be called again. */
  private async pause(error: GatewayError): Promise<Failed | null> {
    const { guard, jitter, config, metrics } = this.gateway
    const upstream = upstreamOf(this.current)
    const delay = retryDelay(error, this.tries, jitter(), config.retry)
    if (delay === null || this.isRepeated)
      return { error: shownOf(this.first, error), isSpent: this.calls > 1 || this.isRepeated }
    if (!guard.spendAgain(upstreamName(upstream))) {
      metrics.noteRefusedTry(upstream.vendor, 'budget')
      return { error: shownOf(this.first, error), isSpent: true }
    }
    this.context.journal.mark('retried')
    await sleep(delay, this.context.signal)
    return null
  }

  /**
   * Chooses the next upstream that may be called. `refusing`: the one that the conversation is too long for; null: it
   * has another failure. Returns false if there is none.
   */
  private async goOn(begun: readonly string[] = [], refusing: Prepared | null = null): Promise<boolean> {
    for (let next = this.further.shift(); next !== undefined; next = this.further.shift()) {
      if (refusing !== null && isSameModel(next, refusing)) continue
      const prepared = await next.prepare(begun)
      const refusal = prepared.ok ? await this.obstacleOf(prepared.value, refusing) : prepared.error.code
      if (prepared.ok && refusal === null) {
        this.take(prepared.value, begun.length > 0)
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
      if (guard.rests(upstream)) return 'retry_after'
      if (guard.admit(upstream) !== null) return 'breaker'
      return this.called.includes(place) && !guard.spendAgain(place) ? 'budget' : null
    }
    const reason = refusedBy()
    if (reason !== null) metrics.noteRefusedTry(upstream.vendor, reason)
    return reason
  }

  private take(prepared: Prepared, continues: boolean): void {
    this.current = prepared
    this.tries = 0
    this.lessons = []
    noteRoute(this.context, prepared.routed.route)
    if (!continues) noteLosses(this.context, prepared)
    if (this.last !== null) this.context.journal.mark('retried')
  }

  /** The client has the beginning of the answer, and the next upstream gets it. */
  private readonly continuation: Continuation = {
    next: async (begun, error) => {
      const { gateway, current } = this
      const { journal } = this.context
      const from = upstreamOf(current)
      this.last = error
      if (!(await this.goOn(begun))) return null
      const to = upstreamOf(this.current)
      const place = upstreamName(to)
      if (!this.called.includes(place)) gateway.guard.spendFirst(place)
      this.called = [...this.called, place]
      gateway.guard.note(from, error)
      journal.add({ type: 'attempted', ...from, error: error.code, isSkipped: false })
      journal.mark('called')
      const characters = begun.reduce((sum, { length }) => sum + length, 0)
      const names = { from: `${from.vendor}/${from.model}`, to: `${to.vendor}/${to.model}` }
      journal.add({ type: 'continued', ...names, characters })
      const feature = `the answer of ${names.from} broke off after ${characters} characters, and ${names.to} continued it`
      return { prepared: this.current, feature }
    },
  }

  private noteSkipped({ vendor, member, model }: UpstreamState, error: string | null): void {
    this.context.journal.add({ type: 'attempted', vendor, member, model, error, isSkipped: true })
  }

  /** The failure of a client that has left. */
  private gone(): Failed | null {
    const { reason } = this.context.signal
    return reason === null ? null : { error: reason, isSpent: false }
  }
}

const upstreamOf = ({ routed: { route } }: Prepared): UpstreamState => ({
  vendor: route.vendor,
  member: route.member ?? null,
  model: route.model,
})

/** The same call without encrypted reasoning, which the upstream could not read; null if the request has none. */
async function withoutReasoning(prepared: Prepared): Promise<Prepared | null> {
  const changed = withoutEncryptedReasoning(prepared.request)
  const again = changed === null ? null : await encodeCall(prepared, changed.request, changed.losses)
  return again?.ok === true ? again.value : null
}
