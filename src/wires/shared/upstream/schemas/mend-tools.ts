import type { Json, JsonObject, JsonRecord } from '../../../../protocol/json.ts'
import { type Loss, mapped, ROUNDED } from '../../../../protocol/loss.ts'
import type { InputItem, Request, Tool } from '../../../../protocol/request.ts'
import { formatJson, isObject, toArray } from '../../../../text/json.ts'
import type { Steps } from '../../../../text/steps.ts'
import type { RefusedSchemaFeature } from '../../../quirks.ts'
import { hasLargeNumber } from '../../large-numbers.ts'
import { mapSchemas } from './map-schemas.ts'
import { mergeRoot, ROOT_UNIONS } from './merge-root.ts'
import { COMBINED, hasCombination, separateKeywords } from './separate-keywords.ts'
import { inlineSchema } from './walk-schema.ts'

/** A schema that an upstream accepts, and how it differs from the original. */
export interface MendedSchema {
  readonly schema: JsonObject
  readonly losses: readonly Loss[]
}

export const NO_LOSSES: readonly Loss[] = []

/** References into the unions at the top level, which a merge removes. */
const INTO_UNION = /"\$ref":"#\/(?:anyOf|oneOf|allOf)\//

const MERGED = 'merged into one object, because this upstream refuses unions at the top level'

/** Features that are not the name of a keyword. */
const FEATURES: ReadonlySet<RefusedSchemaFeature> = new Set([
  'rootUnion',
  'rootType',
  'noProperties',
  'noItems',
  'noParameters',
  ...COMBINED,
])

const rootUnions = (schema: JsonObject, refused: readonly RefusedSchemaFeature[]): readonly string[] =>
  refused.includes('rootUnion') ? ROOT_UNIONS.filter((name) => Object.hasOwn(schema, name)) : []

const asObject = (schema: Json): JsonObject => (isObject(schema) ? (schema as JsonObject) : { type: 'object' })

/**
 * Returns the schema of a function's parameters without what an upstream refuses. It accepts every object that the
 * original accepts. Returns the same schema where it has nothing of that. `path`: the path of the schema, for losses.
 */
export function mendSchema(schema: JsonObject, path: string, refused: readonly RefusedSchemaFeature[]): MendedSchema {
  if (refused.length === 0) return { schema, losses: NO_LOSSES }
  const separated = separateKeywords(typedRoot(schema, refused), path, refused)
  const merged = withoutKeywords(separated.schema, path, refused)
  // A merge makes unions of properties, whose branches may have what is refused; its own loss says that they are new.
  const whole =
    merged.schema === separated.schema ? merged.schema : separateKeywords(merged.schema, path, refused).schema
  const typed = refused.includes('rootType') ? withObjectType(whole, path) : { schema: whole, losses: NO_LOSSES }
  const losses = [...separated.losses, ...merged.losses, ...typed.losses]
  return { schema: completeSchema(typed.schema, refused), losses: losses.length === 0 ? NO_LOSSES : losses }
}

/**
 * The top level of parameters as the type that it gets allows: a reference stands in a union, where no type may stand
 * beside it, and a schema without a type is one of an object, not of any value.
 */
function typedRoot(schema: JsonObject, refused: readonly RefusedSchemaFeature[]): JsonObject {
  if (!refused.includes('rootType')) return schema
  const { $ref: reference, anyOf, ...others } = schema
  // A union beside the reference is removed from its branch, with a loss.
  if (refused.includes('beside$ref') && typeof reference === 'string')
    return { ...others, anyOf: [{ $ref: reference, ...(anyOf === undefined ? {} : { anyOf }) }] }
  return refused.includes('noType') && hasCombination('noType', schema) ? { ...schema, type: 'object' } : schema
}

const hasType = ({ type }: JsonRecord, name: string): boolean =>
  type === name || (Array.isArray(type) && type.includes(name))

/**
 * Returns the schema with `properties` in each object and `items` in each array, which may be anything: it accepts the
 * same values. Returns the same schema if none lacks them.
 */
function completeSchema(schema: JsonObject, refused: readonly RefusedSchemaFeature[]): JsonObject {
  const [ofObjects, ofArrays] = [refused.includes('noProperties'), refused.includes('noItems')]
  if (!ofObjects && !ofArrays) return schema
  const complete = (one: JsonObject): JsonObject => {
    const isUnnamed = ofObjects && one.properties === undefined && hasType(one, 'object')
    const isUnlisted = ofArrays && one.items === undefined && hasType(one, 'array')
    if (!isUnnamed && !isUnlisted) return one
    return { ...one, ...(isUnnamed ? { properties: {} } : {}), ...(isUnlisted ? { items: {} } : {}) }
  }
  return asObject(mapSchemas(schema, '', complete))
}

