import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Key } from '../../src/gateway/auth/auth.ts'
import type { GatewayContext } from '../../src/gateway/open-gateway.ts'
import type { Log } from '../../src/gateway/telemetry/log.ts'
import { createRequestHistory, type ShownHistory } from '../../src/host/page/request-history.ts'
import type { MetricJson } from '../../src/host/telemetry/metrics.ts'
import type { Destination } from '../../src/observability/destination.ts'
import type { Trace } from '../../src/observability/trace.ts'

/** What gateways report of their exchanges. */
type Kind = 'line' | 'trace' | 'row' | 'live row' | 'metric'

const found: string[] = []
const running = new Set<{ readonly owner: string; readonly json: () => Promise<readonly MetricJson[]> }>()

const ownerOf = (): string => expect.getState().currentTestName ?? 'before the tests'

const note = (owner: string, kind: Kind, value: unknown): void =>
  void found.push(JSON.stringify([owner, kind, plain(value, '')]))

/** Times, ids, addresses and places in the source differ between two runs. */
function plain(value: unknown, name: string): unknown {
  if (typeof value === 'number') return /(_ms|Ms|^time|At|_at|_seconds)$/.test(name) ? '<time>' : value
  if (typeof value === 'string') return withoutChance(value)
  if (Array.isArray(value)) return name === 'places' ? value.length > 0 : value.map((one) => plain(one, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [withoutChance(key), plain(one, key)]))
}

const withoutChance = (text: string): string =>
  text
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '<id>')
    .replace(/(?<![\da-z])[\da-f]{12,}/g, '<id>')
    .replace(/(?<=(?:127\.0\.0\.1|0\.0\.0\.0|localhost|\[::1\]):)\d+/g, '<port>')
    .replace(/#\d+$/, '#<n>')
    .replace(/\/tmp\/[^\s'"]*/g, '<path>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')

export function recordingLog(log: Log): Log {
  const owner = ownerOf()
  return (line) => {
    note(owner, 'line', line)
    log(line)
  }
}

/** A destination of every workspace that takes no content, so that each exchange has a trace. */
export const RECORDER = {
  id: 'recorder',
  type: 'webhook',
  enabled: true,
  privacy_mode: true,
  filter_rules: null,
} as unknown as Destination

export const recordTrace = (trace: Trace): void => note(ownerOf(), 'trace', trace)

const VIEWER = { kind: 'management', isDevelopment: false } as Key

/** The same surroundings, whose page, upstreams and metrics are recorded. */
export function recordingContext(context: GatewayContext): GatewayContext {
  const owner = ownerOf()
  const history = (context.history as ShownHistory | null) ?? createRequestHistory(false, context.clock)
  const { metrics } = context
  if ('json' in metrics) running.add({ owner, json: metrics.json as () => Promise<readonly MetricJson[]> })
  history.watch((id) => {
    for (const row of history.list(VIEWER, new Set([id]))) note(owner, row.running ? 'live row' : 'row', row)
  })
  const noteLive = (): void => {
    for (const row of history.list(VIEWER, new Set(history.running()))) note(owner, 'live row', row)
  }
  return {
    ...context,
    history,
    async source(...call) {
      noteLive()
      const answer = await context.source(...call)
      noteLive()
      return answer
    },
  }
}

/** Of times, only their number is recorded. */
const isTime = (name: string): boolean => /_seconds(_bucket|_sum)?$/.test(name)

/** Records the metrics of the gateways of a test that has ended. */
export async function recordMetrics(): Promise<void> {
  const ended = [...running]
  running.clear()
  for (const { owner, json } of ended) {
    // A server whose start has failed has no metrics.
    for (const { name, values } of await json().catch(() => [])) {
      if (!/^(millrace|gen_ai)_/.test(name)) continue
      for (const { labels, value, metricName = name } of values as readonly Sample[])
        if (!isTime(metricName)) note(owner, 'metric', [metricName, labels, value])
    }
  }
}

interface Sample {
  readonly labels: object
  readonly value: number
  readonly metricName?: string
}

/** Writes all that was found since the last call, sorted. */
export function writeFound(folder: string, file: string): void {
  const target = join(folder, `${file.replace(/^.*?\/test\//, '')}.jsonl`)
  mkdirSync(dirname(target), { recursive: true })
  const lines = found.splice(0).sort()
  if (lines.length > 0) writeFileSync(target, `${lines.join('\n')}\n`)
}
