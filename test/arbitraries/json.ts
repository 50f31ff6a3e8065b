import fc from 'fast-check'
import { hostile, TRAPS } from './strings.ts'

/** Any JSON with values of every type, preferring the field names that a decoder reads. */
export const jsonOf = (names: readonly string[], words: readonly string[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 0.5, 1e300, '', ...words),
      hostile,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names, ...TRAPS), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  })).value

export type Fields = (model: Record<string, fc.Arbitrary<unknown>>) => fc.Arbitrary<object>

/** Objects that are nearly valid: every field may be missing, and one in ten is something else. */
export const fieldsOr =
  (other: fc.Arbitrary<unknown>): Fields =>
  (model) =>
    fc.record(
      Object.fromEntries(
        Object.entries(model).map(([name, value]) => [
          name,
          fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: other }),
        ]),
      ),
      { requiredKeys: [], noNullPrototype: true },
    )

/** Values as JSON text: complete, cut, or replaced by invalid JSON. */
export const textOf = (value: fc.Arbitrary<unknown>, marks: readonly string[] = []): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: value.map((it) => JSON.stringify(it)) },
    { weight: 1, arbitrary: fc.tuple(value, fc.nat()).map(([it, at]) => cutText(JSON.stringify(it), at)) },
    { weight: 1, arbitrary: fc.constantFrom('', '{', 'null', ...marks) },
    { weight: 1, arbitrary: hostile },
  )

const cutText = (text: string, at: number): string => text.slice(0, at % (text.length + 1))
