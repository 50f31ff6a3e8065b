import { authenticate, type Key, requireKind } from '../../../gateway/auth/auth.ts'
import type { ClientApi } from '../../../gateway/clients/client-api.ts'
import type { RequestHead } from '../../../gateway/exchange/http-types.ts'
import type { Gateway } from '../../../gateway/gateway.ts'
import { faultOfHandshake } from '../../../gateway/routing/handshake.ts'
import { clientError, gatewayError } from '../../../protocol/error.ts'
import { err, ok, type Result } from '../../../protocol/result.ts'
import type { SocketRegistry } from './socket-registry.ts'

const STOPPING = gatewayError('server_stopping', 'The server is stopping. Connect again.', 503)

/** Checks everything that a handshake must satisfy before the connection is upgraded. Reads only its headers. */
export function admitSocket(
  gateway: Gateway,
  sockets: SocketRegistry,
  api: ClientApi,
  request: RequestHead,
): Result<Key> {
  const { config } = gateway
  const key = authenticate(gateway, api.keyOf(request), api.keyPath)
  const fit = key.ok ? requireKind(key.value, 'inference') : key
  if (!key.ok || !fit.ok) return fit
  const fault = faultOfHandshake(request)
  if (fault !== null) return err(fault)
  if (gateway.isDraining()) return err(STOPPING)
  const most = config.websocket.connections_per_key
  if (sockets.countOf(key.value.id) < most) return ok(key.value)
  const message = `This key has ${most} open WebSocket connections, which is the limit. Close one of them, or send the request over HTTP.`
  return err(clientError('too_many_websockets', message))
}
