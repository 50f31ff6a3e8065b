import { lookup } from '../../text/lookup.ts'
import type { OtherWire } from '../../vendors/other-wires.ts'
import type { Vendor } from '../../vendors/vendor.ts'
import type { Wire } from '../../wires/contract.ts'
import { CLIENT_WIRES } from '../../wires/find-wire.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { WIRES } from '../../wires/registry.ts'
import type { VendorEntry } from '../config/config.ts'

/** A further wire of an account, for clients of the same protocol. */
export interface AccountWire {
  readonly wire: Wire
  readonly baseUrl: string
  /** Those of the table alone. */
  readonly quirks: Quirks
  /** Whether the base URL is the vendor's own, by the table. */
  readonly isOwn: boolean
}

/** The further wire of the table that a configuration selects. It has its own address and quirks. */
export const furtherWireOf = (
  row: Vendor | undefined,
  { wire, base_url }: Pick<VendorEntry, 'wire' | 'base_url'>,
): OtherWire | undefined => (base_url === undefined ? lookup(row?.wires ?? {}, wire ?? '') : undefined)

/**
 * The further wires of the table, and those of the configuration in their place. The table applies only to the vendor's
 * own protocol and address, not to those that the configuration sets.
 */
export function wiresOf(
  row: Vendor | undefined,
  { wire, base_url, wires = {} }: Pick<VendorEntry, 'wire' | 'base_url' | 'wires'> = {},
): readonly AccountWire[] {
  const known = row?.wires ?? {}
  const isVendor = wire === undefined && base_url === undefined
  return CLIENT_WIRES.flatMap((name): readonly AccountWire[] => {
    const own = lookup(known, name)
    const set = wires[name]
    const baseUrl = set ?? (isVendor ? own?.baseUrl : undefined)
    if (baseUrl === undefined || baseUrl === false) return []
    return [{ wire: WIRES[name], baseUrl, quirks: own?.quirks ?? {}, isOwn: set === undefined }]
  })
}
