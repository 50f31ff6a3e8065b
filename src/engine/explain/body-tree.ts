import type { Json } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { pathIn } from '../../validation/messages.ts'

/** A value of a body with its place. */
export interface ComparedValue {
  readonly path: string
  /** The name of the member; for the entry of a list, that of the list. */
  readonly name: string
  readonly value: Json
  readonly parent: ComparedValue | null
  /** The innermost entry of a list that contains the value, or is it; the root where there is none. */
  readonly entry: ComparedValue
  /** Empty for a string, a number, a literal, and an empty list or object. */
  readonly children: readonly ComparedValue[]
  /** The number of values without children inside; 1 for such a value itself. */
  readonly leaves: number
  /** Equal for equal values, in any order of members, among all trees of one reader. */
  readonly id: number
}

/** Reads bodies as trees. */
export interface TreeReader {
  read(body: Json): ComparedValue
  /** The id of an equal value of any tree so far; a new one if there is none. */
  idOf(value: Json): number
}

interface OpenNode extends ComparedValue {
  entry: ComparedValue
  children: readonly ComparedValue[]
  leaves: number
  id: number
}

interface Place {
  readonly path: string
  readonly name: string
  readonly isEntry: boolean
}

/** Values get their ids from those of their members, so that equal values are found in linear time. */
export function createTreeReader(): TreeReader {
  const ids = new Map<string, number>()
  const idFor = (key: string): number => {
    const known = ids.get(key)
    if (known !== undefined) return known
    ids.set(key, ids.size)
    return ids.size - 1
  }

  const readAt = (value: Json, { path, name, isEntry }: Place, parent: ComparedValue | null): ComparedValue => {
    const node = { path, name, value, parent, children: [], leaves: 1, id: -1 } as unknown as OpenNode
    node.entry = isEntry || parent === null ? node : parent.entry
    if (Array.isArray(value)) {
      const list = value as readonly Json[]
      node.children = list.map((inner, at) => readAt(inner, { path: `${path}[${at}]`, name, isEntry: true }, node))
      node.id = idFor(`[${node.children.map(({ id }) => id).join()}]`)
    } else if (isObject(value)) {
      const members = Object.entries(value as Readonly<Record<string, Json | undefined>>)
      node.children = members.flatMap(([member, inner]) =>
        inner === undefined ? [] : [readAt(inner, { path: pathIn(path, member), name: member, isEntry: false }, node)],
      )
      const keys = node.children.map((child) => `${JSON.stringify(child.name)}:${child.id}`)
      node.id = idFor(`{${keys.sort().join()}}`)
    } else node.id = idFor(JSON.stringify(value))
    if (node.children.length > 0) node.leaves = node.children.reduce((sum, { leaves }) => sum + leaves, 0)
    return node
  }

  const read = (body: Json): ComparedValue => readAt(body, { path: '', name: '', isEntry: false }, null)
  return { read, idOf: (value) => read(value).id }
}

/** Every value of a tree, each before the values inside it. `skips`: the values that are left out with their insides. */
export function* valuesOf(
  node: ComparedValue,
  skips: (node: ComparedValue) => boolean = () => false,
): Iterable<ComparedValue> {
  if (skips(node)) return
  yield node
  for (const child of node.children) yield* valuesOf(child, skips)
}
