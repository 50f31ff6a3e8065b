import { createHistogram } from 'node:perf_hooks'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { addProcessMetrics } from '../../../src/host/telemetry/process-metrics.ts'

it('the delay of the event loop is the median, the 99th percentile and the longest since the last scrape', async () => {
  const measured = createHistogram()
  const delay = Object.assign(measured, { disable: () => true })
  // 10 ms to 1 s, each after the 20 ms of the measurement itself.
  for (let at = 1; at <= 100; at += 1) measured.record((20 + 10 * at) * 1_000_000)
  const register = new Registry()
  const close = addProcessMetrics(register, delay)
  const lags = async () => {
    const text = await register.metrics()
    return ['p50', 'p99', 'max'].map((name) =>
      Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (.*)$`, 'm').exec(text)?.[1]),
    )
  }
  const [p50, p99, max] = await lags()
  expect(p50).toBeCloseTo(0.5, 2)
  expect(p99).toBeCloseTo(0.99, 2)
  expect(max).toBeCloseTo(1, 2)
  expect((await lags())[2]).toBe(0)
  close()
})
