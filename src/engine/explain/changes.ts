import type { JsonObject } from '../../protocol/json.ts'
import type { OriginPair } from '../origins.ts'
import type { Change } from './explanation.ts'
import { type BodyTree, type BodyValue, isFree } from './matching/body-tree.ts'
import { matchBodies } from './matching/match-bodies.ts'

/**
 * The differences between a client's body and the body of its upstream: those of the upstream's body in its order, then
 * what was removed. `origins`: the values of both that belong to each other, so that a message that has moved is one
 * change.
 */
export function bodyChanges(
  client: JsonObject,
  upstream: JsonObject,
  origins: readonly OriginPair[],
): readonly Change[] {
  const bodies = matchBodies(client, upstream, origins)
  return [
    ...largestIn(bodies.upstream, changesOf),
    ...largestIn(bodies.client, (value) => (isAlone(value) ? [removed(value)] : null)),
  ]
}

/** The changes of the largest values that are changes as a whole. `changesOf`: null for a value with changes inside. */
function largestIn({ values }: BodyTree, changesOf: (value: BodyValue) => readonly Change[] | null): readonly Change[] {
  const changes: Change[] = []
  for (let at = 0; at < values.length; ) {
    const value = values[at] as BodyValue
    const found = changesOf(value)
    changes.push(...(found ?? []))
    at = found === null ? at + 1 : value.end
  }
  return changes
}

/** Whether the other body has nothing of a value. */
const isAlone = (value: BodyValue): boolean => value.parent !== null && isFree(value) && value.counterpart === null

function changesOf(value: BodyValue): readonly Change[] | null {
  const { textAround, parts, counterpart: source } = value
  if (textAround !== null) return [changed(value, textAround)]
  if (parts.length > 0)
    return [...parts].sort((one, other) => one.order - other.order).map((part) => changed(value, part))
  if (source === null) return isAlone(value) ? [added(value)] : null
  if (source.id === value.id) return source.path === value.path ? [] : [moved(value, source)]
  return value.children.length > 0 && source.children.length > 0 && value.kind === source.kind
    ? null
    : [changed(value, source)]
}

const added = ({ path, value }: BodyValue): Change => ({ kind: 'added', path: null, upstreamPath: path, after: value })

const removed = ({ path, value }: BodyValue): Change => ({
  kind: 'removed',
  path,
  upstreamPath: null,
  before: value,
})

const moved = (value: BodyValue, source: BodyValue): Change => ({
  kind: 'moved',
  path: source.path,
  upstreamPath: value.path,
})

const changed = (value: BodyValue, source: BodyValue): Change => ({
  kind: 'changed',
  path: source.path,
  upstreamPath: value.path,
  before: source.value,
  after: value.value,
})
