import { type BodyNode, kindOfNode, nodesOf } from './body-tree.ts'
import type { GrowingMatches } from './match-containers.ts'

/** Shorter texts occur in others by chance, and so do single words, such as `function` in `function_call`. */
const SHORTEST = 6
const SHORTEST_WORD = 24
/** The values of one body that are searched: a request with more of them would take too long. */
const MOST = 2000

/**
 * The values of a body that have no match, and are a part of a text of the other body without a match: blocks that were
 * joined, the input of a call as text, and the type and the data of a data URL.
 */
export function partsOfTexts(
  matches: GrowingMatches,
  body: BodyNode,
  other: BodyNode,
): ReadonlyMap<BodyNode, BodyNode> {
  const isFree = (node: BodyNode): boolean => !matches.toRight.has(node) && !matches.toLeft.has(node)
  const texts = [...nodesOf(other)]
    .filter((node) => typeof node.value === 'string' && node.value.length >= SHORTEST && isFree(node))
    .slice(0, MOST)
  const parts = new Map<BodyNode, BodyNode>()
  if (texts.length === 0) return parts
  let searched = 0
  const visit = (node: BodyNode): void => {
    const text = isFree(node) ? searchable(node) : null
    if (text !== null && searched < MOST) {
      searched += 1
      const found =
        texts.find(({ value }) => typeof value === 'string' && value.length > text.length && value.includes(text)) ??
        texts.find(({ value }) => value === text)
      if (found !== undefined) {
        for (const inner of nodesOf(node)) if (isFree(inner)) parts.set(inner, found)
        return
      }
    }
    for (const child of node.children) visit(child)
  }
  visit(body)
  return parts
}

/** A text as it is; an object as JSON, as in the arguments of a call. */
function searchable(node: BodyNode): string | null {
  const { value } = node
  const text = typeof value === 'string' ? value : kindOfNode(node) === 'object' ? JSON.stringify(value) : ''
  return text.length < (/^\w+$/.test(text) ? SHORTEST_WORD : SHORTEST) ? null : text
}
