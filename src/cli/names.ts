import { didYouMean } from '../text/did-you-mean.ts'

interface UnknownNameOptions {
  /** A phrase for the consequence, which follows the statement. */
  readonly consequence?: string
  /** Names of another kind, which the list leaves out. */
  readonly suggested?: readonly string[]
}

/** The message for an unknown name: the closest known name and all known names. */
export const unknownName = (
  flag: string,
  name: string,
  known: readonly string[],
  { consequence = '', suggested = [] }: UnknownNameOptions = {},
): string =>
  `${flag}: "${name}" is not known${consequence}.${didYouMean(name, [...known, ...suggested])} Expected one of: ${known.join(', ')}.`

/** Returns the value of a name. Throws an Error that lists the known names. */
export function findNamed<T>(
  flag: string,
  name: string | undefined,
  known: readonly string[],
  find: (name: string) => T | undefined,
): T {
  if (name === undefined) throw new Error(`${flag} is missing. Expected one of: ${known.join(', ')}.`)
  const found = find(name)
  if (found === undefined) throw new Error(unknownName(flag, name, known))
  return found
}
