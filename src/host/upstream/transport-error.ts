import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { lookup } from '../../text/lookup.ts'

type Row = readonly [code: string, message: string, status: number]

const timeout = (what: string): Row => ['upstream_timeout', what, 504]
const unreachable = (what: string): Row => ['upstream_unreachable', what, 502]
const broken = (what: string): Row => ['upstream_disconnected', what, 502]

const DISCONNECTED = broken('The connection to the upstream broke.')

/** Maps errors of undici and the operating system to errors for the client, which never contain an address or a key. */
const FAILURES: Readonly<Record<string, Row>> = {
  UND_ERR_CONNECT_TIMEOUT: timeout('The upstream did not take the connection in time.'),
  UND_ERR_HEADERS_TIMEOUT: timeout('The upstream did not begin to answer in time.'),
  UND_ERR_BODY_TIMEOUT: timeout('The upstream fell silent in the middle of its answer.'),
  ETIMEDOUT: timeout('The connection to the upstream timed out.'),
  UND_ERR_SOCKET: DISCONNECTED,
  ECONNRESET: DISCONNECTED,
  EPIPE: DISCONNECTED,
  ECONNREFUSED: unreachable('The upstream refuses connections.'),
  ENOTFOUND: unreachable('The address of the upstream is not known.'),
  EAI_AGAIN: unreachable('The address of the upstream could not be looked up.'),
  EHOSTUNREACH: unreachable('The upstream cannot be reached.'),
  ENETUNREACH: unreachable('The upstream cannot be reached.'),
  UND_ERR_INVALID_ARG: [
    'server_error',
    'The request for the upstream cannot be sent: an address or a header is wrong.',
    500,
  ],
  UND_ERR_HEADERS_OVERFLOW: ['upstream_invalid', 'The headers of the upstream are too large.', 502],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: broken('The upstream sent less than it had announced.'),
}

export function transportError(error: Error): GatewayError {
  const [code, message, status] = lookup(FAILURES, codeOf(error)) ?? DISCONNECTED
  return upstreamError(code, message, status)
}

// A host with several addresses fails with one error for each.
function codeOf(error: Error & { readonly code?: unknown; readonly errors?: unknown }): string {
  if (typeof error.code === 'string') return error.code
  const first: unknown = Array.isArray(error.errors) ? error.errors[0] : undefined
  return first instanceof Error ? codeOf(first) : ''
}
