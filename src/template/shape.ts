import { byName, type Field, fieldsOf } from './fields.ts'

/**
 * What stands in a hole: the text of a delta, any JSON value that nobody reads, a count of which the last one counts, or
 * spaces between two braces.
 */
export type Hole = 'leaf' | 'value' | 'count' | 'blanks'

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
}

interface Place {
  readonly hole: Hole
  readonly start: number
  readonly end: number
}

// The inside of a JSON string.
const TEXT = /(?:[ !#-[\]-\uffff]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*/y
// What is added up must be exact.
const COUNT = /(?:0|[1-9][0-9]{0,14})(?=[,}\] ])/y
const BLANKS = / */y

const PATTERNS = { leaf: TEXT, count: COUNT, blanks: BLANKS } satisfies Record<Exclude<Hole, 'value'>, RegExp>

function patternEnd(payload: string, pattern: RegExp, start: number): number {
  pattern.lastIndex = start
  return pattern.test(payload) ? pattern.lastIndex : -1
}

const endOf = (payload: string, hole: Hole, start: number): number =>
  hole === 'value' ? valueEnd(payload, start) : patternEnd(payload, PATTERNS[hole], start)

const SIMPLE = /"(?:[^"\\]|\\.)*"|[^\s,[\]{}":]+/y
const BRACKETS = /"(?:[^"\\]|\\.)*"|[[\]{}]/g

/** Of a JSON value inside of valid JSON. */
function valueEnd(payload: string, start: number): number {
  if (payload[start] !== '[' && payload[start] !== '{') return patternEnd(payload, SIMPLE, start)
  BRACKETS.lastIndex = start
  let depth = 0
  for (let found = BRACKETS.exec(payload); found !== null; found = BRACKETS.exec(payload)) {
    if (found[0] === '[' || found[0] === '{') depth += 1
    else if (found[0] === ']' || found[0] === '}') depth -= 1
    if (depth === 0) return BRACKETS.lastIndex
  }
  return -1
}

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

/** Is that payload an instance, with some text in the leaf? */
export function fits({ literals, holes }: Shape, payload: string): boolean {
  if (!payload.startsWith(literals[0] ?? '')) return false
  let at = (literals[0] ?? '').length
  for (const [i, hole] of holes.entries()) {
    const end = endOf(payload, hole, at)
    const literal = literals[i + 1] ?? ''
    if (end < 0 || (hole === 'leaf' && end === at) || !payload.startsWith(literal, end)) return false
    at = end + literal.length
  }
  return at === payload.length
}

/** The field in whose value two payloads first differ: its name, and where its value begins. */
type Difference = Omit<Field, 'end'>

const NO_DIFFERENCE: Difference = { name: '', start: 0 }

/** null where they differ outside of any value. Most chunks that fit no template are told by it. */
function firstDifference(payload: string, earlier: string): Difference | null {
  let at = 0
  while (at < payload.length && payload.charCodeAt(at) === earlier.charCodeAt(at)) at += 1
  if (at === payload.length) return NO_DIFFERENCE
  const end = payload.lastIndexOf('":', at)
  if (end < 1) return null
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
  const first = payload.length > LONGEST ? null : firstDifference(payload, earlier)
  if (first === null) return
  const plain = wide || !leaves.includes(first.name) ? null : plainShape(payload, earlier, first)
  if (plain !== null) yield plain
  const now = scan(payload)
  // What differs first is the text, if it can be.
  const names = [...leaves.filter((name) => name === first.name), ...leaves.filter((name) => name !== first.name)]
  const found = placesOfAll(now, names, 'leaf').slice(0, MOST_LEAVES)
  if (found.length === 0) return
  const blanks = blanksOf(payload, earlier)
  const fitting = (pads: readonly Place[]): readonly Shape[] =>
    found
      .map((leaf) => toShape(payload, [leaf, ...pads.filter((pad) => !isAround(pad, leaf)), ...blanks]))
      .filter((shape) => shape.holes.includes('leaf') && fits(shape, earlier))

  const counted = placesOfAll(now, counts, 'count')
  const alone = wide ? [] : fitting([])
  // A count that is told again and again may yet change.
  const told = wide || counted.length === 0 ? [] : fitting(counted)
  yield* alone
  yield* told
  if (alone.length + told.length > 0) return
  const padded = (names: readonly string[]): readonly Shape[] =>
    fitting([...counted, ...placesOfAll(now, names, 'value')])

  const then = scan(earlier)
  const changing = [...now.named.keys()].filter((name) => wide || differs(now, then, name))
  // To watch a decoder makes it slower for a while: not where it would be in vain.
  if (padded(changing).length === 0) return
  const read = readBy()
  yield* padded(changing.filter((name) => !read.has(name)))
}

function toShape(payload: string, found: readonly Place[]): Shape {
  const apart: Place[] = []
  // What lies inside of another is part of it.
  for (const place of [...found].sort((a, b) => a.start - b.start)) {
    if (place.start >= (apart.at(-1)?.end ?? 0)) apart.push(place)
  }
  const edges = [0, ...apart.flatMap(({ start, end }) => [start, end]), payload.length]
  const literals: string[] = []
  for (let i = 0; i < edges.length; i += 2) literals.push(payload.slice(edges[i], edges[i + 1]))
  return { literals, holes: apart.map(({ hole }) => hole) }
}

/** The payload with these values in its holes. */
export const fill = ({ literals, holes }: Shape, values: Readonly<Record<Hole, string>>): string =>
  holes.reduce((filled, hole, i) => `${filled}${values[hole]}${literals[i + 1]}`, literals[0] ?? '')

/** The same shape inside of more text: the frame around the payload. */
export function wrap({ literals, holes }: Shape, before: string, after: string): Shape {
  const inside = [...literals]
  inside[0] = before + inside[0]
  inside[inside.length - 1] += after
  return { literals: inside, holes }
}
