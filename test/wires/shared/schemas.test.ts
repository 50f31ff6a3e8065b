import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { findVendor } from '../../../src/vendors/registry.ts'
import type { RefusedSchemaFeature } from '../../../src/wires/quirks.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { closeSchema } from '../../../src/wires/shared/upstream/schemas/close-schema.ts'
import { mendSchema } from '../../../src/wires/shared/upstream/schemas/mend-tools.ts'
import { toolArguments, toolSchemas } from '../../arbitraries/tool-schemas.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { check } from '../../property.ts'
import { requestOf } from '../../request-bodies.ts'

const mend = (schema: object, ...refused: readonly RefusedSchemaFeature[]) =>
  mendSchema(schema as JsonObject, 'parameters', refused)

const pathsOf = (schema: object, ...refused: readonly RefusedSchemaFeature[]) =>
  mend(schema, ...refused).losses.map(({ path, action }) => `${path} ${action}`)

const text = { type: 'string' }
const form = (name: string) => ({ type: 'object', properties: { [name]: text }, required: [name] })
const closed = (name: string) => ({ ...form(name), additionalProperties: false })

describe('references of a tool schema', () => {
  it('are replaced by their schemas, with what stands beside them', () => {
    const schema = {
      type: 'object',
      properties: {
        from: { $ref: '#/$defs/Place' },
        to: { $ref: '#/$defs/Place', description: 'where to' },
        via: { $ref: '#/$defs/Place', required: ['city'] },
        self: { $ref: '#/properties/plain' },
        plain: text,
      },
      $defs: { Place: { type: 'object', properties: { city: { $ref: '#/$defs/a~1b%20c' } } }, 'a/b c': text },
    }
    const place = { type: 'object', properties: { city: text } }
    expect(mend(schema, '$ref').schema).toEqual({
      type: 'object',
      properties: {
        from: place,
        to: { ...place, description: 'where to' },
        via: { required: ['city'], allOf: [place] },
        self: text,
        plain: text,
      },
    })
    expect(pathsOf(schema, '$ref')).toContain('parameters.properties.from.$ref mapped')
  })

  it('end where they are recursive or lead nowhere, with a loss', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Tree' }, all: { $ref: '#' }, lost: { $ref: '#/$defs/None' } },
      $defs: { Tree: { type: 'object', properties: { left: { $ref: '#/$defs/Tree' } } } },
    }
    const { schema: mended, losses } = mend(schema, '$ref')
    expect(mended).toEqual({
      type: 'object',
      properties: {
        tree: { type: 'object', properties: { left: { type: 'object' } } },
        all: { type: 'object' },
        lost: {},
      },
    })
    expect(losses.map(({ path, why }) => [path, /recursive|leads to no/.exec(why)?.[0]])).toEqual([
      ['parameters.$defs', undefined],
      ['parameters.properties.tree.$ref', undefined],
      ['parameters.properties.tree.properties.left.$ref', 'recursive'],
      ['parameters.properties.all.$ref', 'recursive'],
      ['parameters.properties.lost.$ref', 'leads to no'],
    ])
  })

  it('stay data in values: an enum, a default, a property of that name', () => {
    const schema = { type: 'object', properties: { $ref: text }, default: { $ref: '#' }, required: ['$ref'] }
    expect(mend(schema, '$ref').schema).toEqual(schema)
  })

  it('do not grow exponentially', () => {
    const levels = Array.from({ length: 60 }, (_, at) => [
      `L${at}`,
      { type: 'object', properties: { a: { $ref: `#/$defs/L${at + 1}` }, b: { $ref: `#/$defs/L${at + 1}` } } },
    ])
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/L0' } },
      $defs: { ...Object.fromEntries(levels), L60: text },
    }
    const { schema: mended, losses } = mend(schema, '$ref')
    expect(JSON.stringify(mended).length).toBeLessThan(5 * JSON.stringify(schema).length + 20_000)
    expect(losses.length).toBeGreaterThan(100)
  })
})

