import type { RateStore } from '../../gateway/auth/rate-limit.ts'
import type { Taken } from '../../gateway/auth/token-bucket.ts'
import type { Config } from '../../gateway/config/config.ts'
import type { UpstreamNotice } from '../../gateway/upstream/upstream-guard.ts'
import type { ServerMetrics } from '../telemetry/metrics.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'
import { Questions } from './questions.ts'

/** The parts that the workers of one server share. */
export interface WorkerGroup {
  /** The rate limits of all workers, counted by the primary process. */
  readonly rates: RateStore
  /** Returns the metrics of all workers. `own`: those of this one. */
  join(own: ServerMetrics): ServerMetrics
  /** Sends what this worker has noticed about an upstream to the others. */
  share(notice: UpstreamNotice): void
  /** `note`: receives what the others have noticed. */
  onNoticed(note: (notice: UpstreamNotice) => void): void
  /** Called for each connection that closes. `closed`: returns how many have closed so far. */
  noteClosed(closed: () => number): void
}

/** The orders of the primary process. */
interface WorkerOrders {
  reload(config: Config): void
  stop(isAtOnce: boolean): void
}

/** The way of a worker to the primary process. */
export interface WorkerLink {
  readonly group: WorkerGroup
  /** Resolves with the first message of the primary process. */
  readonly started: Promise<WorkerStart>
  send(message: FromWorker): void
  /** Called once, when the server listens. A stop that was ordered before is an order then. */
  follow(orders: WorkerOrders): void
}

/** A channel between two processes, such as `process`. */
interface Channel {
  send?(message: FromWorker, callback: () => void): unknown
  on(event: 'message', listener: (message: ToWorker) => void): unknown
}

export function openWorkerLink(channel: Channel): WorkerLink {
  // Without a callback, a message after the end of the channel would end the process.
  const send = (message: FromWorker): void => void channel.send?.(message, () => undefined)
  const takes = new Questions<Taken>()
  const texts = new Questions<string | null>()
  let orders: WorkerOrders | null = null
  /** Of a stop that was ordered before the server listens: whether it is one at once. */
  let heldStop: boolean | null = null
  let metrics: ServerMetrics | null = null
  let note = (_: UpstreamNotice): void => undefined
  let begin = (_: WorkerStart): void => undefined
  const started = new Promise<WorkerStart>((resolve) => {
    begin = resolve
  })
  let isReported = true
  const noteClosed = (closed: () => number): void => {
    if (!isReported) return
    isReported = false
    // One message for all connections that close in one tick.
    setImmediate(() => {
      isReported = true
      send({ kind: 'closed', count: closed() })
    })
  }
  const collect = async (id: number): Promise<void> => {
    send({ kind: 'collected', id, metrics: (await metrics?.json()) ?? [] })
  }
  channel.on('message', (message) => {
    if (message.kind === 'start') begin(message)
    else if (message.kind === 'taken') takes.answer(message.id, message.taken)
    else if (message.kind === 'metrics') texts.answer(message.id, message.text)
    else if (message.kind === 'collect') void collect(message.id)
    else if (message.kind === 'noticed') note(message.notice)
    else if (message.kind === 'reload') orders?.reload(message.config)
    else if (orders === null) heldStop = message.isAtOnce
    else orders.stop(message.isAtOnce)
  })
  return {
    started,
    send,
    group: {
      rates: {
        take: (key, limit) => takes.ask((id) => send({ kind: 'take', id, key, limit })),
        close: async () => undefined,
      },
      join(own) {
        metrics = own
        return { ...own, text: () => texts.ask((id) => send({ kind: 'metrics', id })) }
      },
      share: (notice) => send({ kind: 'noticed', notice }),
      onNoticed(listener) {
        note = listener
      },
      noteClosed,
    },
    follow(own) {
      orders = own
      if (heldStop !== null) own.stop(heldStop)
    },
  }
}
