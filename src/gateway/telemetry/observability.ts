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
import type { Log } from './log.ts'
import type { Sender } from './sender.ts'
import { toTrace } from './trace-builder.ts'
import { type QueueReport, TraceQueue } from './trace-queue.ts'

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

interface ObservabilityOptions {
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
  const queues = new Queues(options)
  let plans = new Plans(options, first)
  queues.change(first)
  return {
    begin(key) {
      const scope = plans.scopeOf(key)
      const { destinations, wantsContent } = plans.planFor(scope)
      if (destinations.length === 0) return null
      return { scope, wantsContent, startedAt: clock(), request: null, answer: null }
    },
    finish(kept, exchange) {
      try {
        const trace = toTrace(kept, exchange, random(), limits.content_characters)
        const weight = BARE_TRACE + (trace.content === null ? 0 : contentLength(trace.content))
        for (const destination of plans.planFor(kept.scope).destinations) queues.offer(destination, trace, weight)
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
        const next = await store.all()
        plans = new Plans(options, next)
        queues.change(next)
      } catch {
        log({ event: 'destinations_unavailable' })
      }
    },
    waiting: () => queues.waiting(),
    flush: () => queues.forEach((queue) => queue.flush()),
    async close(limitMs) {
      await queues.forEach((queue) => queue.close(limitMs))
      await sender.close()
    },
  }
}

/** The destinations for the traffic of one key. */
interface Plan {
  readonly destinations: readonly Destination[]
  readonly wantsContent: boolean
}

/** The plans of keys, each computed once for a list of destinations. */
class Plans {
  private readonly options: Pick<ObservabilityOptions, 'workspaces'>
  private readonly destinations: readonly Destination[]
  private readonly scopes = new WeakMap<Key, TraceScope>()
  private readonly plans = new WeakMap<TraceScope, Plan>()

  constructor(options: Pick<ObservabilityOptions, 'workspaces'>, destinations: readonly Destination[]) {
    this.options = options
    this.destinations = destinations
  }

  scopeOf(key: Key): TraceScope {
    return getOrCreate(this.scopes, key, () => ({
      workspaceId: this.options.workspaces().idOf(key.workspace),
      keyHash: toHex(key.hash),
    }))
  }

  planFor(scope: TraceScope): Plan {
    return getOrCreate(this.plans, scope, () => {
      const destinations = destinationsFor(this.destinations, scope).filter(({ type }) => isForwarded(type))
      return { destinations, wantsContent: wantContent(destinations) }
    })
  }
}

/** The queues of destinations, each opened by its first trace. */
class Queues {
  private readonly options: ObservabilityOptions
  private readonly byId = new Map<string, { readonly destination: Destination; readonly queue: TraceQueue }>()
  private readonly unsupported = new Set<string>()

  constructor(options: ObservabilityOptions) {
    this.options = options
  }

  waiting(): readonly (readonly [Destination, number])[] {
    return [...this.byId.values()].map(({ destination, queue }) => [destination, queue.waiting] as const)
  }

  async forEach(work: (queue: TraceQueue) => Promise<void>): Promise<void> {
    await Promise.all([...this.byId.values()].map(({ queue }) => work(queue)))
  }

  /**
   * A defect of one destination, such as an invalid expression in its filter, must not affect the other destinations.
   */
  offer(destination: Destination, trace: Trace, weight: number): void {
    try {
      const view = viewTrace(destination, trace)
      if (view !== null) this.queueOf(destination).offer(view, view.content === null ? BARE_TRACE : weight)
    } catch {
      this.reportOf(destination).dropped(1, 'unreadable_rules')
    }
  }

  /** Replaces the destinations. Queues of those that are still enabled keep their traces; the others are closed. */
  change(destinations: readonly Destination[]): void {
    const { log, limits } = this.options
    const next = new Map(destinations.map((destination) => [destination.id, destination]))
    for (const [id, { queue }] of this.byId) {
      const destination = next.get(id)
      if (destination?.enabled === true) {
        queue.change(destination)
        this.byId.set(id, { destination, queue })
      } else {
        this.byId.delete(id)
        void queue.close(limits.timeout_seconds * 1000)
      }
    }
    for (const destination of destinations.filter(({ enabled, type }) => enabled && !isForwarded(type))) {
      if (this.unsupported.has(destination.id)) continue
      this.unsupported.add(destination.id)
      log({ event: 'forwarding_unsupported', ...nameOf(destination) })
    }
  }

  private queueOf(destination: Destination): TraceQueue {
    const { sender, limits } = this.options
    const entry = getOrCreate(this.byId, destination.id, () => ({
      destination,
      queue: new TraceQueue(destination, sender, limits, this.reportOf(destination)),
    }))
    return entry.queue
  }

  private reportOf(destination: Destination): QueueReport {
    const { report, log, clock } = this.options
    return loggedReport(report(destination), log, clock, nameOf(destination))
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

interface DestinationLabels {
  readonly destination: string
  readonly type: string
}

const nameOf = ({ id, type }: Destination): DestinationLabels => ({
  destination: id,
  type,
})
