import type { Quirks } from '../wires/quirks.ts'
import type { WireName } from '../wires/wire.ts'

/** A company or a server that speaks a wire. */
export interface Vendor {
  readonly name: string
  readonly wire: WireName
  /**
   * null where it depends on an account or a host: the configuration names it. `{region}` stands for the AWS region, from
   * the configuration or the environment.
   */
  readonly baseUrl: string | null
  /** The environment variable that holds the key; null where none is needed. */
  readonly keyVariable: string | null
  readonly quirks: Quirks
  /** The name under which AWS knows it: without a key, requests are signed with the credentials of an account. */
  readonly awsService?: string
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
}

export type Row = Omit<Vendor, 'name'>
