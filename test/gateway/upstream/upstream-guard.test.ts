import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createUpstreamGuard,
  type GuardedCall,
  type UpstreamChange,
  type UpstreamGuard,
  type UpstreamNotice,
  type UpstreamState,
} from '../../../src/gateway/upstream/upstream-guard.ts'
import { upstreamError } from '../../../src/protocol/error.ts'
import { check } from '../../property.ts'

const EU: UpstreamState = { vendor: 'acme', member: 'eu', credential: 'old', model: 'm' }
const RETRY = {
  attempts: 3,
  first_delay_ms: 1,
  longest_delay_ms: 1,
  budget_share: 0.1,
  budget_floor: 10,
  breaker_failures: 2,
  breaker_seconds: 1,
}

const limited = (seconds: number) => upstreamError('rate_limit_exceeded', 'Slow down.', 429, seconds)
const OVERLOADED = upstreamError('server_is_overloaded', 'Overloaded.', 503)

function openGuard() {
  const now = { ms: 0 }
  const changes: UpstreamChange[] = []
  const guard = createUpstreamGuard(
    RETRY,
    () => now.ms,
    (change) => void changes.push(change),
  )
  return { guard, now, changes }
}

function admitted(guard: UpstreamGuard, upstream = EU): GuardedCall {
  const call = guard.admit(upstream)
  return call.ok ? call.value : expect.unreachable()
}

/** Opens the breaker. */
function takeOut(guard: UpstreamGuard): void {
  for (const _ of [1, 2]) admitted(guard).end(OVERLOADED)
}

describe('a pause for which an upstream has asked', () => {
  it('is not ended by the answer of a call that began before it', () => {
    const { guard } = openGuard()
    const early = admitted(guard)
    admitted(guard).end(limited(30))
    early.started()
    early.end(null)
    expect(guard.restOf(EU)).toBe(30_000)
  })

  it('is ended by the answer of a later call, and by its time', () => {
    const { guard, now } = openGuard()
    admitted(guard).end(limited(30))
    admitted(guard).end(null)
    expect(guard.restOf(EU)).toBe(0)
    admitted(guard).end(limited(30))
    now.ms = 29_999
    expect(guard.restOf(EU)).toBe(1)
    now.ms = 30_000
    expect(guard.restOf(EU)).toBe(0)
  })

  it('is neither shortened nor ended by further failures', () => {
    const { guard } = openGuard()
    const calls = [admitted(guard), admitted(guard), admitted(guard)]
    for (const [at, error] of [limited(30), limited(1), OVERLOADED].entries()) calls[at]?.end(error)
    expect(guard.restOf(EU)).toBe(30_000)
  })
})

describe('an open breaker', () => {
  it('admits one probe at a time, and the next one when its call has ended or started to answer', () => {
    const { guard, now } = openGuard()
    takeOut(guard)
    now.ms = 1000
    const probe = admitted(guard)
    expect(probe.isProbe).toBe(true)
    now.ms = 60_000
    expect(guard.admit(EU).ok).toBe(false)
    probe.end(OVERLOADED)
    const second = admitted(guard)
    second.started()
    now.ms = 61_000
    expect(admitted(guard).isProbe).toBe(true)
  })

  it('is closed by a probe that is answered, and not by the answer of a call that began before it opened', () => {
    const { guard, now } = openGuard()
    const early = admitted(guard)
    takeOut(guard)
    early.end(null)
    expect(guard.admit(EU).ok).toBe(false)
    now.ms = 1000
    admitted(guard).end(null)
    expect(admitted(guard).isProbe).toBe(false)
  })

  it('has its probe back after a call that was not made', () => {
    const { guard, now } = openGuard()
    takeOut(guard)
    now.ms = 1000
    admitted(guard).cancel()
    now.ms = 2000
    expect(admitted(guard).isProbe).toBe(true)
  })
})

it('has a probe for every breaker after any calls that have ended', () => {
  const outcome = fc.constantFrom('answer', 'started', 'outage', 'limit', 'cancel')
  const step = fc.record({ wait: fc.nat(3000), at: fc.nat(5), outcome })
  check(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { guard, now } = openGuard()
      const open: GuardedCall[] = []
      const end = (call: GuardedCall, how: string): void => {
        if (how === 'started') call.started()
        if (how === 'cancel') call.cancel()
        else call.end(how === 'outage' ? OVERLOADED : how === 'limit' ? limited(1) : null)
      }
      for (const { wait, at, outcome: how } of steps) {
        now.ms += wait
        const call = guard.admit(EU)
        if (call.ok) open.push(call.value)
        const [ended] = open.splice(at, 1)
        if (ended !== undefined) end(ended, how)
      }
      for (const call of open) call.cancel()
      now.ms += 60_000
      admitted(guard).end(null)
      expect([guard.openBreakers(), guard.restOf(EU), admitted(guard).isProbe]).toEqual([[], 0, false])
    }),
    300,
  )
})

it('a new key under an old name has neither the pause nor the breaker of the old one', () => {
  const { guard } = openGuard()
  takeOut(guard)
  admitted(guard, { ...EU, model: 'other' }).end(limited(3600))
  const fresh = { ...EU, credential: 'new' }
  expect(admitted(guard, fresh).isProbe).toBe(false)
  expect(guard.restOf({ ...fresh, model: 'other' })).toBe(0)
  expect(guard.openBreakers()).toEqual([{ vendor: 'acme', member: 'eu', open: 0 }])
  expect(guard.restOf({ ...EU, model: 'other' })).toBe(3_600_000)
})

