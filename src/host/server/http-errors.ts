import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Journal, summaryOf } from '../../gateway/exchange/journal.ts'
import { sendError } from '../../gateway/exchange/send.ts'
import { type Log, toLogLine } from '../../gateway/telemetry/log.ts'
import { clientError, type GatewayError, gatewayError } from '../../protocol/error.ts'
import { toErrorBody } from '../../protocol/error-body.ts'
import { lookup } from '../../text/lookup.ts'
import type { HttpContext } from './http-context.ts'
import { closeAfterBody } from './request-body-end.ts'
import { beginningOf } from './sliced-reads.ts'

const malformed = (message: string): GatewayError => clientError('malformed_request', message)

const NO_HOST = malformed('The header "Host" is missing.')
const UNKNOWN_CODING = gatewayError(
  'not_implemented',
  'Transfer-Encoding: expected chunked. Send the body with this coding, or with Content-Length.',
  501,
)

/** Some HTTP servers ignore a second header of these names and others use it, which could deceive a proxy. */
const SINGLE: ReadonlyMap<string, GatewayError> = new Map(
  ['Host', 'Authorization', 'Content-Type', 'X-Api-Key', 'X-Goog-Api-Key'].map((name) => [
    name.toLowerCase(),
    malformed(`The header "${name}" was sent more than once. Send it once.`),
  ]),
)

/** Checks the rules of HTTP that Node leaves to the application (RFC 9112, 3.2 and 6.1); null for a valid request. */
export function faultOf({ httpVersion, headers, rawHeaders }: IncomingMessage): GatewayError | null {
  const met = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    const fault = SINGLE.get(name)
    if (fault === undefined) continue
    if (met.has(name)) return fault
    met.add(name)
  }
  if (httpVersion === '1.1' && !met.has('host')) return NO_HOST
  const coding = headers['transfer-encoding']
  return coding === undefined || coding.trim().toLowerCase() === 'chunked' ? null : UNKNOWN_CODING
}

const MALFORMED = clientError('malformed_request', 'The request is not valid HTTP.')
const NO_TUNNEL = clientError(
  'method_not_allowed',
  'The method CONNECT is not supported, because this server is not a proxy.',
)

const FAILURES: Readonly<Record<string, GatewayError>> = {
  HPE_HEADER_OVERFLOW: clientError(
    'headers_too_large',
    'The headers are larger than connections.header_bytes of this server. Send fewer or shorter headers.',
  ),
  HPE_INVALID_EOF_STATE: clientError('incomplete_body', 'The request ended before it was complete.'),
  ERR_HTTP_REQUEST_TIMEOUT: clientError(
    'request_timeout',
    'The request did not arrive within connections.header_seconds and connections.body_seconds of this server.',
  ),
}

/**
 * Answers input that Node would answer itself, or not at all, with an error body and a request id like every other
 * refusal.
 */
export function answerMalformed(server: Server, open: readonly HttpContext[], newId: () => string, log: Log): void {
  const lastOn = (socket: unknown): HttpContext | undefined => open.findLast(({ request }) => request.socket === socket)

  /** Refused connections. Their further input is discarded, and fails to parse again. */
  const refused = new WeakSet<Socket>()

  /** Writes the answer to the socket, because there is no response object. */
  const answerByHand = (socket: Socket, failure: GatewayError, isHead = false): void => {
    const id = newId()
    closeAfterBody(socket, toMessage(failure, id, isHead))
    const journal = new Journal(id, '')
    journal.add({ type: 'failed', code: failure.code, party: null, status: failure.status })
    log(toLogLine(summaryOf(journal)))
  }

  server.on('clientError', (error: ParserError, duplex) => {
    const socket = duplex as Socket
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (refused.has(socket)) return
    refused.add(socket)
    const failure = lookup(FAILURES, error.code ?? '') ?? MALFORMED
    const context = lastOn(socket)
    if (context === undefined) answerByHand(socket, failure, beginsWithHead(beginningOf(socket) ?? error.rawPacket))
    else if (context.request.complete) hangUpAfter(context, socket)
    else refuse(context, socket, failure)
  })

  server.on('connect', ({ socket }) => {
    socket.on('error', () => socket.destroy())
    const context = lastOn(socket)
    if (context === undefined) answerByHand(socket, NO_TUNNEL)
    else hangUpAfter(context, socket)
  })
}

/**
 * Bytes that follow a complete request are not a valid request: the complete one is answered, and the connection ends.
 */
function hangUpAfter({ response, closed }: HttpContext, socket: Socket): void {
  response.shouldKeepAlive = false
  void closed.then(() => socket.destroySoon())
}

/** Refuses a request whose body is malformed. */
function refuse(context: HttpContext, socket: Socket, failure: GatewayError): void {
  context.reply.rest = socket
  hangUpAfter(context, socket)
  // A reader that waits for the rest of the body must not wait forever.
  void context.closed.then(() => context.request.destroy())
  sendError(context, failure)
}

interface ParserError extends NodeJS.ErrnoException {
  /** The bytes of the last read. */
  readonly rawPacket?: Buffer
}

/**
 * The answer to HEAD has no body (RFC 9110, 9.3.2). If the header came in several reads, its method is no longer
 * available.
 */
const beginsWithHead = (read: Buffer | undefined): boolean => read?.subarray(0, HEAD.length).toString('latin1') === HEAD

const HEAD = 'HEAD '

function toMessage(failure: GatewayError, id: string, isHead: boolean): string {
  const body = JSON.stringify(toErrorBody(failure, id))
  return [
    `HTTP/1.1 ${failure.status} Refused`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    '',
    isHead ? '' : body,
  ].join('\r\n')
}
