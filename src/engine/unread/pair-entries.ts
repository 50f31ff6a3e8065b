import { isNonEmptyString, isObject } from '../../text/json.ts'
import { mapSteps, type Steps } from '../../text/steps.ts'
import { hasSameContent, weightOf } from './same-content.ts'

/** Entries that are searched for the next equal one. */
const LOOKAHEAD = 32

type Entries = readonly unknown[]

/** A range of entries of the client and one of encoded entries, `to` exclusive. */
interface Gap {
  readonly left: readonly [from: number, to: number]
  readonly right: readonly [from: number, to: number]
}

/**
 * Finds the entry of `right` that an entry of `left` has become: both are the same list of a body, as its client sent it
 * and as the hub encoded it. Entries with the same content are pairs if they are neighbours of a pair, at the beginning
 * or at the end, or if no other entry near them has this content. The entries between pairs are pairs themselves if
 * their number is the same on both sides and they are of the same kind, or if they have the same id or name. Pairs have
 * the order of both lists. An entry without a pair was dropped, or joined with another one. O(n) for n entries.
 */
export function* pairEntries(left: Entries, right: Entries): Steps<ReadonlyMap<number, number>> {
  const pairs = new Map<number, number>()
  const [mine, theirs] = [yield* weighed(left), yield* weighed(right)]
  const isSame = (at: number, other: number): boolean => areSame(mine[at], theirs[other])
  let [end, last] = [left.length, right.length]
  let [start, next] = [0, 0]
  while (start < end && next < last && isSame(start, next)) pairs.set(start++, next++)
  while (end > start && last > next && isSame(end - 1, last - 1)) pairs.set(--end, --last)
  for (let at = start; at < end; at += 1) {
    yield
    const found = findSame(mine[at], theirs, next, last)
    const isNext = at === start && found === next
    if (found === null || !(isNext || (isSingle(mine, at, start, end) && isSingle(theirs, found, next, last)))) continue
    let [to, until] = [at, found]
    while (to > start && until > next && isSame(to - 1, until - 1)) pairs.set(--to, --until)
    pairBetween({ left: [start, to], right: [next, until] }, left, right, pairs)
    pairs.set(at, found)
    start = at + 1
    next = found + 1
  }
  pairBetween({ left: [start, end], right: [next, last] }, left, right, pairs)
  return pairs
}

/** An entry with its weight: entries of different weights are different. */
interface Weighed {
  readonly entry: unknown
  readonly weight: number
}

const weighed = (entries: Entries): Steps<readonly Weighed[]> =>
  mapSteps(entries, (entry) => ({ entry, weight: weightOf(entry) }))

const areSame = (left: Weighed | undefined, right: Weighed | undefined): boolean =>
  left?.weight === right?.weight && hasSameContent(left?.entry, right?.entry)

function findSame(one: Weighed | undefined, right: readonly Weighed[], from: number, to: number): number | null {
  const end = Math.min(to, from + LOOKAHEAD)
  for (let at = from; at < end; at += 1) if (areSame(one, right[at])) return at
  return null
}

/** Whether no other entry of the range that is near this one has its content. */
function isSingle(entries: readonly Weighed[], at: number, from: number, to: number): boolean {
  const end = Math.min(to, at + LOOKAHEAD)
  for (let other = Math.max(from, at - LOOKAHEAD); other < end; other += 1)
    if (other !== at && areSame(entries[at], entries[other])) return false
  return true
}

/** Pairs the entries of a gap: in their order if there are as many on both sides, else by their ids and names. */
function pairBetween(gap: Gap, left: Entries, right: Entries, pairs: Map<number, number>): void {
  const [from, to] = gap.left
  const [first, end] = gap.right
  if (from === to || first === end) return
  if (to - from === end - first) {
    const [mine, theirs] = [
      new Set(left.slice(from, to).flatMap(idsOf)),
      new Set(right.slice(first, end).flatMap(idsOf)),
    ]
    for (let at = from; at < to; at += 1) {
      const other = at - from + first
      // An id that only one side has was changed or added by the hub.
      const isMoved =
        idsOf(left[at]).some((id) => theirs.has(id) && !idsOf(right[other]).includes(id)) ||
        idsOf(right[other]).some((id) => mine.has(id) && !idsOf(left[at]).includes(id))
      if (!isMoved && isSameKind(left[at], right[other])) pairs.set(at, other)
    }
    return
  }
  const [mine, theirs] = [namedIn(left, from, to), namedIn(right, first, end)]
  let last = first - 1
  for (const [name, at] of mine) {
    const other = theirs.get(name) ?? null
    if (at === null || other === null || other <= last || !isSameKind(left[at], right[other])) continue
    pairs.set(at, other)
    last = other
  }
}

/** The members that identify an entry, or the call that it is about. */
const IDS = ['id', 'call_id', 'tool_call_id', 'tool_use_id'] as const

/** The members that name the kind of an entry, or its tool. */
const KINDS = ['role', 'type', 'name', 'tool_name', 'server_label'] as const

/** Objects of an entry that hold its own fields. */
const INNER = ['function', 'custom', 'functionCall', 'functionResponse'] as const

type Entry = Readonly<Record<string, unknown>>

const valuesOf = (entry: unknown, names: readonly string[]): readonly string[] =>
  isObject(entry)
    ? [entry, ...INNER.map((name) => entry[name])].flatMap((it) =>
        isObject(it) ? names.map((name) => it[name]).filter(isNonEmptyString) : [],
      )
    : []

const idsOf = (entry: unknown): readonly string[] => valuesOf(entry, IDS)

/** The entries of a range by their ids, or else their names; null if several have the same. */
function namedIn(entries: Entries, from: number, to: number): ReadonlyMap<string, number | null> {
  const named = new Map<string, number | null>()
  for (let at = from; at < to; at += 1) {
    const ids = idsOf(entries[at])
    const words = ids.length > 0 ? ids : valuesOf(entries[at], ['name', 'tool_name', 'server_label'])
    for (const word of new Set(words)) named.set(word, named.has(word) ? null : at)
  }
  return named
}

/** A system message may be sent as a message of the developer. */
const kindOf = (word: unknown): unknown => (word === 'developer' ? 'system' : word)

const differs = (left: Entry, right: Entry, name: string): boolean =>
  isNonEmptyString(left[name]) && isNonEmptyString(right[name]) && kindOf(left[name]) !== kindOf(right[name])

function isSameKind(left: unknown, right: unknown): boolean {
  if (!isObject(left) || !isObject(right)) return false
  if (KINDS.some((name) => differs(left, right, name))) return false
  if (INNER.some((name) => isObject(left[name]) && isObject(right[name]) && !isSameKind(left[name], right[name])))
    return false
  return Object.keys(left).some((name) => Object.hasOwn(right, name) && name !== 'role' && name !== 'type')
}
