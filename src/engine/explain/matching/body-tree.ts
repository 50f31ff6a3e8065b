import type { Json } from '../../../protocol/json.ts'
import { isObject } from '../../../text/json.ts'
import { pathIn } from '../../../validation/messages.ts'

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

interface GrowingValue extends BodyValue {
  kind: BodyValue['kind']
  children: readonly BodyValue[]
  id: number
  end: number
}

type Place = Pick<BodyValue, 'path' | 'name' | 'index' | 'parent'>

const ROOT: Place = { path: '', name: '', index: null, parent: null }

/**
 * Values get their ids from those of their members, so that equal values are found in linear time. The nesting of a
 * validated body is bounded (`MAX_LENGTHS.nesting`), so that the recursion cannot overflow the stack.
 */
export function createTreeReader(): TreeReader {
  const ids = new Map<string, number>()
  const idOfText = (text: string): number => {
    const known = ids.get(text)
    if (known !== undefined) return known
    ids.set(text, ids.size)
    return ids.size - 1
  }

  const readAt = (value: Json, place: Place, values: BodyValue[]): BodyValue => {
    const { path, name, index, parent } = place
    const node = {
      path,
      name,
      index,
      kind: 'scalar',
      value,
      parent,
      children: [],
      id: 0,
      order: values.length,
      end: 0,
    } as GrowingValue
    values.push(node)
    if (Array.isArray(value)) {
      const list = value as readonly Json[]
      node.kind = 'list'
      node.children = list.map((inner, at) =>
        readAt(inner, { path: `${path}[${at}]`, name, index: at, parent: node }, values),
      )
      node.id = idOfText(`[${node.children.map(({ id }) => id).join()}]`)
    } else if (isObject(value)) {
      const members = Object.entries(value as Readonly<Record<string, Json | undefined>>)
      node.kind = 'object'
      node.children = members.flatMap(([member, inner]) =>
        inner === undefined
          ? []
          : [readAt(inner, { path: pathIn(path, member), name: member, index: null, parent: node }, values)],
      )
      const keys = node.children.map((child) => `${JSON.stringify(child.name)}:${child.id}`)
      node.id = idOfText(`{${keys.sort().join()}}`)
    } else node.id = idOfText(JSON.stringify(value))
    node.end = values.length
    return node
  }

  const read = (body: Json): BodyTree => {
    const values: BodyValue[] = []
    return { root: readAt(body, ROOT, values), values }
  }
  return { read, idOf: (value) => read(value).root.id }
}

export const isLeaf = ({ children }: BodyValue): boolean => children.length === 0

/** Members that name the kind of an object: equal words show nothing under other names. */
const KINDS: ReadonlySet<string> = new Set(['type', 'role'])

export const namesKind = ({ name, index }: BodyValue): boolean => index === null && KINDS.has(name)
