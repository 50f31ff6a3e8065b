import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { writeJson, writeWhole } from '../../src/text/json-write.ts'
import { runSteps } from '../../src/text/steps.ts'
import { hostile, TRAPS } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

const long = fc
  .tuple(
    fc.constantFrom('a', '☂', '\u{1f642}', '\ud800', '"', '\\', '\n'),
    fc.integer({ min: 1, max: 9 }),
    fc.constantFrom('', 'x'),
  )
  .map(([unit, times, first]) => first + unit.repeat(times * 8000))

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom<unknown>(null, true, 0, -1.5, 1e300, '', undefined), hostile, long),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...TRAPS), hostile, long), tie('value'), {
      maxKeys: 5,
      noNullPrototype: true,
    }),
  ),
})).value

it('the JSON encoder writes the same bytes as JSON.stringify for any value', () => {
  check(
    fc.property(
      fc.dictionary(hostile, values, { maxKeys: 4, noNullPrototype: true }),
      fc.nat(90_000),
      (value, size) => {
        const wanted = Buffer.from(JSON.stringify(value))
        expect(Buffer.concat(runSteps(writeJson(value as Json))).equals(wanted)).toBe(true)
        expect(Buffer.from(runSteps(writeWhole(value as Json, size))).equals(wanted)).toBe(true)
      },
    ),
    300,
  )
})

it('the JSON encoder splits no pair behind a lone surrogate', () => {
  for (let before = 32 * 1024 - 3; before <= 32 * 1024 + 1; before += 1) {
    const value = { text: `${'a'.repeat(before)}\ud83d\u{1f642}${'a'.repeat(40_000)}` }
    expect(Buffer.from(runSteps(writeWhole(value, 0))).toString()).toBe(JSON.stringify(value))
  }
})

it('the JSON encoder yields many times within long texts and long lists', () => {
  for (const value of ['☂'.repeat(1_000_000), Array.from({ length: 100_000 }, (_, at) => ({ at }))]) {
    for (const steps of [writeJson({ value } as Json), writeWhole({ value } as Json, 1000)]) {
      let slices = 1
      for (let next = steps.next(); next.done !== true; next = steps.next()) slices += 1
      expect(slices).toBeGreaterThan(20)
    }
  }
})
