import { byName, type Field, fieldsOf } from './fields.ts'
import type { Hole } from './hole.ts'
import { COMMA, endOf, patternEnd, TEXT } from './string-ends.ts'

/** What a wire declares of its chunks: names of fields, wherever they stand. */
export interface Leaves {
  /** Fields that hold the text of a delta. */
  readonly leaves: readonly string[]
  /** Fields with numbers that each chunk tells anew. */
  readonly counts: readonly string[]
}

/** A payload with holes: literal, hole, literal, … literal. */
export interface Shape {
  readonly literals: readonly string[]
  readonly holes: readonly Hole[]
  /** Names of members at which a hole for others ends: those that are read, and those that stand behind such a hole. */
  readonly known: ReadonlySet<string>
}

interface Place {
  readonly hole: Hole
  readonly start: number
  readonly end: number
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** A payload, and what it holds. */
interface Scanned {
  readonly payload: string
  readonly named: ReadonlyMap<string, readonly Field[]>
}

function scan(payload: string): Scanned {
  const fields = fieldsOf(payload)
  return { payload, named: byName(fields.length > MOST_FIELDS ? [] : fields) }
}

/** Every value of that name that may stand in such a hole. */
function placesOf({ payload, named }: Scanned, name: string, hole: Hole): readonly Place[] {
  const places: Place[] = []
  for (const field of named.get(name) ?? []) {
    const place = placeOf(payload, hole, field)
    if (place !== null) places.push(place)
  }
  return places
}

function placeOf(payload: string, hole: Hole, field: Field): Place | null {
  if (hole === 'value') return { hole, start: field.start, end: field.end }
  if (hole === 'leaf' && payload[field.start] !== '"') return null
  const quote = hole === 'leaf' ? 1 : 0
  const start = field.start + quote
  const end = field.end - quote
  return end > start && endOf(payload, hole, start) === end ? { hole, start, end } : null
}

const placesOfAll = (scanned: Scanned, names: readonly string[], hole: Hole): readonly Place[] =>
  names.flatMap((name) => placesOf(scanned, name, hole))

const nameAt = (payload: string, label: number): string => payload.slice(label + 1, payload.indexOf('"', label + 1))

const labelOf = (payload: string, { name, start }: Field): number => payload.lastIndexOf(`"${name}"`, start - 1)

/** All members of these names, each to where the next one of its object begins: none that is the last. */
function membersOf({ payload, named }: Scanned, names: readonly string[]): readonly Place[] {
  const places: Place[] = []
  for (const field of names.flatMap((name) => named.get(name) ?? [])) {
    const end = patternEnd(payload, COMMA, field.end)
    if (end >= 0) places.push({ hole: 'members', start: labelOf(payload, field), end })
  }
  return places
}

/** Where members come and go: those of these names, and where the other payload has some that are not here. */
function loosePlaces(now: Scanned, then: Scanned, names: readonly string[]): readonly Place[] {
  // Where only the other has more, the next may tell.
  if (names.length === 0) return []
  const gone = [...then.named.keys()].filter((name) => !now.named.has(name))
  const behind = new Set(membersOf(then, gone).map(({ end }) => nameAt(then.payload, end)))
  const gaps = [...behind].flatMap((name) => now.named.get(name) ?? []).map((field) => labelOf(now.payload, field))
  return [...membersOf(now, names), ...gaps.map((at): Place => ({ hole: 'members', start: at, end: at }))]
}

/** Is that payload an instance, with some text in the leaf? */
export function fits({ literals, holes, known }: Shape, payload: string): boolean {
  if (!payload.startsWith(literals[0] ?? '')) return false
  let at = (literals[0] ?? '').length
  for (const [i, hole] of holes.entries()) {
    const end = endOf(payload, hole, at, known)
    const literal = literals[i + 1] ?? ''
    if (end < 0 || (hole === 'leaf' && end === at) || !payload.startsWith(literal, end)) return false
    at = end + literal.length
  }
  return at === payload.length
}

/** The field in whose value two payloads first differ: its name, and where its value begins. */
type Difference = Omit<Field, 'end'>

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

/** Where nothing else differs: most streams are such. */
function plainShape(payload: string, earlier: string, { start }: Difference): Shape | null {
  const end = payload[start] === '"' ? patternEnd(payload, TEXT, start + 1) : -1
  if (end <= start + 1 || payload[end] !== '"') return null
  const shape = toShape(payload, [{ hole: 'leaf', start: start + 1, end }, ...blanksOf(payload, earlier)])
  return fits(shape, earlier) ? shape : null
}

/** Some upstreams pad their objects with spaces before the last brace. */
function blanksOf(payload: string, earlier: string): readonly Place[] {
  if (!payload.endsWith(' }') && !earlier.endsWith(' }')) return []
  const end = payload.length - 1
  return [{ hole: 'blanks', start: payload.slice(0, end).trimEnd().length, end }]
}

/** Who reads a text has looked at all that it lies in. */
const isAround = (one: Place, other: Place): boolean => one.start < other.start && other.end < one.end

/** At most this many leaves are tried: a chunk has one, the others are decoys. */
const MOST_LEAVES = 4

/** Could it be an instance of anything? */
export const hasLeaf = (payload: string, { leaves }: Leaves): boolean =>
  leaves.some((name) => payload.includes(`"${name}":`))

/** What is longer, or has more fields, is not worth the time to look at: JSON.parse is faster. */
const LONGEST = 8 * 1024
const MOST_FIELDS = 200

/** Does that field hold something else? */
function differs(one: Scanned, other: Scanned, name: string): boolean {
  const [fields, others] = [one.named.get(name) ?? [], other.named.get(name) ?? []]
  if (fields.length !== others.length) return true
  for (const [i, field] of fields.entries()) {
    if (valueIn(one.payload, field) !== valueIn(other.payload, others[i] as Field)) return true
  }
  return false
}

const valueIn = (payload: string, { start, end }: Field): string => payload.slice(start, end)

/**
 * Every way in which these two payloads, one after the other in a stream, could be instances of one template: with one
 * leaf, and with holes for what nobody reads only where it differs, unless `wide`. Which way is right, a proof tells.
 * `readBy` is asked for the names of the fields that a decoder looks at.
 */
export function* shapesOf(
  payload: string,
  earlier: string,
  { leaves, counts }: Leaves,
  readBy: () => ReadonlySet<string>,
  wide: boolean,
): Iterable<Shape> {
  if (payload.length > LONGEST) return
  const first = firstDifference(payload, earlier)
  const plain = wide || !leaves.includes(first.name) ? null : plainShape(payload, earlier, first)
  if (plain !== null) yield plain
  const now = scan(payload)
  // What differs first is the text, if it can be.
  const names = [...leaves.filter((name) => name === first.name), ...leaves.filter((name) => name !== first.name)]
  const found = placesOfAll(now, names, 'leaf').slice(0, MOST_LEAVES)
  if (found.length === 0) return
  const blanks = blanksOf(payload, earlier)
  const fitting = (pads: readonly Place[], read = NO_NAMES): readonly Shape[] =>
    found
      .map((leaf) => toShape(payload, [leaf, ...pads.filter((pad) => !isAround(pad, leaf)), ...blanks], read))
      .filter((shape) => shape.holes.includes('leaf') && fits(shape, earlier))

  const counted = placesOfAll(now, counts, 'count')
  const alone = wide ? [] : fitting([])
  // A count that is told again and again may yet change.
  const told = wide || counted.length === 0 ? [] : fitting(counted)
  yield* alone
  yield* told
  if (alone.length + told.length > 0) return
  const then = scan(earlier)
  const changing = [...now.named.keys()].filter((name) => wide || differs(now, then, name))
  const padded = (read: ReadonlySet<string>): readonly Shape[] => {
    const unread = changing.filter((name) => !read.has(name))
    const loose = unread.filter((name) => wide || !then.named.has(name))
    return fitting([...counted, ...placesOfAll(now, unread, 'value'), ...loosePlaces(now, then, loose)], read)
  }
  // To watch a decoder makes it slower for a while: not where it would be in vain.
  if (padded(NO_NAMES).length === 0) return
  yield* padded(readBy())
}

function toShape(payload: string, found: readonly Place[], read = NO_NAMES): Shape {
  const apart: Place[] = []
  // What lies inside of another is part of it.
  for (const place of [...found].sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1)
    const goesOn = last?.hole === 'members' && place.hole === 'members' && place.start === last.end
    if (goesOn) apart.splice(-1, 1, { ...last, end: place.end })
    else if (place.start >= (last?.end ?? 0)) apart.push(place)
  }
  const edges = [0, ...apart.flatMap(({ start, end }) => [start, end]), payload.length]
  const literals: string[] = []
  for (let i = 0; i < edges.length; i += 2) literals.push(payload.slice(edges[i], edges[i + 1]))
  const behind = apart.filter(({ hole }) => hole === 'members').map(({ end }) => nameAt(payload, end))
  const known = behind.length === 0 ? NO_NAMES : new Set([...read, ...behind])
  return { literals, holes: apart.map(({ hole }) => hole), known }
}

/** The payload with these values in its holes. */
export const fill = ({ literals, holes }: Shape, values: Readonly<Record<Hole, string>>): string =>
  holes.reduce((filled, hole, i) => `${filled}${values[hole]}${literals[i + 1]}`, literals[0] ?? '')

/** The same shape inside of more text: the frame around the payload. */
export function wrap(shape: Shape, before: string, after: string): Shape {
  const inside = [...shape.literals]
  inside[0] = before + inside[0]
  inside[inside.length - 1] += after
  return { ...shape, literals: inside }
}
