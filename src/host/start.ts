import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DestinationStore } from '../observability/destination.ts'
import type { Key } from './auth/auth.ts'
import { memoryStore, type RateStore } from './auth/rate-limit.ts'
import { redisStore } from './auth/rate-limit-redis.ts'
import { createSigner, type Env, readSecret, readVariable } from './auth/secrets.ts'
import type { Config, ConfigInput } from './config/config.ts'
import { checkConfigValue } from './config/load-config.ts'
import { type ReloadableConfig, restartNeeded, toReloadableConfig } from './config/reloadable-config.ts'
import { createVendorRegistry, type VendorRegistry } from './config/vendors.ts'
import type { Gateway } from './gateway.ts'
import { createSearch } from './search/engines.ts'
import { createBodyBudget } from './server/body/body-budget.ts'
import { createDrain } from './server/drain.ts'
import { answerMalformed } from './server/http-errors.ts'
import { createHttpServer, createRefusedLog } from './server/http-server.ts'
import { createRandom, toRequestId } from './server/ids.ts'
import { checkAddress, type ListenAddress, listenOn, toUrl } from './server/listen.ts'
import { createListener } from './server/listener.ts'
import type { RequestContext } from './server/request-context.ts'
import type { Log } from './telemetry/log.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { openObservability } from './telemetry/observability.ts'
import { createAgent, httpTransport } from './upstream/http-transport.ts'
import { createUpstreamGuard } from './upstream/upstream-guard.ts'

export interface StartOptions {
  /** The environment variables of keys and PORT. Default: none. */
  readonly env?: Env
  readonly log?: Log
  readonly clock?: () => number
  /** Returns unpredictable hexadecimal digits. */
  readonly random?: () => string
  /** The folder of recordings for the vendor `replay`. Default: the folder in the package. */
  readonly fixtures?: URL
  /** The store of destinations. Default: the configuration. A store is read again every half minute. */
  readonly destinations?: DestinationStore
}

export interface RunningServer {
  readonly url: string
  /** The names of the vendors of this server. */
  readonly vendors: readonly string[]
  /** The key of a server without configured keys, created for this start; else null. */
  readonly developmentKey: string | null
  /**
   * Replaces keys, workspaces and destinations by those of another configuration. Open exchanges continue. Rejects with
   * an Error that describes the problem, in which case nothing changes.
   */
  reload(config: ConfigInput): Promise<void>
  /** Stops at once; open streams end as failed. */
  close(): Promise<void>
  /** Stops when the last stream has ended, or the time limit is reached. */
  drain(): Promise<void>
}

const REFRESH_MS = 30_000

/** The longest time for sending the last traces when the server stops. */
const LAST_TRACES_SECONDS = 5

/**
 * Starts a server; `input` is the contents of a configuration file, or the result of `loadConfig`. Rejects with an
 * Error whose message describes the problem of the configuration or the address.
 */
