import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { formatLoss } from '../../../src/protocol/loss.ts'
import { findVendor } from '../../../src/vendors/registry.ts'
import type { RefusedSchemaFeature } from '../../../src/wires/quirks.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { closeSchema } from '../../../src/wires/shared/upstream/schemas/close-schema.ts'
import { mendSchema } from '../../../src/wires/shared/upstream/schemas/mend-tools.ts'
import { toolArguments, toolSchemas } from '../../arbitraries/tool-schemas.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { check } from '../../property.ts'
import { requestOf } from '../../request-bodies.ts'
import { type Cases, listed } from '../request-cases.ts'

const mend = (schema: object, ...refused: readonly RefusedSchemaFeature[]) =>
  mendSchema(schema as JsonObject, 'parameters', refused)

/** A schema of a tool, and what an upstream that refuses some of its features receives. */
interface MendedCase {
  readonly schema: object
  readonly refuses: readonly RefusedSchemaFeature[]
  /** Left out: the schema itself. */
  readonly sent?: object
  /** All losses below `parameters`, by the beginnings of their texts. Null: any. */
  readonly losses?: readonly string[] | null
}

function checkMended({ schema, refuses, sent, losses = [] }: MendedCase): void {
  const mended = mend(schema, ...refuses)
  if (sent === undefined) expect(mended.schema).toBe(schema)
  else expect(mended.schema).toEqual(sent)
  const begins = (text: string): string => `^parameters\\.${text.replaceAll('$', '\\$')}`
  if (losses === null) return
  expect(mended.losses.map(formatLoss)).toEqual(losses.map((text) => expect.stringMatching(begins(text))))
}

const testMended = (subject: string, cases: Cases<MendedCase>) =>
  describe(subject, () => {
    for (const [name, found] of Object.entries(cases)) it(name, () => listed(found).forEach(checkMended))
  })

const text = { type: 'string' }
const form = (name: string) => ({ type: 'object', properties: { [name]: text }, required: [name] })
const closed = (name: string) => ({ ...form(name), additionalProperties: false })
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const CITY = object({ city: text })
const INLINED = (path: string) => `properties.${path}.$ref mapped: inlined`
const tree = { $defs: { Tree: object({ left: { $ref: '#/$defs/Tree' } }) } }
const joined = (schema: object, properties: object, more: object = {}): MendedCase => ({
  ...{ schema, refuses: ['rootUnion'], losses: null },
  sent: object(properties, more),
})
const defined = { $defs: { A: closed('a') } }
const beside = (refused: RefusedSchemaFeature, before: object, after: object, loss?: string): MendedCase => ({
  ...{ schema: object({ a: before }), refuses: [refused], sent: object({ a: after }) },
  losses: [`properties.a${loss === undefined ? '' : `.${loss}`} mapped`],
})
const open = { anyOf: [text, {}] }
const unions = { anyOf: [form('a')], allOf: [form('b')], properties: { c: { anyOf: [text] } } }

