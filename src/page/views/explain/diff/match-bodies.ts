import { type BodyNode, kindOfNode, nodesOf } from './body-tree.ts'
import { type GrowingMatches, matchContainers } from './match-containers.ts'
import { matchMembers } from './match-members.ts'

/** Which value of the client's body has become which value of the upstream's: one to one. */
export interface Matches {
  readonly toRight: ReadonlyMap<BodyNode, BodyNode>
  readonly toLeft: ReadonlyMap<BodyNode, BodyNode>
}

/** Shorter texts, such as `user`, occur everywhere: equal ones say nothing about where they come from. */
const DISTINCTIVE = 8
const MEMBERS = 3

/**
 * Matches the values of two bodies. Equal values that are distinctive match wherever they are; lists and objects match
 * by the values in them; then the members of matched objects by their names, and of the rest by their values.
 */
export function matchBodies(left: BodyNode, right: BodyNode): Matches {
  const matches: GrowingMatches = { toRight: new Map(), toLeft: new Map() }
  if (left.identity === right.identity) pairTrees(matches, left, right)
  else {
    pair(matches, left, right)
    matchInPlace(matches, left, right)
  }
  matchEqual(matches, left, right)
  matchContainers(matches, left, right)
  matchMembers(matches, right)
  matchScattered(matches, left, right)
  return matches
}

function pair({ toRight, toLeft }: GrowingMatches, left: BodyNode, right: BodyNode): void {
  toRight.set(left, right)
  toLeft.set(right, left)
}

/** Pairs equal trees, with everything in them. */
function pairTrees(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  pair(matches, left, right)
  const isList = kindOfNode(left) === 'list'
  const named = new Map(isList ? [] : left.children.map((child) => [child.name, child]))
  right.children.forEach((child, at) => {
    const other = isList ? left.children[at] : named.get(child.name)
    if (other !== undefined) pairTrees(matches, other, child)
  })
}

const isFree = ({ toRight }: GrowingMatches, nodes: BodyNode): boolean =>
  [...nodesOf(nodes)].every((node) => !toRight.has(node))

/** Equal values at the same place, from the body downwards. */
function matchInPlace(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  const named = new Map(left.children.map((child) => [child.name ?? child.path, child]))
  for (const child of right.children) {
    const other = named.get(child.name ?? child.path)
    if (other === undefined) continue
    if (other.identity === child.identity && isDistinctive(child)) pairTrees(matches, other, child)
    else matchInPlace(matches, other, child)
  }
}

function isDistinctive({ value, size }: BodyNode): boolean {
  if (typeof value === 'string') return value.length >= DISTINCTIVE
  return size > MEMBERS
}

/** Equal distinctive values anywhere, the largest first, in the order of the bodies. */
function matchEqual(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  const free = new Map<number, BodyNode[]>()
  for (const node of nodesOf(left)) {
    if (matches.toRight.has(node) || !isDistinctive(node)) continue
    const equal = free.get(node.identity)
    if (equal === undefined) free.set(node.identity, [node])
    else equal.push(node)
  }
  const visit = (node: BodyNode): void => {
    if (!matches.toLeft.has(node) && isDistinctive(node)) {
      const equal = free.get(node.identity) ?? []
      while (equal.length > 0) {
        const other = equal.shift()
        // A part of it may have been matched with another value.
        if (other === undefined || !isFree(matches, other)) continue
        pairTrees(matches, other, node)
        return
      }
    }
    for (const child of node.children) visit(child)
  }
  visit(right)
}

/** Names of one setting in two protocols often differ only in case and underscores. */
const plainName = (node: BodyNode): string => (node.name ?? '').replaceAll('_', '').toLowerCase()

/** Values that are often equal by chance. */
const isCommon = ({ value }: BodyNode): boolean =>
  value === null || typeof value === 'boolean' || value === 0 || value === 1 || value === ''

/** The remaining settings, such as `max_tokens` that became `generationConfig.maxOutputTokens`. */
function matchScattered(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  const rest = (root: BodyNode, known: ReadonlyMap<BodyNode, BodyNode>): readonly BodyNode[] =>
    [...nodesOf(root)].filter((node) => node.name !== null && kindOfNode(node) === null && !known.has(node))
  const byKey = (nodes: readonly BodyNode[], keyOf: (node: BodyNode) => string) => {
    const groups = new Map<string, BodyNode[]>()
    for (const node of nodes) groups.set(keyOf(node), [...(groups.get(keyOf(node)) ?? []), node])
    return groups
  }
  for (const keyOf of [
    (node: BodyNode) => `${node.identity} ${plainName(node)}`,
    (node: BodyNode) => (isCommon(node) ? `common ${node.path}` : `${node.identity}`),
  ]) {
    const from = byKey(rest(left, matches.toRight), keyOf)
    for (const [key, to] of byKey(rest(right, matches.toLeft), keyOf)) {
      const [one, ...more] = from.get(key) ?? []
      const [other] = to
      // Several equal settings leave open which of them this is.
      if (one === undefined || other === undefined || more.length > 0 || to.length > 1) continue
      if (one.identity === other.identity) pair(matches, one, other)
    }
  }
}
