import type { Result } from '../../protocol/result.ts'
import type { ClientApi } from '../clients/client-api.ts'
import type { RequestHead } from '../exchange/http-types.ts'

/** Checks everything that a handshake must satisfy before the connection is upgraded. Reads only its headers. */
export type AdmitSocket = (api: ClientApi, request: RequestHead) => Result<unknown>

/** A route that accepts WebSockets. */
export interface SocketRoute {
  readonly api: ClientApi
  readonly path: string
  readonly admit: AdmitSocket
}
