import type { Dialect } from './dialect.ts'

/** What is made of a dialect's tables, made once for each. */
export function perDialect<Made extends object>(make: (dialect: Dialect) => Made): (dialect: Dialect) => Made {
  const known = new WeakMap<Dialect, Made>()
  return (dialect) => {
    const made = known.get(dialect) ?? make(dialect)
    known.set(dialect, made)
    return made
  }
}