// biome-ignore format: a row a case
testMended('references of a tool schema', {
  'are replaced by their schemas, with what stands beside them': { refuses: ['$ref'],
    schema: object({ from: { $ref: '#/$defs/Place' }, to: { $ref: '#/$defs/Place', description: 'where to' },
        via: { $ref: '#/$defs/Place', required: ['city'] }, self: { $ref: '#/properties/plain' }, plain: text },
      { $defs: { Place: object({ city: { $ref: '#/$defs/a~1b%20c' } }), 'a/b c': text } }),
    sent: object({ from: CITY, to: { ...CITY, description: 'where to' }, via: { required: ['city'], allOf: [CITY] }, self: text, plain: text }),
    losses: ['$defs mapped', ...['from', 'to', 'via'].flatMap((name) => [INLINED(name), INLINED(`${name}.properties.city`)]), INLINED('self')] },
  'end where they are recursive or lead nowhere, with a loss': { refuses: ['$ref'],
    schema: object({ tree: { $ref: '#/$defs/Tree' }, all: { $ref: '#' }, lost: { $ref: '#/$defs/None' } }, tree),
    sent: object({ tree: object({ left: { type: 'object' } }), all: { type: 'object' }, lost: {} }),
    losses: ['$defs mapped', INLINED('tree'), 'properties.tree.properties.left.$ref mapped: the reference is recursive',
      'properties.all.$ref mapped: the reference is recursive', 'properties.lost.$ref mapped: the reference leads to no schema'] },
  'stay data in values: an enum, a default, a property of that name': { refuses: ['$ref'],
    schema: object({ $ref: text }, { default: { $ref: '#' }, required: ['$ref'] }) },
})
// biome-ignore format: a row a case
testMended('unions at the top level of a tool schema', {
  'become one object: variants without other properties': joined({ anyOf: [closed('a'), closed('b')] }, { a: text, b: text }, { additionalProperties: false }),
  'become one object: open variants': joined({ oneOf: [form('a'), form('b')] }, { a: open, b: open }),
  'become one object: all together': joined({ allOf: [form('a'), form('b')] }, { a: text, b: text }, { required: ['a', 'b'] }),
  'become one object: only required fields': joined({ ...form('a'), anyOf: [{ required: ['b'] }, { required: ['c'] }] }, { a: text }, { required: ['a'] }),
  'become one object: variants by reference': joined({ anyOf: [{ $ref: '#/$defs/A' }], ...defined }, { a: text },
    { required: ['a'], additionalProperties: false, ...defined }),
  'become one object: a variant that is no object': joined({ anyOf: [closed('a'), { type: 'null' }, false] }, { a: text },
    { required: ['a'], additionalProperties: false }),
  'are reported by name, and only where the upstream refuses them': [
    { schema: unions, refuses: ['rootUnion'], losses: ['anyOf mapped', 'allOf mapped'],
      sent: object({ c: unions.properties.c, a: text, b: text }, { required: ['b', 'a'] }) },
    { schema: unions, refuses: [] }, { schema: unions, refuses: ['$ref'] }, { schema: unions.properties, refuses: ['rootUnion'] },
  ],
  'take references into them along': joined({ anyOf: [closed('a')], properties: { b: { $ref: '#/anyOf/0/properties/a' } } },
    { b: text, a: text }, { required: ['a'], additionalProperties: false }),
})
// biome-ignore format: a row a case
testMended('refused keywords of a tool schema', {
  'are removed at every depth, but not as names of properties': { refuses: ['propertyNames'],
    schema: object({ propertyNames: text, map: { type: 'object', propertyNames: { pattern: '^a' } } }),
    sent: object({ propertyNames: text, map: { type: 'object' } }),
    losses: ['properties.map.propertyNames mapped: removed, because this upstream refuses propertyNames'] },
  'take along what would accept less without them': { refuses: ['patternProperties', 'contains'], sent: {},
    schema: { patternProperties: { '^a': text }, additionalProperties: false, not: { contains: text } },
    losses: ['patternProperties', 'additionalProperties', 'not.contains', 'not'].map((name) => `${name} mapped`) },
})
const TYPE = ['type mapped: sent as object, the only type that this upstream accepts here']
// biome-ignore format: a row a case
testMended('a type at the top level of a tool schema', {
  'is object where the upstream accepts no other': [
    { schema: object({}, { type: null }), refuses: ['rootType'], sent: object({}), losses: TYPE },
    { schema: { type: 'array', items: text }, refuses: ['rootType'], sent: { type: 'object', items: text }, losses: TYPE },
    { schema: { properties: {} }, refuses: ['rootType'], sent: object({}) },
  ],
})
// biome-ignore format: a row a case
testMended('keywords of a tool schema beside others', {
  'are separated: beside a reference': beside('beside$ref', { $ref: '#/$defs/V', type: 'string', minLength: 1 }, { $ref: '#/$defs/V' }),
  'are separated: a type beside anyOf': beside('besideAnyOf', { type: 'object', anyOf: [form('a'), { required: ['b'] }] },
    { anyOf: [form('a'), { type: 'object', required: ['b'] }] }, 'type'),
  'are separated: the type of an enum with other values': beside('enumType', { type: 'string', enum: ['a', null] }, { enum: ['a', null] }, 'type'),
})

