import type { BodyValue } from './body-tree.ts'
import type { GrowingMatching } from './matching.ts'

/** A candidate below this has too little in common. */
const ENOUGH = 0.5
/** The value of circumstances, beside the share of equal values. */
const POINTS = { sameParent: 0.3, sameName: 0.3, sameMembers: 0.5 } as const
/** A value inside has the common values if it has at least this share of them in at most this share of the weight. */
const INNER = { common: 0.9, weight: 0.7 } as const
/** Lists and objects around a value that it counts for: those of a message around its text. */
const MOST_AROUND = 8
/** Candidates that are examined for one list or object, the best first. */
const MOST_EXAMINED = 8

/** For lists and objects of the upstream's body, the weight of what those of the client's have in common with them. */
type CommonWeights = ReadonlyMap<BodyValue, ReadonlyMap<BodyValue, number>>

/**
 * Pairs lists and objects that have values in common: each with the one that has the most, also by the names of their
 * members, their own name and their parents. From the body downwards, because parents count.
 */
export function matchContainers(matching: GrowingMatching): void {
  const common = commonWeights(matching)
  for (const node of matching.upstream.values) {
    if (node.kind === 'scalar' || matching.isSettled(node) || matching.counterpartOf(node) !== undefined) continue
    const found = bestOf(matching, node, common)
    if (found !== undefined) matching.pairContainers(node, found)
  }
}

function commonWeights({ settled }: GrowingMatching): CommonWeights {
  const all = new Map<BodyValue, Map<BodyValue, number>>()
  for (const [upstream, client] of settled) {
    const weight = Math.min(upstream.weight, client.weight)
    const sources = around(client)
    for (const outer of around(upstream)) {
      const weights = all.get(outer) ?? new Map<BodyValue, number>()
      all.set(outer, weights)
      for (const source of sources) weights.set(source, (weights.get(source) ?? 0) + weight)
    }
  }
  return all
}

/** The lists and objects around a value, without the body itself. */
function around({ parent }: BodyValue): readonly BodyValue[] {
  const found: BodyValue[] = []
  for (let at = parent; at !== null && at.parent !== null && found.length < MOST_AROUND; at = at.parent) found.push(at)
  return found
}

function bestOf(matching: GrowingMatching, node: BodyValue, common: CommonWeights): BodyValue | undefined {
  const parent = node.parent === null ? undefined : matching.counterpartOf(node.parent)
  const scored: { readonly one: BodyValue; readonly weight: number; readonly score: number }[] = []
  for (const [one, weight] of common.get(node) ?? []) {
    if (one.kind !== node.kind || matching.counterpartOf(one) !== undefined || isInside(parent, one)) continue
    const share = (2 * weight) / (one.weight + node.weight)
    const score = share + circumstances(one, node, one.parent === parent)
    if (score > ENOUGH) scored.push({ one, weight, score })
  }
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_EXAMINED)
    .find(({ one, weight }) => !isFurtherIn(node, one, weight, common))?.one
}

/** Whether what two values have in common is in a much smaller value inside, such as the only list of a new object. */
function isFurtherIn(node: BodyValue, one: BodyValue, weight: number, common: CommonWeights): boolean {
  let inner: BodyValue | undefined = node
  while (inner !== undefined) {
    inner = inner.children.find((child) => (common.get(child)?.get(one) ?? 0) >= INNER.common * weight)
    if (inner === undefined || inner.kind !== one.kind) continue
    if (inner.weight <= INNER.weight * node.weight && sharedMembers(one, inner) >= sharedMembers(one, node)) return true
  }
  return false
}

function circumstances(one: BodyValue, other: BodyValue, isSameParent: boolean): number {
  const isSameName = one.index === null && other.index === null && one.name === other.name
  return (
    (isSameParent ? POINTS.sameParent : 0) +
    (isSameName ? POINTS.sameName : 0) +
    sharedMembers(one, other) * POINTS.sameMembers
  )
}

/** The share of names of members that two objects have in common, from 0 to 1. */
function sharedMembers(one: BodyValue, other: BodyValue): number {
  if (one.kind !== 'object' || other.kind !== 'object') return 0
  const names = new Set(one.children.map(({ name }) => name))
  const shared = other.children.filter(({ name }) => names.has(name)).length
  return shared === 0 ? 0 : (2 * shared) / (names.size + other.children.length)
}

/** Whether a value is in another one, or is it. */
function isInside(value: BodyValue | undefined, outer: BodyValue): boolean {
  for (let at: BodyValue | null = value ?? null; at !== null; at = at.parent) if (at === outer) return true
  return false
}
