import { type BodyNode, kindOfNode, nodesOf } from './body-tree.ts'
import { type GrowingMatches, matchContainers } from './match-containers.ts'
import { matchMembers } from './match-members.ts'
import { matchSettings } from './match-settings.ts'
import { partsOfTexts } from './text-parts.ts'

/** Which value of the client's body has become which value of the upstream's: one to one. */
export interface Matches {
  readonly toRight: ReadonlyMap<BodyNode, BodyNode>
  readonly toLeft: ReadonlyMap<BodyNode, BodyNode>
  /** Unmatched values that are a part of a text of the other body, with that text; and such texts, with one part. */
  readonly parts: ReadonlyMap<BodyNode, BodyNode>
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
  matchSettings(matches, left, right)
  const parts = [...partsOfTexts(matches, left, right), ...partsOfTexts(matches, right, left)]
  return { ...matches, parts: new Map([...parts.map(([part, text]) => [text, part] as const), ...parts]) }
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
