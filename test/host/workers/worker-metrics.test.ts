import { Counter, Gauge, Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import type { MetricJson } from '../../../src/host/telemetry/metrics.ts'
import { createWorkerMetrics, type WorkerMetrics } from '../../../src/host/workers/worker-metrics.ts'

/** The metrics of a worker, as it sends them. */
async function metricsOf(counted: number, open: number): Promise<readonly MetricJson[]> {
  const registers = [new Registry()]
  new Counter({ name: 'a_total', help: 'a', registers }).inc(counted)
  new Gauge({ name: 'open', help: 'open', registers }).set(open)
  new Gauge({ name: 'lag', help: 'lag', aggregator: 'max', registers }).set(open)
  return JSON.parse(JSON.stringify(await registers[0]?.getMetricsAsJSON()))
}

const valuesOf = async (metrics: WorkerMetrics): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await metrics.text())
      .split('\n')
      .filter((line) => /^(?:a_total|open|lag|millrace)/.test(line))
      .map((line) => line.split(' ') as [string, string]),
  )

let metrics: WorkerMetrics

afterEach(() => metrics.close())

describe('the metrics of all workers', () => {
  it('are sums, or the highest value of delays', async () => {
    metrics = createWorkerMetrics(() => 2)
    metrics.noteCollected(1, await metricsOf(3, 5))
    metrics.noteCollected(2, await metricsOf(4, 2))
    expect(await valuesOf(metrics)).toMatchObject({ a_total: '7', open: '7', lag: '5', millrace_workers: '2' })
  })

  it('keep the counters of workers that have ended, and not their gauges', async () => {
    metrics = createWorkerMetrics(() => 1)
    for (const counted of [3, 10]) {
      metrics.noteCollected(1, await metricsOf(counted, 5))
      metrics.noteCrash()
      metrics.retire(1)
    }
    metrics.noteCollected(1, await metricsOf(1, 2))
    expect(await valuesOf(metrics)).toMatchObject({ a_total: '14', open: '2', millrace_worker_crashes_total: '2' })
  })
})
