import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DestinationStore } from '../observability/destination.ts'
import { type Accounts, openAccounts } from './accounts.ts'
import type { Key } from './auth.ts'
import { openBudget } from './body-budget.ts'
import type { Config, ConfigInput } from './config.ts'
import { openDoor } from './door.ts'
import { openDrain } from './drain.ts'
import type { Exchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { openHttpServer, openRefusedLog } from './http-server.ts'
import { type Address, checkAddress, listen, toUrl } from './listen.ts'
import { checkConfigValue } from './load-config.ts'
import type { Log } from './log.ts'
import { answerMalformed } from './malformed.ts'
import { openMetrics } from './metrics.ts'
import { openObservability } from './observability.ts'
import { openRandom } from './random.ts'
import { memoryStore, type RateStore } from './rate-limit.ts'
import { redisStore } from './rate-limit-redis.ts'
import { toRequestId } from './request-id.ts'
import { openSearch } from './search-engines.ts'
import { type Env, openSign, readSecret, readVariable } from './secret.ts'
import { restartNeeded, type Settings, toSettings } from './settings.ts'
import { httpSource, openAgent } from './upstream.ts'
import { openUpstreamGuard } from './upstream-guard.ts'

export interface StartOptions {
  /** Where keys and PORT are looked up. Left out: nowhere. */
  readonly env?: Env
  readonly log?: Log
  readonly clock?: () => number
  /** Hexadecimal digits that nobody can guess. */
  readonly random?: () => string
  /** Where the recordings of the vendor `replay` lie; left out: in the package. */
  readonly fixtures?: URL
  /** Where the destinations of traces are kept; left out: in the configuration. Asked again every half minute. */
  readonly destinations?: DestinationStore
}

export interface Running {
  readonly url: string
  /** The names of the vendors that answer here. */
  readonly vendors: readonly string[]
  /** The key that is good here where none is configured, made for this start; else null. */
  readonly developmentKey: string | null
  /**
   * Takes over keys, workspaces and destinations of another configuration; what is under way goes on. Rejects with an
   * Error that says what is wrong, and then everything stays as it was.
   */
  reload(config: ConfigInput): Promise<void>
  /** Stops at once: streams are ended as failed. */
  close(): Promise<void>
  /** Stops when the last stream has ended, or its time is up. */
  drain(): Promise<void>
}

const REFRESH_MS = 30_000

/** The last traces are sent off when it stops, for this long at most. */
const FAREWELL_SECONDS = 5

/**
 * Starts a server; `input` is what a configuration file has, or what `loadConfig` read from one. Rejects with an Error
 * whose message says what is wrong with the configuration or the address.
 */
export async function start(input: ConfigInput = {}, options: StartOptions = {}): Promise<Running> {
  const config = toConfig(input)
  const { env = {}, log = () => {}, clock = Date.now, random = openRandom() } = options
  const developmentKey = toDevelopmentKey(env, random)
  let settings: Settings = toSettings(config, env, developmentKey)
  const address = toAddress(config, settings.keys, env)
  const agent = openAgent(config.timeouts)
  const source = httpSource(agent)
  const accounts: Accounts = openAccounts(config, env, source, options.fixtures, clock)
  const search = openSearch(config.search, env, source)
  const open: Exchange[] = []
  const sign = openSign(sealingSecret(config, env, log))
  const rates = await openRates(config, env, clock, log)
  const guard = openUpstreamGuard(config.retry, () => performance.now())
  const metrics = openMetrics({
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
    bodies: openBudget(config.limits.request_bodies_memory_bytes),
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
  const logRefused = openRefusedLog(log, clock)
  const server = openHttpServer(config.connections, () => {
    metrics.noteRefusedConnection()
    logRefused()
  })
  const drain = openDrain(server, open)
  const newId = (): string => toRequestId(undefined, random)
  const { onRequest, onExpectation } = openDoor(gateway, open, drain, log)
  server.on('request', onRequest)
  server.on('checkExpectation', onExpectation)
  answerMalformed(server, open, newId, log)
  const letGo = async (limitSeconds: number): Promise<void> => {
    clearInterval(refreshing)
    await observability.close(Math.min(limitSeconds, FAREWELL_SECONDS) * 1000)
    await Promise.all([agent.destroy(), rates.close()])
  }
  const bound = await listen(server, address).catch(async (error: unknown) => {
    await letGo(0)
    throw error
  })
  log({ event: 'listening', url: toUrl(bound), vendors: accounts.names })

  const stop = async (limitSeconds: number, noticeSeconds: number): Promise<void> => {
    log({ event: 'draining', open: open.length })
    await drain.run(limitSeconds, noticeSeconds)
    // The last exchanges hand over their traces.
    await nextTurn()
    await letGo(limitSeconds)
    log({ event: 'stopped' })
  }
  return {
    url: toUrl(bound),
    vendors: accounts.names,
    developmentKey: settings.keys.some(isDevelopment) ? developmentKey : null,
    async reload(input) {
      const next = toConfig(input)
      const fresh = toSettings(next, env, developmentKey)
      checkAddress({ host: address.host, port: address.port }, fresh.keys.some(isDevelopment))
      settings = fresh
      await observability.refresh()
      log({ event: 'reloaded', restart_needed: restartNeeded(config, next) })
    },
    close: () => stop(0, 0),
    drain: () => stop(config.drain.limit_seconds, config.drain.notice_seconds),
  }
}

/** The configured one, or one of this process: what it signs then is of no use after a restart, or to another host. */
function sealingSecret({ encrypted_content_secret: secret }: Config, env: Env, log: Log): string | Uint8Array {
  if (secret !== undefined) return readSecret(secret, 'encrypted_content_secret', env)
  log({
    event: 'encrypted_content_secret_missing',
    message:
      'Encrypted reasoning is signed with a secret of this process. Set encrypted_content_secret where several hosts serve the same clients, or where conversations outlast a restart.',
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
const isStreaming = ({ entry, response }: Exchange): boolean =>
  entry.stream === true && response.headersSent && !response.writableFinished

function toAddress({ listen: { host, port } }: Config, keys: readonly Key[], env: Env): Address {
  return checkAddress({ host, port: port ?? env.PORT }, keys.some(isDevelopment))
}

const isDevelopment = (key: Key): boolean => key.isDevelopment

const SHORTEST_KEY = 16

/** A key of this start, or one that stays the same from start to start where the environment names one. */
function toDevelopmentKey(env: Env, random: () => string): string {
  const chosen = readVariable(env, 'MILLRACE_DEV_KEY')
  if (chosen === '') return `mr-dev-${random().slice(0, 32)}`
  if (chosen.length >= SHORTEST_KEY) return chosen
  throw new Error(`MILLRACE_DEV_KEY: expected ${SHORTEST_KEY} characters or more`)
}
