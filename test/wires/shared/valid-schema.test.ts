import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import { validSchema } from '../../../src/wires/shared/upstream/schemas/valid-schema.ts'
import { checkCase } from '../../property.ts'

const ODD: readonly Json[] = [null, [], {}, true, false, 0, -1, 1.5, '', '3', 'string', 'dict', ['string', null], [{}]]

const KEYWORDS = [
  ...['type', 'description', 'properties', '$defs', 'required', 'enum', 'items', 'anyOf', 'allOf', '$ref', 'format'],
  ...['additionalProperties', 'not', 'minimum', 'exclusiveMinimum', 'maxLength', 'multipleOf', 'uniqueItems', 'const'],
]

const odd = fc.letrec<{ schema: JsonObject; value: Json }>((tie) => ({
  schema: fc.dictionary(fc.constantFrom(...KEYWORDS), tie('value'), { maxKeys: 5 }),
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...ODD),
    tie('schema'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}))

it('a mended schema needs no other change', () => {
  checkCase(
    fc.property(odd.schema, (schema) => {
      const mended = validSchema(schema)
      expect(validSchema(mended)).toBe(mended)
    }),
    500,
  )
})

it('a valid schema stays the same one', () => {
  const schema: JsonObject = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      a: { type: ['string', 'null'], enum: ['x', null], default: null, description: '' },
      b: { $ref: '#/$defs/b' },
      c: { type: 'array', items: false, prefixItems: [true], minItems: 0, uniqueItems: true },
      type: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5, examples: [null, null] },
      d: { const: null, nullable: true },
    },
    required: [],
    additionalProperties: { not: {} },
    $defs: { b: true },
  }
  expect(validSchema(schema)).toBe(schema)
})
