import type { MetricJson } from '../telemetry/metrics.ts'
import type { ToWorker } from './messages.ts'
import type { Questions } from './questions.ts'

/** The other end of a worker's channel. */
export interface WorkerChannel {
  send(message: ToWorker, callback: (error: Error | null) => void): unknown
}

/** The metrics of a worker; null: it does not answer, or has ended. */
export type Collected = readonly MetricJson[] | null

/** A worker that does not answer for so long blocks its own streams as well. */
const LATE_MS = 5000

/** Sends a message. A worker that has ended receives nothing. */
export const send = (worker: WorkerChannel, message: ToWorker): void => void worker.send(message, () => undefined)

/** Asks a worker for its metrics. `questions`: those to this worker, which its messages and its end answer. */
export function collectFrom(worker: WorkerChannel, questions: Questions<Collected>): Promise<Collected> {
  let timer: NodeJS.Timeout | undefined
  const asked = questions.ask((id) => {
    timer = setTimeout(() => questions.answer(id, null), LATE_MS)
    send(worker, { kind: 'collect', id })
  })
  return asked.finally(() => clearTimeout(timer))
}
