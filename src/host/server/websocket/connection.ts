import type { Socket } from 'node:net'
import type { RawData, WebSocket } from 'ws'
import type { Key } from '../../../gateway/auth/auth.ts'
import { chargeRefusal } from '../../../gateway/auth/rate-limit.ts'
import type { Lease } from '../../../gateway/body/body-budget.ts'
import type { RequestContext } from '../../../gateway/exchange/request-context.ts'
import { clientError, type GatewayError, gatewayError } from '../../../protocol/error.ts'
import { toErrorBody } from '../../../protocol/error-body.ts'
import { REFUSED_BODY } from '../../../protocol/limits.ts'
import { err } from '../../../protocol/result.ts'
import type { SharedLoad } from '../refusal-price.ts'
import { type ArrivingMessages, collectMessages } from './arriving-messages.ts'
import { type ClientMessage, readClientMessage } from './client-message.ts'
import { ContinuedRequest } from './continued-request.ts'
import type { KeptMemory } from './kept-memory.ts'
import { Lanes } from './lanes.ts'
import { ResponseHistory } from './response-history.ts'
import { answerMessage, type SocketExchangeOptions } from './socket-exchange.ts'
import type { SocketOutlet } from './socket-outlet.ts'
import type { Outlet } from './socket-reply.ts'

interface ConnectionOptions extends SocketExchangeOptions {
  readonly outlet: SocketOutlet
  readonly shared: SharedLoad
  readonly socket: WebSocket
  readonly transport: Socket
  /** The memory of the kept responses of all connections. */
  readonly kept: KeptMemory
  /** The key that opened the connection. */
  readonly key: Key
}

/** Messages that may wait to be read. Beyond them, the connection is not read. */
const MOST_PENDING = 8

const BINARY = clientError('invalid_json', 'The message is binary. Send JSON as text.')
const QUEUE_FULL = clientError(
  'websocket_queue_full',
  'Too many requests wait on this connection. Send the request again when others are answered.',
)
const TOO_MANY = clientError(
  'rate_limit_exceeded',
  'Too many messages of this connection were refused. Read the errors, and connect again.',
)
const STOPPING = gatewayError('server_stopping', 'The server is stopping. Send the request on a new connection.', 503)

/** One WebSocket of a client: its requests, the order of their answers, and the responses that they may continue. */
export class Connection {
  readonly exchanges: RequestContext[] = []
  /** Messages that were refused without a call of an upstream. */
  refused = 0
  /** Whether the client is not answered any more because of them. */
  isCut = false
  private readonly options: ConnectionOptions
  private readonly lanes: Lanes
  private readonly history: ResponseHistory
  private readonly arriving: ArrivingMessages | null
  private reading: Promise<void> = Promise.resolve()
  private pending = 0
  private lastActive = performance.now()
  /** The reason why no more requests are accepted; null if they are. */
  private closing: GatewayError | null = null

  constructor(options: ConnectionOptions) {
    const { gateway, socket, transport, outlet, kept, key } = options
    const { websocket: limits, connections } = gateway.config
    this.options = options
    this.history = new ResponseHistory({ responses: limits.kept_responses, bytes: limits.kept_bytes }, kept, key.id)
    const most = { named: limits.lanes, parallel: limits.parallel_responses, waiting: limits.waiting_requests }
    this.lanes = new Lanes(most, () => this.closeIfIdle())
    this.arriving = collectMessages({
      transport,
      bodies: gateway.bodies,
      maxBytes: this.maxBytes(),
      longestMs: connections.body_seconds * 1000,
      isPaused: () => socket.isPaused,
      queue: options.shared.queue,
      // The library answers pings, also to a client that does not read.
      onControl: () => void (outlet.isBehind() && this.readWhenDrained()),
      onRefused: (error) => this.refuseArriving(error),
    })
    socket.on('message', (bytes, isBinary) => this.receive(bytes, isBinary))
    socket.on('error', () => this.arriving?.stop())
    outlet.whenClosed(() => {
      this.arriving?.stop()
      this.lanes.clear()
      this.history.close()
    })
  }

