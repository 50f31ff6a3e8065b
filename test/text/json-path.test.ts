import { expect, it } from 'vitest'
import { valueAt } from '../../src/text/json-path.ts'
import { formatPath } from '../../src/validation/messages.ts'

it.each(['a', '$defs', 'a.b', 'a b', 'a"b', 'a]b', 'a\\b', 'Mühle'])(
  'finds the value of a member with the name %j',
  (name) => {
    const body = { list: [{ [name]: { b: 1 } }] }
    expect(valueAt(body, formatPath(['list', 0, name, 'b']))).toBe(1)
    expect(valueAt(body, formatPath(['list', 0, `${name}x`, 'b']))).toBeUndefined()
  },
)

it.each(['list["a', 'list[0]["\\u{200b}"]', 'list[0].a.b.c', 'list[1]'])('finds no value at %s', (path) => {
  expect(valueAt({ list: [{ a: { b: 1 } }] }, path)).toBeUndefined()
})

it.each([
  ['\u202e', '["\\u{202e}"]'],
  ['a\u2028\u2029', '["a\\u{2028}\\u{2029}"]'],
  ['\u{e0001}', '["\\u{e0001}"]'],
  ['é 漢 😀', '["é 漢 😀"]'],
])('writes characters that cannot be seen as their numbers: %j', (name, path) => {
  expect(formatPath([name])).toBe(path)
})
