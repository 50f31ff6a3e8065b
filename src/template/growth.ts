import { codePoints } from '../text/offsets.ts'

/**
 * How a state changes from chunk to chunk: fields that gather the text itself, or count its length, and fields that tell
 * what the last chunk told. Every other field stays what it is, by identity.
 */
export type Growth = Readonly<Record<string, 'text' | 'utf16' | 'code-points' | 'last'>>

type Bag = Readonly<Record<string, unknown>>

const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null

const NONE: Growth = {}

/** What grew by these words, of which length and number of characters must differ; null where the state is another. */
export function growthOf(before: unknown, after: unknown, words: string): Growth | null {
  if (before === after) return NONE
  if (!isBag(before) || !isBag(after)) return null
  const names = Object.keys(after)
  if (names.length !== Object.keys(before).length) return null
  const grown = names.filter((name) => after[name] !== before[name])
  return Object.fromEntries(grown.map((name) => [name, kindOf(before[name], after[name], words)]))
}

function kindOf(before: unknown, after: unknown, words: string): Growth[string] {
  if (typeof before === 'string' && after === before + words) return 'text'
  if (typeof before !== 'number' || typeof after !== 'number') return 'last'
  if (after - before === words.length) return 'utf16'
  return after - before === codePoints(words) ? 'code-points' : 'last'
}

/** Does it tell more than that something grew? */
export const tellsLast = (growth: Growth): boolean => Object.values(growth).includes('last')

/** The state after these words, but for what the last chunk tells. */
export function grow<State>(state: State, growth: Growth, words: string): State {
  const names = Object.keys(growth)
  if (names.length === 0 || !isBag(state)) return state
  const grown = names.map((name) => [name, larger(state[name], growth[name], words)])
  return { ...state, ...Object.fromEntries(grown) }
}

function larger(value: unknown, kind: Growth[string] | undefined, words: string): unknown {
  switch (kind) {
    case 'text':
      return `${value}${words}`
    case 'utf16':
      return (value as number) + words.length
    case 'code-points':
      return (value as number) + codePoints(words)
    default:
      return value
  }
}

/** Are these the same but for what changes? */
export function sameBut(one: unknown, other: unknown, growth: Growth): boolean {
  if (one === other) return true
  if (!isBag(one) || !isBag(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length && names.every((name) => name in growth || one[name] === other[name])
  )
}
