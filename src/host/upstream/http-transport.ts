import type { IncomingHttpHeaders } from 'node:http'
import { buildConnector, type Dispatcher, errors } from 'undici/index.js'
import type { CancelListener, CancellationSignal } from '../../gateway/cancellation.ts'
import type { Config } from '../../gateway/config/config.ts'
import type { BodyReader, Transport, UpstreamRequest, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import { PROXY_REFUSED, transportError } from '../../gateway/upstream/transport-error.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { type SilenceCheck, type SilentStream, silenceCheck } from '../silence-check.ts'
import { sentOnce } from './body-once.ts'
import { forgettingAttempts } from './connection-attempts.ts'
import { decodeAnswer } from './decode-answer.ts'
import { ProxiedAgent, proxyConnector } from './proxied-agent.ts'
import type { ProxyRules } from './proxy-rules.ts'
import {
  type CarriedExchange,
  type CarryingOptions,
  type OnBug,
  UpstreamAgent,
  type UpstreamConnection,
} from './upstream-agent.ts'

type Controller = Dispatcher.DispatchController

const encoder = new TextEncoder()

/** Bytes of an answer that are stored until it has a reader. */
const MOST_MISSED = 64 * 1024

/** Only a proxy answers with this status: it requires a user name and a password (RFC 9110, 15.5.8). */
const FROM_PROXY = 407

/**
 * The connections of one server to its upstreams. `proxies`: null if all upstreams are reached directly. `onBug`: left
 * out if the failure of the exchange suffices.
 */
export function createAgent(
  timeouts: Config['timeouts'],
  proxies: ProxyRules | null = null,
  onBug: OnBug = nothing,
): UpstreamAgent {
  const connectMs = timeouts.connect_seconds * 1000
  const connector = proxies === null ? buildConnector({ timeout: connectMs }) : proxyConnector(proxies, connectMs)
  const options = {
    pipelining: 1,
    headersTimeout: timeouts.first_byte_seconds * 1000,
    idleMs: timeouts.idle_seconds * 1000,
    connect: forgettingAttempts(connector),
  }
  return proxies === null ? new UpstreamAgent(options, onBug) : new ProxiedAgent(proxies, options, onBug)
}

/**
 * The transport to an upstream over HTTP. It uses undici's dispatcher directly, without a Node stream: there is one
 * callback a chunk, and `pause` applies to the socket.
 */
export const httpTransport =
  (agent: UpstreamAgent): Transport =>
  (call, signal) =>
    new Promise((resolve) => {
      if (signal.reason !== null) resolve(err(signal.reason))
      else dispatch(agent, call, new DispatchHandler(signal, agent.idleMs, resolve))
    })

function dispatch(agent: UpstreamAgent, call: UpstreamRequest, exchange: DispatchHandler): void {
  const { method = 'POST', url, headers, body } = call
  const path = url.pathname + url.search
  // The body gets memory of its own, because undici keeps a short one for as long as the answer lasts. A short string
  // would become a slice of Node's pool, which keeps the whole pool alive: 8 KiB in Node 20, 64 KiB in Node 24.
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const sent = method === 'GET' || method === 'HEAD' ? { headers, body: null } : sentOnce(headers, bytes)
  const options: CarryingOptions = { origin: url.origin, path, method, ...sent, exchange }
  agent.dispatch(options, exchange)
}

const NOTHING_MISSED: ((reader: BodyReader) => void)[] = []

const nothing = (): void => undefined

const NO_HEADERS: UpstreamResponse['headers'] = {}

/**
 * Handles undici's callbacks for one call, and is its answer. It is a class instead of closures: with a thousand streams of ten chunks a
 * second each, no data of a stream is in the processor's cache when its next chunk arrives. Every object on the path of
 * a chunk then costs as much as a hundred instructions. A class has one object a stream, closures have three for each
 * function.
 */
class DispatchHandler
  implements Dispatcher.DispatchHandler, UpstreamResponse, CarriedExchange, SilentStream, CancelListener
{
  place = -1
  connection: UpstreamConnection | null = null
  status = 0
  headers = NO_HEADERS
  private reader: BodyReader | null = null
  isOver = false
  /** The reader is attached shortly after the head arrives. Calls in between are stored until then. */
  private missed = NOTHING_MISSED
  private missedBytes = 0
  private controller: Controller | null = null
  private readonly signal: CancellationSignal
  private readonly idleMs: number
  private silence: SilenceCheck | null = null
  /** Whether bytes have arrived since the last check, and the time since when bytes are awaited. */
  private hasReceived = false
  private waitingSince = 0
  private resolve: (head: Result<UpstreamResponse>) => void

  constructor(signal: CancellationSignal, idleMs: number, resolve: (head: Result<UpstreamResponse>) => void) {
    this.signal = signal
    this.idleMs = idleMs
    this.resolve = resolve
    signal.listen(this)
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller
    // Aborted while the connection was being opened: no request is sent.
    if (this.isOver) this.release()
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    if (status === FROM_PROXY) {
      this.fail(transportError(Object.assign(new Error(), { code: PROXY_REFUSED })))
      this.release()
      return
    }
    // The headers are slices of the read in which they arrived, and would keep all its 64 KiB for as long as the answer
    // lasts.
    controller.rawHeaders = null
    this.status = status
    this.headers = flatten(headers)
    this.watchSilence()
    const { resolve } = this
    // The promise of the head keeps everything that waited for it.
    this.resolve = nothing
    resolve(ok(decodeAnswer(this)))
  }

  onResponseData(_: Controller, chunk: Uint8Array): void {
    if (this.isOver) return
    this.hasReceived = true
    if (this.reader === null) this.keep(chunk)
    else this.reader.bytes(chunk)
  }

  flush(): void {
    this.reader?.flush?.()
  }

  /**
   * The head and the first bytes often arrive in one read. They are stored, because a reader follows in the same tick:
   * the connection is paused only if more arrives.
   */
  private keep(chunk: Uint8Array): void {
    this.deliver((reader) => reader.bytes(chunk))
    this.missedBytes += chunk.length
    if (this.missedBytes > MOST_MISSED) this.connection?.hold()
  }

  onResponseEnd(_: Controller, trailers: IncomingHttpHeaders): void {
    if (this.close()) this.deliver((reader) => reader.end(flatten(trailers ?? {})))
  }

  onResponseError(_: Controller, error: Error): void {
    this.fail(transportError(error))
  }

  read(reader: BodyReader): void {
    const { missed } = this
    this.reader = reader
    // They would stay in memory for the whole answer.
    this.headers = NO_HEADERS
    this.missed = NOTHING_MISSED
    for (const what of missed) what(reader)
    this.resume()
  }

  pause(): void {
    if (!this.isOver) this.connection?.hold()
  }

  resume(): void {
    if (!this.isOver) this.connection?.release()
  }

  abort(): void {
    this.close()
    this.release()
  }

  checkSilence(ms: number): void {
    const now = performance.now()
    if (this.hasReceived || this.connection?.isHeld === true) this.waitingSince = now
    this.hasReceived = false
    if (now - this.waitingSince < ms) return
    this.fail(transportError(new errors.BodyTimeoutError()))
    this.release()
  }

  breakOff(error: unknown): void {
    this.fail(transportError(error instanceof Error ? error : new Error()))
  }

  private watchSilence(): void {
    if (this.isOver || this.idleMs <= 0) return
    this.waitingSince = performance.now()
    this.silence = silenceCheck(this.idleMs)
    this.silence.add(this)
  }

  private deliver(what: (reader: BodyReader) => void): void {
    if (this.reader !== null) what(this.reader)
    else if (this.missed.length > 0) this.missed.push(what)
    else this.missed = [what]
  }

  private fail(error: GatewayError): void {
    if (!this.close()) return
    this.resolve(err(error))
    this.deliver((reader) => reader.fail(error))
  }

  onCancel(): void {
    const { reason } = this.signal
    if (reason !== null) this.fail(reason)
    this.release()
  }

  private release(): void {
    const { connection, controller } = this
    const abort = (): void => controller?.abort(new Error('The request was aborted.'))
    if (connection === null) abort()
    else connection.guard(abort)
  }

  private close(): boolean {
    if (this.isOver) return false
    this.isOver = true
    this.signal.forget(this)
    this.silence?.remove(this)
    this.connection?.leave(this)
    return true
  }
}

/** undici gives names in lower case, and a list for a header that was sent several times. */
const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>): UpstreamResponse['headers'] =>
  hasNoLists(headers)
    ? headers
    : Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, typeof value === 'object' ? value.join(', ') : value]),
      )

const hasNoLists = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): headers is UpstreamResponse['headers'] => Object.values(headers).every((value) => typeof value !== 'object')
