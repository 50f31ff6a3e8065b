import { describe, expect, it } from 'vitest'
import { MAX_LENGTHS, RANGES, REQUEST_LIMITS } from '../../src/protocol/limits.ts'
import { parseBody } from '../../src/validation/body.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { checkSize } from '../../src/validation/size.ts'

const accepts = (fields: object): boolean => validateRequest({ model: 'm', input: 'a', ...fields }).ok
const placeOf = (fields: object): string | null => {
  const result = validateRequest({ model: 'm', input: 'a', ...fields })
  return result.ok ? null : result.error.param
}

/**
 * Every bound as docs/description.md, 8 and 10.1 define it, written by hand with values just inside and just outside.
 */
describe('the bounds of numbers', () => {
  it.each([
    ['temperature', [0, 2], [-0.000001, 2.000001]],
    ['top_p', [0, 1], [-0.000001, 1.000001]],
    ['presence_penalty', [-2, 2], [-2.000001, 2.000001]],
    ['frequency_penalty', [-2, 2], [-2.000001, 2.000001]],
    ['top_logprobs', [0, 20], [-1, 21]],
    ['max_output_tokens', [1, Number.MAX_SAFE_INTEGER], [0, -1, 2 ** 53]],
    ['max_tool_calls', [1, Number.MAX_SAFE_INTEGER], [0, -1, 2 ** 53]],
  ] as const)('accept %s at both bounds and reject it beyond them', (name, inside, outside) => {
    for (const value of inside) expect(accepts({ [name]: value }), String(value)).toBe(true)
    for (const value of outside) expect(placeOf({ [name]: value }), String(value)).toBe(name)
    expect(accepts({ [name]: null })).toBe(true)
    for (const value of ['1', true, [], {}]) expect(placeOf({ [name]: value })).toBe(name)
  })

  it.each(['top_logprobs', 'max_output_tokens', 'max_tool_calls'])('reject a fraction as %s', (name) => {
    expect(accepts({ [name]: 2 })).toBe(true)
    expect(accepts({ [name]: 2.0 })).toBe(true)
    expect(placeOf({ [name]: 2.5 })).toBe(name)
  })

  it('are complete: the table has no other ranges', () => {
    expect(Object.keys(RANGES)).toHaveLength(7)
  })
})

describe('the bounds of texts', () => {
  it.each([
    ['user', 256],
    ['safety_identifier', 128],
    ['prompt_cache_key', 64],
  ] as const)('accept %s at its longest length and reject it beyond', (name, most) => {
    expect(accepts({ [name]: 'x'.repeat(most) })).toBe(true)
    expect(placeOf({ [name]: 'x'.repeat(most + 1) })).toBe(name)
    expect(MAX_LENGTHS[name]).toBe(most)
  })
})

describe('the bounds of metadata', () => {
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'v']))

  it('accept 16 pairs and reject 17', () => {
    expect(accepts({ metadata: pairs(16) })).toBe(true)
    expect(placeOf({ metadata: pairs(17) })).toBe('metadata')
  })

  it('accept keys of 64 and values of 512 characters, and reject longer ones', () => {
    expect(accepts({ metadata: { ['k'.repeat(64)]: 'v'.repeat(512) } })).toBe(true)
    expect(placeOf({ metadata: { ['k'.repeat(65)]: 'v' } })).toMatch(/^metadata/)
    expect(placeOf({ metadata: { key: 'v'.repeat(513) } })).toBe('metadata.key')
  })
})

it('a body may be nested 256 levels deep, and 257 levels are rejected', () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  expect(parseBody(nested(256)).ok).toBe(true)
  expect(parseBody(nested(257)).ok).toBe(false)
})

describe('the bounds of lists', () => {
  it('refuse a request with more items', () => {
    const { items } = REQUEST_LIMITS
    const many = (count: number) => Array<object>(count).fill({ role: 'user', content: 'a' })
    expect(accepts({ input: many(items) })).toBe(true)
    expect(placeOf({ input: many(items + 1) })).toBe('input')
  })

  it('count a part that is no object once: Ollama has pictures as texts', () => {
    const pictures = (count: number) => ({
      messages: [{ role: 'user', images: Array<string>(count).fill('iVBORw0=') }],
    })
    expect(checkSize(pictures(REQUEST_LIMITS.parts), REQUEST_LIMITS)).toBeNull()
    expect(checkSize(pictures(REQUEST_LIMITS.parts + 1), REQUEST_LIMITS)).toMatchObject({
      code: 'invalid_prompt',
      param: 'messages',
    })
  })
})
