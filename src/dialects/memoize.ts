import { getOrCreate } from '../collections/get-or-create.ts'
import type { Dialect } from './dialect.ts'

/** Returns a function that derives a value from a dialect's tables, once for each dialect. */
export function memoizeByDialect<Made extends object>(make: (dialect: Dialect) => Made): (dialect: Dialect) => Made {
  const known = new WeakMap<Dialect, Made>()
  return (dialect) => getOrCreate(known, dialect, make)
}
