import { type BodyNode, kindOfNode, nodesOf } from './body-tree.ts'
import type { GrowingMatches } from './match-containers.ts'

/** The entries of a list with which one entry is compared: entries without a common value rarely stand far apart. */
const NEIGHBOURS = 8
/** The share of equal values from which two entries of a list are one. */
const ALIKE = 0.3

/**
 * Matches the remaining members of matched objects by their names, or else by their values, and the remaining entries
 * of matched lists by the values in them. From the body downwards: the members of a new match follow it.
 */
export function matchMembers(matches: GrowingMatches, right: BodyNode): void {
  for (const node of nodesOf(right)) {
    const other = matches.toLeft.get(node)
    if (other === undefined || node.children.length === 0) continue
    if (kindOfNode(node) === 'list') matchEntries(matches, other, node)
    else matchNamed(matches, other, node)
  }
}

function set({ toRight, toLeft }: GrowingMatches, left: BodyNode, right: BodyNode): void {
  toRight.set(left, right)
  toLeft.set(right, left)
}

const freeIn = (known: ReadonlyMap<BodyNode, BodyNode>, node: BodyNode): readonly BodyNode[] =>
  node.children.filter((child) => !known.has(child))

function matchNamed(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  const named = new Map(freeIn(matches.toRight, left).map((child) => [child.name, child]))
  for (const child of freeIn(matches.toLeft, right)) {
    const other = named.get(child.name)
    if (other !== undefined && kindOfNode(other) === kindOfNode(child)) set(matches, other, child)
  }
}

function matchEntries(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  const free = [...freeIn(matches.toRight, left)]
  for (const entry of freeIn(matches.toLeft, right)) {
    const near = free.slice(0, NEIGHBOURS).filter((one) => kindOfNode(one) === kindOfNode(entry))
    let best: BodyNode | undefined
    let most = ALIKE
    for (const one of near) {
      const share = shareOf(one, entry)
      if (share <= most) continue
      most = share
      best = one
    }
    if (best === undefined) continue
    free.splice(free.indexOf(best), 1)
    set(matches, best, entry)
  }
}

/** The share of values that two entries have in common, from 0 to 1. */
function shareOf(one: BodyNode, other: BodyNode): number {
  if (one.identity === other.identity) return 1
  const known = new Set(leavesOf(one))
  const leaves = leavesOf(other)
  const equal = leaves.filter((leaf) => known.has(leaf)).length
  return leaves.length === 0 ? 0 : (2 * equal) / (known.size + leaves.length)
}

const leavesOf = (node: BodyNode): readonly string[] =>
  [...nodesOf(node)].flatMap(({ children, name, identity }) => (children.length > 0 ? [] : [`${name} ${identity}`]))
