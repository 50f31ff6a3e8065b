import { getOrCreate } from '../../../collections/get-or-create.ts'
import type { Json } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import { membersOf } from '../../origins.ts'

/** A value of a body. The members that are not `readonly` say what it has become in another body, or comes from there. */
export interface BodyValue {
  /** As in losses: `messages[0].content`; empty for the body itself. */
  readonly path: string
  /** The name of the member; for the entry of a list, that of the list. */
  readonly name: string
  /** The position in the list; null for a member and for the body itself. */
  readonly index: number | null
  readonly kind: 'list' | 'object' | 'scalar'
  readonly value: Json
  readonly parent: BodyValue | null
  /** Empty for a scalar, and for an empty list or object. */
  readonly children: readonly BodyValue[]
  /** Equal for equal values, in any order of members, among all trees of one reader. */
  readonly id: number
  /** The position in `values` of the tree. */
  readonly order: number
  /** The position after the last value inside. */
  readonly end: number
  /** Counterparts are one to one. */
  counterpart: BodyValue | null
  /** The text of the other body that contains the value, as it is or as JSON. */
  textAround: BodyValue | null
  /** The values of the other body that a text contains, in their order. */
  readonly parts: BodyValue[]
  /** Whether all of the value has its place, alone or with a value around it. */
  isSettled: boolean
  /** Whether a value inside it has. */
  isPartial: boolean
}

export interface BodyTree {
  readonly root: BodyValue
  /** Each before the values inside it, in the order of the text. */
  readonly values: readonly BodyValue[]
}

/** Reads bodies as trees. */
export interface TreeReader {
  read(body: Json): BodyTree
  /** The id of an equal value of any tree so far; a new one if there is none. */
  idOf(value: Json): number
}

type Place = Pick<BodyValue, 'path' | 'name' | 'index' | 'parent'>

/**
 * Values get their ids from those of their members, so that equal values are found in linear time. The nesting of a
 * validated body is bounded (`MAX_LENGTHS.nesting`), so that the recursion cannot overflow the stack.
 */
export function createTreeReader(): TreeReader {
  const known = new Map<string, number>()
  const idOfText = (text: string): number => {
    const id = known.get(text) ?? known.size
    known.set(text, id)
    return id
  }

  const readAt = (value: Json, { path, name, index, parent }: Place, values: BodyValue[]): BodyValue => {
    const node = {
      path,
      name,
      index,
      kind: Array.isArray(value) ? 'list' : isObject(value) ? 'object' : ('scalar' as BodyValue['kind']),
      value,
      parent,
      children: [] as readonly BodyValue[],
      id: 0,
      order: values.length,
      end: 0,
      counterpart: null,
      textAround: null,
      parts: [],
      isSettled: false,
      isPartial: false,
    }
    values.push(node)
    const isList = node.kind === 'list'
    node.children = membersOf(value, path).map(([member, inner, own], at) =>
      readAt(inner, { path: own, name: isList ? name : member, index: isList ? at : null, parent: node }, values),
    )
    const ids = node.children.map((child) => (isList ? child.id : `${JSON.stringify(child.name)}:${child.id}`))
    if (isList) node.id = idOfText(`[${ids.join()}]`)
    else node.id = idOfText(node.kind === 'object' ? `{${ids.sort().join()}}` : JSON.stringify(value))
    node.end = values.length
    return node
  }

  const read = (body: Json): BodyTree => {
    const values: BodyValue[] = []
    return { root: readAt(body, { path: '', name: '', index: null, parent: null }, values), values }
  }
  return { read, idOf: (value) => read(value).root.id }
}

export const isLeaf = ({ children }: BodyValue): boolean => children.length === 0

/** Whether neither the value, nor a value inside it or around it, has a place in the other body. */
export const isFree = ({ isSettled, isPartial }: BodyValue): boolean => !isSettled && !isPartial

/** The members of two objects that have the same names, or the entries of two lists at the same positions. */
export function membersOfBoth(one: BodyValue, other: BodyValue): readonly (readonly [BodyValue, BodyValue])[] {
  const keyOf = ({ name, index }: BodyValue): string | number => index ?? name
  const others = new Map(other.children.map((child) => [keyOf(child), child]))
  return one.children.flatMap((child) => {
    const found = others.get(keyOf(child))
    return found === undefined ? [] : [[child, found] as const]
  })
}

/** Pairs two lists or objects, if they have no other counterparts, and leaves the values in them as they are. */
export function pairContainers(one: BodyValue, other: BodyValue): void {
  if (one.counterpart !== null || other.counterpart !== null) return
  one.counterpart = other
  other.counterpart = one
}

/** Pairs two values with everything in them. Those in them are counterparts of each other if the values are equal. */
export function pairWhole(one: BodyValue, other: BodyValue): void {
  pairInside(one, other)
  settle(one)
  settle(other)
}

function pairInside(one: BodyValue, other: BodyValue): void {
  one.counterpart = other
  other.counterpart = one
  if (one.id === other.id) for (const [child, found] of membersOfBoth(one, other)) pairInside(child, found)
}

/** Adds a value of the one body to the parts of a text of the other. */
export function join(text: BodyValue, part: BodyValue): void {
  text.parts.push(part)
  part.textAround = text
  settle(text)
  settle(part)
}

function settle(value: BodyValue): void {
  const settleInside = (one: BodyValue): void => {
    one.isSettled = true
    for (const child of one.children) settleInside(child)
  }
  settleInside(value)
  for (let at = value.parent; at !== null && !at.isPartial; at = at.parent) at.isPartial = true
}

/** The characters that a text has at least for which it matters where it is. */
export const SHORTEST = 16

/** Members that name the kind of an object: equal words show nothing under other names. */
const KINDS: ReadonlySet<string> = new Set(['type', 'role'])

export const namesKind = ({ name, index }: BodyValue): boolean => index === null && KINDS.has(name)

interface PairRules {
  /** Default: that of the other values. */
  readonly keyOfOther?: (other: BodyValue) => unknown
  readonly pair?: (one: BodyValue, other: BodyValue) => void
  /** Whether a value may be paired. Default: `isFree`. */
  readonly isOpen?: (value: BodyValue) => boolean
  readonly fits?: (one: BodyValue, other: BodyValue) => boolean
}

/** Pairs each of `values` with the first one of `others` that has the same key, in their order. `undefined`: it has none. */
export function pairBy(
  values: readonly BodyValue[],
  others: readonly BodyValue[],
  keyOf: (value: BodyValue) => unknown,
  { keyOfOther = keyOf, pair = pairWhole, isOpen = isFree, fits = () => true }: PairRules = {},
): void {
  const left = new Map<unknown, BodyValue[]>()
  for (const other of others.filter(isOpen).reverse()) {
    const key = keyOfOther(other)
    if (key !== undefined) getOrCreate(left, key, () => []).push(other)
  }
  for (const one of values) {
    const list = isOpen(one) ? (left.get(keyOf(one)) ?? []) : []
    for (let other = list.pop(); other !== undefined; other = list.pop()) {
      if (!isOpen(other) || !fits(one, other)) continue
      pair(one, other)
      break
    }
  }
}
