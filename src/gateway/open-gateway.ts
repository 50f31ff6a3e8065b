import type { Destination, DestinationStore } from '../observability/destination.ts'
import { AnswerMemory } from './answer/answer-memory.ts'
import type { RateStore } from './auth/rate-limit.ts'
import { createSigner } from './auth/workspaces.ts'
import { createBodyBudget } from './body/body-budget.ts'
import { createHooks, type HookOptions } from './call/hooks.ts'
import type { Config } from './config/config.ts'
import { type Env, readSecret, readVariable } from './config/secrets.ts'
import type { Gateway } from './gateway.ts'
import { createMemories } from './memories.ts'
import type { ReloadableConfig } from './reloadable-config.ts'
import { createSearch } from './search/engines.ts'
import type { Log } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics-contract.ts'
import { openObservability } from './telemetry/observability.ts'
import type { Sender } from './telemetry/sender.ts'
import type { TransportTap } from './upstream/tap.ts'
import type { Transport } from './upstream/transport.ts'
import type { UpstreamGuard } from './upstream/upstream-guard.ts'
import { createVendorRegistry, type Recordings } from './vendors/vendor-registry.ts'

/** The surroundings of a gateway: its platform, and what it needs of its host. */
export interface GatewayContext
  extends Pick<Gateway, 'clock' | 'random' | 'hashes' | 'guardReader' | 'history' | 'isDraining'> {
  readonly env: Env
  readonly log: Log
  /** The transport to upstreams and search engines. */
  readonly source: Transport
  /** Sends traces to destinations. */
  readonly sender: Sender
  readonly rates: RateStore
  readonly metrics: Metrics
  readonly guard: UpstreamGuard
  /** The store of destinations; null: the configuration. */
  readonly store: DestinationStore | null
  /** The recordings of the vendor `replay`; undefined: there is no such vendor. */
  readonly recordings: Recordings | undefined
  /** Takes part in the exchanges with upstreams; undefined: none does. */
  readonly tap: TransportTap | undefined
  /** Code of the operator; undefined: there is none. */
  readonly hooks: HookOptions | undefined
  /** The settings in force; they change when the configuration is read again. */
  readonly settings: () => ReloadableConfig
}

/** Throws an Error that describes the problem if a secret is missing. `destinations`: those that the store has now. */
export function openGateway(config: Config, context: GatewayContext, destinations: readonly Destination[]): Gateway {
  const { env, log, source, sender, store, recordings, tap, hooks, settings, ...platform } = context
  const { clock, random, hashes, metrics } = platform
  const accounts = createVendorRegistry(config, env, source, {
    hashes,
    recordings,
    clock,
    tap,
    vendors: hooks?.vendors,
    routing: () => settings().routing,
    onNotice: (message) => log({ event: 'configuration_notice', message }),
  })
  if ((hooks?.machines ?? []).length > 0 && config.models.some((rule) => rule.continue))
    log({ event: 'continuation_off', reason: 'machines change the answers' })
  const search = createSearch(config.search, env, source, tap)
  const secret = sealingSecret(config, env, log)
  let sign: ReturnType<typeof createSigner> | null = null
  const observability = openObservability(
    {
      store: store ?? { all: async () => settings().destinations },
      sender,
      limits: config.forwarding,
      workspaces: () => settings().workspaces,
      log,
      clock,
      random,
      report: metrics.report,
    },
    destinations,
  )
  let startedAt: number | undefined
  return {
    ...platform,
    startedAt: () => (startedAt ??= clock()),
    config,
    accounts,
    bodies: createBodyBudget(config.limits.request_bodies_memory_bytes),
    answers: new AnswerMemory(config.limits.answers_memory_bytes),
    observability,
    ...createMemories(config, hashes, () => performance.now()),
    search,
    hooks: createHooks(hooks ?? {}, log),
    jitter: Math.random,
    signFor(key) {
      // Some platforms have no random numbers before the first request.
      sign ??= createSigner(secret ?? crypto.getRandomValues(new Uint8Array(32)), hashes)
      return sign(settings().workspaces.idOf(key.workspace))
    },
    get keys() {
      return settings().keys
    },
  }
}

/**
 * The configured secret; null: a random one of this process, whose signatures are invalid after a restart and on other
 * hosts.
 */
function sealingSecret(config: Config, env: Env, log: Log): string | null {
  const { encrypted_content_secret: secret } = config
  if (secret !== undefined) return readSecret(secret, 'encrypted_content_secret', env)
  noteMissingSecret(config, env, log)
  return null
}

/** Logs that a server has no configured secret, if that may matter to its clients. */
export function noteMissingSecret({ encrypted_content_secret: secret, keys }: Config, env: Env, log: Log): void {
  if (secret !== undefined) return
  // No client of a random development key outlives the process.
  if (keys.length > 0 || readVariable(env, 'MILLRACE_DEV_KEY') !== '')
    log({
      event: 'encrypted_content_secret_missing',
      message:
        'Encrypted reasoning is signed with a secret of this process. Set encrypted_content_secret if several hosts serve the same clients, or if conversations outlast a restart.',
    })
}
