import { type BodyNode, kindOfNode, nodesOf } from './body-tree.ts'

/** The matches so far. */
export interface GrowingMatches {
  readonly toRight: Map<BodyNode, BodyNode>
  readonly toLeft: Map<BodyNode, BodyNode>
}

/** A candidate below this has too little in common. */
const ENOUGH = 0.5
/** The value of circumstances, beside the share of equal values. */
const POINTS = { sameParent: 0.3, sameName: 0.3, sameMembers: 0.5 } as const
/** A value inside has the common values if it has at least this share of them in at most this share of the weight. */
const INNER = { common: 0.9, weight: 0.7 } as const

/**
 * Matches lists and objects of two bodies that have matched values in common: each with the one that has the most, also
 * by the names of their members, their own name and their parents. From the body downwards, because parents count.
 */
export function matchContainers(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  const weights = new Map<BodyNode, number>()
  for (const root of [left, right]) weigh(root, weights)
  for (const node of nodesOf(right)) {
    if (matches.toLeft.has(node) || kindOfNode(node) === null) continue
    const found = bestOf(matches, node, weights)
    if (found === null) continue
    matches.toRight.set(found, node)
    matches.toLeft.set(node, found)
  }
}

/** Longer texts prove more, but not in proportion to their length. */
function weigh(node: BodyNode, weights: Map<BodyNode, number>): number {
  const { value } = node
  let weight = typeof value === 'string' ? Math.log2(2 + value.length) : 1
  for (const child of node.children) weight += weigh(child, weights)
  weights.set(node, weight)
  return weight
}

function bestOf(matches: GrowingMatches, node: BodyNode, weights: ReadonlyMap<BodyNode, number>): BodyNode | null {
  const kind = kindOfNode(node)
  const parent = node.parent === null ? undefined : matches.toLeft.get(node.parent)
  const mayBe = (one: BodyNode): boolean => kindOfNode(one) === kind && !matches.toRight.has(one)
  const common = commonWeights(matches, node, weights)
  let best: BodyNode | null = null
  let most = ENOUGH
  for (const [one, weight] of common) {
    if (!mayBe(one) || isInside(parent, one)) continue
    const all = (weights.get(one) ?? 0) + (weights.get(node) ?? 0)
    const score = (2 * weight) / all + circumstances(one, node, one.parent === parent)
    if (score <= most || isFurtherIn(matches, node, one, weight, weights)) continue
    most = score
    best = one
  }
  return best
}

/** Whether what two values have in common is in a much smaller value inside, such as the only list of a new object. */
function isFurtherIn(
  matches: GrowingMatches,
  node: BodyNode,
  one: BodyNode,
  common: number,
  weights: ReadonlyMap<BodyNode, number>,
): boolean {
  const most = INNER.weight * (weights.get(node) ?? 0)
  let inner: BodyNode | undefined = node
  while (inner !== undefined) {
    inner = inner.children.find(
      (child) => (commonWeights(matches, child, weights).get(one) ?? 0) >= INNER.common * common,
    )
    if (inner === undefined || kindOfNode(inner) !== kindOfNode(one)) continue
    if ((weights.get(inner) ?? 0) <= most && sharedMembers(one, inner) >= sharedMembers(one, node)) return true
  }
  return false
}

/** How much of each list and object of the client's body is in this one. */
function commonWeights(
  { toLeft }: GrowingMatches,
  node: BodyNode,
  weights: ReadonlyMap<BodyNode, number>,
): Map<BodyNode, number> {
  const common = new Map<BodyNode, number>()
  for (const inner of nodesOf(node)) {
    const other = inner.children.length > 0 ? undefined : toLeft.get(inner)
    if (other === undefined) continue
    const weight = weights.get(inner) ?? 0
    for (let outer = other.parent; outer !== null; outer = outer.parent)
      common.set(outer, (common.get(outer) ?? 0) + weight)
  }
  return common
}

function circumstances(one: BodyNode, other: BodyNode, isSameParent: boolean): number {
  return (
    (isSameParent ? POINTS.sameParent : 0) +
    (one.name !== null && one.name === other.name ? POINTS.sameName : 0) +
    sharedMembers(one, other) * POINTS.sameMembers
  )
}

/** The share of names of members that two objects have in common, from 0 to 1. */
function sharedMembers(one: BodyNode, other: BodyNode): number {
  const names = new Set(one.children.flatMap(({ name }) => name ?? []))
  const shared = other.children.filter(({ name }) => name !== null && names.has(name)).length
  return shared === 0 ? 0 : (2 * shared) / (names.size + other.children.length)
}

/** Whether a value is in another one, or is it. */
function isInside(node: BodyNode | undefined, outer: BodyNode): boolean {
  for (let one: BodyNode | null = node ?? null; one !== null; one = one.parent) if (one === outer) return true
  return false
}
