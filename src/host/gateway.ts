import type { Sign } from '../responses/envelope.ts'
import type { Accounts } from './accounts.ts'
import type { Key } from './auth.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Config } from './config.ts'
import type { Metrics } from './metrics.ts'
import type { Observability } from './observability.ts'
import type { RateStore } from './rate-limit.ts'
import type { Searcher } from './search-engines.ts'
import type { UpstreamGuard } from './upstream-guard.ts'

/** What the routes of one server share; made once, when it starts. */
export interface Gateway {
  readonly config: Config
  /** Those in force now: they change when the configuration is read again. */
  readonly keys: readonly Key[]
  readonly accounts: Accounts
  readonly rates: RateStore
  /** Memory for the bodies of requests. */
  readonly bodies: BodyBudget
  readonly observability: Observability
  readonly metrics: Metrics
  readonly guard: UpstreamGuard
  readonly search: Searcher
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A fresh word of hexadecimal digits that nobody can guess. */
  readonly random: () => string
  /** Any number from 0 to 1. */
  readonly jitter: () => number
  /** Signs the encrypted reasoning that clients of this key keep: good in the key's workspace alone. */
  readonly signFor: (key: Key) => Sign
  readonly isDraining: () => boolean
}
