import { type JsonNode, kindOfNode, nodesOf } from './json-tree.ts'
import type { GrowingMatches } from './match-containers.ts'

/** Names of one setting in two protocols often differ only in case and underscores. */
const plainName = ({ name }: JsonNode): string => (name ?? '').replaceAll('_', '').toLowerCase()

/** Values that are often equal by chance. */
const isCommon = ({ value }: JsonNode): boolean =>
  value === null || typeof value === 'boolean' || value === 0 || value === 1 || value === ''

const KEYS: readonly ((node: JsonNode) => string)[] = [
  (node) => `${node.identity} ${plainName(node)}`,
  (node) => (isCommon(node) ? `common ${node.path}` : `${node.identity}`),
]

/**
 * Matches the remaining members with equal values: first those in matched objects, such as the name of a tool that is
 * now below `function`, then those anywhere, such as `max_tokens` that became `generationConfig.maxOutputTokens`.
 */
export function matchSettings(matches: GrowingMatches, left: JsonNode, right: JsonNode): void {
  for (const node of nodesOf(right)) {
    const other = matches.toLeft.get(node)
    if (other === undefined || kindOfNode(node) !== 'object') continue
    for (const keyOf of KEYS)
      matchBy(matches, [...membersWithin(other, matches.toRight)], [...membersWithin(node, matches.toLeft)], keyOf)
  }
  const rest = (root: JsonNode, known: ReadonlyMap<JsonNode, JsonNode>): readonly JsonNode[] =>
    [...nodesOf(root)].filter((node) => isSetting(node) && !known.has(node))
  for (const keyOf of KEYS) matchBy(matches, rest(left, matches.toRight), rest(right, matches.toLeft), keyOf)
}

const isSetting = (node: JsonNode): boolean => node.name !== null && kindOfNode(node) === null

/** The unmatched settings of an object, also in objects and lists of it that have no match themselves. */
function* membersWithin(node: JsonNode, known: ReadonlyMap<JsonNode, JsonNode>): Generator<JsonNode> {
  for (const child of node.children) {
    if (known.has(child)) continue
    if (isSetting(child)) yield child
    else yield* membersWithin(child, known)
  }
}

function matchBy(
  { toRight, toLeft }: GrowingMatches,
  left: readonly JsonNode[],
  right: readonly JsonNode[],
  keyOf: (node: JsonNode) => string,
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

function groupNodes(nodes: readonly JsonNode[], keyOf: (node: JsonNode) => string): ReadonlyMap<string, JsonNode[]> {
  const groups = new Map<string, JsonNode[]>()
  for (const node of nodes) {
    const group = groups.get(keyOf(node))
    if (group === undefined) groups.set(keyOf(node), [node])
    else group.push(node)
  }
  return groups
}
