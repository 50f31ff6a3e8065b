import type { IncomingMessage } from 'node:http'
import type { Transport } from '../../gateway/upstream/transport.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'

/** The account that a transport belongs to. */
export interface UpstreamOwner {
  readonly vendor: string
  /** null: not a vendor of models, such as a search engine. */
  readonly wire: WireName | null
  readonly quirks: Quirks
  readonly baseUrl: string
}

/** Takes part in every exchange of a server with its upstreams: records it, or answers in place of the upstream. */
export interface UpstreamTap {
  /** Called for each account of a vendor when the server starts, and for each search. */
  wrap(source: Transport, owner: UpstreamOwner): Transport
  /** Called with each request of a client, before it is processed. */
  admit(request: IncomingMessage): void
}
