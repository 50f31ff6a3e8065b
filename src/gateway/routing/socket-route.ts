import type { ClientApi } from '../clients/client-api.ts'

/** A route that accepts WebSockets. */
export interface SocketRoute {
  readonly api: ClientApi
  readonly path: string
}
