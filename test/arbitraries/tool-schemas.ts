import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/protocol/json.ts'

const NAMES = ['a', 'b', 'c', '__proto__'] as const
const name = fc.constantFrom(...NAMES)
const CONDITION = ['if', 'then', 'else'] as const
const scalar = fc.constantFrom<Json>(null, true, 0, 1, 2.5, '', 'x', 'long')

/** Arguments of the names that the schemas use, so that many are accepted. */
export const toolArguments: fc.Arbitrary<JsonObject> = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }) as fc.Arbitrary<JsonObject>,
})).object

const leaf = fc.constantFrom<JsonObject>(
  {},
  { type: 'string' },
  { type: 'string', minLength: 2 },
  { type: 'integer', minimum: 1 },
  { type: ['number', 'null'] },
  { type: 'object' },
  { const: 'x' },
  { enum: [0, 1, 'x'] },
  { pattern: '^x' },
)

const references = fc.constantFrom(
  '#',
  '#/$defs/One',
  '#/$defs/Two',
  '#/$defs/Three',
  '#/$defs/One/properties/a',
  '#/properties/a',
  '#/anyOf/0',
  '#/nowhere',
)

const optional = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
  fc.record(model, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<JsonObject>

/** At most two of the fields, so that not every schema refuses everything. */
const few = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
  fc
    .shuffledSubarray(Object.keys(model), { minLength: 1, maxLength: 2 })
    .chain((keys) =>
      fc.record(Object.fromEntries(keys.map((key) => [key, model[key] as fc.Arbitrary<unknown>]))),
    ) as fc.Arbitrary<JsonObject>

const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const inner = tie('schema')
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  const object = optional({
    type: fc.constant('object'),
    properties: fc.dictionary(name, inner, { maxKeys: 3, noNullPrototype: true }),
    required: fc.uniqueArray(name, { maxLength: 1 }),
    additionalProperties: fc.oneof(fc.boolean(), leaf),
    description: fc.constant('about it'),
  })
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc.boolean(),
      object,
      object,
      references.map(($ref) => ({ $ref })),
      fc.tuple(references, object).map(([$ref, beside]) => ({ ...beside, $ref })),
      few({ anyOf: list, oneOf: list, allOf: list, not: inner, properties: fc.dictionary(name, inner) }),
      few({
        patternProperties: fc.dictionary(fc.constantFrom('^a', '^b'), inner, { maxKeys: 2 }),
        additionalProperties: fc.oneof(fc.constant(false), leaf),
        propertyNames: fc.constantFrom({ maxLength: 1 }, { pattern: '^a' }),
        minProperties: fc.constantFrom(0, 1),
        unevaluatedProperties: fc.oneof(fc.constant(false), leaf),
        allOf: list,
      }),
      few({ items: inner, contains: inner, maxContains: fc.constantFrom(1, 2), unevaluatedItems: fc.constant(false) }),
      fc
        .tuple(inner, inner, inner)
        .map((parts) => Object.fromEntries(CONDITION.map((name, at) => [name, parts[at] as Json]))),
    ),
  }
})

/** Schemas of functions' parameters with references, also recursive ones, and all keywords that schemas nest. */
export const toolSchemas: fc.Arbitrary<JsonObject> = fc
  .tuple(schema, fc.record({ One: schema, Two: schema, Three: schema }))
  .map(([root, definitions]) => ({ ...(typeof root === 'object' ? root : {}), $defs: definitions }) as JsonObject)
