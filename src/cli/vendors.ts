import { type Env, readVariable } from '../gateway/config/secrets.ts'
import { findVendor, VENDOR_NAMES } from '../vendors/registry.ts'
import type { Vendor } from '../vendors/vendor.ts'
import { paint } from './output/line-style.ts'
import { hasColours } from './output/terminal.ts'
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
export async function listVendors(options: VendorListOptions, { stdout, stderr }: Streams, env: Env): Promise<number> {
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
  const width = (stdout.isTTY === true ? stdout.columns : undefined) || Number.POSITIVE_INFINITY
  const { table, left } = fitColumns([['VENDOR', 'WIRES', 'KEY', 'SET', 'BASE URL'], ...rows], width)
  stdout.write(toText(table, hasColours(stdout, env)))
  if (left.length > 0)
    stderr.write(`millrace: left out for the width of the terminal: ${left.join(', ')}. --json has them.\n`)
  return 0
}

const toLine = ({ name, wire, wires = {}, keyVariable, baseUrl }: Vendor, env: Env): VendorLine => ({
  vendor: name,
  wires: [wire, ...Object.keys(wires).filter((other) => other !== wire)],
  key_variable: keyVariable,
  key_is_set: keyVariable !== null && readVariable(env, keyVariable) !== '',
  base_url: baseUrl,
})

type Table = readonly (readonly string[])[]

/** The columns that a narrow terminal lacks first. */
const LEAST_NEEDED = ['BASE URL', 'WIRES']

/** Leaves columns out until a line is not longer than the width. */
function fitColumns(all: Table, width: number): { readonly table: Table; readonly left: readonly string[] } {
  let table = all
  const left: string[] = []
  for (const name of LEAST_NEEDED) {
    const total = widthsOf(table).reduce((sum, one) => sum + one + GAP.length, -GAP.length)
    if (total <= width) break
    const at = table[0]?.indexOf(name)
    table = table.map((row) => row.filter((_, column) => column !== at))
    left.push(name)
  }
  return { table, left }
}

const GAP = '  '

const widthsOf = (table: Table): readonly number[] =>
  table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []

/** A set key is green. */
function toText(table: Table, colours: boolean): string {
  const widths = widthsOf(table)
  const cell = (text: string, column: number): string => {
    const padded = column === widths.length - 1 ? text : text.padEnd(widths[column] ?? 0)
    return text === 'yes' ? paint(padded, GREEN, { colours }) : padded
  }
  return table.map((row) => `${row.map(cell).join(GAP)}\n`).join('')
}
