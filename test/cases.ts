import type { KnownWire } from '../src/wires/contract.ts'

/** Checks all cases and throws one error that lists every failing case by name. */
export function checkEach<T>(cases: readonly T[], nameOf: (one: T) => string, check: (one: T) => void): void {
  const errors: unknown[] = []
  for (const one of cases) {
    try {
      check(one)
    } catch (error) {
      if (error instanceof Error) error.message = `${nameOf(one)}: ${error.message}`
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${cases.length} cases fail`)
}

/** Groups the cases by wire. */
export function byWire<T extends { readonly wire: KnownWire }>(
  cases: readonly T[],
): readonly (readonly [string, T[]])[] {
  const names = [...new Set(cases.map(({ wire }) => wire.name))]
  return names.map((name) => [name, cases.filter(({ wire }) => wire.name === name)])
}
