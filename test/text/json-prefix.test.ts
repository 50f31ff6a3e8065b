import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isCutJson } from '../../src/text/json-prefix.ts'
import { check } from '../property.ts'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const json = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom('', ' ', '\n\t'))
  .map(([value, space]) => JSON.stringify(value, null, space))

it('finds every cut of JSON text, except where the text is JSON already', () => {
  check(
    fc.property(json, fc.nat(), (text, at) => {
      const cut = text.slice(0, at % (text.length + 1))
      expect(isCutJson(cut)).toBe(cut.trim() !== '' && (!isJson(cut) || /^\s*-?\d[\d.eE+-]*$/.test(cut)))
    }),
    3000,
  )
})

const crumbs = fc.array(
  fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', ' ', '1', '-', 'true', 'nul', 'a', '\n'),
  {
    maxLength: 9,
  },
)

/** Texts that complete any beginning that they can complete, for the characters of `crumbs`. */
const ENDS = ['', '"', '""', ':1', '":1', '1', 'e', 'l', '"1', '\\"', ':', 'a"', 'u0000"']

it('rejects what no text can complete', () => {
  check(
    fc.property(crumbs, (list) => {
      const text = list.join('')
      if (isCutJson(text)) return
      const closings = ['', '}', ']', '}}', ']]', '}]', ']}', ':1}', '1}', '1]', '"a":1}', '"":1}]']
      for (const end of ENDS)
        for (const close of closings)
          expect(isJson(`${text}${end}${close}`) && !isJson(text) && text.trim() !== '').toBe(false)
    }),
    2000,
  )
})

it.each([
  ['{"a":1,}', false],
  ["{'a':1}", false],
  ['{a:1}', false],
  ['{"say":"a "b""}', false],
  ['{"a":1}}', false],
  ['{"a":1}', false],
  ['', false],
  ['{"a":"\\p', false],
  ['{"a":"\\', true],
  ['{"a":tru', true],
  ['[', true],
  ['{"a":-', true],
])('%s is cut off: %s', (text, isCut) => {
  expect(isCutJson(text)).toBe(isCut)
})
