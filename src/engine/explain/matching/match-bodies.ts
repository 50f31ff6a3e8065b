import { getOrCreate } from '../../../collections/get-or-create.ts'
import type { Json, JsonObject } from '../../../protocol/json.ts'
import { MAX_LENGTHS } from '../../../protocol/limits.ts'
import { isDeeperThan, parseJson } from '../../../text/json.ts'
import type { OriginPair } from '../../origins.ts'
import {
  type BodyTree,
  type BodyValue,
  createTreeReader,
  isFree,
  isLeaf,
  join,
  membersOfBoth,
  namesKind,
  pairBy,
  pairContainers,
  pairWhole,
  SHORTEST,
  type TreeReader,
} from './body-tree.ts'
import { matchTexts } from './match-texts.ts'

/** Two bodies, of which each value has its place in the other one. */
interface MatchedBodies {
  readonly client: BodyTree
  readonly upstream: BodyTree
}

type Placed = ReadonlySet<BodyValue>

/**
 * Matches the values of a client's body with those of its upstream's body: first the pairs that its encoder has recorded
 * (`origins`), with the members in them; then members under the same path; then texts inside other texts. O(n) for n
 * values, but for the sorting of texts.
 */
export function matchBodies(sent: JsonObject, encoded: JsonObject, origins: readonly OriginPair[]): MatchedBodies {
  const reader = createTreeReader()
  const [client, upstream] = [reader.read(sent), reader.read(encoded)]
  if (client.root.id === upstream.root.id) {
    pairWhole(upstream.root, client.root)
    return { client, upstream }
  }
  pairContainers(upstream.root, client.root)
  const sources = sourcesIn(upstream, client, origins)
  const placed = new Set([...sources].flatMap(([value, found]) => [value, ...found]))
  for (const [value, found] of sources) {
    const own = ownValues(value, placed)
    matchContents(
      own,
      found.map((source) => ownValues(source, placed)),
      reader,
    )
  }
  for (const [value, [source]] of sources) if (source !== undefined) pairEntriesAround(value, source, placed)
  pairMembers(upstream.root, client.root, placed)
  for (const [value, [source]] of sources) if (source !== undefined) pairListsAround(value, source)
  matchTexts(upstream, client)
  return { client, upstream }
}

/** The values of the client's body of which those of the upstream's are made, as far as both bodies have them. */
function sourcesIn(upstream: BodyTree, client: BodyTree, origins: readonly OriginPair[]) {
  const byPath = ({ values }: BodyTree) => new Map(values.map((value) => [value.path, value]))
  const [after, before] = [byPath(upstream), byPath(client)]
  const found = new Map<BodyValue, BodyValue[]>()
  for (const [to, from] of origins) {
    const [value, source] = [after.get(to), outerEntry(before.get(from))]
    if (value === undefined || source === undefined || value.parent === null || source.parent === null) continue
    const known = getOrCreate(found, value, () => [])
    if (!known.includes(source)) known.push(source)
  }
  const isAround = (outer: BodyValue, { order }: BodyValue): boolean => outer.order < order && order < outer.end
  return new Map(
    [...found].map(([value, all]) => [value, all.filter((one) => !all.some((other) => isAround(one, other)))]),
  )
}

/** The entry of a list of which an object is the content: a function, or the call of one. */
const outerEntry = (value: BodyValue | undefined): BodyValue | undefined =>
  value?.kind === 'object' && value.index === null && typeof value.parent?.index === 'number' ? value.parent : value

/** A value and those inside it, without the ones that have origins of their own. */
const ownValues = (value: BodyValue, placed: Placed): readonly BodyValue[] => [
  value,
  ...value.children.flatMap((child) => (placed.has(child) ? [] : ownValues(child, placed))),
]

// ---------------------------------------------------------------- around values with origins

/** The entries of lists around a value, from the outermost one inwards. */
const entriesAround = ({ parent }: BodyValue): readonly BodyValue[] =>
  parent === null ? [] : [...entriesAround(parent), ...(parent.index === null ? [] : [parent])]

/** The messages around two parts correspond to each other, and so do the lists of these. */
function pairEntriesAround(value: BodyValue, source: BodyValue, placed: Placed): void {
  const others = entriesAround(source)
  for (const [at, entry] of entriesAround(value).entries()) {
    const other = others[at]
    if (other === undefined || placed.has(entry) || placed.has(other) || entry.kind !== other.kind) return
    if (entry.counterpart !== null || other.counterpart !== null) continue
    pairContainers(entry, other)
    for (const [child, found] of membersOfBoth(entry, other))
      if (isLeaf(child) && isLeaf(found)) pairMembers(child, found, placed)
  }
}

/** The lists of corresponding entries correspond to each other. */
function pairListsAround(value: BodyValue, source: BodyValue): void {
  const others = [...entriesAround(source), source]
  for (const [at, { parent }] of [...entriesAround(value), value].entries()) {
    const other = others[at]?.parent ?? null
    if (parent?.kind === 'list' && other?.kind === 'list') pairContainers(parent, other)
  }
}

