import * as z from 'zod'
import { isObject } from '../text/json.ts'

/** The fields of an object, or null where one of them is wrong. */
export type ReadFields<Fields> = (value: unknown) => Fields | null

/**
 * What a schema makes of an object that it finds right, for a fraction of its time: most fields are left out of most
 * objects, and what they are then is known beforehand. What is wrong and where, the schema itself tells.
 * `checked`: fields that nobody needs to know any more once they are right.
 */
export function byField<Shape extends z.core.$ZodShape, Name extends keyof Shape & string>(
  schema: z.ZodObject<Shape>,
  checked: readonly Name[],
): ReadFields<Omit<z.output<typeof schema>, Name>> {
  const forgotten: ReadonlySet<string> = new Set(checked)
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const absent = z.safeParse(field, undefined)
    return { name, field, kept: !forgotten.has(name), absent: absent.success ? absent : null }
  })
  return (value) => {
    if (!isObject(value)) return null
    const read: Record<string, unknown> = {}
    for (const { name, field, kept, absent } of fields) {
      const given = value[name]
      const found = given === undefined ? absent : z.safeParse(field, given)
      if (found === null || !found.success) return null
      if (kept && found.data !== undefined) read[name] = found.data
    }
    return read as Omit<z.output<typeof schema>, Name>
  }
}
