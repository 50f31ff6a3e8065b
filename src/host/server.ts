import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gatewayError } from '../protocol/error.ts'
import { type Accounts, type Env, openAccounts } from './accounts.ts'
import { isDevelopmentKey, type Key, toKeys } from './auth.ts'
import type { Config } from './config.ts'
import { openDrain } from './drain.ts'
import { type Exchange, openExchange } from './exchange.ts'
import type { Gateway } from './gateway.ts'
import { type Address, checkAddress, listen, toUrl } from './listen.ts'
import { type Log, toLine } from './log.ts'
import { sendError } from './reply.ts'
import { toRequestId } from './request-id.ts'
import { findEndpoint, toRoutes } from './routes.ts'
import { httpSource, openAgent } from './upstream.ts'

export interface StartOptions {
  /** Where keys and PORT are looked up. Left out: nowhere. */
  readonly env?: Env
  readonly log?: Log
  readonly clock?: () => number
  /** Hexadecimal digits that nobody can guess. */
  readonly random?: () => string
  /** Where the recordings of the vendor `replay` lie; left out: in the package. */
  readonly fixtures?: URL
}

export interface Running {
  readonly url: string
  /** The names of the vendors that answer here. */
  readonly vendors: readonly string[]
  /** Whether the key that everybody knows is good here. */
  readonly development: boolean
  /** Stops at once: streams are ended as failed. */
  close(): Promise<void>
  /** Stops when the last stream has ended, or its time is up. */
  drain(): Promise<void>
}

/** Proxies and pools keep connections for a minute; the server must be the one that waits longer. */
const IDLE_CONNECTION_MS = 75_000

/** Starts a server. Rejects with an Error whose message says what is wrong with the configuration or the address. */
export async function start(config: Config, options: StartOptions = {}): Promise<Running> {
  const { env = {}, log = () => {}, clock = Date.now, random = () => randomBytes(24).toString('hex') } = options
  const keys = toKeys(config.keys)
  const address = toAddress(config, keys, env)
  const agent = openAgent(config.timeouts)
  const accounts: Accounts = openAccounts(config, env, httpSource(agent), options.fixtures)
  const open = new Set<Exchange>()
  const gateway: Gateway = { config, keys, accounts, clock, random, isDraining: () => drain.isDraining() }
  const server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS })
  const drain = openDrain(server, open)
  server.on(
    'request',
    openDoor(
      gateway,
      open,
      (exchange) => {
        open.delete(exchange)
        drain.release(exchange)
        log(toLine(exchange.entry))
      },
      log,
    ),
  )
  const bound = await listen(server, address).catch(async (error: unknown) => {
    await agent.destroy()
    throw error
  })
  log({ event: 'listening', url: toUrl(bound), vendors: accounts.names })

  const stop = async (limitSeconds: number, noticeSeconds: number): Promise<void> => {
    log({ event: 'draining', open: open.size })
    await drain.run(limitSeconds, noticeSeconds)
    await agent.destroy()
    log({ event: 'stopped' })
  }
  return {
    url: toUrl(bound),
    vendors: accounts.names,
    development: keys.some(isDevelopmentKey),
    close: () => stop(0, 0),
    drain: () => stop(config.drain.limit_seconds, config.drain.notice_seconds),
  }
}

function toAddress({ listen: { host, port } }: Config, keys: readonly Key[], env: Env): Address {
  return checkAddress({ host, port: port ?? env.PORT }, keys.some(isDevelopmentKey))
}

type Take = (request: IncomingMessage, response: ServerResponse) => void

/** Every request comes in here, and leaves a line in the log. */
function openDoor(gateway: Gateway, open: Set<Exchange>, leave: (exchange: Exchange) => void, log: Log): Take {
  const routes = toRoutes(gateway)
  return async (request, response) => {
    const id = toRequestId(request.headers['x-request-id'], gateway.random)
    const exchange = openExchange(request, response, id)
    open.add(exchange)
    if (gateway.isDraining()) response.shouldKeepAlive = false
    try {
      await findEndpoint(routes, exchange)(gateway, exchange)
    } catch (error) {
      reportBug(exchange, error, log)
    }
    await exchange.closed
    leave(exchange)
  }
}

/** What was thrown is ours. Its message may hold anything, so that only the place is told. */
function reportBug(exchange: Exchange, error: unknown, log: Log): void {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const places = stack.split('\n').flatMap((line) => /^ +at .*$/.exec(line)?.[0].trim() ?? [])
  log({ event: 'bug', request_id: exchange.id, name: error instanceof Error ? error.name : typeof error, places })
  if (exchange.response.headersSent) exchange.response.destroy()
  else sendError(exchange, gatewayError('server_error', 'The gateway failed.'))
}
