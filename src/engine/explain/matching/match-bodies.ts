import type { JsonObject } from '../../../protocol/json.ts'
import type { OriginPair } from '../../origins.ts'
import { type BodyTree, type BodyValue, createTreeReader, isLeaf } from './body-tree.ts'
import { matchContents, pairMembers } from './match-contents.ts'
import { matchContainedTexts, matchShortParts } from './match-texts.ts'
import { type BodyMatching, createMatching, type GrowingMatching } from './matching.ts'

/**
 * Matches the values of a client's body with those of its upstream's body: first the pairs that its encoder has recorded
 * (`origins`), with the members in them; then members under the same path; then texts inside other texts. O(n) for n
 * values, but for the sorting of texts.
 */
export function matchBodies(client: JsonObject, upstream: JsonObject, origins: readonly OriginPair[]): BodyMatching {
  const reader = createTreeReader()
  const [before, after] = [reader.read(client), reader.read(upstream)]
  const matching = createMatching(after, before)
  if (before.root.id === after.root.id) {
    matching.pairEqual(after.root, before.root)
    return matching
  }
  matching.pairContainers(after.root, before.root)
  const sources = sourcesIn(after, before, origins)
  const targets = new Set([...sources.values()].flat())
  for (const [value, found] of sources) {
    const own = ownValues(after, value, (one) => sources.has(one))
    matchContents(
      matching,
      reader,
      own,
      found.map((source) => ownValues(before, source, (one) => targets.has(one))),
    )
  }
  const isPaired = (value: BodyValue): boolean => sources.has(value) || targets.has(value)
  for (const [value, [source]] of sources)
    if (source !== undefined) pairEntriesAround(matching, value, source, isPaired)
  pairMembers(matching, after.root, before.root, isPaired)
  for (const [value, [source]] of sources) if (source !== undefined) pairListsAround(matching, value, source)
  matchContainedTexts(matching)
  matchShortParts(matching)
  return matching
}

type Sources = ReadonlyMap<BodyValue, readonly BodyValue[]>

/** The values of the client's body of which those of the upstream's are made, as far as both bodies have them. */
function sourcesIn(upstream: BodyTree, client: BodyTree, origins: readonly OriginPair[]): Sources {
  const byPath = ({ values }: BodyTree) => new Map(values.map((value) => [value.path, value]))
  const [after, before] = [byPath(upstream), byPath(client)]
  const found = new Map<BodyValue, BodyValue[]>()
  for (const [to, from] of origins) {
    const [value, source] = [after.get(to), outerEntry(before.get(from))]
    if (value === undefined || source === undefined || value.parent === null || source.parent === null) continue
    const known = found.get(value)
    if (known === undefined) found.set(value, [source])
    else if (!known.includes(source)) known.push(source)
  }
  const isAround = (outer: BodyValue, { order }: BodyValue): boolean => outer.order < order && order < outer.end
  return new Map(
    [...found].map(([value, all]) => [value, all.filter((one) => !all.some((other) => isAround(one, other)))]),
  )
}

/** The entry of a list of which an object is the content: a function, or the call of one. */
const outerEntry = (value: BodyValue | undefined): BodyValue | undefined =>
  value?.kind === 'object' && value.index === null && typeof value.parent?.index === 'number' ? value.parent : value

/** A value and those inside it, without the ones in which `ends` is true. */
function ownValues({ values }: BodyTree, value: BodyValue, ends: (value: BodyValue) => boolean): readonly BodyValue[] {
  const own = [value]
  for (let at = value.order + 1; at < value.end; ) {
    const one = values[at] as BodyValue
    if (!ends(one)) own.push(one)
    at = ends(one) ? one.end : at + 1
  }
  return own
}

/** The entries of lists around a value, from the outermost one inwards. */
function entriesAround({ parent }: BodyValue): readonly BodyValue[] {
  const found: BodyValue[] = []
  for (let at = parent; at !== null; at = at.parent) if (at.index !== null) found.unshift(at)
  return found
}

/** The messages around two parts correspond to each other, and so do the lists of these. */
function pairEntriesAround(
  matching: GrowingMatching,
  value: BodyValue,
  source: BodyValue,
  isPaired: (value: BodyValue) => boolean,
): void {
  const others = entriesAround(source)
  for (const [at, entry] of entriesAround(value).entries()) {
    const other = others[at]
    if (other === undefined || isPaired(entry) || isPaired(other) || entry.kind !== other.kind) return
    const isNew = matching.counterpartOf(entry) === undefined && matching.counterpartOf(other) === undefined
    if (!isNew) continue
    matching.pairContainers(entry, other)
    for (const child of entry.children) {
      const found = other.children.find(({ name }) => name === child.name)
      if (found !== undefined && isLeaf(child) && isLeaf(found)) pairMembers(matching, child, found, isPaired)
    }
  }
}

/** The lists of corresponding entries correspond to each other. */
function pairListsAround(matching: GrowingMatching, value: BodyValue, source: BodyValue): void {
  const others = [...entriesAround(source), source]
  for (const [at, { parent }] of [...entriesAround(value), value].entries()) {
    const other = others[at]?.parent ?? null
    if (parent?.kind === 'list' && other?.kind === 'list') matching.pairContainers(parent, other)
  }
}
