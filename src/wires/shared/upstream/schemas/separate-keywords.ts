import type { Json, JsonObject, JsonRecord } from '../../../../protocol/json.ts'
import { addLoss, type Loss, mapped } from '../../../../protocol/loss.ts'
import { formatJson, isObject, toArray } from '../../../../text/json.ts'
import type { RefusedSchemaFeature } from '../../../quirks.ts'
import { type ChangeSchema, mapSchemas } from './map-schemas.ts'

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

/** Keywords that describe a value, and exclude none. */
const DESCRIBING: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples', 'deprecated'])

const withoutMembers = (schema: JsonObject, keeps: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => keeps(name)))

/** A union of the reference alone, beside which the description may stand. */
function apartFrom(schema: JsonObject): JsonObject {
  const bare = withoutMembers(schema, (name) => name === '$ref' || DEFINITIONS.has(name))
  const { $ref: reference = '', ...definitions } = bare
  const described = withoutMembers(schema, (name) => DESCRIBING.has(name))
  return Object.keys(described).length === 0 ? bare : { ...described, anyOf: [{ $ref: reference }], ...definitions }
}

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

const TYPING = ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'not'] as const

const typeOf = (value: Json): string | undefined =>
  Object.keys(TYPE_OF).find((type) => type !== 'integer' && isOfType(value, type))

/** The types that the other keywords of a schema are about; all of them if they are about none. */
function typesMeant({ properties, items, enum: values, const: value }: JsonRecord): readonly (string | undefined)[] {
  if (properties !== undefined) return ['object']
  if (items !== undefined) return ['array']
  if (value !== undefined) return [typeOf(value as Json)]
  return Array.isArray(values) ? [...new Set(values.map(typeOf))] : Object.keys(TYPE_OF)
}

function withType(schema: JsonObject): JsonObject {
  const types = typesMeant(schema).filter((type) => type !== undefined)
  return { ...schema, type: types.length === 1 ? (types[0] as string) : types }
}

/** A branch that accepts nothing, as zod writes an optional value: `{ "not": {} }`. */
const isNothing = (branch: unknown): boolean =>
  isObject(branch) && isObject(branch.not) && Object.keys(branch).length === 1 && Object.keys(branch.not).length === 0

const requiredBy = ({ properties, required }: JsonRecord, isNamed: boolean): readonly Json[] =>
  isObject(properties) && Array.isArray(required)
    ? (required as readonly Json[]).filter((name) => Object.hasOwn(properties, String(name)) === isNamed)
    : []

const unnamedIn = (schema: JsonRecord): readonly Json[] => requiredBy(schema, false)
const namedIn = (schema: JsonRecord): readonly Json[] => requiredBy(schema, true)

const REPETITIONS = ['minLength', 'maxLength', 'minItems', 'maxItems'] as const

/** "number of repetitions exceeds sane defaults" (llama.cpp). */
const MOST_REPETITIONS = 2000

/** Patterns of llama.cpp's grammars: anchored at both ends, without classes such as `\d` and without lookarounds. */
const OF_GRAMMAR =
  /^\^(?:[^\\()[\]]|\\[trnxu\\"^$.[\]()|{}*+?]|\((?!\?)|\)|\[(?:[^\\\]]|\\[trnxu\\"[\]]){0,200}\]){0,500}\$$/

/** A combination of keywords that an upstream refuses in one schema, wherever it stands. */
interface Combination {
  /** The refused members, for losses; the empty name stands for the schema. */
  readonly refused: (schema: JsonRecord) => readonly string[]
  readonly why: string
  /** Left out: without the refused members. */
  readonly change?: (schema: JsonObject) => JsonObject
}

const when = (isRefused: boolean, name = ''): readonly string[] => (isRefused ? [name] : [])

const REFUSED = 'sent in another form, because this upstream refuses this one'

const COMBINATIONS = {
  beside$ref: {
    refused: ({ $ref: reference, ...others }) =>
      when(typeof reference === 'string' && Object.keys(others).some((name) => !DEFINITIONS.has(name))),
    why: 'its description stands beside a union, and other keywords are removed: this upstream refuses them there',
    change: apartFrom,
  },
  besideAnyOf: {
    refused: ({ anyOf, type }) => when(Array.isArray(anyOf) && type !== undefined, 'type'),
    why: 'moved into anyOf, because this upstream refuses it beside it',
    change: intoBranches,
  },
  enumType: {
    refused: ({ enum: values, type }) =>
      when(
        Array.isArray(values) && typeof type === 'string' && !values.every((value: Json) => isOfType(value, type)),
        'type',
      ),
    why: 'removed, because the enum has values of another type',
  },
  noType: {
    refused: (schema) => when(!TYPING.some((name) => Object.hasOwn(schema, name))),
    why: REFUSED,
    change: withType,
  },
  noValue: {
    refused: ({ anyOf }) => when(Array.isArray(anyOf) && anyOf.some(isNothing), 'anyOf'),
    why: REFUSED,
    change: ({ anyOf, ...others }) => ({ ...others, anyOf: toArray(anyOf).filter((one) => !isNothing(one)) as Json[] }),
  },
  unnamedRequired: {
    refused: (schema) => when(unnamedIn(schema).length > 0, 'required'),
    why: REFUSED,
    change: (schema) => ({ ...schema, required: namedIn(schema) }),
  },
  grammar: {
    refused: (schema) => [
      ...when(typeof schema.pattern === 'string' && !OF_GRAMMAR.test(schema.pattern), 'pattern'),
      ...REPETITIONS.filter((name) => Number(schema[name]) > MOST_REPETITIONS),
    ],
    why: REFUSED,
  },
} as const satisfies Partial<Record<RefusedSchemaFeature, Combination>>

/** Features of one schema: Moonshot refuses the first six (MoonshotAI/walle), and servers of llama.cpp the last one. */
export const COMBINED = Object.keys(COMBINATIONS) as readonly (keyof typeof COMBINATIONS)[]

/** Whether a schema has such a feature: also for complaints about bodies that are passed through. */
export const hasCombination = (feature: keyof typeof COMBINATIONS, schema: JsonRecord): boolean =>
  COMBINATIONS[feature].refused(schema).length > 0

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
  const some = COMBINED.filter((feature) => refused.includes(feature))
  if (some.length === 0) return { schema, losses: [] }
  // A keyword beside a reference may be one whose properties count as evaluated.
  const wanted = formatJson(schema).includes('"unevaluated') ? some.filter((feature) => feature !== 'beside$ref') : some
  const losses: Loss[] = []
  const separate: ChangeSchema = (original, at) => {
    let changed = original
    for (const feature of wanted) {
      const { refused: refusedIn, why, change }: Combination = COMBINATIONS[feature]
      const names = refusedIn(changed)
      if (names.length === 0) continue
      for (const name of names) addLoss(losses, mapped(name === '' ? at() : `${at()}.${name}`, why))
      changed = change?.(changed) ?? withoutMembers(changed, (name) => !names.includes(name))
    }
    return changed
  }
  const separated = mapSchemas(schema, path, separate, EXCLUDING)
  return losses.length === 0 || !isObject(separated)
    ? { schema, losses: [] }
    : { schema: separated as JsonObject, losses }
}
