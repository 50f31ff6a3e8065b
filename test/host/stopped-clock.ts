import { vi } from 'vitest'
import { whenDone } from './test-server.ts'

/**
 * Stops the clock with which the gateway measures intervals, until the end of the test. It goes on only by `pass`, so that
 * a busy machine changes nothing. Timers run as usual.
 */
export function stopClock(): { pass(ms: number): void } {
  // Whole milliseconds, so that times are what a test adds up to.
  let now = Math.ceil(performance.now())
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now)
  whenDone(async () => spy.mockRestore())
  return {
    pass(ms) {
      now += ms
    },
  }
}
