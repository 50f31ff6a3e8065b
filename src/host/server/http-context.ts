import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Lease } from '../../gateway/body/body-budget.ts'
import { type BodyLimiter, type Received, receive } from '../../gateway/body/receive-request.ts'
import { checkContentType } from '../../gateway/exchange/content-type.ts'
import type { Journal } from '../../gateway/exchange/journal.ts'
import type { BodySource } from '../../gateway/exchange/reply.ts'
import { GONE, type RequestContext, STALLED, StartedExchange } from '../../gateway/exchange/request-context.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Result } from '../../protocol/result.ts'
import { CODINGS } from '../content-decoders.ts'
import { type SilenceCheck, type SilentStream, silenceCheck } from '../silence-check.ts'
import { PeerWatch } from './half-closed.ts'
import { HttpReply } from './http-reply.ts'
import { readBody } from './read-body.ts'

export interface HttpContext extends RequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly reply: HttpReply
  /**
   * Called when other requests wait behind this one. The connection may then be paused, which hides that the client
   * left.
   */
  onBlocked(): void
}

/** Over HTTP/1.0 no probe can be written that shows whether such a client still reads. */
const ENDED = clientError('client_gone', 'The client closed its side of the connection before its response began.')

/** `stalledMs`: the longest time in which the client may read nothing of its answer. */
export const createHttpContext = (
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  stalledMs: number,
): HttpContext => new NodeContext(request, response, id, stalledMs)

interface Answering {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly journal: Journal
  readonly keeps: (() => boolean) | null
  abort(error: GatewayError): void
}

const isBehind = ({ response, request }: Answering): boolean =>
  response.writableLength > 0 || request.socket.writableLength > 0

/**
 * Cuts an answer whose client has read nothing of it for the time of the socket. Node restarts the time with every byte
 * that the system accepts: a slow client that makes progress is not cut, however long its answer takes.
 */
function cutIfStalled(answering: Answering): void {
  const { response, journal } = answering
  // The time also passes if there are no bytes to send.
  if (!isBehind(answering)) return
  if (answering.keeps?.() !== true) {
    answering.abort(STALLED)
    journal.add({ type: 'cut', code: STALLED.code, party: STALLED.party })
  }
  response.destroy()
}

interface ResponseOwner {
  onClose(): void
  onDrain(): void
  /** Nothing was written or read for the time of `setTimeout`. */
  onTimeout(): void
}

const OWNER = Symbol('owner')

type OwnedResponse = ServerResponse & { [OWNER]: ResponseOwner }

/** All responses share their listeners, because each function of its own would be two more objects of every stream. */
function own(response: ServerResponse, owner: ResponseOwner): void {
  Object.assign(response, { [OWNER]: owner })
  response.on('close', onClose)
  response.on('drain', onDrain)
  response.on('timeout', onTimeout)
  // A write after the connection broke emits an error on the response; `close` covers that case already.
  response.on('error', ignore)
}

function onClose(this: ServerResponse): void {
  ;(this as OwnedResponse)[OWNER].onClose()
}

function onDrain(this: ServerResponse): void {
  ;(this as OwnedResponse)[OWNER].onDrain()
}

function onTimeout(this: ServerResponse): void {
  ;(this as OwnedResponse)[OWNER].onTimeout()
}

const ignore = (): void => undefined

/** A class, because closures would be additional objects of every stream. */
class NodeContext extends StartedExchange implements HttpContext, ResponseOwner, SilentStream {
  place = -1
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: NodeBody
  readonly reply: HttpReply
  private closing: Promise<void> | null = null
  private resolve: () => void = nothing
  private peer: PeerWatch | null = null
  private isClosed = false
  private isBlocked = false
  private silence: SilenceCheck | null = null
  private isTimed = false

  constructor(request: IncomingMessage, response: ServerResponse, id: string, stalledMs: number) {
    super(id, request.method ?? '')
    this.request = request
    this.response = response
    this.reply = new HttpReply(request, response)
    this.body = new NodeBody(request)
    own(response, this)
    // A response that waited for a connection that has closed emits no event.
    if (request.socket.destroyed) {
      response.destroy()
      this.end()
    }
    this.reply.setHeader('x-request-id', id)
    // A short request leaves for its upstream in this turn, and the watches can be set up while it is on its way.
    setImmediate(watch, this, stalledMs)
  }

  /** Made when it is needed, because a stream does not need it before its end. */
  get closed(): Promise<void> {
    if (this.isClosed) return Promise.resolve()
    this.closing ??= new Promise((resolve) => {
      this.resolve = resolve
    })
    return this.closing
  }

  onBlocked(): void {
    this.isBlocked = true
    this.peer?.start()
  }

  onClose(): void {
    this.end()
    this.reply.noteClose()
    this.peer?.stop()
  }

  onDrain(): void {
    this.reply.noteDrain()
  }

  onTimeout(): void {
    cutIfStalled(this)
  }

  watch(stalledMs: number): void {
    if (this.isClosed) return
    this.peer = new PeerWatch(this.request, this.response, this)
    if (this.isBlocked) this.peer.start()
    if (stalledMs <= 0) return
    this.silence = silenceCheck(stalledMs)
    this.silence.add(this)
  }

  /** Node restarts the time of a socket with each write, so that it is set only while the client is behind. */
  checkSilence(ms: number): void {
    const isNowTimed = isBehind(this)
    if (isNowTimed !== this.isTimed) this.response.setTimeout(isNowTimed ? ms : 0)
    this.isTimed = isNowTimed
  }

  filler(): string | null {
    return this.reply.filler
  }

  onPeerGone(): void {
    this.leave(ENDED)
  }

  private end(): void {
    this.isClosed = true
    this.silence?.remove(this)
    this.silence = null
    this.journal.mark('ended')
    if (!this.response.writableFinished) this.leave(GONE)
    this.body.release()
    this.resolve()
  }

  private leave(reason: GatewayError): void {
    if (this.keeps?.() === true) return
    this.journal.mark('gone')
    this.abort(reason)
  }
}

const nothing = (): void => undefined

const watch = (context: NodeContext, stalledMs: number): void => context.watch(stalledMs)

class NodeBody implements BodySource {
  readonly codings = CODINGS
  private readonly request: IncomingMessage
  private lease: Lease | null = null
  private isReleased = false

  constructor(request: IncomingMessage) {
    this.request = request
  }

  check(isTypeOptional: boolean): Result<null> {
    return checkContentType(this.request, CODINGS, isTypeOptional)
  }

  read(limiter: BodyLimiter): Promise<Result<Received>> {
    const { request } = this
    return receive(
      limiter,
      (limits, lease, done) => readBody(request, limits, lease, done),
      (lease) => {
        this.lease = lease
        if (this.isReleased) lease.release()
      },
    )
  }

  /** The exchange has ended. */
  release(): void {
    this.isReleased = true
    this.lease?.release()
    this.lease = null
  }
}
