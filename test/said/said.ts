/** What was said, by readers of their own: as simple as can be, and blind to everything but words. */
export interface Said {
  readonly text: string
  readonly thoughts: string
}

// biome-ignore lint/suspicious/noExplicitAny: the JSON of sixty vendors
export type Loose = any

export const wordsIn = (value: Loose): string => (typeof value === 'string' ? value : '')
