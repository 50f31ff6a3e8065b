import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { addProcessMetrics } from '../../../src/host/telemetry/process-metrics.ts'

/** What was measured, in milliseconds, as a histogram of `node:perf_hooks`. */
function histogramOf(measured: readonly number[]) {
  let sorted = measured.toSorted((a, b) => a - b)
  const percentile = (of: number): number => (sorted[Math.ceil((of / 100) * sorted.length) - 1] ?? 0) * 1e6
  return {
    percentile,
    get max() {
      return percentile(100)
    },
    reset: () => {
      sorted = []
    },
    disable: () => true,
  }
}

it('the delay of the event loop is the median, the 99th percentile and the longest since the last scrape', async () => {
  // 10 ms to 1 s, each after the 20 ms of the measurement itself.
  const delay = histogramOf(Array.from({ length: 100 }, (_, at) => 20 + 10 * (at + 1)))
  const register = new Registry()
  const close = addProcessMetrics(register, delay)
  const lags = async () => {
    const lines = (await register.metrics()).split('\n')
    return ['p50', 'p99', 'max'].map((name) => {
      const start = `nodejs_eventloop_lag_${name}_seconds `
      return Number(lines.find((line) => line.startsWith(start))?.slice(start.length))
    })
  }
  expect((await lags()).map((seconds) => seconds.toFixed(3))).toEqual(['0.500', '0.990', '1.000'])
  expect(await lags()).toEqual([0, 0, 0])
  close()
})
