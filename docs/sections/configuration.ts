import { OPTION_DESCRIPTIONS } from '../../src/gateway/config/descriptions/option-descriptions.ts'
import { toConfigSchema } from '../../src/gateway/config/parse-config.ts'
import { code, table } from './markdown.ts'

/** What is read of JSON Schema. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
}

interface Option {
  readonly path: string
  readonly schema: Schema
  readonly required: boolean
}

/** Objects whose fields are explained elsewhere, or by the type alone. */
const CLOSED = /^(?:destinations|vendors\.NAME\.quirks)$/

/** The pages that describe these objects. */
const LINKS: Readonly<Record<string, string>> = {
  destinations: 'See [destinations](observability/destinations.md)',
  'vendors.NAME.passthrough': 'See [passthrough](passthrough.md)',
  'vendors.NAME.cache': 'See [prompt caching](prompt-caching.md)',
  'vendors.NAME.quirks': 'See [providers](vendors.md#quirks)',
}

const isSecret = ({ anyOf = [] }: Schema): boolean => anyOf.some(({ properties }) => properties?.env !== undefined)

/** The options below an object, with lists written as `[]` and records as `.NAME`. */
function optionsOf(schema: Schema, path: string): readonly Option[] {
  if (CLOSED.test(path) || isSecret(schema)) return []
  if (schema.items !== undefined) return optionsOf(schema.items, `${path}[]`)
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => optionsOf(one, path))
  const { properties, additionalProperties, required = [] } = schema
  if (properties === undefined) {
    return typeof additionalProperties === 'object' ? optionsOf(additionalProperties, `${path}.NAME`) : []
  }
  return Object.entries(properties).flatMap(([name, inner]) => {
    const place = path === '' ? name : `${path}.${name}`
    const below = optionsOf(inner, place)
    const own = { path: place, schema: inner, required: required.includes(name) && inner.default === undefined }
    return below.length > 0 && inner.anyOf === undefined && OPTION_DESCRIPTIONS[place] === undefined
      ? below
      : [own, ...below]
  })
}

const OPTIONS = optionsOf(toConfigSchema() as Schema, '')

function bounds({ minimum, exclusiveMinimum, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  const above = exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`
  const most = maximum === Number.MAX_SAFE_INTEGER ? '' : `, at most ${maximum}`
  if (minimum === undefined) return `${above}${most}`
  return most === '' ? `, at least ${minimum}` : ` from ${minimum} to ${maximum}`
}

function typeOf(schema: Schema): string {
  if (isSecret(schema)) return 'string or `{"env": NAME}`'
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array')
    return schema.items?.type === undefined ? 'list of objects' : `list of ${typeOf(schema.items)}s`
  if (schema.type === 'integer' || schema.type === 'number') return `${schema.type}${bounds(schema)}`
  return String(schema.type)
}

const defaultOf = ({ schema, required }: Option): string => {
  if (required) return '*required*'
  return schema.default === undefined ? '' : code(JSON.stringify(schema.default))
}

/** The table of one top-level section: `listen`, `mounts`, … */
export function configurationOf(section: string): string {
  const options = OPTIONS.filter(({ path }) => path.split(/[.[]/, 1)[0] === section)
  if (options.length === 0) throw new Error(`The configuration has no option "${section}".`)
  return table(
    ['option', 'type', 'default', 'meaning'],
    options.map((option) => [
      code(option.path),
      typeOf(option.schema),
      defaultOf(option),
      [OPTION_DESCRIPTIONS[option.path] ?? `no description of "${option.path}"`, LINKS[option.path] ?? []]
        .flat()
        .join('. '),
    ]),
  )
}

export const CONFIG_SECTIONS = [...new Set(OPTIONS.map(({ path }) => path.split(/[.[]/, 1)[0] as string))]

/** Options without a description, and descriptions without an option: both must be empty. */
export const unexplained = (): readonly string[] => {
  const known = new Set(OPTIONS.map(({ path }) => path))
  const missing = [...known].filter((path) => OPTION_DESCRIPTIONS[path] === undefined)
  return [...missing, ...Object.keys(OPTION_DESCRIPTIONS).filter((path) => !known.has(path))]
}
