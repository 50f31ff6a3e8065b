/**
 * Converts a name in snake case. Linear time: the pattern matches each run of underscores once, whether or not a letter
 * follows it.
 */
export const toCamel = (name: string): string =>
  name.replace(/_+[a-z]?/g, (found) => (found.endsWith('_') ? found : found.slice(-1).toUpperCase()))
