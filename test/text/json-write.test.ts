import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json } from '../../src/protocol/json.ts'
import { withoutHalves, writeJson, writeWhole } from '../../src/text/json-write.ts'
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

/** JSON text with whole characters: UTF-8 has no halves. */
function wholeText(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(Buffer.from(value).toString())
  if (Array.isArray(value)) return `[${value.map((one) => wholeText(one ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  return `{${members.map(([name, one]) => `${wholeText(name)}:${wholeText(one)}`).join(',')}}`
}

it('the JSON encoder writes the same bytes as JSON.stringify for any value, and to providers whole characters only', () => {
  check(
    fc.property(
      fc.dictionary(hostile, values, { maxKeys: 4, noNullPrototype: true }),
      fc.nat(90_000),
      (value, size) => {
        const wanted = Buffer.from(JSON.stringify(value))
        expect(Buffer.concat(runSteps(writeJson(value as Json))).equals(wanted)).toBe(true)
        const whole = wholeText(value)
        expect(Buffer.from(runSteps(writeWhole(value as Json, size))).equals(Buffer.from(whole))).toBe(true)
        expect(withoutHalves(JSON.stringify(value))).toBe(whole)
      },
    ),
    300,
  )
})

it('the JSON encoder splits no pair behind a lone surrogate', () => {
  for (let before = 32 * 1024 - 3; before <= 32 * 1024 + 1; before += 1) {
    const value = { text: `${'a'.repeat(before)}\ud83d\u{1f642}${'a'.repeat(40_000)}` }
    expect(Buffer.from(runSteps(writeWhole(value, 0))).toString()).toBe(wholeText(value))
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

it('text that looks like the escape of a half stays', () => {
  const text = JSON.stringify(['\\ud83d', '\\\\ud83d', '\\', '\ud83d'])
  expect(withoutHalves(text)).toBe(JSON.stringify(['\\ud83d', '\\\\ud83d', '\\', '\ufffd']))
})
