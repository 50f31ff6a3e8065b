import fc from 'fast-check'
import { expect, it } from 'vitest'
import { memoryStore } from '../../src/gateway/auth/rate-limit.ts'
import { type Bucket, take } from '../../src/gateway/auth/token-bucket.ts'
import { createCountMemory } from '../../src/gateway/counts/count-memory.ts'
import { createClientRepeats, REPEAT_MS } from '../../src/gateway/upstream/client-repeats.ts'
import { NODE_HASHES } from '../../src/host/node-hashes.ts'
import { check, checkAsync } from '../property.ts'

/** What the gateway remembers of earlier requests, against models that read the whole history at each step. */

const MINUTE = 60_000

/** Their clock never goes back, and may stand still or go on by hours in one step, as after a machine has slept. */
const forward = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 20_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1, REPEAT_MS - 1, REPEAT_MS, 10 * MINUTE - 1, 10 * MINUTE) },
  { weight: 1, arbitrary: fc.nat({ max: 100_000_000 }) },
)
const any = fc.oneof({ weight: 4, arbitrary: forward }, fc.integer({ min: -100_000, max: -1 }))

const histories = <T>(does: fc.Arbitrary<T>, waits = forward) =>
  fc.array(fc.record({ does, of: fc.nat({ max: 3 }), waitMs: waits }), { maxLength: 60 })

it('a request counts as repeated for a minute after its last failure, and no other request does', async () => {
  await checkAsync(
    fc.asyncProperty(histories(fc.boolean()), async (steps) => {
      let now = 0
      const repeats = createClientRepeats(NODE_HASHES, () => now)
      const failedAt = new Map<number, number>()
      for (const { does: fails, of, waitMs } of steps) {
        now += waitMs
        // Two models and two bodies.
        const request = { key: 'k', vendor: 'acme', model: `m${of % 2}`, body: { input: of >> 1 } }
        const last = failedAt.get(of)
        expect(await repeats.has(request)).toBe(last !== undefined && now < last + REPEAT_MS)
        if (!fails) continue
        await repeats.noteFailure(request)
        failedAt.set(of, now)
      }
    }),
    300,
  )
})

it('an upstream without a count is requested again ten minutes after it has last said so', () => {
  check(
    fc.property(histories(fc.boolean()), (steps) => {
      let now = 0
      const counts = createCountMemory(() => now)
      const missingAt = new Map<number, number>()
      for (const { does: isMissing, of, waitMs } of steps) {
        now += waitMs
        const upstream = { vendor: `v${of % 2}`, model: `m${of >> 1}` }
        const last = missingAt.get(of)
        expect(counts.mayCount(upstream)).toBe(last === undefined || now >= last + 10 * MINUTE)
        if (!isMissing) continue
        counts.noteMissing(upstream)
        missingAt.set(of, now)
      }
    }),
    500,
  )
})

it('each key has a bucket of its own, whatever other keys take and however the clock jumps', async () => {
  const limits = [1, 2, 5, 20].map((requests, of) => ({ requests, seconds: 10, burst: 1 + of }))
  await checkAsync(
    fc.asyncProperty(histories(fc.constant(null), any), async (steps) => {
      let now = 0
      const store = memoryStore(() => now)
      const buckets = new Map<number, Bucket>()
      for (const { of, waitMs } of steps) {
        now += waitMs
        const limit = limits[of] ?? expect.unreachable()
        const { bucket, taken } = take(limit, buckets.get(of), now)
        buckets.set(of, bucket)
        expect(await store.take(`key ${of}`, limit)).toEqual(taken)
      }
    }),
    300,
  )
})
