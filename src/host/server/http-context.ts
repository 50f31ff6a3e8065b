import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkContentType } from '../../gateway/body/body-intake.ts'
import { receive } from '../../gateway/body/receive-request.ts'
import { beginExchange, GONE, type RequestContext } from '../../gateway/exchange/request-context.ts'
import { clientError } from '../../protocol/error.ts'
import { type PeerWatch, watchPeer } from './half-closed.ts'
import { HttpReply } from './http-reply.ts'
import { readBody } from './read-body.ts'
import { cutWhenStalled } from './stalled.ts'

/** One HTTP request with its answer. */
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
const ENDED = clientError('client_gone', 'The client closed its side of the connection before its answer began.')

/** `stalledMs`: the longest time in which the client may read nothing of its answer. */
export function createHttpContext(
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  stalledMs: number,
): HttpContext {
  const begun = beginExchange(id, request.method ?? '')
  const { entry, elapsed, abort } = begun
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    const close = (): void => {
      isClosed = true
      entry.duration_ms = elapsed()
      if (!response.writableFinished) {
        entry.client_gone = true
        abort(GONE)
      }
      resolve()
    }
    response.on('close', close)
    // A response that waited for a connection that has closed emits no event.
    if (request.socket.destroyed) {
      response.destroy()
      close()
    }
  })
  // A write after the connection broke emits an error on the response; `close` covers that case already.
  response.on('error', () => undefined)
  response.setHeader('x-request-id', id)
  let peer: PeerWatch | null = null
  let isBlocked = false
  const context: HttpContext = {
    request,
    response,
    body: {
      check: () => checkContentType(request),
      read: (limiter) => receive(limiter, (limits, lease) => readBody(request, limits, lease), closed),
    },
    reply: new HttpReply(request, response),
    onBlocked() {
      isBlocked = true
      peer?.onBlocked()
    },
    closed,
    // The last, because Node 20 makes a hidden class for each object whose literal begins with another object.
    ...begun,
  }
  const watch = (): void => {
    if (isClosed) return
    peer = watchPeer(request, response, () => {
      entry.client_gone = true
      abort(ENDED)
    })
    if (isBlocked) peer.onBlocked()
    cutWhenStalled(context, stalledMs)
  }
  // A short request leaves for its upstream in this turn, and the watches can be set up while it is on its way.
  setImmediate(watch)
  return context
}
