import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Bucket, type RateLimit, take } from '../../../src/gateway/auth/token-bucket.ts'
import { createBreaker } from '../../../src/gateway/upstream/breaker.ts'
import { createRetryBudget, WINDOW_MS } from '../../../src/gateway/upstream/retry-budget.ts'
import {
  createUpstreamGuard,
  type GuardedCall,
  type UpstreamChange,
  type UpstreamState,
} from '../../../src/gateway/upstream/upstream-guard.ts'
import { type GatewayError, upstreamError } from '../../../src/protocol/error.ts'
import { check } from '../../property.ts'

/**
 * The parts that protect upstreams and keys, each against what its documentation says of a history: the model reads the
 * whole history at each step, and the clock may jump forward and back.
 */

/** Steps of a clock in milliseconds: mostly forward, sometimes over long times, sometimes back. */
const jump = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, 999, 1_000, 1_001, WINDOW_MS, 2 * WINDOW_MS) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 10_000_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -100_000, max: -1 }) },
)

const histories = <T>(does: fc.Arbitrary<T>, maxLength = 60) =>
  fc.array(fc.record({ does, waitMs: jump }), { maxLength })

// ---------------------------------------------------------------- breaker

interface Outcome {
  readonly at: number
  readonly what: 'fail' | 'succeed' | 'probe'
}

/** The time from which the next probe is due; null: the breaker is closed. */
function probeDue(outcomes: readonly Outcome[], failures: number, probeMs: number): number | null {
  const since = outcomes.slice(outcomes.findLastIndex(({ what }) => what === 'succeed') + 1)
  const opening = since.filter(({ what }) => what === 'fail')[failures - 1]
  if (opening === undefined) return null
  const last = since.findLast(({ what }) => what === 'probe') ?? opening
  return last.at + probeMs
}

it('a breaker is open after failures in a row, whenever they come, and admits a probe in each interval', () => {
  const does = fc.constantFrom('fail' as const, 'fail' as const, 'succeed' as const, 'ask' as const, 'ask' as const)
  check(
    fc.property(histories(does), fc.integer({ min: 1, max: 4 }), (steps, failures) => {
      let now = 0
      const probeMs = 1_000
      const breaker = createBreaker({ failures, probeMs }, () => now)
      const outcomes: Outcome[] = []
      for (const step of steps) {
        now += step.waitMs
        const due = probeDue(outcomes, failures, probeMs)
        expect(breaker.isOpen()).toBe(due !== null)
        if (step.does === 'ask') {
          const isAdmitted = breaker.admits()
          expect(isAdmitted).toBe(due === null || now >= due)
          if (isAdmitted && due !== null) outcomes.push({ at: now, what: 'probe' })
          continue
        }
        breaker[step.does]()
        outcomes.push({ at: now, what: step.does })
      }
    }),
    1_000,
  )
})

// ---------------------------------------------------------------- retry budget

interface Attempt {
  readonly at: number
  readonly what: 'first' | 'again' | 'repeat'
}

/**
 * Attempts count in their window and, by the part of it that the last ten seconds cover, in the next one. After a jump
 * over a window, or back, nothing of before counts.
 */
function retryIsLeft(attempts: readonly Attempt[], now: number, share: number, floor: number): boolean {
  const windowOf = (at: number): number => Math.floor(at / WINDOW_MS)
  const current = windowOf(now)
  let weights = new Map<number, number>()
  let last: number | null = null
  const counts = { first: 0, again: 0 }
  const seen: { window: number; visit: number; what: Attempt['what'] }[] = []
  let visit = 0
  for (const { at, what } of attempts) {
    if (windowOf(at) !== last) visit += 1
    last = windowOf(at)
    seen.push({ window: last, visit, what })
  }
  const isSame = last === current
  const isNext = last !== null && current === last + 1
  const covered = 1 - (now / WINDOW_MS - current)
  const before = seen.findLast((one) => one.visit < visit)
  if (isSame) {
    weights = new Map([[visit, 1]])
    if (before !== undefined && before.window === current - 1) weights.set(before.visit, covered)
  } else if (isNext) weights = new Map([[visit, covered]])
  for (const one of seen) counts[one.what === 'first' ? 'first' : 'again'] += weights.get(one.visit) ?? 0
  return counts.again + 1 <= floor + share * counts.first
}

