import type * as z from 'zod'
import { FACT_DESCRIPTIONS } from '../../../models/fact-descriptions.ts'
import { QUIRK_DESCRIPTIONS } from '../../../wires/quirk-descriptions.ts'
import { DESTINATION_DESCRIPTIONS } from './destination-descriptions.ts'
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
  ...Object.assign(
    {},
    ...Object.entries(DESTINATION_DESCRIPTIONS).map(([type, fields]) =>
      below(`destinations[].config(${type})`, fields),
    ),
  ),
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
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => withoutDescription(describeOptions(one, path))) }),
    ...(oneOf === undefined ? {} : { oneOf: oneOf.map((one) => withoutDescription(describeOptions(one, path))) }),
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
      isSchema(inner) ? describeOptions(inner, pathOf(name, properties, path)) : inner,
    ]),
  )

/** The config of a destination depends on its type. */
function pathOf(name: string, { type }: NonNullable<Schema['properties']>, path: string): string {
  const own = path === '' ? name : `${path}.${name}`
  return name === 'config' && isSchema(type) && typeof type.const === 'string' ? `${own}(${type.const})` : own
}

/** The description belongs to the option, not to each of its alternatives. */
function withoutDescription({ description: _, ...schema }: Schema): Schema {
  return schema
}
