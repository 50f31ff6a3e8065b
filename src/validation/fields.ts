import * as z from 'zod'
import type { Json, JsonObject } from '../protocol/json.ts'
import { LONGEST } from '../protocol/limits.ts'
import { isObject } from '../text/json.ts'
import { oneOf, said } from './issue.ts'
import { anObject, shown } from './shown.ts'

/** What was left out is null, and null is as good as left out. */
export const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | null> =>
  schema.nullish().transform((value) => value ?? null)

/** A list that may be left out. */
export const optionalList = <T>(schema: z.ZodType<T>): z.ZodType<readonly T[]> =>
  z
    .array(schema)
    .nullish()
    .transform((list) => list ?? [])

export const text = z.string()
export const name = z.string().min(1)
/** Of a tool, a namespace or a schema. */
export const toolName = name.max(LONGEST.tool_name)
/** Of a call. */
export const callId = name.max(LONGEST.id)

/** The error of a schema that needs words of its own. */
export const expected = (what: string) => ({
  error: (issue: { readonly input?: unknown }) => `expected ${what}, got ${said(issue.input)}`,
})

/** An object that is kept as it came: what is in it is between the client and the upstream. */
export const jsonObject = shown(z.custom<JsonObject>(isObject, expected('an object')), anObject)

/** Any JSON, null where it was left out. */
export const jsonValue = z
  .unknown()
  .optional()
  .transform((value) => (value ?? null) as Json)

type Variant = z.core.$ZodTypeDiscriminable

/** Objects told apart by one word. Only the schema under that word speaks about what is wrong. */
export const byWord = <const Variants extends readonly [Variant, ...Variant[]]>(
  field: string,
  words: readonly string[],
  variants: Variants,
) =>
  z.discriminatedUnion(field, variants, {
    error: (issue) =>
      issue.code === 'invalid_union' && isObject(issue.input)
        ? `expected ${oneOf(words)}, got ${said(issue.input[field])}`
        : undefined,
  })
