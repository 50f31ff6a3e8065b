/**
 * The text and the reasoning of an answer, collected by readers that are independent of the decoders and as simple as
 * possible.
 */
export interface ReadAnswer {
  readonly text: string
  readonly reasoning: string
}

// biome-ignore lint/suspicious/noExplicitAny: the JSON of sixty vendors has no common type
export type Loose = any

export const textsIn = (value: Loose): string => (typeof value === 'string' ? value : '')
