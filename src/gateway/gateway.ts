import type { Sign } from '../responses/encrypted-content.ts'
import type { AnswerMemory } from './answer/answer-memory.ts'
import type { Key } from './auth/auth.ts'
import type { RateStore } from './auth/rate-limit.ts'
import type { BodyBudget } from './body/body-budget.ts'
import type { Hooks } from './call/hooks.ts'
import type { Config } from './config/config.ts'
import type { CountMemory } from './counts/count-memory.ts'
import type { RequestHistory } from './exchange/kept-texts.ts'
import type { Hashes } from './hashes.ts'
import type { ResumableStreams } from './resume/resumable-streams.ts'
import type { Searcher } from './search/engines.ts'
import type { Metrics } from './telemetry/metrics-contract.ts'
import type { Observability } from './telemetry/observability.ts'
import type { ClientRepeats } from './upstream/client-repeats.ts'
import type { ReaderGuard } from './upstream/reader-guard.ts'
import type { RestrictionMemory } from './upstream/restriction-memory.ts'
import type { UpstreamGuard } from './upstream/upstream-guard.ts'
import type { MemberTurns } from './vendors/pool-order.ts'
import type { VendorRegistry } from './vendors/vendor-registry.ts'

/** The state that all routes of one gateway share; created once, when it opens. */
export interface Gateway {
  readonly config: Config
  /** The keys in force; they change when the configuration is read again. */
  readonly keys: readonly Key[]
  readonly accounts: VendorRegistry
  readonly rates: RateStore
  /** Memory for the bodies of requests. */
  readonly bodies: BodyBudget
  /** Memory for the texts of open answers. */
  readonly answers: AnswerMemory
  readonly observability: Observability
  readonly metrics: Metrics
  readonly guard: UpstreamGuard
  readonly repeats: ClientRepeats
  readonly counts: CountMemory
  /** The streams that their clients may resume; null if none may. */
  readonly resumable: ResumableStreams | null
  /** The restrictions of refusals of upstreams. */
  readonly restrictions: RestrictionMemory
  readonly turns: MemberTurns
  readonly search: Searcher
  /** Code of the operator in each exchange; null if there is none. */
  readonly hooks: Hooks | null
  /** The last requests; null if nothing shows them. */
  readonly history: RequestHistory | null
  readonly hashes: Hashes
  readonly guardReader: ReaderGuard
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds since 1970 of its first use. A host without a server may not read its clock before a request. */
  readonly startedAt: () => number
  /** Returns a new unpredictable text of hexadecimal digits. */
  readonly random: () => string
  /** Returns a random number from 0 to 1. */
  readonly jitter: () => number
  /** Signs the encrypted reasoning of clients with this key. The signature is valid in the key's workspace only. */
  readonly signFor: (key: Key) => Sign
  readonly isDraining: () => boolean
}
