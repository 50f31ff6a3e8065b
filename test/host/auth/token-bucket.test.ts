import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration } from '../../../src/gateway/auth/rate-limit.ts'
import { type Bucket, type RateLimit, take } from '../../../src/gateway/auth/token-bucket.ts'
import { check } from '../../property.ts'

const LIMIT: RateLimit = { requests: 60, seconds: 60, burst: 3 }

/** Returns the results of requests at these times, in ms. */
function taken(limit: RateLimit, times: readonly number[]) {
  const { verdicts } = times.reduce<{ bucket: Bucket | undefined; verdicts: ReturnType<typeof take>['taken'][] }>(
    ({ bucket, verdicts }, now) => {
      const next = take(limit, bucket, now)
      return { bucket: next.bucket, verdicts: [...verdicts, next.taken] }
    },
    { bucket: undefined, verdicts: [] },
  )
  return verdicts
}

describe('a token bucket', () => {
  it('allows a burst, then one request a second', () => {
    const verdicts = taken(LIMIT, [0, 0, 0, 0, 999, 1000, 1000, 9000])
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false, true, false, true])
    expect(verdicts.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0, 0, 0, 2])
    expect(verdicts[3]).toEqual({ allowed: false, remaining: 0, resetMs: 3000, waitMs: 1000 })
    expect(verdicts[4]?.waitMs).toBeLessThanOrEqual(2)
  })

  it('never requires a longer wait than the time of one token', () => {
    for (const seconds of [1, 10, 60, 3600, 86_400]) {
      const [, refused] = taken({ requests: 1, seconds, burst: 1 }, [0, 0])
      expect(refused).toEqual({ allowed: false, remaining: 0, resetMs: seconds * 1000, waitMs: seconds * 1000 })
    }
  })

  it('does not fill when the clock goes back', () => {
    expect(taken(LIMIT, [5000, 5000, 5000, 0, 0]).map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  it('allows at least the burst, and at most the burst plus the tokens added since', () => {
    const gaps = fc.array(fc.nat(3000), { maxLength: 60 })
    const limits = fc.record({
      requests: fc.integer({ min: 1, max: 50 }),
      seconds: fc.constantFrom(1, 7, 60),
      burst: fc.integer({ min: 1, max: 9 }),
    })
    check(
      fc.property(limits, gaps, (limit, waits) => {
        const times = waits.map((_, i) => waits.slice(0, i + 1).reduce((sum, wait) => sum + wait))
        const verdicts = taken(limit, times)
        const passed = verdicts.filter(({ allowed }) => allowed).length
        const perMs = limit.requests / (limit.seconds * 1000)
        const span = times.length === 0 ? 0 : (times.at(-1) as number) - (times[0] as number)
        expect(passed).toBeLessThanOrEqual(limit.burst + span * perMs + 1e-6)
        expect(passed).toBeGreaterThanOrEqual(Math.min(times.length, limit.burst))
        for (const { allowed, remaining, waitMs, resetMs } of verdicts) {
          expect(remaining).toBeGreaterThanOrEqual(0)
          expect(remaining).toBeLessThan(limit.burst)
          expect(waitMs).toBeLessThanOrEqual(Math.ceil(1 / perMs))
          expect(resetMs).toBeGreaterThan(0)
          if (!allowed) expect(waitMs).toBeGreaterThan(0)
        }
      }),
    )
  })
})

it.each([
  [0, '0ms'],
  [0.2, '1ms'],
  [999, '999ms'],
  [1000, '1s'],
  [1001, '2s'],
  [60_000, '1m0s'],
  [3_723_000, '1h2m3s'],
])('formatDuration writes %i ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
