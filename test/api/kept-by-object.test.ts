import { describe, expect, it } from 'vitest'
import { translateRequest } from '../../src/api/translate-request.ts'
import { mapSchemas } from '../../src/wires/shared/upstream/schemas/map-schemas.ts'

const BODY = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] }

const quirksOf = (): unknown => {
  const translated = translateRequest(BODY, { from: 'openai-chat', vendor: 'openai' })
  return translated.ok ? translated.answer.context.quirks : null
}

describe('objects by which facts are kept', () => {
  it('are the same quirks in each request to a vendor of the table', () => {
    expect(quirksOf()).not.toBeNull()
    expect(quirksOf()).toBe(quirksOf())
  })

  it('are the same schema after a walk that changes nothing', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { anyOf: [{ type: 'string' }] } } } }
    expect(mapSchemas(schema, '', (one) => one)).toBe(schema)
  })
})
