/**
 * The row of a table under a word that came from outside. A bare `table[word]` would find `constructor` and its kin on
 * Object.prototype.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
