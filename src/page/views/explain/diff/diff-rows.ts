import type { JsonObject } from '../../../../protocol/json.ts'
import type { BodyLine, DiffRow, LineKind } from './body-line.ts'
import { type BodyNode, createIdentities, kindOfNode, toBodyTree } from './body-tree.ts'
import { besideEachOther, longestRise } from './line-order.ts'
import { type Matches, matchBodies } from './match-bodies.ts'

/**
 * The two bodies line by line. The lines of the upstream's body are in its order, with all of its values. Members of
 * the client's objects are in the order of the upstream's, because their order has no meaning; its lists keep theirs.
 */
export function diffBodies(client: JsonObject, upstream: JsonObject): readonly DiffRow[] {
  const identities = createIdentities()
  const left = toBodyTree(client, identities)
  const right = toBodyTree(upstream, identities)
  const rows: DiffRow[] = []
  addPair({ rows, matches: matchBodies(left, right) }, left, right, 0)
  return besideEachOther(rows)
}

interface Writing {
  readonly rows: DiffRow[]
  readonly matches: Matches
}

const OPEN = { list: '[', object: '{' } as const
const CLOSE = { list: ']', object: '}' } as const
const EMPTY = { list: '[]', object: '{}' } as const

/** The first line of a value. */
function firstLine(node: BodyNode, depth: number, kind: LineKind, other: string | null): BodyLine {
  const container = kindOfNode(node)
  const text = container === null ? JSON.stringify(node.value) : (node.children.length === 0 ? EMPTY : OPEN)[container]
  return { kind, path: node.path, depth, name: node.name, text, starts: true, leads: false, other }
}

/** The last line of a list or an object with entries; null for any other value. */
function lastLine(node: BodyNode, depth: number, kind: LineKind, other: string | null): BodyLine | null {
  const container = kindOfNode(node)
  if (container === null || node.children.length === 0) return null
  return { kind, path: node.path, depth, name: null, text: CLOSE[container], starts: false, leads: false, other }
}

const isSameLine = (one: BodyLine, other: BodyLine): boolean => one.name === other.name && one.text === other.text

function addPair(writing: Writing, left: BodyNode, right: BodyNode, depth: number): void {
  const { rows } = writing
  const one = firstLine(left, depth, 'same', null)
  const other = firstLine(right, depth, 'same', null)
  const kind = isSameLine(one, other) ? 'same' : 'changed'
  rows.push({ left: { ...one, kind }, right: { ...other, kind } })
  addChildren(writing, left, right, depth + 1)
  const [end, otherEnd] = [lastLine(left, depth, 'same', null), lastLine(right, depth, 'same', null)]
  if (end === null && otherEnd === null) return
  const endKind = end !== null && otherEnd !== null ? 'same' : 'changed'
  rows.push({ left: end && { ...end, kind: endKind }, right: otherEnd && { ...otherEnd, kind: endKind } })
}

/** Lines of the client's body without a place beside the upstream's follow the value that they follow there. */
function addChildren(writing: Writing, left: BodyNode, right: BodyNode, depth: number): void {
  const { toLeft } = writing.matches
  const beside = childrenBeside(writing.matches, left, right)
  let after: BodyNode[] = []
  const alone = new Map<BodyNode | null, readonly BodyNode[]>([[null, after]])
  for (const child of left.children) {
    if (!beside.has(child)) after.push(child)
    else {
      after = []
      alone.set(child, after)
    }
  }
  const addAlone = (before: BodyNode | null): void => {
    for (const child of alone.get(before) ?? []) addOneSide(writing, child, depth, 'left')
  }
  addAlone(null)
  for (const child of right.children) {
    const other = toLeft.get(child)
    if (other !== undefined && beside.has(other)) {
      addPair(writing, other, child, depth)
      addAlone(other)
    } else addOneSide(writing, child, depth, 'right')
  }
}

/** The children of a value that stand beside their counterparts. Entries of a list do as long as they are in order. */
function childrenBeside({ toRight }: Matches, left: BodyNode, right: BodyNode): ReadonlySet<BodyNode> {
  const paired = left.children.filter((child) => toRight.get(child)?.parent === right)
  if (kindOfNode(left) === 'object') return new Set(paired)
  const places = new Map(right.children.map((child, at) => [child, at]))
  const order = paired.map((child) => places.get(toRight.get(child) ?? right) ?? -1)
  return new Set(longestRise(order).flatMap((at) => paired[at] ?? []))
}

/** The lines of a value that has no place in the other body, or another one. `isInside`: a value around it moved too. */
function addOneSide(writing: Writing, node: BodyNode, depth: number, side: 'left' | 'right', isInside = false): void {
  const { rows, matches } = writing
  const counterpart = (side === 'left' ? matches.toRight : matches.toLeft).get(node) ?? matches.parts.get(node)
  const other = counterpart?.path ?? null
  const first = firstLine(node, depth, side === 'left' ? 'removed' : 'added', other)
  const kind = counterpart === undefined ? first.kind : kindOf(matches, node, counterpart, first)
  const leads = other !== null && !isInside
  const add = (line: BodyLine): void => {
    rows.push(side === 'left' ? { left: line, right: null } : { left: null, right: line })
  }
  add({ ...first, kind, leads })
  for (const child of node.children) addOneSide(writing, child, depth + 1, side, other !== null)
  const end = lastLine(node, depth, kind, other)
  if (end !== null) add(end)
}

function kindOf({ parts }: Matches, node: BodyNode, counterpart: BodyNode, { kind, text }: BodyLine): LineKind {
  if (parts.has(node)) return 'part'
  return text === firstLine(counterpart, 0, kind, null).text ? 'moved' : 'changed'
}
