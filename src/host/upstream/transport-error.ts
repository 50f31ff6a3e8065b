import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { lookup } from '../../text/lookup.ts'

type Row = readonly [code: string, message: string, status: number]

const timeout = (what: string): Row => ['upstream_timeout', what, 504]
const unreachable = (what: string): Row => ['upstream_unreachable', what, 502]
const broken = (what: string): Row => ['upstream_disconnected', what, 502]

const DISCONNECTED = broken('The connection to the upstream was lost.')

/** Maps errors of undici and the operating system to errors for the client, which never contain an address or a key. */
const FAILURES: Readonly<Record<string, Row>> = {
  UND_ERR_CONNECT_TIMEOUT: timeout('The connection to the upstream was not open within timeouts.connect_seconds.'),
  UND_ERR_HEADERS_TIMEOUT: timeout('The upstream sent no headers of its answer within timeouts.first_byte_seconds.'),
  UND_ERR_BODY_TIMEOUT: timeout(
    'The upstream stopped in the middle of its answer: it sent nothing for timeouts.idle_seconds.',
  ),
  ETIMEDOUT: timeout('The connection to the upstream timed out.'),
  UND_ERR_SOCKET: DISCONNECTED,
  ECONNRESET: DISCONNECTED,
  EPIPE: DISCONNECTED,
  ECONNREFUSED: unreachable('The upstream refuses connections. Check the base URL of the vendor.'),
  ENOTFOUND: unreachable('The host name of the upstream does not exist. Check the base URL of the vendor.'),
  EAI_AGAIN: unreachable('The host name of the upstream could not be resolved.'),
  EHOSTUNREACH: unreachable('The upstream cannot be reached.'),
  ENETUNREACH: unreachable('The upstream cannot be reached.'),
  UND_ERR_INVALID_ARG: [
    'server_error',
    'The request for the upstream cannot be sent. Check the base URL and the headers of the vendor.',
    500,
  ],
  UND_ERR_HEADERS_OVERFLOW: ['upstream_invalid', 'The headers of the upstream are too large.', 502],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: broken('The answer of the upstream is shorter than its Content-Length.'),
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
