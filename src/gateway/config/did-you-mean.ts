import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, because the time grows with the square of their length. */
const LONGEST = 64

/** The highest number of suggestions. */
const MOST = 3

/** Nearly every known name is close to a shorter name. */
const SHORTEST = 3

/** Two letters may differ, as after a transposition, or a third of them. */
const isClose = (name: string, known: string): boolean =>
  known.startsWith(name) || distance(name, known) <= Math.min(Math.max(2, name.length / 3), name.length - 2)

/**
 * Returns ` Did you mean "groq"?`, or an empty text if no known name is close. Never repeats `name`, which may be a
 * secret.
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const given = name.trim().toLowerCase()
  if (given.length < SHORTEST || given.length > LONGEST) return ''
  const close = known
    .filter((one) => isClose(given, one.toLowerCase()))
    .sort((one, other) => distance(given, one) - distance(given, other))
  return close.length === 0 ? '' : ` Did you mean ${listed(close.slice(0, MOST))}?`
}

const listed = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(' or ')
