import type { Json } from '../../../../protocol/json.ts'
import { isObject } from '../../../../text/json.ts'
import { formatPath, pathIn } from '../../../../validation/messages.ts'

/** One value of a body with its place. */
export interface BodyNode {
  /** As in losses: `messages[0].content`; `body` for the body itself. */
  readonly path: string
  /** The name of a member; null for an entry of a list and for the body. */
  readonly name: string | null
  readonly value: Json
  readonly parent: BodyNode | null
  readonly children: readonly BodyNode[]
  /** Equal for equal values, in any order of members. */
  readonly identity: number
  /** The value and all values in it. */
  readonly size: number
}

/** Numbers equal texts alike. Two trees that are compared share one. */
export type Identities = (text: string) => number

export function createIdentities(): Identities {
  const known = new Map<string, number>()
  return (text) => {
    const found = known.get(text) ?? known.size
    known.set(text, found)
    return found
  }
}

/** O(n). The depth of a body is bounded by `MAX_LENGTHS.nesting`, so that a recursion cannot overflow the stack. */
export const toBodyTree = (body: Json, identities: Identities): BodyNode => toNode(body, null, null, '', identities)

function toNode(
  value: Json,
  name: string | null,
  parent: BodyNode | null,
  path: string,
  identities: Identities,
): BodyNode {
  const children: BodyNode[] = []
  const node = { path: path === '' ? 'body' : path, name, value, parent, children, identity: 0, size: 1 }
  if (Array.isArray(value)) {
    value.forEach((entry: Json, at) => {
      children.push(toNode(entry, null, node, path === '' ? formatPath([at]) : `${path}[${at}]`, identities))
    })
    node.identity = identities(`[${children.map(({ identity }) => identity).join()}]`)
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      children.push(toNode(member as Json, key, node, pathIn(path, key), identities))
    }
    const members = children.map((child) => `${JSON.stringify(child.name)}:${child.identity}`)
    node.identity = identities(`{${members.sort().join()}}`)
  } else node.identity = identities(JSON.stringify(value))
  for (const child of children) node.size += child.size
  return node
}

/** A list or an object; null for any other value. */
export const kindOfNode = ({ value }: BodyNode): 'list' | 'object' | null =>
  Array.isArray(value) ? 'list' : isObject(value) ? 'object' : null

/** A node and all nodes in it, in the order of the text. */
export function* nodesOf(node: BodyNode): Generator<BodyNode> {
  yield node
  for (const child of node.children) yield* nodesOf(child)
}
