import { memoryStore, type RateStore } from '../gateway/auth/rate-limit.ts'
import type { HookOptions } from '../gateway/call/hooks.ts'
import type { Config } from '../gateway/config/config.ts'
import type { Env } from '../gateway/config/secrets.ts'
import type { GatewayContext } from '../gateway/open-gateway.ts'
import type { ReloadableConfig } from '../gateway/reloadable-config.ts'
import type { Log } from '../gateway/telemetry/log.ts'
import type { Metrics } from '../gateway/telemetry/metrics-contract.ts'
import { guardReader } from '../gateway/upstream/reader-guard.ts'
import { createUpstreamGuard } from '../gateway/upstream/upstream-guard.ts'
import type { Recordings } from '../gateway/vendors/vendor-registry.ts'
import { openFetchSender } from './fetch-sender.ts'
import { bytesAhead, type Fetch, fetchTransport } from './fetch-transport.ts'
import { PORTABLE_HASHES } from './portable-hashes.ts'
import { createPortableRandom } from './portable-random.ts'

/** The outside of a gateway without a server. */
export interface FetchSurroundings {
  readonly env: Env
  readonly log: Log
  readonly send: Fetch
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Null: the memory of this process. */
  readonly rates: RateStore | null
  readonly recordings: Recordings | undefined
  readonly hooks: HookOptions
}

const NO_REPORT = { delivered: () => undefined, dropped: () => undefined, retried: () => undefined }

/** Metrics are those of one process, which such a platform may end at any time: the log has all of them. */
const NO_METRICS: Metrics = {
  note: () => undefined,
  noteRefusedTry: () => undefined,
  noteLesson: () => undefined,
  report: () => NO_REPORT,
}

/** The platform of a gateway that has only what every runtime with `fetch` has. */
export const fetchPlatform = (
  config: Config,
  { env, log, send, clock, rates, recordings, hooks }: FetchSurroundings,
  settings: () => ReloadableConfig,
): GatewayContext => ({
  env,
  log,
  clock,
  random: createPortableRandom(),
  hashes: PORTABLE_HASHES,
  guardReader,
  source: fetchTransport(send, config.timeouts, bytesAhead(config.limits.answer_bytes)),
  sender: openFetchSender(send, config.forwarding.timeout_seconds * 1000, PORTABLE_HASHES),
  rates: rates ?? memoryStore(clock),
  metrics: NO_METRICS,
  guard: createUpstreamGuard(config.retry, () => performance.now()),
  history: null,
  store: null,
  recordings,
  tap: undefined,
  hooks,
  settings,
  isDraining: () => false,
})
