import type { BodyValue } from './body-tree.ts'
import { type ClientValues, commonSteps, isLeaf } from './client-values.ts'
import { pairFree } from './match-equal.ts'
import type { GrowingMatching } from './matching.ts'

/** The entries of a list with which one entry is compared: entries without a common value rarely stand far apart. */
const NEIGHBOURS = 8
/** The share of equal values from which two entries of a list are one. */
const ALIKE = 0.3

/**
 * Pairs the remaining members of paired objects by their names, and the remaining entries of paired lists by the values
 * in them. From the body downwards: the members of a new pair follow it.
 */
export function matchMembers(matching: GrowingMatching): void {
  for (const node of matching.upstream.values) {
    const source = matching.counterpartOf(node)
    if (source === undefined || matching.isSettled(node)) continue
    if (node.kind === 'list') matchEntries(matching, node, source)
    else matchNamed(matching, node, source)
  }
}

/** The children that are neither paired nor settled. */
const openIn = ({ counterpartOf, isSettled }: GrowingMatching, node: BodyValue): readonly BodyValue[] =>
  node.children.filter((child) => counterpartOf(child) === undefined && !isSettled(child))

function matchNamed(matching: GrowingMatching, node: BodyValue, source: BodyValue): void {
  const named = new Map(openIn(matching, source).map((child) => [child.name, child]))
  for (const child of openIn(matching, node)) {
    const other = named.get(child.name)
    if (other !== undefined) pairOpen(matching, child, other)
  }
}

function pairOpen(matching: GrowingMatching, node: BodyValue, source: BodyValue): void {
  const isContainer = node.kind === source.kind && !isLeaf(node) && !isLeaf(source)
  if (isContainer) matching.pairContainers(node, source)
  else if (matching.isFree(node) && matching.isFree(source)) matching.pairChanged(node, source)
}

function matchEntries(matching: GrowingMatching, node: BodyValue, source: BodyValue): void {
  const open = [...openIn(matching, source)]
  for (const entry of openIn(matching, node)) {
    const near = open.slice(0, NEIGHBOURS).filter(({ kind }) => kind === entry.kind && kind !== 'scalar')
    const shares = near.map((one) => shareOf(one, entry))
    const most = Math.max(ALIKE, ...shares)
    const best = near[shares.indexOf(most)]
    if (best === undefined) continue
    open.splice(open.indexOf(best), 1)
    pairOpen(matching, entry, best)
  }
}

/** The share of values that two entries have in common, from 0 to 1. */
function shareOf(one: BodyValue, other: BodyValue): number {
  const known = new Set(leavesOf(one))
  const leaves = leavesOf(other)
  const equal = leaves.filter((leaf) => known.has(leaf)).length
  return leaves.length === 0 ? 0 : (2 * equal) / (known.size + leaves.length)
}

const leavesOf = (node: BodyValue): readonly string[] =>
  isLeaf(node) ? [`${node.name} ${node.id}`] : node.children.flatMap(leavesOf)

/** Pairs settings of one name in entries that correspond to each other, with other values of the same type. */
export function matchSettings(matching: GrowingMatching, from: ClientValues): void {
  const isInNewObject = ({ parent, entry }: BodyValue): boolean =>
    parent !== null && parent !== entry && matching.counterpartOf(parent) === undefined && matching.isFree(parent)
  pairFree(
    matching,
    (node) => {
      if (!isLeaf(node) || isInNewObject(node)) return undefined
      return from.namedBeside(node, (source) => standsAlike(node, source), [node.entry])
    },
    'pairChanged',
  )
}

/** Steps from the entry to the value. */
function depthOf({ entry, parent }: BodyValue): number {
  let depth = 1
  for (let at = parent; at !== null && at !== entry; at = at.parent) depth += 1
  return depth
}

/** Whether two values of one name may be the same setting with different values. */
const standsAlike = (node: BodyValue, source: BodyValue): boolean =>
  typeof source.value === typeof node.value && (depthOf(source) === depthOf(node) || commonSteps(source, node) > 1)
