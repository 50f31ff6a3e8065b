import { lookup } from '../text/lookup.ts'
import { OTHER_WIRES } from './other-wires.ts'
import {
  CHAT_VENDORS,
  GEMINI_VENDORS,
  INTERACTIONS_VENDORS,
  MESSAGES_VENDORS,
  OWN_VENDORS,
  RESPONSES_VENDORS,
} from './rows.ts'
import type { Vendor, VendorRow } from './vendor.ts'

/** Keeps the names alone in the type: spelled out, the rows would be 36 KB of the package's declarations. */
function namedRows<Name extends string>(rows: Readonly<Record<Name, VendorRow>>): Readonly<Record<Name, VendorRow>> {
  return rows
}

/** One file for each wire. A vendor's name is in one of them only. */
const TABLE = namedRows({
  ...CHAT_VENDORS,
  ...RESPONSES_VENDORS,
  ...MESSAGES_VENDORS,
  ...GEMINI_VENDORS,
  ...INTERACTIONS_VENDORS,
  ...OWN_VENDORS,
})

/** The name of a vendor of the table, which editors complete, or of any other vendor. */
export type VendorName = keyof typeof TABLE | (string & {})

export const VENDOR_NAMES: readonly string[] = Object.keys(TABLE)

const VENDORS: Readonly<Record<string, Vendor>> = Object.fromEntries(
  Object.entries<VendorRow>(TABLE).map(([name, row]) => {
    const wires = lookup(OTHER_WIRES, name)
    return [name, { name, ...row, ...(wires === undefined ? {} : { wires }) }]
  }),
)

/** The vendor of this name; undefined for an unknown vendor, which has no quirks. */
export const findVendor = (name: string): Vendor | undefined => lookup(VENDORS, name)

/** The vendor whose base URL a URL begins with; undefined if it is of no vendor of the table. */
export function findVendorAt(url: string): Vendor | undefined {
  const name = VENDOR_NAMES.find((name) => {
    const { baseUrl = null } = lookup(VENDORS, name) ?? {}
    return baseUrl !== null && url.startsWith(`${baseUrl.replace(/\/$/, '')}/`)
  })
  return name === undefined ? undefined : findVendor(name)
}
