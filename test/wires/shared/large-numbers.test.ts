import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasInexactNumber, hasLargeNumber } from '../../../src/wires/shared/large-numbers.ts'
import { check } from '../../property.ts'

const WRITTEN: readonly [text: string, isInexact: boolean][] = [
  ['1234567890123456789', true],
  ['-9007199254740993', true],
  ['9007199254740993', true],
  ['9007199254740991', false],
  ['9007199254740992', false],
  ['0.1234567890123456789', true],
  ['1234567890.1234567890', true],
  ['0.1', false],
  ['100000000000000000000', false],
  ['1e400', true],
  ['1e-400', true],
  ['1.50e3', false],
  ['0.000e9', false],
  ['-0.0', false],
]

describe('hasInexactNumber', () => {
  it.each(WRITTEN)('%s: %j, also inside of a list and an object', (text, isInexact) => {
    for (const json of [text, `[1, ${text}]`, `{"a\\"": "x", "b":{"c":${text}}}`]) {
      expect(hasInexactNumber(json)).toBe(isInexact)
    }
    expect(hasInexactNumber(JSON.stringify({ [text]: text, quoted: `"${text}\\` }))).toBe(false)
  })

  it('is true for exactly the integers that change', () => {
    check(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (value) => {
        expect(hasInexactNumber(`{"id":${value}}`)).toBe(String(Number(value)) !== String(value))
      }),
    )
  })

  it('is false for every value that was written by JSON.stringify', () => {
    check(
      fc.property(fc.jsonValue(), (value) => {
        expect(hasInexactNumber(JSON.stringify(value))).toBe(false)
      }),
    )
  })
})

describe('hasLargeNumber', () => {
  it.each([
    [1234567890123456800, true],
    [Number.MAX_SAFE_INTEGER, false],
    [-(2 ** 53), true],
    [Number.POSITIVE_INFINITY, true],
    [1e300, true],
    [0.1, false],
    ['1234567890123456789', false],
  ])('%j: %j, at any depth', (value, isLarge) => {
    let deep: unknown = value
    for (let level = 0; level < 100_000; level += 1) deep = level % 2 === 0 ? [1, deep] : { a: deep }
    for (const it of [value, { a: [null, { b: value }] }, deep]) expect(hasLargeNumber(it)).toBe(isLarge)
  })
})