  private maxBytes(): number {
    const { websocket, limits } = this.options.gateway.config
    return websocket.message_bytes ?? limits.request_body_bytes
  }

  isIdle(): boolean {
    return this.lanes.isIdle() && this.pending === 0
  }

  /** The time of the last message or answer, from `performance.now()`. */
  idleSince(): number {
    return this.lastActive
  }

  drain(): void {
    this.refuseAll(STOPPING)
  }

  /** Refuses all further requests for this reason, and closes the connection when the last answer has ended. */
  refuseAll(reason: GatewayError): void {
    this.closing ??= reason
    this.closeIfIdle()
  }

  private closeIfIdle(): void {
    const { socket, outlet } = this.options
    if (this.closing === null || !this.isIdle() || outlet.isClosed()) return
    if (this.closing !== STOPPING) this.sendEvent(this.closing, null)
    this.isCut = this.closing === TOO_MANY
    socket.close(this.isCut ? POLICY : GOING_AWAY, this.closing.code)
    if (!this.isCut) return
    // The answer of the client to the close is among what is discarded.
    const ending = setTimeout(() => socket.terminate(), REFUSED_BODY.ms)
    outlet.whenClosed(() => clearTimeout(ending))
  }

  private receive(data: RawData, isBinary: boolean): void {
    const { socket, gateway } = this.options
    const lease = this.arriving?.takeLease() ?? gateway.bodies.lease()
    this.pending += 1
    this.options.metrics.noteMessages('received', 1)
    this.lastActive = performance.now()
    if (this.pending >= MOST_PENDING) socket.pause()
    const { queue } = this.options.shared
    this.reading = this.reading.then(async () => {
      if (!queue.hasTime()) await queue.tick()
      if (!(await this.accepts(data as Buffer, isBinary, lease))) await this.release(lease)
      this.pending -= 1
      this.readOn()
      this.closeIfIdle()
    })
  }

  private refuseArriving(error: GatewayError): void {
    this.refuse(error, null, true)
    if (error.party === 'client') void this.charge()
    this.readWhenDrained()
  }

  /** A client that reads nothing is not read either, and is cut. */
  private readWhenDrained(): void {
    const { socket, outlet } = this.options
    socket.pause()
    outlet.whenDrained(() => this.readOn())
  }

  /** Takes the price of a message that is refused. Returns the error of the rate limit of its key; null if there is none. */
  private async charge(): Promise<GatewayError | null> {
    this.noteRefused()
    const paced = await chargeRefusal(this.options.gateway.rates, this.options.key)
    return paced.ok ? null : paced.error
  }

  private noteRefused(): void {
    const { shared, transport } = this.options
    this.refused += 1
    if (shared.price.charge(transport) || this.closing !== null) return
    // The rest is read, so that the end of the connection is seen, but it is discarded.
    this.arriving?.stop()
    this.refuseAll(TOO_MANY)
  }

  private readOn(): void {
    const { socket } = this.options
    if (!socket.isPaused || this.pending >= MOST_PENDING) return
    socket.resume()
    this.arriving?.resume()
  }

  /** A refusal may repeat a long message, and a client that reads no refusals must not get more of them. */
  private async release(lease: Lease): Promise<void> {
    const { outlet } = this.options
    if (!outlet.isClosed()) await new Promise<void>((resolve) => outlet.whenDrained(resolve))
    lease.release()
  }

  /** Returns true if the message waits for its answer in its lane, which then has the lease. */
  private async accepts(bytes: Buffer, isBinary: boolean, lease: Lease): Promise<boolean> {
    const { gateway, outlet } = this.options
    const { limits } = gateway.config
    const found = isBinary ? err(BINARY) : await readClientMessage(bytes, { limits, maxBytes: this.maxBytes() }, lease)
    if (outlet.isClosed()) return false
    const refusal = found.ok ? this.refusalOf(found.value) : found.error
    if (found.ok && refusal === null) {
      const { value: message } = found
      const continued = new ContinuedRequest(message, { history: this.history, lease, limits })
      this.lanes.add(message.streamId, { run: () => this.answer(continued), drop: () => lease.release() })
      return true
    }
    if (found.ok && isNotice(found.value)) {
      this.noteRefused()
      return false
    }
    const isOwnFault = found.ok || found.error.party === 'client'
    const paced = isOwnFault ? await this.charge() : null
    if (found.ok && refuseSteering(found.value, outlet)) return false
    const error = refusal === this.closing ? refusal : (paced ?? refusal)
    this.refuse(error ?? BINARY, found.ok ? found.value.streamId : null)
    return false
  }