export async function start(input: ConfigInput = {}, options: StartOptions = {}): Promise<RunningServer> {
  const config = toConfig(input)
  const { env = {}, log = () => {}, clock = Date.now, random = createRandom() } = options
  const developmentKey = toDevelopmentKey(env, random)
  let settings: ReloadableConfig = toReloadableConfig(config, env, developmentKey)
  const address = toAddress(config, settings.keys, env)
  const agent = createAgent(config.timeouts)
  const source = httpTransport(agent)
  const accounts: VendorRegistry = createVendorRegistry(config, env, source, options.fixtures, clock)
  const search = createSearch(config.search, env, source)
  const open: RequestContext[] = []
  const sign = createSigner(sealingSecret(config, env, log))
  const rates = await openRates(config, env, clock, log)
  const guard = createUpstreamGuard(config.retry, () => performance.now())
  const metrics = createMetrics({
    breakers: guard.openBreakers,
    streams: () => open.filter(isStreaming).length,
    queues: () => observability.waiting(),
  })
  const observability = await openObservability({
    store: options.destinations ?? { all: async () => settings.destinations },
    limits: config.forwarding,
    workspaces: () => settings.workspaces,
    log,
    clock,
    random,
    report: metrics.report,
  }).catch(async (error: unknown) => {
    await Promise.all([agent.destroy(), rates.close()])
    throw error
  })
  const refreshing =
    options.destinations === undefined ? undefined : setInterval(observability.refresh, REFRESH_MS).unref()
  const gateway: Gateway = {
    config,
    accounts,
    rates,
    bodies: createBodyBudget(config.limits.request_bodies_memory_bytes),
    observability,
    metrics,
    guard,
    search,
    clock,
    random,
    jitter: Math.random,
    signFor: (key) => sign(settings.workspaces.idOf(key.workspace)),
    get keys() {
      return settings.keys
    },
    isDraining: () => drain.isDraining(),
  }
  const logRefused = createRefusedLog(log, clock)
  const server = createHttpServer(config.connections, () => {
    metrics.noteRefusedConnection()
    logRefused()
  })
  const drain = createDrain(server, open)
  const newId = (): string => toRequestId(undefined, random)
  const { onRequest, onExpectation } = createListener(gateway, open, drain, log)
  server.on('request', onRequest)
  server.on('checkExpectation', onExpectation)
  answerMalformed(server, open, newId, log)
  const closeAll = async (limitSeconds: number): Promise<void> => {
    clearInterval(refreshing)
    await observability.close(Math.min(limitSeconds, LAST_TRACES_SECONDS) * 1000)
    await Promise.all([agent.destroy(), rates.close()])
  }
  const bound = await listenOn(server, address).catch(async (error: unknown) => {
    await closeAll(0)
    throw error
  })
  log({ event: 'listening', url: toUrl(bound), vendors: accounts.names })

  const stop = async (limitSeconds: number, noticeSeconds: number): Promise<void> => {
    log({ event: 'draining', open: open.length })
    await drain.run(limitSeconds, noticeSeconds)
    // The last exchanges queue their traces in this turn.
    await nextTurn()
    await closeAll(limitSeconds)
    log({ event: 'stopped' })
  }
  return {
    url: toUrl(bound),
    vendors: accounts.names,
    developmentKey: settings.keys.some(isDevelopment) ? developmentKey : null,
    async reload(input) {
      const next = toConfig(input)
      const fresh = toReloadableConfig(next, env, developmentKey)
      checkAddress({ host: address.host, port: address.port }, fresh.keys.some(isDevelopment))
      settings = fresh
      await observability.refresh()
      log({ event: 'reloaded', restart_needed: restartNeeded(config, next) })
    },
    close: () => stop(0, 0),
    drain: () => stop(config.drain.limit_seconds, config.drain.notice_seconds),
  }
}

/**
 * The configured secret, or a random one of this process, whose signatures are invalid after a restart and on other
 * hosts.
 */
function sealingSecret({ encrypted_content_secret: secret }: Config, env: Env, log: Log): string | Uint8Array {
  if (secret !== undefined) return readSecret(secret, 'encrypted_content_secret', env)
  log({
    event: 'encrypted_content_secret_missing',
    message:
      'Encrypted reasoning is signed with a secret of this process. Set encrypted_content_secret if several hosts serve the same clients, or if conversations outlast a restart.',
  })
  return randomBytes(32)
}

function toConfig(input: ConfigInput): Config {
  const loaded = checkConfigValue(input)
  if (loaded.ok) return loaded.config
  throw new Error(`The configuration is not valid:\n${loaded.problems.map((problem) => `  ${problem}`).join('\n')}`)
}

function openRates({ rate_limit: { redis } }: Config, env: Env, clock: () => number, log: Log): Promise<RateStore> {
  if (redis === undefined) return Promise.resolve(memoryStore(clock))
  const url = readSecret(redis.url, 'rate_limit.redis.url', env)
  return redisStore({ url, prefix: redis.prefix, timeoutMs: redis.timeout_seconds * 1000 }, log)
}
const isStreaming = ({ entry, response }: RequestContext): boolean =>
  entry.stream === true && response.headersSent && !response.writableFinished

function toAddress({ listen: { host, port } }: Config, keys: readonly Key[], env: Env): ListenAddress {
  return checkAddress({ host, port: port ?? env.PORT }, keys.some(isDevelopment))
}

const isDevelopment = (key: Key): boolean => key.isDevelopment

const SHORTEST_KEY = 16

/** The key that the environment names, which stays the same from start to start, or a new key. */
function toDevelopmentKey(env: Env, random: () => string): string {
  const chosen = readVariable(env, 'MILLRACE_DEV_KEY')
  if (chosen === '') return `mr-dev-${random().slice(0, 32)}`
  if (chosen.length >= SHORTEST_KEY) return chosen
  throw new Error(`MILLRACE_DEV_KEY: expected at least ${SHORTEST_KEY} characters, got ${chosen.length}`)
}
