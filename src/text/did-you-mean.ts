/** The number of letters to insert, delete or replace, or of neighbours to swap, to make one text of the other. O(n·m). */
function distance(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    ;[before, last] = [last, row]
  }
  return last[other.length] ?? 0
}

/** Longer names are not compared, because the time grows with the square of their length. */
const LONGEST = 64

/** The highest number of suggestions. */
const MOST = 3

/** Nearly every known name is close to a shorter name. */
const SHORTEST = 3

/** Two letters may differ, or a third of them. */
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
