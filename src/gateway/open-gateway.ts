import { randomBytes } from 'node:crypto'
import { redisStore } from '../host/auth/rate-limit-redis.ts'
import { createPage } from '../host/page/page.ts'
import type { UpstreamTap } from '../host/recording/upstream-tap.ts'
import { SocketRegistry } from '../host/server/websocket/socket-registry.ts'
import { createMetrics } from '../host/telemetry/metrics.ts'
import { createAgent, httpTransport } from '../host/upstream/http-transport.ts'
import type { DestinationStore } from '../observability/destination.ts'
import { memoryStore, type RateStore } from './auth/rate-limit.ts'
import { createSigner, type Env, readSecret, readVariable } from './auth/secrets.ts'
import { createBodyBudget } from './body/body-budget.ts'
import type { Config } from './config/config.ts'
import type { ReloadableConfig } from './config/reloadable-config.ts'
import { createVendorRegistry } from './config/vendor-registry.ts'
import { createCountMemory } from './counts/count-memory.ts'
import type { Gateway } from './gateway.ts'
import { createSearch } from './search/engines.ts'
import type { Log } from './telemetry/log.ts'
import { openObservability } from './telemetry/observability.ts'
import { createUpstreamGuard } from './upstream/upstream-guard.ts'

/** The surroundings of a gateway: the outside world, and the server that it belongs to. */
export interface GatewayContext {
  readonly env: Env
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Returns unpredictable hexadecimal digits. */
  readonly random: () => string
  /** The store of destinations, which is read again every half minute; null: the configuration. */
  readonly store: DestinationStore | null
  /** The folder of recordings for the vendor `replay`; undefined: the folder in the package. */
  readonly fixtures: URL | undefined
  /** Takes part in the exchanges with upstreams; undefined: none does. */
  readonly tap: UpstreamTap | undefined
  /** The settings in force; they change when the configuration is read again. */
  readonly settings: () => ReloadableConfig
  /** The number of open streams. */
  readonly streams: () => number
  readonly isDraining: () => boolean
}

export interface OpenGateway {
  readonly gateway: Gateway
  /** Sends the last traces within the limit, and closes all connections. */
  close(limitSeconds: number): Promise<void>
}

const REFRESH_MS = 30_000

/** The longest time for sending the last traces when the server stops. */
const LAST_TRACES_SECONDS = 5

/** Rejects with an Error that describes the problem if a store cannot be reached or a secret is missing. */
export async function openGateway(config: Config, context: GatewayContext): Promise<OpenGateway> {
  const { env, log, clock, random, store, fixtures, tap, settings, streams, isDraining } = context
  const agent = createAgent(config.timeouts)
  const source = httpTransport(agent)
  const accounts = createVendorRegistry(config, env, source, {
    fixtures,
    clock,
    tap,
    routing: () => settings().routing,
  })
  const sockets = new SocketRegistry()
  const search = createSearch(config.search, env, source, tap)
  const sign = createSigner(sealingSecret(config, env, log))
  const rates = await openRates(config, env, clock, log)
  const guard = createUpstreamGuard(config.retry, () => performance.now())
  const metrics = createMetrics({
    breakers: guard.openBreakers,
    streams,
    sockets: () => sockets.all().length,
    queues: () => observability.waiting(),
  })
  const observability = await openObservability({
    store: store ?? { all: async () => settings().destinations },
    limits: config.forwarding,
    workspaces: () => settings().workspaces,
    log,
    clock,
    random,
    report: metrics.report,
  }).catch(async (error: unknown) => {
    await Promise.all([agent.destroy(), rates.close()])
    throw error
  })
  const refreshing = store === null ? undefined : setInterval(observability.refresh, REFRESH_MS).unref()
  const gateway: Gateway = {
    config,
    accounts,
    rates,
    bodies: createBodyBudget(config.limits.request_bodies_memory_bytes),
    observability,
    metrics,
    guard,
    counts: createCountMemory(() => performance.now()),
    search,
    page: createPage(config, clock),
    sockets,
    clock,
    random,
    jitter: Math.random,
    signFor: (key) => sign(settings().workspaces.idOf(key.workspace)),
    get keys() {
      return settings().keys
    },
    isDraining,
  }
  return {
    gateway,
    async close(limitSeconds) {
      clearInterval(refreshing)
      await observability.close(Math.min(limitSeconds, LAST_TRACES_SECONDS) * 1000)
      await Promise.all([agent.destroy(), rates.close()])
    },
  }
}

/**
 * The configured secret, or a random one of this process, whose signatures are invalid after a restart and on other
 * hosts.
 */
function sealingSecret({ encrypted_content_secret: secret, keys }: Config, env: Env, log: Log): string | Uint8Array {
  if (secret !== undefined) return readSecret(secret, 'encrypted_content_secret', env)
  // No client of a random development key outlives the process.
  if (keys.length > 0 || readVariable(env, 'MILLRACE_DEV_KEY') !== '')
    log({
      event: 'encrypted_content_secret_missing',
      message:
        'Encrypted reasoning is signed with a secret of this process. Set encrypted_content_secret if several hosts serve the same clients, or if conversations outlast a restart.',
    })
  return randomBytes(32)
}

function openRates({ rate_limit: { redis } }: Config, env: Env, clock: () => number, log: Log): Promise<RateStore> {
  if (redis === undefined) return Promise.resolve(memoryStore(clock))
  const url = readSecret(redis.url, 'rate_limit.redis.url', env)
  return redisStore({ url, prefix: redis.prefix, timeoutMs: redis.timeout_seconds * 1000 }, log)
}
