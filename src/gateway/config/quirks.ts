import * as z from 'zod'
import { QUIRKS } from '../../wires/quirk-table.ts'

type Row = (typeof QUIRKS)[keyof typeof QUIRKS]

/** The values of a row that the configuration accepts. */
function schemaOf(row: Row): z.ZodType {
  if ('one' in row) return z.enum(row.one)
  if ('some' in row) return z.array(z.enum(row.some))
  if ('or' in row) return z.union([z.boolean(), z.literal(row.or)])
  return PLAIN[row.type]
}

const name = z.string().min(1)
const PLAIN = { flag: z.boolean(), text: name, number: z.number().positive(), names: z.record(name, name) }

/** The quirks that the configuration may set for a vendor. */
export const quirks = z
  .strictObject(Object.fromEntries(Object.entries(QUIRKS).map(([key, row]) => [key, schemaOf(row)])))
  .partial()
