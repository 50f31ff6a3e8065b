import { lookup } from '../text/lookup.ts'
import { CHAT_VENDORS } from './openai-chat.ts'
import { RESPONSES_VENDORS } from './openai-responses.ts'
import type { Row, Vendor } from './vendor.ts'

/** One file a wire; a name stands in one of them only. */
const ROWS: Readonly<Record<string, Row>> = { ...CHAT_VENDORS, ...RESPONSES_VENDORS }

export const VENDOR_NAMES: readonly string[] = Object.keys(ROWS)

/** The vendor of this name; undefined for one that nobody knows, of which nothing special is to be expected. */
export function findVendor(name: string): Vendor | undefined {
  const row = lookup(ROWS, name)
  return row === undefined ? undefined : { name, ...row }
}
