import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Key } from '../gateway/auth/auth.ts'
import type { Config, ConfigInput } from '../gateway/config/config.ts'
import { toConfig } from '../gateway/config/parse-config.ts'
import { type Env, readVariable } from '../gateway/config/secrets.ts'
import { toRequestId } from '../gateway/exchange/ids.ts'
import { type ReloadableConfig, restartNeeded, toReloadableConfig } from '../gateway/reloadable-config.ts'
import { NODE_HASHES } from './node-hashes.ts'
import { openServerGateway, type ServerSurroundings } from './open-server-gateway.ts'
import { createRandom } from './random.ts'
import type { UpstreamTap } from './recording/upstream-tap.ts'
import { createDrain } from './server/drain.ts'
import type { HttpContext } from './server/http-context.ts'
import { answerMalformed } from './server/http-errors.ts'
import { createHttpServer, createRefusedLog, type WatchedServer } from './server/http-server.ts'
import { listenOn, toAddress, toUrl } from './server/listen.ts'
import { createListener, type Listener } from './server/listener.ts'
import { readTlsPair, replaceTlsPair } from './server/tls-pair.ts'
import { checkStartOptions, type StartOptions } from './start-options.ts'

export interface RunningServer<Input = ConfigInput> {
  /** `unix:` with the path for a server on a socket of the file system. */
  readonly url: string
  /** The names of the vendors of this server. */
  readonly vendors: readonly string[]
  /** The key of a server without configured keys, created for this start; else null. */
  readonly developmentKey: string | null
  /** The address of the page; null if the server has none, or no URL. */
  readonly page: string | null
  /**
   * Replaces keys, workspaces, destinations, vendors and rules for models by those of another configuration. Open
   * exchanges continue. Rejects with an Error that describes the problem, in which case nothing changes.
   */
  reload(config: Input): Promise<void>
  /** Stops at once; open streams end as failed. */
  close(): Promise<void>
  /** Stops when the last stream has ended, or the time limit is reached. */
  drain(): Promise<void>
}

/**
 * Starts a server; `input` is the contents of a configuration file, or the result of `loadConfig`. Rejects with an
 * Error whose message describes the problem of the configuration or the address.
 */
export async function start(input: ConfigInput = {}, options: StartOptions = {}): Promise<RunningServer> {
  const own = checkStartOptions(options)
  return startInGroup(input, options, { group: null, check: (value) => toConfig(value, own) })
}

/** The server that a process belongs to, beside its options. */
interface Membership<Input> {
  /** Shared with the other workers; null: the server is one process. */
  readonly group: ServerSurroundings['group']
  /** Throws an Error with the problems of a configuration. */
  readonly check: (input: Input) => Config
}

/** Starts a server of one process, or one worker of a server. */
export async function startInGroup<Input>(
  input: Input,
  options: StartOptions,
  { group, check }: Membership<Input>,
): Promise<RunningServer<Input>> {
  const config = check(input)
  const { env = {}, log = () => {}, clock = Date.now, random = createRandom() } = options
  const developmentKey = toDevelopmentKey(env, random)
  let settings: ReloadableConfig = toReloadableConfig(config, env, developmentKey, NODE_HASHES)
  const address = toAddress(config, env)
  const pair = readTlsPair(config.listen.tls)
  const open: HttpContext[] = []
  const { gateway, parts, hasPage, close } = await openServerGateway(config, {
    env,
    log,
    clock,
    random,
    store: options.destinations ?? null,
    fixtures: options.fixtures,
    tap: options.tap,
    hooks: { machines: options.machines, requests: options.requests, vendors: options.vendors },
    settings: () => settings,
    load() {
      const all = [...open, ...parts.sockets.exchanges()]
      const streams = all.filter(({ journal, reply }) => reply.isOpen() && journal.last('read')?.stream === true)
      return {
        exchanges: all.length,
        streams: streams.length,
        connections: connections.sockets.length,
        turns: listener.turnsWaiting(),
      }
    },
    isDraining: () => drain.isDraining(),
    group,
  })
  const { accounts, observability } = gateway
  const { metrics } = parts
  const logRefused = createRefusedLog(log, clock)
  const { server, connections } = createHttpServer(config.connections, {
    onRefused() {
      metrics.noteRefusedConnection()
      logRefused()
    },
    ...(group === null
      ? {}
      : { onClosed: () => group.noteClosed(() => connections.accepted() - connections.sockets.length) }),
    acceptsUpgrade: (request) => listener.acceptsUpgrade(request),
    pair,
  })
  const drain = createDrain(server, connections, open, parts.sockets)
  const listener = createListener(gateway, parts, open, drain, log)
  attach(server, listener, options.tap)
  answerMalformed(server, open, () => toRequestId(undefined, random), log)
  const bound = await listenOn(server, address, group !== null).catch(async (error: unknown) => {
    await close(0)
    throw error
  })
  log({ event: 'listening', url: toUrl(bound), vendors: accounts.names })

  const stop = async (limitSeconds: number, noticeSeconds: number): Promise<void> => {
    log({ event: 'draining', open: open.length })
    await drain.run(limitSeconds, noticeSeconds)
    // The last exchanges queue their traces in this turn.
    await yieldToLoop()
    await close(limitSeconds)
    log({ event: 'stopped' })
  }
  return {
    url: toUrl(bound),
    get vendors() {
      return accounts.names
    },
    developmentKey: settings.keys.some(isDevelopment) ? developmentKey : null,
    page: !hasPage || bound.path !== null ? null : `${toUrl(bound)}/`,
    async reload(input) {
      const next = check(input)
      const fresh = toReloadableConfig(next, env, developmentKey, NODE_HASHES)
      const applyVendors = accounts.prepare(next)
      toAddress({ listen: config.listen, keys: next.keys }, env)
      settings = fresh
      applyVendors()
      replaceTlsPair(server, next.listen.tls, log)
      await observability.refresh()
      log({ event: 'reloaded', restart_needed: restartNeeded(config, withTls(next, config)) })
    },
    close: () => stop(0, 0),
    drain: () => stop(config.drain.limit_seconds, config.drain.notice_seconds),
  }
}

/** `tap`: is called before the listener. */
function attach(
  server: WatchedServer['server'],
  { onRequest, onExpectation, onUpgrade }: Listener,
  tap: Pick<UpstreamTap, 'admit'> | undefined,
): void {
  if (tap !== undefined) for (const event of ['request', 'checkExpectation', 'upgrade']) server.on(event, tap.admit)
  server.on('request', onRequest)
  server.on('checkExpectation', onExpectation)
  server.on('upgrade', onUpgrade)
}

/** The configuration with the files of TLS that are in use: other files need no restart. */
const withTls = (next: Config, { listen: { tls } }: Config): Config =>
  tls === undefined || next.listen.tls === undefined ? next : { ...next, listen: { ...next.listen, tls } }

const isDevelopment = (key: Key): boolean => key.isDevelopment

const SHORTEST_KEY = 16

/** The key that the environment names, which stays the same from start to start, or a new key. */
export function toDevelopmentKey(env: Env, random: () => string): string {
  const chosen = readVariable(env, 'MILLRACE_DEV_KEY')
  if (chosen === '') return `mr-dev-${random().slice(0, 32)}`
  if (chosen.length >= SHORTEST_KEY) return chosen
  throw new Error(`MILLRACE_DEV_KEY: expected at least ${SHORTEST_KEY} characters, got ${chosen.length}`)
}
