import { describe, expect, it } from 'vitest'
import { decodeSchema } from '../../../../src/wires/gemini-generate/client/schema.ts'
import { createRequestReader } from '../../../../src/wires/shared/client/request-reader.ts'

const lossesOf = (record: object): readonly string[] => {
  const notes = createRequestReader({ seal: () => '' })
  decodeSchema({ record, path: 'schema', notes } as unknown as Parameters<typeof decodeSchema>[0])
  return notes.losses.map(({ path, action }) => `${path} ${action}`)
}

describe('keywords that JSON Schema does not have', () => {
  it.each([
    [{ propertyOrdering: ['a'] }, ['schema.propertyOrdering dropped']],
    [{ items: { property_ordering: ['a'] } }, ['schema.items.property_ordering dropped']],
    [{ properties: { a: { nullable: true } } }, ['schema.properties.a.nullable dropped']],
    [{ anyOf: [{ nullable: true }] }, ['schema.anyOf[0].nullable dropped']],
    [{ type: 'STRING', nullable: true }, []],
  ])('%j has the losses %j', (schema, losses) => {
    expect(lossesOf(schema)).toEqual(losses)
  })
})
