import {
  differs,
  fieldNameAt,
  isAround,
  loosePositions,
  positionsOfAll,
  repeatsOf,
  type SlotPosition,
  scan,
} from './find-slots.ts'
import type { JsonField } from './json-fields.ts'
import { endOf, NO_NAMES, patternEnd, TEXT } from './scan-string.ts'
import type { Slot } from './slot.ts'

/** The fields that a wire declares for its chunks: names, at any depth. */
export interface TemplateFields {
  /** Fields that hold the text of a delta. */
  readonly leaves: readonly string[]
  /** Fields with numbers that each chunk replaces. */
  readonly counts: readonly string[]
  /** Fields that the edits of a passed stream read beside those of the decoder. Left out: there are none. */
  readonly edited?: readonly string[]
}

/** A payload with slots: literal, slot, literal, … literal. */
export interface Pattern {
  readonly literals: readonly string[]
  readonly slots: readonly Slot[]
  /** Names of members that end a slot for members: those that a decoder reads, and those that follow such a slot. */
  readonly known: ReadonlySet<string>
}

/** Returns the content of each slot in a payload; null if it is no instance, with a text that is not empty. */
export function contentsOf({ literals, slots, known }: Pattern, payload: string): readonly SlotPosition[] | null {
  if (!payload.startsWith(literals[0] ?? '')) return null
  const found: SlotPosition[] = []
  let at = (literals[0] ?? '').length
  let leaf = ''
  for (const [i, slot] of slots.entries()) {
    const end = slot === 'repeat' ? at + leaf.length : endOf(payload, slot, at, known)
    const literal = literals[i + 1] ?? ''
    if (end < 0 || (slot === 'leaf' && end === at) || !payload.startsWith(literal, end)) return null
    if (slot === 'leaf') leaf = payload.slice(at, end)
    if (slot === 'repeat' && !payload.startsWith(leaf, at)) return null
    found.push({ slot, start: at, end })
    at = end + literal.length
  }
  return at === payload.length ? found : null
}

const matchesPattern = (pattern: Pattern, payload: string): boolean => contentsOf(pattern, payload) !== null

/** The field in whose value two payloads first differ: its name, and where its value begins. */
type Difference = Omit<JsonField, 'end'>

const NO_DIFFERENCE: Difference = { name: '', start: 0 }

function firstDifference(payload: string, earlier: string): Difference {
  let at = 0
  while (at < payload.length && payload.charCodeAt(at) === earlier.charCodeAt(at)) at += 1
  if (at === payload.length) return NO_DIFFERENCE
  const end = payload.lastIndexOf('":', at)
  if (end < 1) return NO_DIFFERENCE
  const start = payload[end + 2] === ' ' ? end + 3 : end + 2
  return { name: payload.slice(payload.lastIndexOf('"', end - 1) + 1, end), start }
}

/** Returns the pattern of two payloads that differ in one text only, as those of most streams do. */
function plainPattern(payload: string, earlier: string, { start }: Difference): Pattern | null {
  const end = payload[start] === '"' ? patternEnd(payload, TEXT, start + 1) : -1
  if (end <= start + 1 || payload[end] !== '"') return null
  const pattern = toPattern(payload, [{ slot: 'leaf', start: start + 1, end }, ...blanksOf(payload, earlier)])
  return matchesPattern(pattern, earlier) ? pattern : null
}

/** Some upstreams pad their objects with spaces before the last brace. */
function blanksOf(payload: string, earlier: string): readonly SlotPosition[] {
  if (!payload.endsWith(' }') && !earlier.endsWith(' }')) return []
  const end = payload.length - 1
  return [{ slot: 'blanks', start: payload.slice(0, end).trimEnd().length, end }]
}

/** At most this many texts are tried: a chunk has one, the others only have the name of its field. */
const MOST_LEAVES = 4

/** Returns whether a payload can be an instance of any pattern. */
export const hasTextField = (payload: string, { leaves }: TemplateFields): boolean =>
  leaves.some((name) => hasField(payload, name))

/** Builds no string, because every chunk on the slow path is searched. */
function hasField(payload: string, name: string): boolean {
  for (let at = payload.indexOf(name, 1); at > 0; at = payload.indexOf(name, at + 1))
    if (payload[at - 1] === '"' && payload.startsWith('":', at + name.length)) return true
  return false
}

/** The places of the text of a chunk: one, or several with the same text. */
type LeafPositions = readonly [SlotPosition, ...SlotPosition[]]

/**
 * The changes from chunk to chunk that a pattern allows although the two chunks at hand do not show them: none, another
 * value of any field that no decoder reads, or another such field, including its name and its presence.
 */
export type PatternWidth = 'narrow' | 'values' | 'members'

/** In UTF-16 units. Longer payloads are not worth the time to learn a template: JSON.parse is faster. */
const LONGEST = 8 * 1024