describe('unions at the top level of a tool schema', () => {
  it.each([
    [
      'variants without other properties',
      { anyOf: [closed('a'), closed('b')] },
      { a: text, b: text },
      undefined,
      false,
    ],
    [
      'open variants',
      { oneOf: [form('a'), form('b')] },
      { a: { anyOf: [text, {}] }, b: { anyOf: [text, {}] } },
      undefined,
      undefined,
    ],
    ['all together', { allOf: [form('a'), form('b')] }, { a: text, b: text }, ['a', 'b'], undefined],
    [
      'only required fields',
      { ...form('a'), anyOf: [{ required: ['b'] }, { required: ['c'] }] },
      { a: text },
      ['a'],
      undefined,
    ],
    ['variants by reference', { anyOf: [{ $ref: '#/$defs/A' }], $defs: { A: closed('a') } }, { a: text }, ['a'], false],
    ['a variant that is no object', { anyOf: [closed('a'), { type: 'null' }, false] }, { a: text }, ['a'], false],
  ])('become one object: %s', (_, schema, properties, required, additionalProperties) => {
    const { $defs, ...mended } = mend(schema, 'rootUnion').schema
    expect(mended).toEqual({
      type: 'object',
      properties,
      ...(required === undefined ? {} : { required }),
      ...(additionalProperties === undefined ? {} : { additionalProperties }),
    })
  })

  it('are reported by name, and only where the upstream refuses them', () => {
    const schema = { anyOf: [form('a')], allOf: [form('b')], properties: { c: { anyOf: [text] } } }
    expect(pathsOf(schema, 'rootUnion')).toEqual(['parameters.anyOf mapped', 'parameters.allOf mapped'])
    expect(mend(schema).schema).toBe(schema)
    expect(mend(schema, '$ref').schema).toBe(schema)
    expect(mend(schema.properties, 'rootUnion').schema).toBe(schema.properties)
  })

  it('take references into them along', () => {
    const schema = { anyOf: [closed('a')], properties: { b: { $ref: '#/anyOf/0/properties/a' } } }
    expect(mend(schema, 'rootUnion').schema.properties).toEqual({ b: text, a: text })
  })
})

describe('refused keywords of a tool schema', () => {
  it('are removed at every depth, but not as names of properties', () => {
    const schema = {
      type: 'object',
      properties: { propertyNames: text, map: { type: 'object', propertyNames: { pattern: '^a' } } },
    }
    expect(mend(schema, 'propertyNames')).toEqual({
      schema: { type: 'object', properties: { propertyNames: text, map: { type: 'object' } } },
      losses: [
        {
          path: 'parameters.properties.map.propertyNames',
          action: 'mapped',
          why: 'removed, because this upstream refuses propertyNames',
        },
      ],
    })
  })

  it('take along what would accept less without them', () => {
    const schema = { patternProperties: { '^a': text }, additionalProperties: false, not: { contains: text } }
    expect(mend(schema, 'patternProperties', 'contains').schema).toEqual({})
  })
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

describe('a type at the top level of a tool schema', () => {
  it('is object where the upstream accepts no other', () => {
    expect(mend({ type: null, properties: {} }, 'rootType')).toEqual({
      schema: { type: 'object', properties: {} },
      losses: [
        {
          path: 'parameters.type',
          action: 'mapped',
          why: 'sent as object, the only type that this upstream accepts here',
        },
      ],
    })
    expect(mend({ type: 'array', items: text }, 'rootType').schema).toMatchObject({ type: 'object' })
    expect(mend({ properties: {} }, 'rootType')).toEqual({ schema: { type: 'object', properties: {} }, losses: [] })
  })
})

describe('keywords of a tool schema beside others', () => {
  it.each([
    ['beside a reference', 'beside$ref', { $ref: '#/$defs/V', type: 'string', minLength: 1 }, { $ref: '#/$defs/V' }],
    [
      'a type beside anyOf',
      'besideAnyOf',
      { type: 'object', anyOf: [form('a'), { required: ['b'] }] },
      { anyOf: [form('a'), { type: 'object', required: ['b'] }] },
    ],
    ['the type of an enum with other values', 'enumType', { type: 'string', enum: ['a', null] }, { enum: ['a', null] }],
  ] as const)('are separated: %s', (_, feature, before, after) => {
    const { schema, losses } = mend({ type: 'object', properties: { a: before } }, feature)
    expect(schema).toEqual({ type: 'object', properties: { a: after } })
    expect(losses).toHaveLength(1)
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
      expect(findVendor(vendor)?.quirks.refusesInSchemas).toEqual(['rootUnion', 'rootType'])
    },
  )
})
