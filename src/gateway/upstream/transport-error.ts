import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { lookup } from '../../text/lookup.ts'

type Row = readonly [code: string, message: string, status: number]

const timeout = (what: string): Row => ['upstream_timeout', what, 504]
const unreachable = (what: string): Row => ['upstream_unreachable', what, 502]
const broken = (what: string): Row => ['upstream_disconnected', what, 502]

const DISCONNECTED = broken('The connection to the upstream was lost.')
const NO_TLS = unreachable('No TLS connection to the upstream can be made. Check the base URL of the vendor.')
const NO_HTTP = broken('The upstream response is not valid HTTP. Check the base URL of the vendor.')
const UNSENDABLE: Row = [
  'server_error',
  'The request for the upstream cannot be sent. Check the base URL and the headers of the vendor.',
  500,
]

/** Codes of certificates that are refused (https://nodejs.org/api/tls.html, X509 certificate error codes). */
const CERTIFICATE =
  /^(?:CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT$|ERR_TLS_CERT_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_(?:GET|DECRYPT|DECODE|VERIFY)_)/

/** The code of an error of a proxy that opens no connection to the upstream. */
export const PROXY_REFUSED = 'PROXY_REFUSED'

/** Maps errors of undici and the operating system to errors for the client, which never contain an address or a key. */
const FAILURES = {
  UND_ERR_CONNECT_TIMEOUT: timeout('The connection to the upstream was not open within timeouts.connect_seconds.'),
  UND_ERR_HEADERS_TIMEOUT: timeout('The upstream sent no response headers within timeouts.first_byte_seconds.'),
  UND_ERR_BODY_TIMEOUT: timeout(
    'The upstream stopped in the middle of its response: it sent nothing for timeouts.idle_seconds.',
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
  UND_ERR_INVALID_ARG: UNSENDABLE,
  UND_ERR_NOT_SUPPORTED: UNSENDABLE,
  [PROXY_REFUSED]: unreachable(
    'The proxy of the server opens no connection to the upstream. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
  ),
  EPROTO: NO_TLS,
  UND_ERR_HEADERS_OVERFLOW: ['upstream_invalid', 'The headers of the upstream are too large.', 502],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: broken('The upstream response is shorter than its Content-Length.'),
} satisfies Readonly<Record<string, Row>>

export function transportError(error: Error): GatewayError {
  const own = codeOf(error)
  return toError(lookup(FAILURES, own) ?? familyOf(own, error) ?? DISCONNECTED)
}

const toError = ([code, message, status]: Row): GatewayError => upstreamError(code, message, status)

/** The error for a failure that another platform reports in its own words. */
export const failureLike = (code: FailureCode): GatewayError => toError(FAILURES[code])

type FailureCode = keyof typeof FAILURES

/** OpenSSL has a code for each of its reasons, and undici none for an answer that is not HTTP. */
function familyOf(code: string, { name }: Error): Row | null {
  if (CERTIFICATE.test(code)) return unreachable(`The certificate of the upstream is refused (${code}).`)
  if (code.startsWith('ERR_SSL_')) return NO_TLS
  return name === 'HTTPParserError' ? NO_HTTP : null
}

// A host with several addresses fails with one error for each; `fetch` has the reason as the cause of its own error.
function codeOf(error: Error & { readonly code?: unknown; readonly errors?: unknown }): string {
  if (typeof error.code === 'string') return error.code
  if (error.cause instanceof Error) return codeOf(error.cause)
  const first: unknown = Array.isArray(error.errors) ? error.errors[0] : undefined
  return first instanceof Error ? codeOf(first) : ''
}
