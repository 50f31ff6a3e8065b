import { type Env, readVariable } from '../gateway/auth/secrets.ts'
import { findVendor, VENDOR_NAMES } from '../vendors/registry.ts'
import type { Vendor } from '../vendors/vendor.ts'
import { hasColours } from './program/terminal.ts'
import type { Streams } from './streams.ts'

export interface VendorListOptions {
  readonly wire?: string
  /** Only vendors whose key is set, or that need none. */
  readonly set?: boolean
  readonly json?: boolean
}

/** One line of the list; `--json` prints it under these names. */
interface VendorLine {
  readonly vendor: string
  readonly wires: readonly string[]
  /** null: no key is needed. */
  readonly key_variable: string | null
  readonly key_is_set: boolean
  /** null: each account has its own. */
  readonly base_url: string | null
}

const GREEN = 32

/** Prints the vendors of the package, sorted by name. */
export async function listVendors(options: VendorListOptions, { stdout }: Streams, env: Env): Promise<number> {
  const lines = VENDOR_NAMES.toSorted()
    .flatMap((name) => findVendor(name) ?? [])
    .map((vendor) => toLine(vendor, env))
    .filter(({ wires }) => options.wire === undefined || wires.includes(options.wire))
    .filter(({ key_variable, key_is_set }) => options.set !== true || key_variable === null || key_is_set)
  if (options.json === true) {
    stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return 0
  }
  const rows = lines.map(({ vendor, wires, key_variable, key_is_set, base_url }) => [
    vendor,
    wires.join(' '),
    key_variable ?? '-',
    key_variable === null ? '-' : key_is_set ? 'yes' : 'no',
    base_url ?? 'of the account',
  ])
  stdout.write(toTable([['VENDOR', 'WIRES', 'KEY', 'SET', 'BASE URL'], ...rows], hasColours(stdout, env)))
  return 0
}

const toLine = ({ name, wire, wires = {}, keyVariable, baseUrl }: Vendor, env: Env): VendorLine => ({
  vendor: name,
  wires: [wire, ...Object.keys(wires).filter((other) => other !== wire)],
  key_variable: keyVariable,
  key_is_set: keyVariable !== null && readVariable(env, keyVariable) !== '',
  base_url: baseUrl,
})

/** Columns with two spaces between them; a set key is green. */
function toTable(rows: readonly (readonly string[])[], colours: boolean): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const cell = (text: string, column: number): string => {
    const padded = column === widths.length - 1 ? text : text.padEnd(widths[column] ?? 0)
    return colours && text === 'yes' ? `\u001b[${GREEN}m${padded}\u001b[0m` : padded
  }
  return rows.map((row) => `${row.map(cell).join('  ')}\n`).join('')
}
