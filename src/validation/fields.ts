import * as z from 'zod'
import type { Json, JsonObject } from '../protocol/json.ts'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import { isObject } from '../text/json.ts'
import { anObject, describeAs } from './json-schema.ts'
import { describeValue, oneOf } from './messages.ts'

/** An omitted field becomes null, and null is equivalent to omission. */
export const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | null> =>
  schema.nullish().transform((value) => value ?? null)

/** A list that may be omitted. */
export const optionalList = <T>(schema: z.ZodType<T>): z.ZodType<readonly T[]> =>
  z
    .array(schema)
    .nullish()
    .transform((list) => list ?? [])

export const text = z.string()
export const name = z.string().min(1)
/** The name of a tool, a namespace or a schema. */
export const toolName = name.max(MAX_LENGTHS.tool_name)
export const callIdSchema = name.max(MAX_LENGTHS.id)

/** Returns the error message of a schema whose expectation zod cannot put into words. */
export const expectedType = (what: string) => ({
  error: (issue: { readonly input?: unknown }) => `expected ${what}, got ${describeValue(issue.input)}`,
})

/** An object that is kept unchanged: its content concerns only the client and the upstream. */
export const jsonObject = describeAs(z.custom<JsonObject>(isObject, expectedType('an object')), anObject)

/** Any JSON; null if it is omitted. */
export const jsonValue = z
  .unknown()
  .optional()
  .transform((value) => (value ?? null) as Json)

type Variant = z.core.$ZodTypeDiscriminable

/** Objects that one field distinguishes. Only the schema for its value reports mistakes. */
export const byWord = <const Variants extends readonly [Variant, ...Variant[]]>(
  field: string,
  words: readonly string[],
  variants: Variants,
) =>
  z.discriminatedUnion(field, variants, {
    error: (issue) =>
      issue.code === 'invalid_union' && isObject(issue.input)
        ? `expected ${oneOf(words)}, got ${describeValue(issue.input[field])}`
        : undefined,
  })
