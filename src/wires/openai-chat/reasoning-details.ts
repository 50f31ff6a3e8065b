import { EMPTY_LIST, type List, listAppend, listAt, listWith } from '../../collections/list.ts'
import { mapGet, mapSet, type SortedMap } from '../../collections/sorted-map.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { appendFlat } from '../../text/flat-string.ts'
import { formatJson, isNonEmptyString, isObject } from '../../text/json.ts'

/**
 * One entry of `reasoning_details` (OpenRouter and vendors that adopted it). Fragments with the same index and type
 * form one entry. Text and summary grow; signature and data come in fragments of their own.
 */
export type Detail = JsonObject

const GROWING = ['text', 'summary'] as const

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The entries received so far, in order, with an index of them by `index` and `type`. */
export interface Details {
  readonly entries: List<Detail>
  readonly positions: SortedMap<string, number>
  /** An entry had more members than are kept. */
  readonly cut: boolean
}

export const NO_ENTRIES: Details = { entries: EMPTY_LIST, positions: null, cut: false }

/** Lists and objects are never equal to another value. */
const isWord = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Merges fragments into the entries received so far. O(log n) for a fragment after n entries. */
export function mergeDetails(known: Details, found: readonly unknown[]): Details {
  let { entries, positions, cut } = known
  for (const fragment of found.filter(isObject) as Detail[]) {
    const { index, type } = fragment
    const name = isWord(index) && isWord(type) ? formatJson([index === undefined ? [] : index, type]) : ''
    const at = name === '' ? undefined : mapGet(positions, name)
    const old = at === undefined ? undefined : listAt(entries, at)
    // Encrypted entries are complete, and each belongs to its own tool call.
    if (at !== undefined && old !== undefined && !(isNonEmptyString(old.data) && isNonEmptyString(fragment.data))) {
      const merged = mergeFragment(old, fragment)
      cut ||= Object.keys(fragment).some((field) => isPresent(fragment[field]) && !Object.hasOwn(merged, field))
      entries = listWith(entries, at, merged)
      continue
    }
    if (name !== '' && at === undefined) positions = mapSet(positions, name, entries.length)
    entries = listAppend(entries, fragment)
  }
  return { entries, positions, cut }
}

const isPresent = (value: unknown): boolean => value !== null && value !== ''

/**
 * The most members of one entry. Further members of fragments are dropped, so that merging a fragment costs no more
 * than its length.
 */
const MOST_MEMBERS = 64

export function mergeFragment(old: Detail, fragment: Detail): Detail {
  const room = MOST_MEMBERS - Object.keys(old).length
  const present = Object.entries(fragment).filter(([, value]) => isPresent(value))
  const more = present.filter(([name]) => !Object.hasOwn(old, name)).slice(0, Math.max(0, room))
  const again = present.filter(([name]) => Object.hasOwn(old, name))
  const grown = GROWING.filter((field) => isNonEmptyString(fragment[field])).map((field) => [
    field,
    appendFlat(wordsOf(old[field]), wordsOf(fragment[field])),
  ])
  return { ...old, ...Object.fromEntries([...again, ...more]), ...Object.fromEntries(grown) }
}

/** Readable text alone needs no encrypted copy: the item already contains it. */
export const isWorthSealing = (details: readonly Detail[]): boolean =>
  details.some(({ signature, data }) => isNonEmptyString(signature) || isNonEmptyString(data))
