import { lookup } from '../text/lookup.ts'
import type { WireName } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import type { OtherWires } from './other-wires.ts'

/** A company or server that speaks a wire. */
export interface Vendor {
  readonly name: string
  readonly wire: WireName
  /**
   * null if it depends on an account or a host; the configuration then sets it. `{region}` stands for the AWS region,
   * from the configuration or the environment.
   */
  readonly baseUrl: string | null
  /** The environment variable that holds the key; null if no key is needed. */
  readonly keyVariable: string | null
  readonly quirks: Quirks
  /** The vendor's service name at AWS: without a key, requests are signed with the credentials of an account. */
  readonly awsService?: string
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further wires. Each serves the clients that speak it; all others are served by `wire`. Left out: none. */
  readonly wires?: OtherWires
}

export type VendorRow = Omit<Vendor, 'name' | 'wires'>

/** The quirks of a row, for one of its vendor's wires: paths of a body are those of the row's own wire. */
export function quirksOfRow(
  { wire: own, quirks }: { readonly wire: string; readonly quirks: Quirks },
  wire: string,
): Quirks {
  if (wire === own || quirks.refusesMembers === undefined) return quirks
  const { refusesMembers: _, ...others } = quirks
  return others
}

/** The quirks of a vendor on one of its wires, by name. A wire that its table does not have gets those of its row. */
export const quirksOn = (vendor: Vendor, wire: string): Quirks =>
  lookup(vendor.wires ?? {}, wire)?.quirks ?? quirksOfRow(vendor, wire)
