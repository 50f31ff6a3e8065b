import { describe, expect, it } from 'vitest'
import { trackFieldAccess } from '../../src/fast-path/track-field-access.ts'
import { isDone, jsonOf } from '../../src/framing/frame.ts'
import { parseJson } from '../../src/text/json.ts'

const TEXT = '{"a":{"b":[{"c":1,"d":2}],"e":3},"f":"x","g":null}'
const FRAME = { event: '', data: TEXT }

/** An untyped parsed value. */
// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary fields of this value
type Loose = any

const readBy = (steps: (value: Loose) => unknown): readonly string[] =>
  [...trackFieldAccess(FRAME, (frame) => void steps(jsonOf(frame)))].filter((name) => /^[a-z]$/.test(name)).sort()

describe('the fields that a function reads', () => {
  it.each<[string, (value: Loose) => unknown, string[]]>([
    ['one by one', (value) => value.a.b[0].c, ['a', 'b', 'c']],
    ['through lists', (value) => value.a.b.filter(Boolean).map(({ d }: Loose) => d), ['a', 'b', 'd']],
    ['tested with in, present or not', (value) => ['f' in value, Object.hasOwn(value, 'g'), value.x], ['f', 'g', 'x']],
    ['all of them, if they are counted', (value) => Object.keys(value).length, ['a', 'f', 'g']],
    ['all of them, if they are copied', (value) => ({ ...value.a }), ['a', 'b', 'e']],
    ['all of them, if they are written', (value) => JSON.stringify(value), ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['none', () => null, []],
  ])('are recorded if they are read: %s', (_, steps, names) => {
    expect(readBy(steps)).toEqual(names)
  })

  it('keep lists as lists and values unchanged while they are recorded', () => {
    trackFieldAccess(FRAME, (frame) => {
      const { a, f } = jsonOf(frame) as Loose
      expect(Array.isArray(a.b)).toBe(true)
      expect(JSON.parse(JSON.stringify(a))).toEqual({ b: [{ c: 1, d: 2 }], e: 3 })
      expect(f).toBe('x')
    })
  })

  it('are all fields if the text itself is read, which no decoder of this package does', () => {
    const own = trackFieldAccess(FRAME, ({ data }) => void parseJson(data))
    expect([own.readsText, own.has('anything')]).toEqual([true, true])
    const tracked = trackFieldAccess(FRAME, (frame) => void [isDone(frame), jsonOf(frame)])
    expect([tracked.readsText, tracked.has('anything')]).toEqual([false, false])
  })
})
