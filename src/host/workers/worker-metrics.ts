import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client'
import type { MetricJson } from '../telemetry/metrics.ts'
import { addProcessMetrics } from '../telemetry/process-metrics.ts'

/** The metrics of all workers and of the primary process, which counts the workers. */
export interface WorkerMetrics {
  noteCrash(): void
  /** Stores the latest metrics of a worker. */
  noteCollected(number: number, metrics: readonly MetricJson[]): void
  /** Called when a worker has ended. Its counts stay in the sums, which would otherwise fall. */
  retire(number: number): void
  /** The sums of the latest metrics, in Prometheus' text format. */
  text(): Promise<string>
  close(): void
}

/** `running`: the number of workers that run. */
export function createWorkerMetrics(running: () => number): WorkerMetrics {
  const register = new Registry()
  const registers = [register]
  new Gauge({
    name: 'millrace_workers',
    help: 'Worker processes that run.',
    registers,
    collect() {
      this.set(running())
    },
  })
  const crashes = new Counter({ name: 'millrace_worker_crashes_total', help: 'Workers that crashed.', registers })
  const close = addProcessMetrics(register)
  const latest = new Map<number, readonly MetricJson[]>()
  let retired: Promise<readonly MetricJson[]> = Promise.resolve([])
  return {
    noteCrash: () => crashes.inc(),
    noteCollected: (number, metrics) => void latest.set(number, metrics),
    retire(number) {
      const counted = (latest.get(number) ?? []).filter(isCounted)
      latest.delete(number)
      retired = retired.then((sums) => sumOf([sums, counted]).getMetricsAsJSON())
    },
    async text() {
      const own = await register.getMetricsAsJSON()
      return sumOf([own, await retired, ...latest.values()]).metrics()
    },
    close,
  }
}

/** The metrics whose values never fall. JSON has the names of their types. */
const isCounted = ({ type }: MetricJson): boolean => ['counter', 'histogram'].includes(String(type))

/** prom-client groups the metrics of all lists by name, and applies the aggregator of each. */
const sumOf = (lists: readonly (readonly MetricJson[])[]): Registry =>
  AggregatorRegistry.aggregate(lists.map((list) => [...list]))
