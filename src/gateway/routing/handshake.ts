import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { Result } from '../../protocol/result.ts'
import type { ClientApi } from '../clients/client-api.ts'
import type { AnswerHeaders, RequestHead } from '../exchange/http-types.ts'

/**
 * Codex tries a WebSocket first. Status 426 makes it send the same request over HTTP at once; after any other status it
 * retries the WebSocket for seconds. Upgrades to other protocols, and those of HTTP/1.0, are ignored (RFC 9110, 7.8).
 */
export function requestsWebSocket({ headers, httpVersion }: RequestHead): boolean {
  if (headers.upgrade === undefined) return false
  const protocols = headers.upgrade.split(',').map((one) => one.trim().split('/', 1)[0]?.toLowerCase())
  return httpVersion !== '1.0' && protocols.includes('websocket')
}

export const NO_WEBSOCKET = clientError(
  'upgrade_required',
  'WebSocket connections are not supported. Send the request over HTTP.',
)

/** A 426 must name the supported protocols, and `upgrade` is an option of the connection (RFC 9110, 15.5.22, 7.8). */
export const HTTP_ONLY: AnswerHeaders = { upgrade: 'HTTP/1.1', connection: 'upgrade, close' }

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** Checks the headers of a handshake (RFC 6455, 4.2.1); null for a valid one. */
export function faultOfHandshake({ headers }: RequestHead): GatewayError | null {
  if (headers['sec-websocket-version'] !== '13')
    return clientError('malformed_request', 'Sec-WebSocket-Version: expected 13.')
  if (!KEY.test(String(headers['sec-websocket-key'] ?? '')))
    return clientError('malformed_request', 'Sec-WebSocket-Key: expected 16 bytes in Base64.')
  return null
}

/** Checks everything that a handshake must satisfy before the connection is upgraded. Reads only its headers. */
export type AdmitSocket = (api: ClientApi, request: RequestHead) => Result<unknown>

export interface SocketRoute {
  readonly api: ClientApi
  readonly path: string
  readonly admit: AdmitSocket
}
