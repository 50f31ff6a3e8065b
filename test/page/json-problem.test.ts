import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJsonProblem } from '../../src/page/json-problem.ts'
import { check } from '../property.ts'

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the place at which a text is not JSON', () => {
  it.each([
    ['', 1, 1, 'expected a value, got the end of the text'],
    ['{"a": 1,}', 1, 9, 'expected the name of a member in quotes: JSON has no comma before }'],
    ['[1,\n 2,\n]', 3, 1, 'expected a value: JSON has no comma before ]'],
    ["{\n  'a': 1\n}", 2, 3, 'expected the name of a member in quotes, or }'],
    ["[\n  'a'\n]", 2, 3, 'expected double quotes around a text'],
    ['{"a" 1}', 1, 6, 'expected a colon after the name of a member'],
    ['{"a": 1 "b": 2}', 1, 9, 'expected a comma or }'],
    ['{"a": "b\n"}', 1, 9, 'a line end or control character in a text: write \\n, \\t or \\u and four digits'],
    ['{"a": "b', 1, 7, 'this text has no closing quote'],
    ['{"a": 1}}', 1, 9, 'expected the end of the text'],
    ['[1, 2', 1, 6, 'expected a comma or ], got the end of the text'],
    ['"\\x"', 1, 2, 'no such escape: expected \\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t or \\u and four digits'],
  ])('in %j is line %i, column %i', (text, line, column, message) => {
    expect(findJsonProblem(text)).toMatchObject({ line, column, message })
  })

  it('is found exactly in the texts that JSON.parse refuses', () => {
    const json = fc.json({ maxDepth: 4 })
    const damage = fc.tuple(
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.constantFrom('', '"', ',', '}', ']', '\\', '\u0001', '01', 'é'),
    )
    const damaged = fc
      .tuple(json, damage)
      .map(
        ([text, [at, count, put]]) =>
          text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + count),
      )
    check(
      fc.property(fc.oneof(json, damaged, fc.string()), (text) => {
        const found = findJsonProblem(text)
        expect(found === null).toBe(parses(text))
        if (found !== null) expect(parses(`${text.slice(0, found.offset)}\u0000`)).toBe(false)
      }),
      5000,
    )
  })
})
