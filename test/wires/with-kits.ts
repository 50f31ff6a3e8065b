import type { WireName } from '../../src/wires/contract.ts'
import { HAS_CLIENTS } from '../../src/wires/names.ts'
import type { WireKit } from './kit.ts'
import { KITS } from './kits.ts'

/** A table with a row for each wire: the given one, or that of the wire's kit. */
export function withKits<Row>(
  rows: Readonly<Partial<Record<WireName, Row>>>,
  rowOf: (kit: WireKit) => Row,
): Readonly<Record<WireName, Row>> {
  const made = (Object.keys(HAS_CLIENTS) as readonly WireName[]).map((wire): readonly [WireName, Row] => {
    const [row, kit] = [rows[wire], KITS[wire]]
    if (row !== undefined) return [wire, row]
    if (kit === undefined) throw new Error(`The wire ${wire} has no row here, and no test/wires/${wire}/kit.ts.`)
    return [wire, rowOf(kit)]
  })
  return Object.fromEntries(made) as Record<WireName, Row>
}
