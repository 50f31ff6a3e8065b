import type { JsonObject } from '../../protocol/json.ts'
import { type ComparedValue, createTreeReader, valuesOf } from './body-tree.ts'
import type { Change } from './explanation.ts'
import { findPairs } from './find-pairs.ts'

/**
 * The differences between a client's body and the body of its upstream: those of the upstream's body in its order, then
 * what was removed. Values are recognised by their content, so that a message that has moved is one change.
 */
export function bodyChanges(client: JsonObject, upstream: JsonObject): readonly Change[] {
  const reader = createTreeReader()
  const [before, after] = [reader.read(client), reader.read(upstream)]
  if (before.id === after.id) return []
  const pairing = findPairs(after, before, reader)
  const isWhole = (node: ComparedValue): boolean => node.parent !== null && pairing.isFree(node)
  /** The largest values that have no counterpart. */
  const unpaired = (root: ComparedValue): readonly ComparedValue[] => {
    const found: ComparedValue[] = []
    const skips = (node: ComparedValue): boolean => {
      if (isWhole(node)) found.push(node)
      return isWhole(node) || pairing.isPaired(node)
    }
    for (const _ of valuesOf(root, skips));
    return found
  }
  const gone = new Map(unpaired(before).map((node) => [node.path, node]))
  const changes: Change[] = []
  const skips = (node: ComparedValue): boolean => {
    const source = pairing.sourceOf(node)
    if (source !== undefined) changes.push(...changeOf(node, source))
    for (const other of pairing.joinedIn(node)) changes.push(...changeOf(node, other))
    if (source !== undefined || !isWhole(node)) return source !== undefined
    const replaced = gone.get(node.path)
    if (replaced === undefined) changes.push(added(node))
    else {
      gone.delete(node.path)
      changes.push(...changeOf(node, replaced))
    }
    return true
  }
  for (const _ of valuesOf(after, skips));
  return [...changes, ...[...gone.values()].map(removed)]
}

const added = ({ path, value }: ComparedValue): Change => ({
  kind: 'added',
  path: null,
  upstreamPath: path,
  after: value,
})

const removed = ({ path, value }: ComparedValue): Change => ({
  kind: 'removed',
  path,
  upstreamPath: null,
  before: value,
})

function changeOf(node: ComparedValue, source: ComparedValue): readonly Change[] {
  const places = { path: source.path, upstreamPath: node.path }
  if (source.id !== node.id) return [{ kind: 'changed', ...places, before: source.value, after: node.value }]
  return source.path === node.path ? [] : [{ kind: 'moved', ...places }]
}
