import type { Json, JsonObject } from '../../../../protocol/json.ts'
import { addLoss, type Loss, mapped } from '../../../../protocol/loss.ts'
import { formatJson, isObject } from '../../../../text/json.ts'
import type { RefusedSchemaFeature } from '../../../quirks.ts'
import { type ChangeSchema, mapSchemas } from './map-schemas.ts'

/** Features of one schema, which Moonshot refuses: keywords beside a reference, a type beside `anyOf`, enums of another type. */
export const BESIDE = ['beside$ref', 'besideAnyOf', 'enumType'] as const satisfies readonly RefusedSchemaFeature[]

const TYPE_OF: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: (value) => isObject(value),
}

const isOfType = (value: Json, type: string): boolean =>
  !Object.hasOwn(TYPE_OF, type) || TYPE_OF[type]?.(value) === true

const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions', '$schema', '$id'])

/** Whether a schema has such a feature: also for complaints about bodies that are passed through. */
export function hasBeside(
  feature: string,
  { $ref: reference, anyOf, type, enum: values, ...others }: Readonly<Record<string, unknown>>,
): boolean {
  switch (feature) {
    case 'beside$ref':
      return (
        typeof reference === 'string' &&
        (type !== undefined ||
          anyOf !== undefined ||
          values !== undefined ||
          Object.keys(others).some((name) => !DEFINITIONS.has(name)))
      )
    case 'besideAnyOf':
      return Array.isArray(anyOf) && type !== undefined
    case 'enumType':
      return Array.isArray(values) && typeof type === 'string' && !values.every((value: Json) => isOfType(value, type))
    default:
      return false
  }
}

const withoutMembers = (schema: JsonObject, keeps: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => keeps(name)))

/** The branches have the type of the union, unless they have one of their own or a reference. */
function intoBranches({ type, anyOf, ...others }: JsonObject): JsonObject {
  const branches = (Array.isArray(anyOf) ? anyOf : []).map(
    (branch: Json): Json =>
      isObject(branch) && !('type' in branch) && !('$ref' in branch)
        ? { type: type as Json, ...(branch as JsonObject) }
        : branch,
  )
  return { ...others, anyOf: branches }
}

/** Schemas inside these keywords exclude values: if they accepted more, the whole would accept less. */
const EXCLUDING: ReadonlySet<string> = new Set([
  'not',
  'if',
  'oneOf',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** Separates keywords that an upstream refuses beside each other. The schema accepts at least the same values. */
export function separateKeywords(
  schema: JsonObject,
  path: string,
  refused: readonly RefusedSchemaFeature[],
): { readonly schema: JsonObject; readonly losses: readonly Loss[] } {
  const some = BESIDE.filter((feature) => refused.includes(feature))
  if (some.length === 0) return { schema, losses: [] }
  // A keyword beside a reference may be one whose properties count as evaluated.
  const wanted = formatJson(schema).includes('"unevaluated') ? some.filter((feature) => feature !== 'beside$ref') : some
  const losses: Loss[] = []
  const separate: ChangeSchema = (original, at) => {
    let changed = original
    for (const feature of wanted) {
      if (!hasBeside(feature, changed)) continue
      if (feature === 'beside$ref') {
        addLoss(losses, mapped(at(), 'keywords beside it removed, because this upstream refuses them there'))
        changed = withoutMembers(changed, (name) => name === '$ref' || DEFINITIONS.has(name))
      } else if (feature === 'besideAnyOf') {
        addLoss(losses, mapped(`${at()}.type`, 'moved into anyOf, because this upstream refuses it beside it'))
        changed = intoBranches(changed)
      } else {
        addLoss(losses, mapped(`${at()}.type`, 'removed, because the enum has values of another type'))
        changed = withoutMembers(changed, (name) => name !== 'type')
      }
    }
    return changed
  }
  const separated = mapSchemas(schema, path, separate, EXCLUDING)
  return losses.length === 0 || !isObject(separated)
    ? { schema, losses: [] }
    : { schema: separated as JsonObject, losses }
}
