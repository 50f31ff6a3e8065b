import * as z from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

type SchemaView = (own: JsonSchema) => JsonSchema

const VIEWS = new WeakMap<z.core.$ZodType, SchemaView>()

/** Sets the JSON Schema of a schema that accepts more than zod can express: shorthand forms, old spellings. */
export function describeAs<Schema extends z.core.$ZodType>(schema: Schema, as: SchemaView): Schema {
  VIEWS.set(schema, as)
  return schema
}

export const orString: SchemaView = (own) => ({ anyOf: [{ type: 'string' }, own] })

export const anObject: SchemaView = () => ({ type: 'object' })

/** For variants of which one is open: `oneOf` would forbid a value that also fits a closed one. */
export const anyOfThem: SchemaView = ({ oneOf = [], ...own }) => ({ ...own, anyOf: oneOf })

/** An object of a type that is not listed. */
export const openVariant =
  (description: string): SchemaView =>
  () => ({ type: 'object', properties: { type: { type: 'string' } }, required: ['type'], description })

/** Returns the values that a schema accepts, in JSON Schema 2020-12. */
export function toInputSchema(schema: z.ZodType): JsonSchema {
  const { $schema, ...fields } = z.toJSONSchema(schema, {
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
  return fields
}