it('reports a pause, an open breaker and the return, each once', () => {
  const { guard, now, changes } = openGuard()
  const calls = [admitted(guard), admitted(guard)]
  for (const call of calls) call.end(limited(30))
  takeOut(guard)
  admitted(guard, { ...EU, member: 'us' }).end(OVERLOADED)
  now.ms = 1000
  admitted(guard).end(OVERLOADED)
  now.ms = 2000
  admitted(guard).end(null)
  expect(changes.map(({ upstream, state, reason, seconds }) => [upstream.member, state, reason, seconds])).toEqual([
    ['eu', 'paused', 'rate_limit_exceeded', 30],
    ['eu', 'out', 'server_is_overloaded', null],
    ['eu', 'back', null, null],
  ])
})

/** Guards of the processes of one server. Each receives what the others notice. */
function openGuards(count: number) {
  const now = { ms: 0 }
  const changes: UpstreamChange[] = []
  const guards: UpstreamGuard[] = []
  for (let at = 0; at < count; at += 1)
    guards.push(
      createUpstreamGuard(
        RETRY,
        () => now.ms,
        (change) => void changes.push(change),
        (notice) => {
          for (const [other, guard] of guards.entries())
            if (other !== at) guard.note(JSON.parse(JSON.stringify(notice)))
        },
      ),
    )
  return { guards, now, changes }
}

const ENDS = [null, OVERLOADED, limited(3), limited(5), limited(30)]

describe('the guards of several processes of a server', () => {
  it('agree on pauses and breakers after any history, report each change once, and send one probe a period', () => {
    const step = fc.record({
      at: fc.nat({ max: 2 }),
      waitMs: fc.constantFrom(0, 0, 1, 400, 1000, 4000),
      end: fc.constantFrom(...ENDS, OVERLOADED, OVERLOADED, 'open' as const),
    })
    check(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { guards, now, changes } = openGuards(3)
        const open: GuardedCall[] = []
        const probes: number[] = []
        // A guard counts the open breakers of credentials that it has called.
        for (const guard of guards) admitted(guard).cancel()
        for (const { at, waitMs, end } of steps) {
          now.ms += waitMs
          const call = (guards[at] ?? expect.unreachable()).admit(EU)
          if (call.ok && call.value.isProbe) probes.push(now.ms)
          if (call.ok && end === 'open') open.push(call.value)
          else if (call.ok && end !== 'open') call.value.end(end)
          const rests = guards.map((guard) => guard.restOf(EU))
          // A pause that becomes longer by less than a second is not shared.
          expect(Math.max(...rests) - Math.min(...rests)).toBeLessThanOrEqual(1000)
          const isOut = guards.map((guard) => guard.openBreakers().some((one) => one.open > 0))
          expect(isOut.slice(1)).toEqual(isOut.slice(0, -1))
        }
        const states = changes.map(({ state }) => state).filter((state) => state !== 'paused')
        expect(states).toEqual(states.map((_, at) => (at % 2 === 0 ? 'out' : 'back')))
        for (const [at, ms] of probes.entries())
          if (at > 0) expect(ms - (probes[at - 1] ?? 0)).toBeGreaterThanOrEqual(RETRY.breaker_seconds * 1000)
        for (const call of open) call.cancel()
        expect(guards.map((guard) => guard.open())).toEqual(guards.map(() => ({ upstreamCalls: 0, probes: 0 })))
      }),
      300,
    )
  })

  it('know a pause, a longer one, and its early end', () => {
    const { guards, now, changes } = openGuards(2)
    const [one, other] = guards as [UpstreamGuard, UpstreamGuard]
    const early = admitted(other)
    admitted(one).end(limited(30))
    expect(other.restOf(EU)).toBe(30_000)
    admitted(one).end(limited(60))
    expect(other.restOf(EU)).toBe(60_000)
    early.end(null)
    expect([one.restOf(EU), other.restOf(EU)]).toEqual([60_000, 60_000])
    admitted(other).end(null)
    expect([one.restOf(EU), other.restOf(EU)]).toEqual([0, 0])
    expect(changes.map(({ state, seconds }) => [state, seconds])).toEqual([['paused', 30]])
    now.ms = 1
    expect(one.restOf({ ...EU, credential: 'new' })).toBe(0)
  })

  it('know a pause that becomes longer little by little, with at most one message a second', () => {
    const now = { ms: 0 }
    const notices: UpstreamNotice[] = []
    const other = createUpstreamGuard(RETRY, () => now.ms)
    const one = createUpstreamGuard(
      RETRY,
      () => now.ms,
      () => undefined,
      (notice) => {
        notices.push(notice)
        other.note(notice)
      },
    )
    for (now.ms = 0; now.ms <= 60_000; now.ms += 300) {
      admitted(one).end(limited(30))
      expect(one.restOf(EU) - other.restOf(EU)).toBeLessThanOrEqual(1000)
    }
    expect(notices.length).toBeLessThanOrEqual(61)
  })

  it('open no breaker in a process whose configuration has none', () => {
    const guard = createUpstreamGuard({ ...RETRY, breaker_failures: 0 }, () => 0)
    for (const state of ['out', 'probed'] as const) guard.note({ upstream: EU, state, seconds: 0 })
    for (let count = 0; count < 3; count += 1) expect(admitted(guard).isProbe).toBe(false)
    expect(guard.openBreakers()).toEqual([])
  })

  it('refuse calls while the breaker of one is open, and none after one probe has had an answer', () => {
    const { guards, now, changes } = openGuards(2)
    const [one, other] = guards as [UpstreamGuard, UpstreamGuard]
    takeOut(one)
    expect(other.admit(EU).ok).toBe(false)
    now.ms = 1000
    const probe = admitted(other)
    expect([probe.isProbe, one.admit(EU).ok]).toEqual([true, false])
    probe.end(null)
    expect(admitted(one).isProbe).toBe(false)
    expect(changes.map(({ state }) => state)).toEqual(['out', 'back'])
  })
})
