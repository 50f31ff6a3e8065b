import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Sender, SendResult } from '../../../src/gateway/telemetry/sender.ts'
import { TraceQueue } from '../../../src/gateway/telemetry/trace-queue.ts'
import { destinationOf, traceOf } from '../../observability/samples.ts'
import { checkAsync } from '../../property.ts'

/** The queue of a destination: each trace is delivered or dropped once, and what it counts returns to zero. */

const LIMITS = {
  queue_traces: 8,
  queue_bytes: 1_000,
  batch_traces: 3,
  batch_bytes: 500,
  batch_seconds: 3600,
  attempts: 2,
}

const RESULTS: readonly SendResult[] = [
  { kind: 'taken', rejected: 0 },
  { kind: 'taken', rejected: 1 },
  { kind: 'refused', reason: 'status_400' },
  { kind: 'failed', reason: 'status_503', retryAfterMs: 0 },
]

function openQueue(results: readonly SendResult[]) {
  let next = 0
  const counts = { accepted: 0, dropped: 0, retried: 0 }
  const sender: Sender = {
    send: async () => results[next++ % results.length] ?? expect.unreachable(),
    close: async () => undefined,
  }
  const queue = new TraceQueue(destinationOf('webhook'), sender, LIMITS, {
    accepted(traces) {
      counts.accepted += traces
    },
    dropped(traces) {
      counts.dropped += traces
    },
    retried() {
      counts.retried += 1
    },
  })
  return { queue, counts }
}

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 600 }) },
    { weight: 1, arbitrary: fc.constant('flush' as const) },
  ),
  { maxLength: 40 },
)

it('delivers or drops each trace once, and has room for all of its bytes again when no trace waits', async () => {
  await checkAsync(
    fc.asyncProperty(
      steps,
      fc.array(fc.constantFrom(...RESULTS), { minLength: 1, maxLength: 6 }),
      async (all, results) => {
        const { queue, counts } = openQueue(results)
        let offered = 0
        const offer = (size: number): void => {
          offered += 1
          queue.offer(traceOf(), size)
        }
        for (const step of all) {
          if (step === 'flush') await queue.flush()
          else offer(step)
          expect(queue.waiting).toBeLessThanOrEqual(LIMITS.queue_traces)
        }
        await queue.flush()
        expect(queue.waiting).toBe(0)
        expect(counts.accepted + counts.dropped).toBe(offered)
        // One trace of all bytes that the queue may have: it is dropped if something is still counted.
        const before = counts.dropped
        offer(LIMITS.queue_bytes)
        expect([queue.waiting, counts.dropped]).toEqual([1, before])
        offer(1)
        expect([queue.waiting, counts.dropped]).toEqual([1, before + 1])
        await queue.close(60_000)
        expect(queue.waiting).toBe(0)
        expect(counts.accepted + counts.dropped).toBe(offered)
      },
    ),
    300,
  )
})
