import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { validateRequest } from '../../src/validation/request.ts'
import { check } from '../property.ts'
import { requestOf } from '../requests.ts'

const PLACE = /^(?:body|model|[a-z_]+(?:\.[\w-]+|\[\d+\]|\["?[^\n]*\])*)$/

function expectAnswer(body: unknown): void {
  const result = validateRequest(body)
  if (result.ok) {
    expect(result.request.model.length).toBeGreaterThan(0)
    expect(Array.isArray(result.request.input)).toBe(true)
    return
  }
  const { status, param, message } = result.error
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(param).toMatch(PLACE)
  expect(message.startsWith(`${param}: `)).toBe(true)
}

const WORDS = [
  'message',
  'function_call',
  'function_call_output',
  'reasoning',
  'custom_tool_call',
  'item_reference',
  'user',
  'assistant',
  'system',
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
  'refusal',
  'function',
  'custom',
  'allowed_tools',
  'json_schema',
  '__proto__',
  'constructor',
  'toString',
  'other',
  'hosted',
]
const KEYS = [
  'type',
  'role',
  'content',
  'text',
  'name',
  'call_id',
  'arguments',
  'output',
  'id',
  'status',
  'summary',
  'image_url',
  'tools',
  'tool_choice',
  'mode',
  'format',
  'schema',
  'effort',
  'encrypted_content',
  '__proto__',
  'fields',
  'item',
]
const FIELDS = Object.keys(requestOf())

/** JSON made of the words that the schemas know, so that it gets deep into them. */
const { familiar } = fc.letrec<{ familiar: unknown }>((tie) => ({
  familiar: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(fc.constantFrom(...WORDS, null, true, 0, 1, -1, 1.5), fc.string(), fc.double()),
    fc.array(tie('familiar'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie('familiar'), { maxKeys: 6 }),
  ),
}))

describe('any JSON at all', () => {
  const runs = process.env.LONG === undefined ? 2000 : 100_000

  it('is a request, or an error with its place', () => {
    check(fc.property(fc.jsonValue(), expectAnswer), runs)
  })

  it('in a body of known fields', () => {
    const body = fc.dictionary(fc.constantFrom(...FIELDS, 'store', 'prompt'), familiar, { maxKeys: 5 })
    check(
      fc.property(body, fc.boolean(), (fields, named) => {
        expectAnswer(named ? { model: 'm', input: 'a', ...fields } : fields)
      }),
      runs,
    )
  })

  it('as an item, a part and a tool', () => {
    check(
      fc.property(familiar, (value) => {
        expectAnswer({ model: 'm', input: [value] })
        expectAnswer({ model: 'm', input: [{ role: 'user', content: [value] }] })
        expectAnswer({ model: 'm', input: 'a', tools: [value], tool_choice: value })
      }),
      runs,
    )
  })
})