it('references of a tool schema do not grow exponentially', () => {
  const ref = (at: number) => ({ $ref: `#/$defs/L${at}` })
  const levels = Array.from({ length: 60 }, (_, at) => [`L${at}`, object({ a: ref(at + 1), b: ref(at + 1) })])
  const schema = object({ a: ref(0) }, { $defs: { ...Object.fromEntries(levels), L60: text } })
  const { schema: mended, losses } = mend(schema, '$ref')
  expect(JSON.stringify(mended).length).toBeLessThan(5 * JSON.stringify(schema).length + 20_000)
  expect(losses.length).toBeGreaterThan(100)
})

const AJV = new Ajv2020({ strict: false, validateSchema: false, logger: false })

/** Returns which values a schema accepts; null for one if the schema cannot be compiled, or recurses without end. */
function verdictsOf(schema: object, values: readonly unknown[]): readonly (boolean | null)[] {
  try {
    const validate = AJV.compile(schema)
    return values.map((value) => validate(value))
  } catch {
    return values.map(() => null)
  } finally {
    AJV.removeSchema(schema)
  }
}

const FEATURES: readonly RefusedSchemaFeature[] = [
  '$ref',
  'rootUnion',
  'rootType',
  'beside$ref',
  'besideAnyOf',
  'enumType',
  'propertyNames',
  'patternProperties',
  'contains',
  'not',
  'if',
  'const',
  'pattern',
  'unevaluatedProperties',
]
const refusals = fc.subarray([...FEATURES])

describe('a mended schema', () => {
  it('accepts all arguments that the original accepts', () => {
    let accepted = 0
    check(
      fc.property(
        toolSchemas,
        refusals,
        fc.array(toolArguments, { minLength: 4, maxLength: 4 }),
        (schema, refused, all) => {
          const before = verdictsOf(schema, all)
          const after = verdictsOf(mend(schema, ...refused).schema, all)
          expect(before.flatMap((verdict, at) => (verdict === true ? [after[at]] : []))).not.toContain(false)
          accepted += before.filter((verdict) => verdict === true).length
        },
      ),
      1000,
    )
    expect(accepted).toBeGreaterThan(10)
  })

  it('has no reference and no union at the top level, and a size linear in that of the original', () => {
    check(
      fc.property(toolSchemas, refusals, (schema, refused) => {
        const { schema: mended, losses } = mend(schema, '$ref', 'rootUnion', ...refused)
        const written = JSON.stringify(mended)
        expect(written).not.toContain('"$ref"')
        expect(mended).not.toHaveProperty('anyOf')
        expect(mended).not.toHaveProperty('oneOf')
        expect(mended).not.toHaveProperty('allOf')
        expect(written.length).toBeLessThan(12 * JSON.stringify(schema).length + 33_000)
        expect(losses.every(({ path, action }) => action === 'mapped' && path.startsWith('parameters'))).toBe(true)
        if (losses.length === 0 && !refused.includes('rootType')) expect(mended).toBe(schema)
      }),
      4000,
    )
  })
})

