/**
 * Looks up an untrusted word in a table. `table[word]` alone would find `constructor` and others on `Object.prototype`.
 */
export function lookup<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