/** Arguments of functions are objects, whatever the type of the schema. Without a type, nothing is lost. */
function withObjectType(schema: JsonObject, path: string): MendedSchema {
  const { type } = schema
  if (type === 'object') return { schema, losses: NO_LOSSES }
  const typed = { ...schema, type: 'object' }
  return type === undefined
    ? { schema: typed, losses: NO_LOSSES }
    : {
        schema: typed,
        losses: [mapped(`${path}.type`, 'sent as object, the only type that this upstream accepts here')],
      }
}

function withoutKeywords(schema: JsonObject, path: string, refused: readonly RefusedSchemaFeature[]): MendedSchema {
  const keywords = refused.filter((feature) => feature !== '$ref' && !FEATURES.has(feature))
  const hasUnion = rootUnions(schema, refused).length > 0
  const text = hasUnion || keywords.length > 0 || refused.includes('$ref') ? formatJson(schema) : ''
  const isInlined =
    (refused.includes('$ref') && text.includes('"$ref"')) ||
    keywords.some((name) => text.includes(`"${name}"`)) ||
    (hasUnion && INTO_UNION.test(text))
  if (!isInlined && !hasUnion) return { schema, losses: NO_LOSSES }
  const losses: Loss[] = []
  const walked = isInlined ? asObject(inlineSchema(schema, path, new Set<string>(keywords), losses)) : schema
  const inlined = losses.length === 0 ? schema : walked
  // Inlining may bring a union to the top level, or take it from there.
  const unions = rootUnions(inlined, refused)
  if (unions.length === 0) return { schema: inlined, losses }
  const gone = ['unevaluatedProperties'].filter((name) => Object.hasOwn(inlined, name))
  return {
    schema: mergeRoot(inlined),
    losses: [...losses, ...[...unions, ...gone].map((name) => mapped(`${path}.${name}`, MERGED))],
  }
}

/** The losses of numbers that were rounded when the client's body was parsed, for each schema of a request. */
export const roundedSchemas = ({ tools, text }: Request): readonly Loss[] => {
  const format = text?.format?.type === 'json_schema' ? text.format.schema : null
  return [
    ...tools.flatMap((tool, at) =>
      tool.type === 'function' && hasLargeNumber(tool.parameters) ? [mapped(`tools[${at}].parameters`, ROUNDED)] : [],
    ),
    ...(hasLargeNumber(format) ? [mapped('text.format.schema', ROUNDED)] : []),
  ]
}

export type FunctionTool = Extract<Tool, { readonly type: 'function' }>

/** The request with schemas that the upstream accepts, and their changes. */
interface MendedRequest {
  readonly request: Request
  readonly losses: readonly Loss[]
}

/**
 * Mends the schemas of all functions of a request. `mend` returns the same schema if it needs nothing; then the request is
 * the same as well. `absent`: the schema of a function without one. Yields between tools.
 */
export function* mendTools(
  request: Request,
  mend: (schema: JsonObject, path: string) => MendedSchema,
  absent: JsonObject | null = null,
): Steps<MendedRequest> {
  const losses: Loss[] = []
  const changed = new Map<Tool, FunctionTool>()
  for (const [at, tool] of request.tools.entries()) {
    if (tool.type !== 'function') continue
    const { parameters } = tool
    const mended = parameters === null ? null : mend(parameters, `tools[${at}].parameters`)
    const own = mended === null ? absent : mended.schema
    if (own !== parameters) {
      losses.push(...(mended?.losses ?? NO_LOSSES))
      changed.set(tool, { ...tool, parameters: own })
    }
    yield
  }
  return { request: withTools(request, changed), losses }
}

/** The request with changed tools, also in the items that add them. `changed`: its own tools → those in their place. */
export const withTools = (request: Request, changed: ReadonlyMap<Tool, FunctionTool>): Request =>
  changed.size === 0
    ? request
    : {
        ...request,
        tools: request.tools.map((tool) => changed.get(tool) ?? tool),
        input: request.input.map((item) => withChanged(item, changed)),
      }

/** An item that adds tools keeps its place, and has those that were changed. */
function withChanged(item: InputItem, changed: ReadonlyMap<Tool, FunctionTool>): InputItem {
  if (item.type !== 'other' || item.added?.tools.some((tool) => changed.has(tool)) !== true) return item
  const { given, tools } = item.added
  const left = [...tools]
  const replaced = (sent: Json): Json => {
    const tool = left.shift()
    const own = tool === undefined ? undefined : changed.get(tool)
    return own === undefined || !isObject(sent) ? sent : { ...(sent as JsonObject), parameters: own.parameters }
  }
  const sent = (toArray(item.item.tools) as readonly Json[]).map((one, at) =>
    given[at]?.type === 'namespace' && isObject(one) && Array.isArray(one.tools)
      ? { ...(one as JsonObject), tools: (one.tools as readonly Json[]).map(replaced) }
      : replaced(one),
  )
  const added = { given, tools: tools.map((tool) => changed.get(tool) ?? tool) }
  return { ...item, item: { ...item.item, tools: sent }, added }
}
