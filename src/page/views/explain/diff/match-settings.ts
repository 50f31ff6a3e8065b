import { type BodyNode, kindOfNode, nodesOf } from './body-tree.ts'
import type { GrowingMatches } from './match-containers.ts'

/** Names of one setting in two protocols often differ only in case and underscores. */
const plainName = ({ name }: BodyNode): string => (name ?? '').replaceAll('_', '').toLowerCase()

/** Values that are often equal by chance. */
const isCommon = ({ value }: BodyNode): boolean =>
  value === null || typeof value === 'boolean' || value === 0 || value === 1 || value === ''

const KEYS: readonly ((node: BodyNode) => string)[] = [
  (node) => `${node.identity} ${plainName(node)}`,
  (node) => (isCommon(node) ? `common ${node.path}` : `${node.identity}`),
]

/**
 * Matches the remaining members with equal values: first those in matched objects, such as the name of a tool that is
 * now below `function`, then those anywhere, such as `max_tokens` that became `generationConfig.maxOutputTokens`.
 */
export function matchSettings(matches: GrowingMatches, left: BodyNode, right: BodyNode): void {
  for (const node of nodesOf(right)) {
    const other = matches.toLeft.get(node)
    if (other === undefined || kindOfNode(node) !== 'object') continue
    for (const keyOf of KEYS)
      matchBy(matches, [...membersWithin(other, matches.toRight)], [...membersWithin(node, matches.toLeft)], keyOf)
  }
  const rest = (root: BodyNode, known: ReadonlyMap<BodyNode, BodyNode>): readonly BodyNode[] =>
    [...nodesOf(root)].filter((node) => isSetting(node) && !known.has(node))
  for (const keyOf of KEYS) matchBy(matches, rest(left, matches.toRight), rest(right, matches.toLeft), keyOf)
}

const isSetting = (node: BodyNode): boolean => node.name !== null && kindOfNode(node) === null

/** The unmatched settings of an object, also in objects and lists of it that have no match themselves. */
function* membersWithin(node: BodyNode, known: ReadonlyMap<BodyNode, BodyNode>): Generator<BodyNode> {
  for (const child of node.children) {
    if (known.has(child)) continue
    if (isSetting(child)) yield child
    else yield* membersWithin(child, known)
  }
}

function matchBy(
  { toRight, toLeft }: GrowingMatches,
  left: readonly BodyNode[],
  right: readonly BodyNode[],
  keyOf: (node: BodyNode) => string,
): void {
  const from = groupNodes(left, keyOf)
  for (const [key, to] of groupNodes(right, keyOf)) {
    const [one, ...more] = from.get(key) ?? []
    const [other] = to
    // Several equal settings leave open which of them this is.
    if (one === undefined || other === undefined || more.length > 0 || to.length > 1) continue
    if (one.identity !== other.identity || toRight.has(one) || toLeft.has(other)) continue
    toRight.set(one, other)
    toLeft.set(other, one)
  }
}

function groupNodes(nodes: readonly BodyNode[], keyOf: (node: BodyNode) => string): ReadonlyMap<string, BodyNode[]> {
  const groups = new Map<string, BodyNode[]>()
  for (const node of nodes) {
    const group = groups.get(keyOf(node))
    if (group === undefined) groups.set(keyOf(node), [node])
    else group.push(node)
  }
  return groups
}
