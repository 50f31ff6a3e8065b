import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CallJson, checkJson, withMoreJson } from '../../src/responses/call-arguments.ts'
import { isCompleteJson } from '../../src/text/json.ts'
import { check } from '../property.ts'

const crumbs = fc.string({
  unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', ' ', '1', '-', 'e', 'true', 'a'),
  maxLength: 8,
})
const piece = fc.oneof(
  crumbs,
  fc.constantFrom('', ' ', '{}', '{"a":', '"b\\"', '"', '}', '1', '-', '9'.repeat(70), 'null'),
)
/** Yields JSON in pieces, also cut JSON, and random text. */
const pieces = fc.oneof(
  fc.array(piece, { maxLength: 8 }),
  fc.tuple(fc.json(), fc.nat(), fc.nat()).map(([json, a, b]) => {
    const [from, to] = [a, b].map((at) => at % (json.length + 1)).sort((x, y) => x - y) as [number, number]
    return [json.slice(0, from), json.slice(from, to), json.slice(to), ' ']
  }),
)

test('arguments count as complete exactly when they are, for any pieces and any time of the check', () => {
  check(
    fc.property(pieces, fc.array(fc.boolean(), { maxLength: 8 }), (list, asks) => {
      let json: CallJson | null = null
      let text = ''
      list.forEach((more, i) => {
        json = json === null ? null : withMoreJson(json, text, more)
        text += more
        if (asks[i] !== true) return
        json = checkJson(JSON.parse(JSON.stringify(json)) as CallJson | null, text)
        expect(json.whole).toBe(isCompleteJson(text))
      })
    }),
    3000,
  )
})

test('open arguments are not parsed again while they cannot be complete', () => {
  const open = checkJson(null, '{"a":[')
  expect(open.whole).toBe(false)
  expect(withMoreJson(open, '{"a":[', '1,2').whole).toBe(false)
  expect(withMoreJson(open, '{"a":[', '1]}').whole).toBeNull()
})