/**
 * Yields every pattern that two successive payloads of a stream may have in common: with one text, and with slots for
 * fields that no decoder reads, where these differ, or may differ according to `width`. A proof decides which pattern
 * is right. `readBy` returns the names of the fields that a decoder reads.
 */
export function* patternsOf(
  payload: string,
  earlier: string,
  { leaves, counts }: TemplateFields,
  readBy: () => ReadonlySet<string>,
  width: PatternWidth,
): Iterable<Pattern> {
  if (payload.length > LONGEST) return
  const wide = width !== 'narrow'
  const first = firstDifference(payload, earlier)
  const plain = wide || !leaves.includes(first.name) ? null : plainPattern(payload, earlier, first)
  if (plain !== null) yield plain
  const now = scan(payload)
  // The first difference is tried first as the text.
  const names = [...leaves.filter((name) => name === first.name), ...leaves.filter((name) => name !== first.name)]
  const single = positionsOfAll(now, names, 'leaf')
    .slice(0, MOST_LEAVES)
    .map((leaf): LeafPositions => [leaf])
  if (single.length === 0) return
  const blanks = blanksOf(payload, earlier)
  const fitting = (all: readonly LeafPositions[], pads: readonly SlotPosition[], read = NO_NAMES): readonly Pattern[] =>
    all
      .map((positions) =>
        toPattern(payload, [...positions, ...pads.filter((pad) => !isAround(pad, positions[0])), ...blanks], read),
      )
      .filter((pattern) => pattern.slots.includes('leaf') && matchesPattern(pattern, earlier))

  const counted = positionsOfAll(now, counts, 'count')
  // A count that repeats may still change.
  const unpadded = (all: readonly LeafPositions[]): readonly Pattern[] =>
    wide ? [] : [...fitting(all, []), ...(counted.length === 0 ? [] : fitting(all, counted))]
  const alone = unpadded(single)
  yield* alone
  if (alone.length > 0) return
  const repeated = single
    .map(([leaf]): LeafPositions => [leaf, ...repeatsOf(now, leaf)])
    .filter((positions) => positions.length > 1)
  const together = unpadded(repeated)
  yield* together
  if (together.length > 0) return
  const then = scan(earlier)
  const changing = [...now.named.keys()].filter((name) => wide || differs(now, then, name))
  const padded = (read: ReadonlySet<string>): readonly Pattern[] => {
    const ignored = changing.filter((name) => !read.has(name))
    const loose = ignored.filter((name) => width === 'members' || !then.named.has(name))
    const pads = [...counted, ...positionsOfAll(now, ignored, 'value'), ...loosePositions(now, then, loose)]
    return fitting([...single, ...repeated], pads, read)
  }
  // Tracking the fields that a decoder reads makes the decoder slower for a while, so that it is done only if it can
  // succeed.
  if (padded(NO_NAMES).length === 0) return
  yield* padded(readBy())
}

export function toPattern(payload: string, found: readonly SlotPosition[], read = NO_NAMES): Pattern {
  const apart: SlotPosition[] = []
  // A place inside another one is part of it.
  for (const position of [...found].sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1)
    const goesOn = last?.slot === 'members' && position.slot === 'members' && position.start === last.end
    if (goesOn) apart.splice(-1, 1, { ...last, end: position.end })
    else if (position.start >= (last?.end ?? 0)) apart.push(position)
  }
  const behind = apart.filter(({ slot }) => slot === 'members').map(({ end }) => fieldNameAt(payload, end))
  const known = behind.length === 0 ? NO_NAMES : new Set([...read, ...behind])
  const first = apart.findIndex(({ slot }) => slot === 'leaf')
  const named = apart.map(
    (found, i): SlotPosition => (found.slot === 'leaf' && i > first ? { ...found, slot: 'repeat' } : found),
  )
  return cutAt(payload, named, known)
}

/** Returns the pattern of a payload with these slots, which are in order and apart from one another. */
export function cutAt(payload: string, found: readonly SlotPosition[], known: ReadonlySet<string>): Pattern {
  const literals: string[] = []
  let at = 0
  for (const { start, end } of found) {
    literals.push(payload.slice(at, start))
    at = end
  }
  literals.push(payload.slice(at))
  // Every stream keeps its slots, and a list that grows has room for many more.
  return { literals, slots: found.map(({ slot }) => slot), known }
}

/** Returns the payload with these values in its slots. */
export const fillPattern = ({ literals, slots }: Pattern, values: Readonly<Record<Slot, string>>): string =>
  slots.reduce((filled, slot, i) => `${filled}${values[slot]}${literals[i + 1]}`, literals[0] ?? '')

/** Returns the same pattern inside more text: the frame around the payload. */
export function wrapPattern(pattern: Pattern, before: string, after: string): Pattern {
  const inside = [...pattern.literals]
  inside[0] = before + inside[0]
  inside[inside.length - 1] += after
  return { ...pattern, literals: inside }
}
