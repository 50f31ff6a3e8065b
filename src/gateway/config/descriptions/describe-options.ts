import type * as z from 'zod'
import { FACT_DESCRIPTIONS } from '../../../models/fact-descriptions.ts'
import { QUIRK_DESCRIPTIONS } from '../../../wires/quirk-descriptions.ts'
import { DESTINATION_DESCRIPTIONS, DESTINATION_OPTIONS } from './destination-descriptions.ts'
import { OPTION_DESCRIPTIONS, SECTION_DESCRIPTIONS } from './option-descriptions.ts'

type Schema = z.core.JSONSchema.JSONSchema
type InnerSchema = Schema['items']

const below = (path: string, table: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(table).map(([name, description]) => [`${path}.${name}`, description]))

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  ...OPTION_DESCRIPTIONS,
  ...SECTION_DESCRIPTIONS,
  ...below('vendors.NAME.quirks', QUIRK_DESCRIPTIONS),
  ...below('vendors.NAME.quirks.modelFacts.NAME', FACT_DESCRIPTIONS),
}

/** Adds the description of each option to the JSON Schema of the configuration, or of the part of it at this path. */
export function describeOptions(schema: Schema, path = ''): Schema {
  const { properties, items, anyOf, oneOf, additionalProperties } = schema
  const description = DESCRIPTIONS[path]
  return {
    ...(description === undefined ? {} : { description }),
    ...schema,
    ...(properties === undefined ? {} : { properties: describeProperties(properties, path) }),
    ...(isSchema(items) ? { items: describeOptions(items, `${path}[]`) } : {}),
    ...(isSchema(additionalProperties)
      ? { additionalProperties: describeOptions(additionalProperties, `${path}.NAME`) }
      : {}),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map(describeDestination) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => withoutDescription(describeOptions(one, path))) }),
  }
}

const isSchema = (inner: InnerSchema): inner is Schema => typeof inner === 'object' && !Array.isArray(inner)

const describeProperties = (
  properties: NonNullable<Schema['properties']>,
  path: string,
): NonNullable<Schema['properties']> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [
      name,
      isSchema(inner) ? describeOptions(inner, path === '' ? name : `${path}.${name}`) : inner,
    ]),
  )

const OF_DESTINATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = DESTINATION_DESCRIPTIONS

/** Each type of destination has fields of its own. */
function describeDestination(schema: Schema): Schema {
  const { type, config } = schema.properties ?? {}
  if (type === undefined || !isSchema(type) || config === undefined || !isSchema(config)) return schema
  const fields = OF_DESTINATIONS[String(type.const)] ?? {}
  const own = { ...schema.properties, config: withDescriptions(config, fields) }
  return withDescriptions({ ...schema, properties: own }, DESTINATION_OPTIONS)
}

/** Adds a description to each property that the table has. */
function withDescriptions(schema: Schema, table: Readonly<Record<string, string>>): Schema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
    const description = table[name]
    return [name, isSchema(inner) && description !== undefined ? { ...inner, description } : inner] as const
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** The description belongs to the option, not to each of its alternatives. */
function withoutDescription({ description: _, ...schema }: Schema): Schema {
  return schema
}
