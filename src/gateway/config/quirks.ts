import * as z from 'zod'
import { FACTS } from '../../models/facts.ts'
import { QUIRKS } from '../../wires/quirk-table.ts'

type Row = (typeof QUIRKS)[keyof typeof QUIRKS] | (typeof FACTS)[keyof typeof FACTS]

/** The values of a row that the configuration accepts. */
function schemaOf(row: Row): z.ZodType {
  if ('one' in row) return z.enum(row.one)
  if ('some' in row) return z.array(z.enum(row.some))
  if ('or' in row) return z.union([z.boolean(), z.literal(row.or)])
  return PLAIN[row.type]
}

const name = z.string().min(1)
const rows = (table: Readonly<Record<string, Row>>) =>
  z.strictObject(Object.fromEntries(Object.entries(table).map(([key, row]) => [key, schemaOf(row)]))).partial()

const PLAIN = {
  flag: z.boolean(),
  text: name,
  number: z.number().nonnegative(),
  names: z.record(name, name),
  paths: z.array(name),
  facts: z.record(
    name,
    z.lazy(() => rows(FACTS)),
  ),
}

/** The quirks that the configuration may set for a vendor. */
export const quirks = rows(QUIRKS)