describe('a closed schema', () => {
  const closing = (schema: object) => closeSchema(schema as JsonObject, 'text.format.schema')

  it('has closed objects, and bounds in the descriptions', () => {
    const schema = {
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 0, description: 'how many' },
        l: { type: 'array', minItems: 2, items: { type: 'string', format: 'byte' } },
        d: { type: 'string', format: 'date' },
        o: { oneOf: [form('a'), text] },
      },
      required: ['n'],
    }
    expect(closing(schema)).toMatchObject({
      schema: {
        type: 'object',
        additionalProperties: false,
        properties: {
          n: { type: 'integer', description: 'how many (minimum: 0)' },
          l: { type: 'array', description: 'minItems: 2', items: { type: 'string', description: 'format: "byte"' } },
          d: { type: 'string', format: 'date' },
          o: { anyOf: [closed('a'), text] },
        },
      },
      size: { optional: 3, unions: 1 },
    })
    expect(closing(schema)?.losses.map(({ path }) => path)).toEqual([
      'text.format.schema',
      'text.format.schema.properties.n.minimum',
      'text.format.schema.properties.l.minItems',
      'text.format.schema.properties.l.items.format',
      'text.format.schema.properties.o.oneOf',
    ])
  })

  it('keeps one of two unions, and has the other one in its description', () => {
    const two = { type: 'object', properties: { o: { anyOf: [form('a')], oneOf: [text] } } }
    const shown = { anyOf: [closed('a')], description: 'oneOf: [{"type":"string"}]' }
    expect(closing(two)).toMatchObject({ schema: { properties: { o: shown } } })
    expect(closing(two)?.losses).toContainEqual({
      path: 'text.format.schema.properties.o.oneOf',
      action: 'mapped',
      why: 'moved to the description, because this upstream refuses it in schemas',
    })
  })

  it.each([
    ['is recursive', { type: 'object', properties: { a: { $ref: '#' } } }],
    ['leads elsewhere', { type: 'object', properties: { a: { $ref: 'https://a.example/b' } } }],
    ['has an object without names', { type: 'object', additionalProperties: { type: 'string' } }],
  ])('does not exist for a schema that %s', (_, schema) => {
    expect(closing(schema)).toBeNull()
  })

  it('is its own closed form', () => {
    check(
      fc.property(toolSchemas, (schema) => {
        const one = closing(schema)
        if (one === null) return
        expect(closing(one.schema)).toEqual({ schema: one.schema, losses: [], size: one.size })
        expect(JSON.stringify(one.schema).length).toBeLessThan(4 * JSON.stringify(schema).length + 200)
      }),
      1000,
    )
  })
})

describe('the tools of a request', () => {
  const parameters = { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: closed('a') } }
  const request = requestOf({
    tools: [
      { type: 'function', name: 'plain' },
      { type: 'function', name: 'f', parameters },
    ],
  })

  it.each(Object.values(WIRES))('are mended for a vendor of $name that refuses unions and references', (wire) => {
    const quirks = { refusesInSchemas: ['$ref', 'rootUnion'] } as const
    const encoded = encodeFor(wire, request, { model: 'm', quirks, open: () => undefined })
    expect(encoded.ok && JSON.stringify(encoded.body)).not.toMatch(/\$ref|anyOf/)
    expect(encoded.ok && encoded.losses.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['tools[1].parameters.anyOf', 'tools[1].parameters.anyOf[0].$ref']),
    )
  })

  it.each(Object.values(WIRES))('are sent unchanged to a vendor of $name without that quirk', (wire) => {
    const encoded = encodeFor(wire, request, { model: 'm', quirks: {}, open: () => undefined })
    expect(encoded.ok && JSON.stringify(encoded.body)).toContain('"anyOf":[{"$ref":"#/$defs/A"}]')
    expect(encoded.ok && encoded.losses).toEqual([])
  })

  it.each(['anthropic', 'vertex-anthropic', 'openai', 'openai-chat', 'azure', 'bedrock', 'deepseek', 'zai'])(
    'have an object at the top level for %s',
    (vendor) => {
      expect(findVendor(vendor)?.quirks.refusesInSchemas).toEqual(expect.arrayContaining(['rootUnion', 'rootType']))
    },
  )
})
