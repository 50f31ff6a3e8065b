import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KEYS_START, renameAllKeys, renameKeys } from '../../src/text/rename-keys.ts'
import { check, expectSame } from '../property.ts'

const NAMES = new Map([
  ['a', '$a'],
  ['b"\\', 'é'],
  ['', 'empty'],
])

describe('renaming the keys of JSON', () => {
  it.each([
    ['{"a":1,"c":{"a":2},"l":[{"a":3}],"b\\"\\\\":"a"}', '{"$a":1,"c":{"a":2},"l":[{"a":3}],"é":"a"}'],
    [' { "\\u0061" : "a" , "" : ["a"] } ', ' { "$a" : "a" , "empty" : ["a"] } '],
    ['["a",{"a":1}]', '["a",{"a":1}]'],
    ['"a"', '"a"'],
    ['{"a":"{\\"a\\":1}","a', '{"$a":"{\\"a\\":1}","a'],
    ['{"n":12345678901234567890,"a":1e400}', '{"n":12345678901234567890,"$a":1e400}'],
    ['}}{"a":1}', '}}{"$a":1}'],
  ])('changes those of the outermost object only: %s', (json, renamed) => {
    expect(renameAllKeys(json, NAMES)).toBe(renamed)
  })

  it('gives the same text in any cuts, also where the state is stored between them', () => {
    const json = fc.oneof(
      fc.json(),
      fc
        .dictionary(fc.constantFrom('a', 'b"\\', '', 'c'), fc.jsonValue(), { maxKeys: 4 })
        .map((it) => JSON.stringify(it)),
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', ' '), maxLength: 40 }),
    )
    check(
      fc.property(json, fc.array(fc.nat({ max: 200 }), { maxLength: 8 }), (text, places) => {
        const cuts = [0, ...places.map((at) => Math.min(at, text.length)), text.length].sort((a, b) => a - b)
        let scan = KEYS_START
        let renamed = ''
        for (const [at, cut] of cuts.slice(1).entries()) {
          const step = renameKeys(scan, text.slice(cuts[at], cut), NAMES)
          scan = JSON.parse(JSON.stringify(step.scan)) as typeof scan
          renamed += step.text
        }
        expectSame(renamed + (scan.key ?? ''), renameAllKeys(text, NAMES))
      }),
      2000,
    )
  })
})
