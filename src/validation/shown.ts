import * as z from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

type View = (own: JsonSchema) => JsonSchema

const VIEWS = new WeakMap<z.core.$ZodType, View>()

/** How a schema is told in JSON Schema where what it takes is more than zod can say of it: easy forms, old spellings. */
export function shown<Schema extends z.core.$ZodType>(schema: Schema, as: View): Schema {
  VIEWS.set(schema, as)
  return schema
}

export const orString: View = (own) => ({ anyOf: [{ type: 'string' }, own] })

export const anObject: View = () => ({ type: 'object' })

/** Variants of which one is open: "one of" would forbid what fits a closed one, too. */
export const anyOfThem: View = ({ oneOf = [], ...own }) => ({ ...own, anyOf: oneOf })

/** An object of a type that is not listed. */
export const openVariant =
  (description: string): View =>
  () => ({ type: 'object', properties: { type: { type: 'string' } }, required: ['type'], description })

/** What a schema takes, in JSON Schema 2020-12. */
export function toInputSchema(schema: z.ZodType): JsonSchema {
  const { $schema, ...told } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const view = VIEWS.get(zodSchema)
      if (view === undefined) return
      const now = view({ ...jsonSchema })
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, now)
    },
  })
  return told
}
