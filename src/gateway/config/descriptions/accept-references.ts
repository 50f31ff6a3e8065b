import type * as z from 'zod'

type Schema = z.core.JSONSchema.JSONSchema
type Part = z.core.JSONSchema._JSONSchema

const NAME = 'reference'

const DEFINITION: Schema = {
  type: 'string',
  pattern: '\\$\\{[A-Za-z_]\\w*(:-[^{}]*)?\\}',
  description: `A text with a variable of the environment: \${NAME} or \${NAME:-default}`,
}

/**
 * The schema of the configuration as it is written: a string with a variable may stand for a number, a boolean, a word
 * or a text of a certain form. Editors read the file before its variables are filled in.
 */
export function acceptReferences(schema: Schema): Schema {
  const { $defs = {}, ...rest } = withReferences(schema)
  return { ...rest, $defs: { ...$defs, [NAME]: DEFINITION } }
}

function withReferences(schema: Schema): Schema {
  if (!isNarrow(schema)) return withPartsOf(schema)
  const { description, default: standard, ...values } = schema
  return {
    ...(description === undefined ? {} : { description }),
    ...(standard === undefined ? {} : { default: standard }),
    anyOf: [values, { $ref: `#/$defs/${NAME}` }],
  }
}

/** Whether the schema refuses a text with a variable. A constant is the type of a destination, which selects others. */
const isNarrow = ({ type, enum: words, pattern, format }: Schema): boolean =>
  type === 'number' ||
  type === 'integer' ||
  type === 'boolean' ||
  (type === 'string' && (words !== undefined || pattern !== undefined || format !== undefined))

const ofPart = (part: Part): Part => (typeof part === 'boolean' ? part : withReferences(part))

const ofParts = (parts: Readonly<Record<string, Part>>): Record<string, Part> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, ofPart(part)]))

function withPartsOf(schema: Schema): Schema {
  const { properties, $defs, items, additionalProperties, anyOf, oneOf } = schema
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: ofParts(properties) }),
    ...($defs === undefined ? {} : { $defs: ofParts($defs) as Record<string, Schema> }),
    ...(items === undefined || Array.isArray(items) ? {} : { items: ofPart(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: ofPart(additionalProperties) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(withReferences) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(withReferences) }),
  }
}
