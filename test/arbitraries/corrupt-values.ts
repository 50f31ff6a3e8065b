import fc from 'fast-check'

type Path = readonly (string | number)[]

const entriesOf = (value: unknown): readonly (readonly [string | number, unknown])[] => {
  if (Array.isArray(value)) return [...value.entries()]
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

export const pathsOf = (value: unknown): readonly Path[] =>
  entriesOf(value).flatMap(([key, inner]) => [[key], ...pathsOf(inner).map((path) => [key, ...path])])

export function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((inner, i) => (i === key ? replaced(inner, rest, by) : inner))
  const entries = entriesOf(value).map(([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner])
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined))
}

/** Valid values, most of them with one value replaced or removed. */
export const corruptedValues = (right: fc.Arbitrary<object>, other: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc
    .tuple(right, fc.nat(), fc.oneof(fc.constant(undefined), other), fc.boolean(), fc.boolean())
    .map(([value, at, by, once, twice]) => {
      const paths = pathsOf(value)
      const path = paths[at % Math.max(1, paths.length)]
      return path === undefined || (once && twice) ? value : (replaced(value, path, by) as object)
    })
