import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { parseJson } from '../../src/text/json.ts'
import { check } from '../property.ts'

const plain = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const blank = fc.constantFrom('', ' ', '\n', '\t \r', '\u00a0', '\ufeff', '\v')
const whole = fc.json()
const word = fc.constantFrom(
  '',
  'true',
  'false',
  'null',
  'nul',
  'nonsense',
  '-',
  '-1',
  '1e5',
  '1.',
  '{',
  '"',
  '}',
  '""',
  '[',
  '[DONE]',
  '"DONE"',
  '[ D]',
)

test('the JSON parser accepts exactly the texts that JSON.parse accepts, with any blanks around them', () => {
  const text = fc.oneof(
    word,
    whole,
    fc.tuple(whole, fc.nat()).map(([it, at]) => it.slice(0, at % (it.length + 1))),
    fc.string(),
  )
  check(
    fc.property(blank, text, blank, (before, it, after) => {
      expect(parseJson(before + it + after)).toEqual(plain(before + it + after))
    }),
    3000,
  )
})

test('the JSON parser causes no exception for the terminator of a stream', () => {
  const parse = vi.spyOn(JSON, 'parse')
  try {
    for (const text of ['[DONE]', ' [DONE] ', '{DONE}']) expect(parseJson(text)).toBeUndefined()
    expect(parse).not.toHaveBeenCalled()
  } finally {
    parse.mockRestore()
  }
})