it('a retry budget allows exactly the share and the floor of the attempts that its windows cover', () => {
  const does = fc.constantFrom(
    'first' as const,
    'first' as const,
    'again' as const,
    'again' as const,
    'repeat' as const,
  )
  const shares = fc.constantFrom(0, 0.25, 0.5, 1)
  check(
    fc.property(histories(does, 80), shares, fc.integer({ min: 0, max: 3 }), (steps, share, floor) => {
      let now = 1_000_000
      const budget = createRetryBudget({ share, floor }, () => now)
      const attempts: Attempt[] = []
      for (const { does: what, waitMs } of steps) {
        now += waitMs
        // A retry that is refused opens its window as well.
        const isLeft = retryIsLeft(attempts, now, share, floor)
        if (what === 'first') budget.spendFirst()
        else if (what === 'repeat') budget.spendRepeat()
        else {
          const isGranted = budget.spendAgain()
          expect(isGranted).toBe(isLeft)
          if (!isGranted) continue
        }
        attempts.push({ at: now, what })
      }
    }),
    1_000,
  )
})

// ---------------------------------------------------------------- rate limit

it('a bucket admits its burst and what time adds, never more; and it admits after the wait that it names', () => {
  const limits = fc.record({
    requests: fc.integer({ min: 1, max: 20 }),
    seconds: fc.constantFrom(1, 10, 60),
    burst: fc.integer({ min: 1, max: 10 }),
  })
  check(
    fc.property(limits, fc.array(jump, { maxLength: 80 }), (limit: RateLimit, waits) => {
      let now = 0
      let bucket: Bucket | undefined
      /** In parts of a token, so that the model counts in whole numbers. */
      const whole = limit.seconds * 1000
      let parts = limit.burst * whole
      for (const waitMs of waits) {
        now += waitMs
        if (bucket !== undefined) parts = Math.min(limit.burst * whole, parts + Math.max(0, waitMs) * limit.requests)
        const before = bucket
        const { bucket: next, taken } = take(limit, before, now)
        expect(taken.allowed).toBe(parts >= whole)
        if (taken.allowed) parts -= whole
        expect(taken.remaining).toBe(Math.floor(parts / whole + 1e-9))
        expect(take(limit, next, now + taken.waitMs).taken.allowed).toBe(true)
        // Rounding may add a millisecond.
        const exactWait = Math.ceil(Math.max(0, whole - parts) / limit.requests)
        expect([exactWait, exactWait + 1]).toContain(taken.waitMs)
        expect(next.tokens).toBeCloseTo(parts / whole, 6)
        bucket = next
      }
    }),
    1_000,
  )
})

// ---------------------------------------------------------------- the guard

const UPSTREAM: UpstreamState = { vendor: 'acme', member: null, credential: 'k', model: 'm' }
const RETRY = {
  attempts: 3,
  first_delay_ms: 1,
  longest_delay_ms: 1,
  budget_share: 0.1,
  budget_floor: 10,
  breaker_failures: 2,
  breaker_seconds: 1,
}

const ENDS: Readonly<Record<'answer' | 'outage' | 'limit' | 'fault' | 'client', GatewayError | null>> = {
  answer: null,
  outage: upstreamError('server_is_overloaded', 'Overloaded.', 503),
  limit: upstreamError('rate_limit_exceeded', 'Slow down.', 429, 5),
  fault: upstreamError('server_error', 'Broken.', 500),
  client: { ...upstreamError('invalid_prompt', 'No.', 400), party: 'client' },
}
type End = keyof typeof ENDS

const does = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ call: 'begin' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      call: fc.constantFrom('end' as const, 'end' as const, 'end' as const, 'started' as const, 'cancel' as const),
      at: fc.nat({ max: 30 }),
      end: fc.constantFrom<End>('answer', 'answer', 'outage', 'outage', 'outage', 'limit', 'fault', 'client'),
    }),
  },
)

