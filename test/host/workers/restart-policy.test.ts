import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRestartPolicy } from '../../../src/host/workers/primary.ts'
import { check } from '../../property.ts'

describe('the restarts of a worker', () => {
  it('wait twice as long after each crash in a row, up to ten seconds, and end after ten crashes', () => {
    const policy = createRestartPolicy(() => 0)
    policy.noteStart(1)
    const delays = Array.from({ length: 11 }, () => policy.noteCrash(1))
    expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000, null])
  })

  it('begin again with the shortest delay after a minute without a crash, and are counted by worker', () => {
    let now = 0
    const policy = createRestartPolicy(() => now)
    policy.noteStart(1)
    policy.noteStart(2)
    expect([policy.noteCrash(1), policy.noteCrash(1), policy.noteCrash(2)]).toEqual([100, 200, 100])
    policy.noteStart(1)
    now = 60_000
    expect(policy.noteCrash(1)).toBe(100)
    expect(policy.noteCrash(2)).toBe(100)
  })

  it('have the delay that the crashes in a row have, over any history of starts and crashes', () => {
    const runsMs = fc.oneof(fc.nat({ max: 70_000 }), fc.constantFrom(59_999, 60_000, 1e9))
    check(
      fc.property(fc.array(fc.record({ worker: fc.nat({ max: 2 }), runsMs }), { maxLength: 60 }), (lives) => {
        let now = 0
        const policy = createRestartPolicy(() => now)
        const inARow = new Map<number, number>()
        for (const { worker, runsMs } of lives) {
          policy.noteStart(worker)
          now += runsMs
          const count = runsMs >= 60_000 ? 1 : (inARow.get(worker) ?? 0) + 1
          inARow.set(worker, count)
          const delays = [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]
          expect(policy.noteCrash(worker)).toBe(delays[count - 1] ?? null)
        }
      }),
      500,
    )
  })
})
