import { didYouMean } from '../gateway/config/did-you-mean.ts'

/** The message for an unknown name: the closest known name and all known names. */
export const unknownName = (flag: string, name: string, known: readonly string[], consequence = ''): string =>
  `${flag}: "${name}" is not known${consequence}.${didYouMean(name, known)} Expected one of: ${known.join(', ')}.`

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
