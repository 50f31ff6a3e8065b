import type { Config } from '../gateway/config/config.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { type GatewayContext, openGateway } from '../gateway/open-gateway.ts'
import type { ReloadableConfig } from '../gateway/reloadable-config.ts'
import { bugLine, type Log, upstreamLine } from '../gateway/telemetry/log.ts'
import { createUpstreamGuard } from '../gateway/upstream/upstream-guard.ts'
import type { Destination, DestinationStore } from '../observability/destination.ts'
import { openRates } from './auth/rate-limit-redis.ts'
import { createRecordings } from './config/recordings-account.ts'
import { NODE_HASHES } from './node-hashes.ts'
import { createPage } from './page/routes.ts'
import type { UpstreamTap } from './recording/upstream-tap.ts'
import type { ServerParts } from './server/server-routes.ts'
import { SocketRegistry } from './server/websocket/socket-registry.ts'
import { createMetrics, type Held } from './telemetry/metrics.ts'
import { openSender } from './telemetry/undici-sender.ts'
import { batchReads } from './upstream/batch-reads.ts'
import { createAgent, httpTransport } from './upstream/http-transport.ts'
import { readProxies } from './upstream/proxy-rules.ts'
import type { WorkerGroup } from './workers/worker-link.ts'

/** The surroundings of a server's gateway: the outside world, and the server that it belongs to. */
export interface ServerSurroundings {
  readonly env: GatewayContext['env']
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
  /** Code of the operator. */
  readonly hooks: NonNullable<GatewayContext['hooks']>
  /** The settings in force; they change when the configuration is read again. */
  readonly settings: () => ReloadableConfig
  /** Numbers of the server itself. */
  readonly load: () => Pick<Held, 'streams' | 'exchanges' | 'connections' | 'turns'>
  readonly isDraining: () => boolean
  /** Shared with the other workers; null: the server is one process. */
  readonly group: WorkerGroup | null
}

interface OpenGateway {
  readonly gateway: Gateway
  readonly parts: ServerParts
  readonly hasPage: boolean
  /** Sends the last traces within the limit, and closes all connections. */
  close(limitSeconds: number): Promise<void>
}

const REFRESH_MS = 30_000

/** The longest time for sending the last traces when the server stops. */
const LAST_TRACES_SECONDS = 5

/** Rejects with an Error that describes the problem if a store cannot be reached or a secret is missing. */
export async function openServerGateway(config: Config, context: ServerSurroundings): Promise<OpenGateway> {
  const { env, log, clock, random, store, fixtures, tap, hooks, settings, load, isDraining, group } = context
  const proxies = config.proxy === 'environment' ? readProxies(env) : null
  const onBug = (error: unknown): void => log(bugLine(null, error))
  const agent = createAgent(config.timeouts, proxies, onBug)
  const sockets = new SocketRegistry(config.websocket.kept_memory_bytes)
  const page = createPage(config, clock)
  const isCountedByGroup = group !== null && config.rate_limit.redis === undefined
  const rates = isCountedByGroup ? group.rates : await openRates(config, env, clock, log)
  const guard = createUpstreamGuard(
    config.retry,
    () => performance.now(),
    (change) => {
      log(upstreamLine(change))
      metrics.noteUpstream(change)
    },
    group?.share,
  )
  group?.onNoticed(guard.note)
  const own = createMetrics({
    breakers: guard.openBreakers,
    held: () => ({
      ...load(),
      ...guard.open(),
      sockets: sockets.all().length,
      bodies: gateway.bodies.held(),
      answers: gateway.answers.held(),
      keptResponses: sockets.kept.held(),
      resumableStreams: gateway.resumable?.count() ?? 0,
      resumable: gateway.resumable?.bytes() ?? 0,
    }),
    queues: () => gateway.observability.waiting(),
  })
  const metrics = group === null ? own : group.join(own)
  const all = store ?? { all: async () => settings().destinations }
  const open = (destinations: readonly Destination[]): Gateway =>
    openGateway(
      config,
      {
        env,
        log,
        clock,
        random,
        hashes: NODE_HASHES,
        guardReader: batchReads,
        source: httpTransport(agent),
        sender: openSender(config.forwarding.timeout_seconds * 1000, proxies, onBug),
        rates,
        metrics,
        guard,
        history: page?.history ?? null,
        store,
        recordings: createRecordings(fixtures),
        tap,
        hooks,
        settings,
        isDraining,
      },
      destinations,
    )
  const gateway = await all
    .all()
    .then(open)
    .catch(async (error: unknown) => {
      metrics.close()
      await Promise.all([agent.destroy(), rates.close()])
      throw error
    })
  const { observability } = gateway
  if (proxies !== null)
    log({ event: 'proxies', https: proxies.https?.origin ?? null, http: proxies.http?.origin ?? null })
  const refreshing = store === null ? undefined : setInterval(observability.refresh, REFRESH_MS).unref()
  return {
    gateway,
    parts: { paths: page?.paths ?? [], sockets, metrics },
    hasPage: page !== null,
    async close(limitSeconds) {
      clearInterval(refreshing)
      gateway.resumable?.close()
      await observability.close(Math.min(limitSeconds, LAST_TRACES_SECONDS) * 1000)
      metrics.close()
      await Promise.all([agent.destroy(), rates.close()])
    },
  }
}
