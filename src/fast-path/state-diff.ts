import type { JsonRecord } from '../protocol/json.ts'
import { type NestedScan, scanNested } from '../text/json-scan.ts'
import { lookup } from '../text/lookup.ts'
import { codePoints } from '../text/offsets.ts'

/**
 * How a field changes: by the text itself, or by its length. `scan`: it is the scan of a value that the text continues.
 * `last`: it depends on the last chunk only.
 */
type Kind = 'text' | 'utf16' | 'code-points' | 'scan' | 'last'

/** The type that a field must have, so that further text can be added to it. */
const SORTS = { text: 'string', utf16: 'number', 'code-points': 'number', scan: 'number', last: null } satisfies Record<
  Kind,
  string | null
>

/**
 * How a state changes from chunk to chunk, field by field; for an object or a list inside it, how that changes. Every
 * other field stays the same, by identity.
 */
export interface StateDiff {
  readonly [name: string]: Kind | StateDiff
}

const isRecord = (value: unknown): value is JsonRecord => typeof value === 'object' && value !== null

const NONE: StateDiff = {}

/**
 * No decoder accumulates text deeper than this. A state may contain data of an upstream as it arrived, of any depth.
 */
const DEEPEST = 10

/**
 * Returns how the state changed by this text, whose length and number of characters must differ; null if the states
 * differ otherwise.
 */
export function diffStates(before: unknown, after: unknown, words: string, deepest = DEEPEST): StateDiff | null {
  if (before === after) return NONE
  if (deepest === 0 || !isRecord(before) || !isRecord(after)) return null
  const names = Object.keys(after)
  if (names.length !== Object.keys(before).length) return null
  const grown = names.filter((name) => after[name] !== before[name])
  return Object.fromEntries(grown.map((name) => [name, kindOf(before[name], after[name], words, deepest - 1)]))
}

function kindOf(before: unknown, after: unknown, words: string, deepest: number): Kind | StateDiff {
  if (typeof before === 'string' && after === before + words) return 'text'
  if (typeof before === 'number' && typeof after === 'number') {
    if (after - before === words.length) return 'utf16'
    if (after !== 0 && after === scanNested(before, words)) return 'scan'
    return after - before === codePoints(words) ? 'code-points' : 'last'
  }
  const inside = diffStates(before, after, words, deepest)
  // A value that changes in another way is replaced as a whole.
  return inside === null || replacesText(inside) ? 'last' : inside
}

/** Returns whether a field changes otherwise than by growing. */
export const replacesText = (growth: StateDiff): boolean =>
  Object.values(growth).some((kind) => (typeof kind === 'string' ? kind === 'last' : replacesText(kind)))

/** Returns where the scan of the text is in a state; null if it has none. */
export function scanPath(growth: StateDiff): readonly string[] | null {
  for (const [name, kind] of Object.entries(growth)) {
    if (kind === 'scan') return [name]
    const inside = typeof kind === 'string' ? null : scanPath(kind)
    if (inside !== null) return [name, ...inside]
  }
  return null
}

/** Returns the scan at this place of a state; 0 if there is none. */
export function scanAt(state: unknown, path: readonly string[]): NestedScan {
  let value = state
  for (const name of path) value = isRecord(value) ? value[name] : undefined
  return typeof value === 'number' ? value : 0
}

/**
 * Returns the state after this text, without the values that depend on the last chunk. `scan`: the scan after this text;
 * null if it is not known.
 */
export function applyDiff<State>(
  state: State,
  growth: StateDiff,
  words: string,
  scan: NestedScan | null = null,
): State {
  const names = Object.keys(growth)
  if (names.length === 0 || !isRecord(state)) return state
  if (Array.isArray(state)) return state.map((value, at) => larger(value, growth[at], words, scan)) as State
  const grown: Record<string, unknown> = { ...state }
  for (const name of names) grown[name] = larger(state[name], growth[name], words, scan)
  return grown as State
}

/** Returns the state as it was before any text was added. */
export function withoutTexts<State>(state: State, growth: StateDiff): State {
  if (!isRecord(state)) return state
  const emptied = Object.entries(growth).map(([name, kind]) => {
    const value = state[name]
    return [name, typeof kind !== 'string' ? withoutTexts(value, kind) : kind === 'text' ? '' : value]
  })
  const all = Array.isArray(state) ? [...state] : { ...state }
  return Object.assign(all, Object.fromEntries(emptied)) as State
}

function larger(value: unknown, kind: Kind | StateDiff | undefined, words: string, scan: NestedScan | null): unknown {
  switch (kind) {
    case undefined:
    case 'last':
      return value
    case 'text':
      return `${value}${words}`
    case 'utf16':
      return (value as number) + words.length
    case 'code-points':
      return (value as number) + codePoints(words)
    case 'scan':
      return scan ?? scanNested(value as NestedScan, words)
    default:
      return applyDiff(value, kind, words, scan)
  }
}

/** Returns whether two states are equal except for the fields that change. */
export function isSameExcept(one: unknown, other: unknown, growth: StateDiff): boolean {
  if (one === other) return true
  if (!isRecord(one) || !isRecord(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => sameField(one, other, name, growth))
}

function sameField(one: JsonRecord, other: JsonRecord, name: string, growth: StateDiff): boolean {
  const kind = lookup(growth, name)
  if (kind === undefined) return one[name] === other[name]
  if (typeof kind !== 'string') return isSameExcept(one[name], other[name], kind)
  const sort = SORTS[kind]
  return sort === null || (typeof one[name] === sort && typeof other[name] === sort)
}
