import type { Quirks } from '../wires/quirks.ts'
import type { WireName } from '../wires/wire.ts'

/** A company or a server that speaks a wire. */
export interface Vendor {
  readonly name: string
  readonly wire: WireName
  /** null where it depends on an account, a region or a host: the configuration names it. */
  readonly baseUrl: string | null
  /** The environment variable that holds the key; null where none is needed. */
  readonly keyVariable: string | null
  readonly quirks: Quirks
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Row = Omit<Vendor, 'name'>
