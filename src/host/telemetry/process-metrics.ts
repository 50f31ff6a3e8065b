import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, type Registry } from 'prom-client'

/** How often the delay of the event loop is measured, in milliseconds. */
const RESOLUTION_MS = 20

const FILES = '/proc/self/fd'

/** The delays of the event loop in nanoseconds, each with the resolution of their measurement. */
type LoopDelay = Pick<IntervalHistogram, 'percentile' | 'max' | 'reset' | 'disable'>

/**
 * Adds the metrics of the process, with the names that Prometheus' clients use. The function that it returns stops their
 * timer. Metrics that the system does not report have no sample. Those of several workers are added up, but for the
 * first start and the longest delays. `delay`: null in runtimes that do not measure it.
 */
export function addProcessMetrics(register: Registry, delay: LoopDelay | null = openDelay()): () => void {
  const registers = [register]
  const gauge = (
    name: string,
    help: string,
    read: () => number | null | Promise<number | null>,
    aggregator: 'sum' | 'min' | 'max' = 'sum',
  ): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      async collect() {
        const value = await read()
        if (value !== null) this.set(value)
      },
    })
  const seconds = (name: string, help: string, read: () => number): Counter =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read() / 1e6)
      },
    })

  seconds('process_cpu_user_seconds_total', 'CPU time of the process in user mode.', () => process.cpuUsage().user)
  seconds('process_cpu_system_seconds_total', 'CPU time of the process in the system.', () => process.cpuUsage().system)
  seconds('process_cpu_seconds_total', 'CPU time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return user + system
  })
  const startedAt = Math.round(Date.now() / 1000 - process.uptime())
  gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.', () => startedAt, 'min')
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('process_open_fds', 'Open file descriptors: connections and files.', countFiles)
  const mostFiles = readMostFiles()
  gauge('process_max_fds', 'File descriptors that the process may open.', () => mostFiles)
  gauge('nodejs_heap_size_total_bytes', 'Heap of V8.', () => process.memoryUsage().heapTotal)
  gauge('nodejs_heap_size_used_bytes', 'Used heap of V8.', () => process.memoryUsage().heapUsed)
  gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', () => process.memoryUsage().external)
  new Gauge({
    name: 'nodejs_active_resources',
    help: 'Open handles and requests of the event loop, such as sockets and timers.',
    labelNames: ['type'],
    registers,
    collect() {
      this.reset()
      for (const type of activeResources()) this.inc({ type })
    },
  })

  const delayed = (name: string, what: string, read: (of: LoopDelay) => number): Gauge =>
    gauge(
      `nodejs_eventloop_lag_${name}_seconds`,
      `Delay of the event loop since the last scrape: ${what}.`,
      () => (delay === null ? null : Math.max(0, read(delay) / 1e9 - RESOLUTION_MS / 1000)),
      'max',
    )
  delayed('p50', 'the median', (of) => of.percentile(50))
  delayed('p99', 'the 99th percentile', (of) => of.percentile(99))
  // The last one that is read begins the next period.
  delayed('max', 'the longest', (of) => {
    const { max } = of
    of.reset()
    return max
  })
  return () => void delay?.disable()
}

function openDelay(): LoopDelay | null {
  try {
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    delay.enable()
    return delay
  } catch {
    return null
  }
}

const activeResources = (): readonly string[] =>
  typeof process.getActiveResourcesInfo === 'function' ? process.getActiveResourcesInfo() : []

/** Reading the folder opens one more. Null on systems without it. */
const countFiles = (): Promise<number | null> =>
  readdir(FILES).then(
    (files) => files.length - 1,
    () => null,
  )

function readMostFiles(): number | null {
  try {
    const most = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return most === undefined ? null : Number(most)
  } catch {
    return null
  }
}