  /** Clients take an error for the end of the answer that its lane receives, so that it waits for this end. */
  private refuse(error: GatewayError, streamId: string | null, waits = error === this.closing): void {
    if (waits && this.lanes.refusalOf(streamId) === null)
      this.lanes.add(streamId, { run: async () => this.sendEvent(error, streamId), drop: () => undefined })
    else this.sendEvent(error, streamId)
  }

  /** The reason to refuse a message before it waits in its lane; null if there is none. */
  private refusalOf({ type, streamId }: ClientMessage): GatewayError | null {
    if (type !== 'response.create') return clientError('unknown_event_type', UNKNOWN_TYPE, 'type')
    if (this.closing !== null) return this.closing
    const refusal = this.lanes.refusalOf(streamId)
    if (refusal === null) return null
    const { lanes } = this.options.gateway.config.websocket
    return refusal === 'lanes' ? clientError('websocket_stream_limit_reached', tooMany(lanes), 'stream_id') : QUEUE_FULL
  }

  private async answer(continued: ContinuedRequest): Promise<void> {
    const { queue } = this.options.shared
    if (!queue.hasTime()) await queue.tick()
    if (await answerMessage(this.options, continued, this.exchanges)) this.noteRefused()
    this.lastActive = performance.now()
  }

  private sendEvent(error: GatewayError, streamId: string | null): void {
    const lane = streamId === null ? {} : { stream_id: streamId }
    this.options.outlet.send(JSON.stringify({ type: 'error', status: error.status, ...lane, ...toErrorBody(error) }))
  }
}

/** RFC 6455, 7.4.1: the server stops, or the connection has reached a limit; its client breaks a rule of the server. */
const GOING_AWAY = 1001
export const POLICY = 1008

const ANSWERED: ReadonlySet<string> = new Set(['response.create', 'response.steer', 'response.inject'])

/**
 * Whether a message is about a response and asks for none, such as that it was processed or is cancelled. It has
 * no answer, because its client would take an error for the end of its next turn.
 */
const isNotice = ({ type }: ClientMessage): boolean => type.startsWith('response.') && !ANSWERED.has(type)

const UNKNOWN_TYPE = 'type: expected response.create'
const tooMany = (most: number): string =>
  `stream_id: expected at most ${most} lanes with requests on one connection. Wait for an answer, or use a new connection.`

/**
 * Refuses input for a response that is being created, which no upstream over HTTP accepts, by the events that the
 * protocol has for it. Returns false for any other message.
 */
function refuseSteering({ type, fields }: ClientMessage, outlet: Outlet): boolean {
  const refusal =
    type === 'response.steer' ? steerFailed(fields) : type === 'response.inject' ? injectFailed(fields) : null
  if (refusal !== null) outlet.send(JSON.stringify({ ...refusal, sequence_number: 0 }))
  return refusal !== null
}

type Fields = ClientMessage['fields']

const steerFailed = ({ input = [], previous_response_id = '' }: Fields) => ({
  type: 'response.steer.failed',
  error: {
    type: 'invalid_request_error',
    code: 'steering_not_supported',
    message: 'Steering is not supported. Send the input in a response.create when the response has ended.',
  },
  steer: { input, previous_response_id },
})

const injectFailed = ({ input = [], response_id = '' }: Fields) => ({
  type: 'response.inject.failed',
  error: {
    code: 'response_not_found',
    message: 'Injection is not supported. Send the input in a response.create when the response has ended.',
  },
  input,
  response_id,
})
