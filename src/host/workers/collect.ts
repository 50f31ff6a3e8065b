import type { MetricJson } from '../telemetry/metrics.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/** The other end of a worker's channel. */
export interface WorkerChannel {
  send(message: ToWorker, callback: (error: Error | null) => void): unknown
  on(event: 'message', listener: (message: FromWorker) => void): unknown
  off(event: 'message', listener: (message: FromWorker) => void): unknown
}

/** A worker that does not answer for so long blocks its own streams as well. */
const LATE_MS = 5000

/** Sends a message. A worker that has ended receives nothing. */
export const send = (worker: WorkerChannel, message: ToWorker): void => void worker.send(message, () => undefined)

/** Asks a worker for its metrics. `id`: of this question. Resolves with null if it does not answer in time. */
export function collectFrom(worker: WorkerChannel, id: number): Promise<readonly MetricJson[] | null> {
  return new Promise((resolve) => {
    const finish = (metrics: readonly MetricJson[] | null): void => {
      clearTimeout(timer)
      worker.off('message', onMessage)
      resolve(metrics)
    }
    const onMessage = (message: FromWorker): void => {
      if (message.kind === 'collected' && message.id === id) finish(message.metrics)
    }
    const timer = setTimeout(() => finish(null), LATE_MS)
    worker.on('message', onMessage)
    send(worker, { kind: 'collect', id })
  })
}
