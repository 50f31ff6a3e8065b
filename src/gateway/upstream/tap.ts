import type { Quirks } from '../../wires/quirks.ts'
import type { Transport } from './transport.ts'

/** The account that a transport belongs to. */
export interface UpstreamOwner {
  readonly vendor: string
  /** null: not a vendor of models, such as a search engine. */
  readonly wire: string | null
  readonly quirks: Quirks
  readonly baseUrl: string
}

/** Takes part in every exchange with upstreams: records it, or answers in place of the upstream. */
export interface TransportTap {
  /** Called for each account of a vendor when the gateway opens or reads its configuration again, and for each search. */
  wrap(source: Transport, owner: UpstreamOwner): Transport
  /** Called with the secrets of a configuration that is read again. */
  hide(secrets: readonly string[]): void
}
