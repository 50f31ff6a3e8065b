import { didYouMean } from '../host/did-you-mean.ts'

/** Why a name was refused, with the closest of those that are known, and all of them. */
export const unknownName = (flag: string, name: string, known: readonly string[], consequence = ''): string =>
  `${flag}: "${name}" is not known${consequence}.${didYouMean(name, known)} Expected one of: ${known.join(', ')}.`

/** What a name stands for. Throws an Error that says which names there are. */
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
