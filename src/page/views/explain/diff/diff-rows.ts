import type { BodyValue } from '../../../../engine/explain/matching/body-tree.ts'
import { matchBodies } from '../../../../engine/explain/matching/match-bodies.ts'
import type { OriginPair } from '../../../../engine/origins.ts'
import { maskPasswords } from '../../../../observability/mask-keys.ts'
import type { JsonObject } from '../../../../protocol/json.ts'
import type { BodyLine, DiffRow, LineKind } from './body-line.ts'
import { besideEachOther, longestRise } from './line-order.ts'

/**
 * The two bodies line by line. The lines of the upstream's body are in its order, with all of its values. Members of
 * the client's objects are in the order of the upstream's, because their order has no meaning; its lists keep theirs.
 */
export function diffBodies(
  client: JsonObject,
  upstream: JsonObject,
  origins: readonly OriginPair[],
): readonly DiffRow[] {
  const bodies = matchBodies(client, upstream, origins)
  const rows: DiffRow[] = []
  addPair(rows, bodies.client.root, bodies.upstream.root, 0)
  return besideEachOther(rows)
}

const OPEN = { list: '[', object: '{' } as const
const CLOSE = { list: ']', object: '}' } as const
const EMPTY = { list: '[]', object: '{}' } as const

const isBracketed = ({ children }: BodyValue): boolean => children.length > 0

const pathOf = ({ path, parent }: BodyValue): string => (parent === null ? 'body' : path)

/** The first line of a value. Explanations are shared more easily than requests: passwords are masked. */
function firstLine(node: BodyValue, depth: number, kind: LineKind, other: string | null): BodyLine {
  const { kind: container, value, index, parent } = node
  const text =
    container === 'scalar' ? maskPasswords(JSON.stringify(value)) : (isBracketed(node) ? OPEN : EMPTY)[container]
  const name = index === null && parent !== null ? node.name : null
  return { kind, path: pathOf(node), depth, name, text, starts: true, leads: false, other }
}

/** The last line of a list or an object with entries; null for any other value. */
function lastLine(node: BodyValue, depth: number, kind: LineKind, other: string | null): BodyLine | null {
  const { kind: container } = node
  if (container === 'scalar' || !isBracketed(node)) return null
  return { kind, path: pathOf(node), depth, name: null, text: CLOSE[container], starts: false, leads: false, other }
}

const isSameLine = (one: BodyLine, other: BodyLine): boolean => one.name === other.name && one.text === other.text

function addPair(rows: DiffRow[], left: BodyValue, right: BodyValue, depth: number): void {
  const one = firstLine(left, depth, 'same', null)
  const other = firstLine(right, depth, 'same', null)
  const kind = isSameLine(one, other) ? 'same' : 'changed'
  rows.push({ left: { ...one, kind }, right: { ...other, kind } })
  addChildren(rows, left, right, depth + 1)
  const [end, otherEnd] = [lastLine(left, depth, 'same', null), lastLine(right, depth, 'same', null)]
  if (end === null && otherEnd === null) return
  const endKind = end?.text === otherEnd?.text ? 'same' : 'changed'
  rows.push({ left: end && { ...end, kind: endKind }, right: otherEnd && { ...otherEnd, kind: endKind } })
}

/** Lines of the client's body without a place beside the upstream's follow the value that they follow there. */
function addChildren(rows: DiffRow[], left: BodyValue, right: BodyValue, depth: number): void {
  const beside = childrenBeside(left, right)
  let after: BodyValue[] = []
  const alone = new Map<BodyValue | null, readonly BodyValue[]>([[null, after]])
  for (const child of left.children) {
    if (!beside.has(child)) after.push(child)
    else {
      after = []
      alone.set(child, after)
    }
  }
  const addAlone = (before: BodyValue | null): void => {
    for (const child of alone.get(before) ?? []) addOneSide(rows, child, depth, 'left')
  }
  addAlone(null)
  for (const child of right.children) {
    const other = child.counterpart
    if (other !== null && beside.has(other)) {
      addPair(rows, other, child, depth)
      addAlone(other)
    } else addOneSide(rows, child, depth, 'right')
  }
}

/** The children of a value that stand beside their counterparts. Entries of a list do as long as they are in order. */
function childrenBeside(left: BodyValue, right: BodyValue): ReadonlySet<BodyValue> {
  const paired = left.children.filter((child) => child.counterpart?.parent === right)
  if (left.kind === 'object') return new Set(paired)
  const order = paired.map((child) => child.counterpart?.order ?? -1)
  return new Set(longestRise(order).flatMap((at) => paired[at] ?? []))
}

/** The lines of a value that has no place in the other body, or another one. `outer`: that of the value around it. */
function addOneSide(
  rows: DiffRow[],
  node: BodyValue,
  depth: number,
  side: 'left' | 'right',
  outer: OtherPlace | null = null,
): void {
  const place = placeOf(node, outer)
  const other = place === null ? null : pathOf(place.value)
  const first = firstLine(node, depth, side === 'left' ? 'removed' : 'added', other)
  const kind = place === null ? first.kind : kindOf(place, first)
  const leads = place !== null && outer === null
  const add = (line: BodyLine): void => {
    rows.push(side === 'left' ? { left: line, right: null } : { left: null, right: line })
  }
  add({ ...first, kind, leads })
  for (const child of node.children) addOneSide(rows, child, depth + 1, side, place)
  const end = lastLine(node, depth, kind, other)
  if (end !== null) add(end)
}

/** Where a value is in the other body. */
interface OtherPlace {
  readonly value: BodyValue
  /** Whether one of the two is a part of the other one, which is a text. */
  readonly isPart: boolean
}

/** Values inside a part are parts of the same text. */
function placeOf({ counterpart, textAround, parts }: BodyValue, outer: OtherPlace | null): OtherPlace | null {
  if (counterpart !== null) return { value: counterpart, isPart: false }
  const part = textAround ?? parts[0]
  if (part !== undefined) return { value: part, isPart: true }
  return outer?.isPart === true ? outer : null
}

function kindOf({ value, isPart }: OtherPlace, { kind, text }: BodyLine): LineKind {
  if (isPart) return 'part'
  return text === firstLine(value, 0, kind, null).text ? 'moved' : 'changed'
}