describe('the guard of an upstream, over any history of calls that end in any order', () => {
  it('has one probe at a time, announces each opening and each return once, and rests as long as it is asked to', () => {
    check(
      fc.property(histories(does, 80), (steps) => {
        let now = 1_000_000_000
        const changes: UpstreamChange[] = []
        const guard = createUpstreamGuard(
          RETRY,
          () => now,
          (change) => void changes.push(change),
        )
        const open: { call: GuardedCall; number: number; isDone: boolean }[] = []
        const failuresInARow: number[] = []
        let openedAfter: number | null = null
        let started = 0
        let restEnd = 0
        let restAfter = 0
        const states = (): readonly string[] => changes.map(({ state }) => state).filter((state) => state !== 'paused')
        for (const step of steps) {
          now += step.waitMs
          if (step.does.call === 'begin') {
            const call = guard.admit(UPSTREAM)
            if (call.ok) {
              started += 1
              open.push({ call: call.value, number: started, isDone: false })
              expect(call.value.isProbe).toBe(openedAfter !== null)
            } else expect(openedAfter).not.toBeNull()
          } else if (open.length > 0) {
            const one = open[step.does.at % open.length] ?? expect.unreachable()
            const error = ENDS[step.does.end]
            const wasDone = one.isDone
            if (step.does.call === 'cancel') one.call.cancel()
            else if (step.does.call === 'started') one.call.started()
            else one.call.end(error)
            one.isDone = wasDone || step.does.call !== 'started'
            const isAnswer = step.does.call === 'started' || (step.does.call === 'end' && error === null && !wasDone)
            if (isAnswer && one.number > restAfter) restEnd = 0
            if (step.does.call === 'end' && !wasDone) {
              const seconds = error?.party === 'upstream' ? (error.retryAfter ?? 0) : 0
              if (seconds > 0) {
                restEnd = Math.max(now + seconds * 1000, restEnd)
                restAfter = started
              }
              if (step.does.end === 'outage') {
                failuresInARow.push(now)
                if (failuresInARow.length === RETRY.breaker_failures) openedAfter = started
              } else if (openedAfter === null || one.number > openedAfter) {
                failuresInARow.length = 0
                openedAfter = null
              }
            }
          }
          expect(guard.openBreakers().reduce((sum, { open: count }) => sum + count, 0)).toBe(
            openedAfter === null ? 0 : 1,
          )
          expect(open.filter(({ call, isDone }) => call.isProbe && !isDone).length).toBeLessThanOrEqual(started)
          expect(guard.restOf(UPSTREAM)).toBe(Math.max(0, restEnd - now))
          if (restEnd <= now) restEnd = 0
          // Openings and returns alternate, the first of them an opening.
          expect(states()).toEqual(states().map((_, at) => (at % 2 === 0 ? 'out' : 'back')))
          expect(states().length % 2 === 1).toBe(openedAfter !== null)
        }
        // Whatever happened, the upstream is back after all calls have ended and a new one is answered.
        for (const { call } of open) call.cancel()
        now += 2_000_000_000
        const last = guard.admit(UPSTREAM)
        if (last.ok) last.value.end(null)
        expect([last.ok, guard.openBreakers(), guard.restOf(UPSTREAM)]).toEqual([true, [], 0])
      }),
      1_000,
    )
  })

  it('admits no second probe before the first one has shown something', () => {
    const { outage } = ENDS
    let now = 0
    const guard = createUpstreamGuard(RETRY, () => now)
    for (const _ of [1, 2]) {
      const call = guard.admit(UPSTREAM)
      if (call.ok) call.value.end(outage)
    }
    now += 1_000
    const probe = guard.admit(UPSTREAM)
    now += 5_000
    expect([probe.ok, guard.admit(UPSTREAM).ok]).toEqual([true, false])
    if (probe.ok) probe.value.started()
    expect(guard.admit(UPSTREAM).ok).toBe(true)
  })
})
