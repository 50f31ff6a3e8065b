import { describe, expect, it } from 'vitest'
import { LONG_JSON, parseLong } from '../../src/text/json-long.ts'
import { parseTextPieces } from '../../src/text/json-pieces.ts'
import { runSteps } from '../../src/text/steps.ts'

const LIMITS = { values: 1_000, depth: 10, members: 1_000 }
const LONG = 'x'.repeat(LONG_JSON)

describe.each([
  ['at once', undefined],
  ['in pieces', parseTextPieces],
])('a long JSON text that is read %s', (_, inPieces) => {
  it.each([
    ['strict', `{"a":"${LONG}"}`, LONG, true],
    ['a lone backslash', `{"a":"\\q${LONG}"}`, `\\q${LONG}`, false],
    ['a raw control character', `{"a":"\n${LONG}"}`, `\n${LONG}`, false],
    ['no JSON', `{"a":"${LONG}`, undefined, false],
  ])('is read like a short one: %s', (_, text, value, isStrict) => {
    const read = runSteps(parseLong(text, LIMITS, inPieces))
    expect(read).toEqual({ ok: true, value: value === undefined ? null : { a: value }, isStrict })
  })
})
