import { getOrCreate } from '../../collections/get-or-create.ts'
import { contentLength } from '../../observability/content.ts'
import type { Destination, DestinationStore } from '../../observability/destination.ts'
import { isForwarded } from '../../observability/export.ts'
import { destinationsFor, type TraceScope, viewTrace, wantContent } from '../../observability/select.ts'
import type { Trace } from '../../observability/trace.ts'
import { toHex } from '../../text/bytes.ts'
import type { Key } from '../auth/auth.ts'
import type { Workspaces } from '../auth/workspaces.ts'
import type { Config } from '../config/config.ts'
import type { Summary } from '../exchange/journal.ts'
import type { KeptForTrace } from '../exchange/kept-texts.ts'
import type { Sender } from './deliver.ts'
import { type DeliveryQueue, openDeliveryQueue, type QueueReport } from './delivery-queue.ts'
import type { Log } from './log.ts'
import { toTrace } from './trace-builder.ts'

/** Sends traces of the requests of a server to its destinations. */
export interface Observability {
  /**
   * Begins to keep what the trace of a request with this key needs; null if no destination receives its traffic.
   */
  begin(key: Key): KeptForTrace | null
  /** Queues the trace of an exchange that has ended. Returns at once, regardless of the destinations. */
  finish(kept: KeptForTrace, exchange: Summary): void
  /** All destinations that the store has now. Rejects if the store does. */
  destinations(): Promise<readonly Destination[]>
  /** The uuid of a key's default workspace. */
  workspaceOf(key: Key): string
  /** Reads the store again. Queued traces of a destination that still exists are kept. */
  refresh(): Promise<void>
  /** Sends all waiting traces now. Resolves when none waits. */
  flush(): Promise<void>
  /** The number of waiting traces for each destination. */
  waiting(): readonly (readonly [Destination, number])[]
  close(limitMs: number): Promise<void>
}

export interface ObservabilityOptions {
  readonly store: DestinationStore
  readonly sender: Sender
  readonly limits: Config['forwarding']
  /** The workspaces in force; they change when the configuration is read again. */
  readonly workspaces: () => Workspaces
  readonly log: Log
  readonly clock: () => number
  readonly random: () => string
  readonly report: (destination: Destination) => QueueReport
}

/** Size of a trace in a queue, without its content. */
const BARE_TRACE = 2048

/** Shortest time between two log lines about drops for the same reason. The metrics count every drop. */
const LINE_MS = 10_000

/** `first`: the destinations that the store has now. */
export function openObservability(options: ObservabilityOptions, first: readonly Destination[]): Observability {
  const { store, limits, log, clock, random, sender } = options
  const lanes = new Map<string, { readonly destination: Destination; readonly lane: DeliveryQueue }>()
  let scopes = new WeakMap<Key, TraceScope>()
  let plans = new WeakMap<TraceScope, Plan>()
  const unsupported = new Set<string>()
  let known: readonly Destination[] = []

  const scopeOf = (key: Key): TraceScope =>
    getOrCreate(scopes, key, () => ({
      workspaceId: options.workspaces().idOf(key.workspace),
      keyHash: toHex(key.hash),
    }))

  const planFor = (scope: TraceScope): Plan =>
    getOrCreate(plans, scope, () => {
      const destinations = destinationsFor(known, scope).filter(({ type }) => isForwarded(type))
      return { destinations, wantsContent: wantContent(destinations) }
    })

  const reportOf = (destination: Destination): QueueReport =>
    loggedReport(options.report(destination), log, clock, nameOf(destination))

  const laneOf = (destination: Destination): DeliveryQueue => {
    const found = lanes.get(destination.id)
    if (found !== undefined) return found.lane
    const lane = openDeliveryQueue(destination, sender, limits, reportOf(destination))
    lanes.set(destination.id, { destination, lane })
    return lane
  }

  /**
   * A defect of one destination, such as an invalid expression in its filter, must not affect the other destinations.
   */
  const offer = (destination: Destination, trace: Trace, weight: number): void => {
    try {
      const view = viewTrace(destination, trace)
      if (view !== null) laneOf(destination).offer(view, view.content === null ? BARE_TRACE : weight)
    } catch {
      reportOf(destination).dropped(1, 'unreadable_rules')
    }
  }

  const install = (next: readonly Destination[]): void => {
    known = next
    scopes = new WeakMap()
    plans = new WeakMap()
    const byId = new Map(next.map((destination) => [destination.id, destination]))
    for (const [id, { lane }] of lanes) {
      const destination = byId.get(id)
      if (destination?.enabled === true) {
        lane.change(destination)
        lanes.set(id, { destination, lane })
      } else {
        lanes.delete(id)
        void lane.close(limits.timeout_seconds * 1000)
      }
    }
    for (const destination of next.filter(({ enabled, type }) => enabled && !isForwarded(type))) {
      if (unsupported.has(destination.id)) continue
      unsupported.add(destination.id)
      log({ event: 'forwarding_unsupported', ...nameOf(destination) })
    }
  }

  install(first)
  return {
    begin(key) {
      const scope = scopeOf(key)
      const { destinations, wantsContent } = planFor(scope)
      if (destinations.length === 0) return null
      return { scope, wantsContent, startedAt: clock(), request: null, answer: null }
    },
    finish(kept, exchange) {
      try {
        const trace = toTrace(kept, exchange, random(), limits.content_characters)
        const weight = BARE_TRACE + (trace.content === null ? 0 : contentLength(trace.content))
        for (const destination of planFor(kept.scope).destinations) offer(destination, trace, weight)
      } catch (error) {
        log({
          event: 'bug',
          request_id: exchange.request_id,
          name: error instanceof Error ? error.name : typeof error,
        })
      }
    },
    destinations: () => store.all(),
    workspaceOf: (key) => options.workspaces().idOf(key.workspace),
    async refresh() {
      try {
        install(await store.all())
      } catch {
        log({ event: 'destinations_unavailable' })
      }
    },
    waiting: () => [...lanes.values()].map(({ destination, lane }) => [destination, lane.waiting] as const),
    async flush() {
      await Promise.all([...lanes.values()].map(({ lane }) => lane.flush()))
    },
    async close(limitMs) {
      await Promise.all([...lanes.values()].map(({ lane }) => lane.close(limitMs)))
      await sender.close()
    },
  }
}

/** The report, with a log line about drops. */
function loggedReport(report: QueueReport, log: Log, clock: () => number, name: DestinationLabels): QueueReport {
  const unlogged = new Map<string, { readonly since: number; readonly traces: number }>()
  return {
    ...report,
    dropped(traces, reason) {
      report.dropped(traces, reason)
      const { since, traces: before } = unlogged.get(reason) ?? { since: Number.NEGATIVE_INFINITY, traces: 0 }
      const isTime = clock() - since >= LINE_MS
      unlogged.set(reason, isTime ? { since: clock(), traces: 0 } : { since, traces: before + traces })
      if (isTime) log({ event: 'traces_dropped', ...name, reason, traces: before + traces })
    },
  }
}

/** The destinations for the traffic of one key; computed once for each key, and again when they change. */
interface Plan {
  readonly destinations: readonly Destination[]
  readonly wantsContent: boolean
}

interface DestinationLabels {
  readonly destination: string
  readonly type: string
}

const nameOf = ({ id, type }: Destination): DestinationLabels => ({
  destination: id,
  type,
})
