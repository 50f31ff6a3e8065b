/**
 * How a decoder's state grows with the text it hears: fields that gather the text itself, or count its length. Every
 * other field stays what it is, by identity.
 */
export type Growth = Readonly<Record<string, 'text' | 'utf16' | 'code-points'>>

type Bag = Readonly<Record<string, unknown>>

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null

const codePoints = (words: string): number => {
  let count = 0
  for (const _ of words) count += 1
  return count
}

const NONE: Growth = {}

/** What grew by these words, of which length and number of characters must differ; null where anything else changed. */
export function growthOf(before: unknown, after: unknown, words: string): Growth | null {
  if (before === after) return NONE
  if (!isBag(before) || !isBag(after)) return null
  const names = Object.keys(after)
  if (names.length !== Object.keys(before).length) return null
  const grown = names.filter((name) => after[name] !== before[name])
  const kinds = grown.map((name) => [name, kindOf(before[name], after[name], words)] as const)
  return kinds.every(([, kind]) => kind !== null) ? (Object.fromEntries(kinds) as Growth) : null
}

function kindOf(before: unknown, after: unknown, words: string): Growth[string] | null {
  if (typeof before === 'string') return after === before + words ? 'text' : null
  if (typeof before !== 'number' || typeof after !== 'number') return null
  if (after - before === words.length) return 'utf16'
  return after - before === codePoints(words) ? 'code-points' : null
}

/** The state after these words. */
export function grow(state: unknown, growth: Growth, words: string): unknown {
  const names = Object.keys(growth)
  if (names.length === 0 || !isBag(state)) return state
  const grown = names.map((name) => [name, larger(state[name], growth[name], words)])
  return { ...state, ...Object.fromEntries(grown) }
}

function larger(value: unknown, kind: Growth[string] | undefined, words: string): unknown {
  if (kind === 'text') return `${value}${words}`
  return (value as number) + (kind === 'utf16' ? words.length : codePoints(words))
}

/** Are these the same but for what grows? */
export function sameBut(one: unknown, other: unknown, growth: Growth): boolean {
  if (one === other) return true
  if (!isBag(one) || !isBag(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length && names.every((name) => name in growth || one[name] === other[name])
  )
}

/** Are these the same, field by field? */
export const sameState = (one: unknown, other: unknown): boolean => sameBut(one, other, NONE)
