import type { RawData, WebSocket } from 'ws'
import type { RequestContext } from '../../../gateway/exchange/request-context.ts'
import { clientError, type GatewayError, gatewayError } from '../../../protocol/error.ts'
import { toErrorBody } from '../../../protocol/error-body.ts'
import { type ClientMessage, readClientMessage } from './client-message.ts'
import { ContinuedRequest } from './continued-request.ts'
import { Lanes } from './lanes.ts'
import { ResponseHistory } from './response-history.ts'
import { answerMessage, type SocketExchangeOptions } from './socket-exchange.ts'
import { refuseSteering } from './steering.ts'

export interface ConnectionOptions extends SocketExchangeOptions {
  readonly socket: WebSocket
}

/** Messages that may wait to be read. Beyond them, the connection is not read. */
const MOST_UNREAD = 8

const BINARY = clientError('invalid_json', 'The message is binary. Send JSON as text.')
const QUEUE_FULL = clientError(
  'websocket_queue_full',
  'Too many requests wait on this connection. Send the request again when others are answered.',
)
const STOPPING = gatewayError('server_stopping', 'The server is stopping. Send the request on a new connection.', 503)

/** One WebSocket of a client: its requests, the order of their answers, and the responses that they may continue. */
export class Connection {
  readonly exchanges: RequestContext[] = []
  private readonly options: ConnectionOptions
  private readonly lanes: Lanes
  private readonly history: ResponseHistory
  private reading: Promise<void> = Promise.resolve()
  private unread = 0
  private lastActive = performance.now()
  /** The reason why no more requests are accepted; null if they are. */
  private closing: GatewayError | null = null

  constructor(options: ConnectionOptions) {
    const { websocket: limits } = options.gateway.config
    this.options = options
    this.history = new ResponseHistory({ responses: limits.kept_responses, bytes: limits.kept_bytes })
    const most = { named: limits.lanes, parallel: limits.parallel_responses, waiting: limits.waiting_requests }
    this.lanes = new Lanes(most, () => this.closeIfIdle())
    options.socket.on('message', (bytes, isBinary) => this.receive(bytes, isBinary))
    options.outlet.whenClosed(() => this.lanes.clear())
  }

  isIdle(): boolean {
    return this.lanes.isIdle() && this.unread === 0
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
    socket.close(GOING_AWAY, this.closing.code)
  }

  private receive(data: RawData, isBinary: boolean): void {
    const { socket } = this.options
    this.unread += 1
    this.options.metrics.noteMessages('received', 1)
    this.lastActive = performance.now()
    if (this.unread >= MOST_UNREAD) socket.pause()
    this.reading = this.reading.then(async () => {
      if (isBinary) this.sendEvent(BINARY, null)
      else await this.read(data as Buffer)
      this.unread -= 1
      if (socket.isPaused) socket.resume()
      this.closeIfIdle()
    })
  }

  private async read(bytes: Buffer): Promise<void> {
    const { gateway, outlet } = this.options
    const { limits, websocket } = gateway.config
    const lease = gateway.bodies.lease()
    const maxBytes = websocket.message_bytes ?? limits.request_body_bytes
    const found = await readClientMessage(bytes, { limits, maxBytes }, lease)
    const refusal = found.ok ? this.refusalOf(found.value) : found.error
    if (outlet.isClosed()) lease.release()
    else if (found.ok && refusal === null) {
      const { value: message } = found
      const continued = new ContinuedRequest(message, { history: this.history, lease, limits })
      this.lanes.add(message.streamId, () => this.answer(continued))
    } else {
      lease.release()
      if (found.ok && refuseSteering(found.value, outlet)) return
      this.refuse(refusal ?? BINARY, found.ok ? found.value.streamId : null)
    }
  }

  /** Clients take an error for the end of the answer that its lane receives, so that it waits for this end. */
  private refuse(error: GatewayError, streamId: string | null): void {
    if (error === this.closing && this.lanes.refusalOf(streamId) === null)
      this.lanes.add(streamId, async () => this.sendEvent(error, streamId))
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
    await answerMessage(this.options, continued, this.exchanges)
    this.lastActive = performance.now()
  }

  private sendEvent(error: GatewayError, streamId: string | null): void {
    const lane = streamId === null ? {} : { stream_id: streamId }
    this.options.outlet.send(JSON.stringify({ type: 'error', status: error.status, ...lane, ...toErrorBody(error) }))
  }
}

/** RFC 6455, 7.4.1: the server stops, or the connection has reached a limit. */
const GOING_AWAY = 1001

const UNKNOWN_TYPE = 'type: expected response.create'
const tooMany = (most: number): string =>
  `stream_id: expected at most ${most} lanes with requests on one connection. Wait for an answer, or use a new connection.`
