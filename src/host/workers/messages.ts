import type { RateLimit, Taken } from '../../gateway/auth/token-bucket.ts'
import type { Config } from '../../gateway/config/config.ts'
import type { UpstreamNotice } from '../../gateway/upstream/upstream-guard.ts'
import type { MetricJson } from '../telemetry/metrics.ts'

/** Set in the environment of a worker, to its number. */
export const WORKER_VARIABLE = 'MILLRACE_WORKER'

/** The first message to a worker, with which it starts. */
export interface WorkerStart {
  /** From 1 to the number of workers. A worker that replaces another one has its number. */
  readonly number: number
  /** The share of this worker: see `toWorkerConfig`. */
  readonly config: Config
  /** The development key of all workers. */
  readonly developmentKey: string
}

/** Messages of the primary process to a worker. `id`: that of the question. */
export type ToWorker =
  | ({ readonly kind: 'start' } & WorkerStart)
  | { readonly kind: 'reload'; readonly config: Config }
  | { readonly kind: 'stop'; readonly isAtOnce: boolean }
  | { readonly kind: 'collect'; readonly id: number }
  | { readonly kind: 'taken'; readonly id: number; readonly taken: Taken }
  | { readonly kind: 'metrics'; readonly id: number; readonly text: string | null }
  | { readonly kind: 'noticed'; readonly notice: UpstreamNotice }

/** The address of a worker, and the key for the first steps of a user. */
export interface Listening {
  readonly url: string
  readonly vendors: readonly string[]
  readonly developmentKey: string | null
}

export type FromWorker =
  | { readonly kind: 'loaded' }
  | ({ readonly kind: 'listening' } & Listening)
  | { readonly kind: 'failed'; readonly message: string }
  /** The number of connections that have closed since its start. */
  | { readonly kind: 'closed'; readonly count: number }
  | { readonly kind: 'take'; readonly id: number; readonly key: string; readonly limit: RateLimit }
  | { readonly kind: 'collected'; readonly id: number; readonly metrics: readonly MetricJson[] }
  | { readonly kind: 'metrics'; readonly id: number }
  /** Passed on to all other workers. */
  | { readonly kind: 'noticed'; readonly notice: UpstreamNotice }