/** Pairs two values, and those in them under the same names and positions. */
function pairMembers(one: BodyValue, other: BodyValue, placed?: Placed): void {
  if ([one, other].some((value) => placed?.has(value) === true || value.isSettled)) return
  const areFree = isFree(one) && isFree(other)
  if (areFree && one.id === other.id) {
    pairWhole(one, other)
    return
  }
  if (one.kind !== other.kind || isLeaf(one) || isLeaf(other)) {
    if (areFree && one.counterpart === null && other.counterpart === null && !isPart(one, other)) pairWhole(one, other)
    return
  }
  pairContainers(one, other)
  if (one.counterpart !== other) return
  // Entries with origins have found their places, and the others of such a list are new.
  const hasPlace = (child: BodyValue): boolean => placed?.has(child) === true || child.counterpart !== null
  if (one.kind === 'list' && [...one.children, ...other.children].some(hasPlace)) return
  for (const [child, found] of membersOfBoth(one, other)) pairMembers(child, found, placed)
}

// ---------------------------------------------------------------- inside values with origins

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

const isWord = (one: BodyValue): boolean =>
  isLeaf(one) && !namesKind(one) && one.value !== null && one.value !== '' && typeof one.value !== 'boolean'

/**
 * Matches the members of a value with those of the values of which it is made. `own`: the value and those inside it that
 * have no origins of their own; `sources`: the same for the client's values.
 */
function matchContents(
  own: readonly BodyValue[],
  sources: readonly (readonly BodyValue[])[],
  reader: TreeReader,
): void {
  const [value] = own
  const [source] = sources.map(([first]) => first)
  if (value === undefined || source === undefined) return
  if (sources.length === 1 && value.id === source.id && isFree(value) && isFree(source)) {
    pairWhole(value, source)
    return
  }
  const all = sources.flat()
  if (value.kind !== 'scalar' && value.kind === source.kind) pairContainers(value, source)
  pairBy(own, all, (one) => (isLeaf(one) ? undefined : one.id))
  matchInner(own.slice(1), all)
  pairBy(own, all, (one) => (isLeaf(one) ? `${plain(one.name)} ${one.id}` : undefined))
  pairBy(own, all, (one) => (isWord(one) ? one.id : undefined))
  // JSON becomes the text that is the same JSON, such as the arguments of a call, or is made of it.
  const idOfContainer = (one: BodyValue): number | undefined => (one.kind === 'scalar' ? undefined : one.id)
  const idOfText = (one: BodyValue): number | undefined => parsedId(one, reader)
  pairBy(own, all, idOfText, { keyOfOther: idOfContainer, pair: join })
  pairBy(all, own, idOfText, { keyOfOther: idOfContainer, pair: join })
  const firsts = new Set([value, ...sources.map(([first]) => first)])
  const isOwn = new Set(own)
  /** The client's object in which a member is, or has its counterpart; null if there is none. */
  const placeOf = (one: BodyValue): string | null => {
    if (firsts.has(one) || (one.parent !== null && firsts.has(one.parent))) return ''
    return (isOwn.has(one) ? one.parent?.counterpart : one.parent)?.path ?? null
  }
  pairBy(
    own,
    all,
    (one) =>
      isLeaf(one) && one.index === null && placeOf(one) !== null ? `${plain(one.name)} ${placeOf(one)}` : undefined,
    { pair: (one, other) => pairWhole(one, other), fits: (one, other) => !isPart(one, other) },
  )
  // A text and a list may be texts that were joined.
  const isWhole = sources.length === 1 && source.kind !== 'list' && value.counterpart === null
  if (isWhole && isFree(value) && isFree(source) && !isPart(value, source)) pairWhole(value, source)
}

/** The id of the value that a text is as JSON; undefined for any other value, also for one that is nested too deep. */
function parsedId({ value }: BodyValue, reader: TreeReader): number | undefined {
  const parsed = typeof value === 'string' && /^\s*[[{]/.test(value) ? parseJson(value) : undefined
  return parsed === undefined || isDeeperThan(MAX_LENGTHS.nesting, parsed) ? undefined : reader.idOf(parsed as Json)
}

/** A schema is in a tool, or in its function: a few objects are compared with others than those of their own name. */
const MOST_ALIKE = 4

/** Pairs objects of one name, and those with members of one name: a schema has another name in most protocols. */
function matchInner(own: readonly BodyValue[], sources: readonly BodyValue[]): void {
  const isOpen = (one: BodyValue): boolean =>
    one.kind === 'object' && one.index === null && one.counterpart === null && !one.isSettled
  const [source] = sources
  const near = sources.filter((one) => isOpen(one) && (one.parent === source || one.parent?.parent === source))
  const pair = (one: BodyValue, other: BodyValue): void => pairMembers(one, other)
  pairBy(own, near, ({ name }) => plain(name), { pair, isOpen })
  for (const one of own.filter(isOpen)) {
    const found = near.slice(0, MOST_ALIKE).find((other) => isOpen(other) && isAlike(one, other))
    if (found !== undefined) pair(one, found)
  }
}

const isAlike = (one: BodyValue, other: BodyValue): boolean =>
  membersOfBoth(one, other).some(([child]) => !namesKind(child))

/** Texts of which one contains the other may be made of more than these. */
function isPart({ value: one }: BodyValue, { value: other }: BodyValue): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= SHORTEST && long.includes(short)
}
