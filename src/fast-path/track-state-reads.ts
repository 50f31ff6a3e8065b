import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { lookup } from '../text/lookup.ts'
import type { StateDiff } from './state-diff.ts'
import { type FieldNames, isWatched, trackFieldAccess, watchAs } from './track-field-access.ts'

/**
 * A value, list of keys or presence of a key that a step has read in its state. `value`: a scalar; `LIST` or `RECORD` in
 * place of a list or an object, whose content is read by itself.
 */
export interface StateRead {
  readonly path: readonly string[]
  readonly of: 'value' | 'keys' | 'presence'
  readonly value: unknown
}

const LIST = Symbol('list')
const RECORD = Symbol('record')

const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (Array.isArray(value) ? LIST : RECORD) : value

const keysOf = (value: object): string => JSON.stringify(Object.keys(value))

/** The reads of a step of a decoder, and the deltas that it has emitted. */
interface TrackedStep {
  readonly names: FieldNames
  readonly reads: readonly StateRead[]
  readonly deltas: readonly Delta[]
}

/**
 * Runs a step of a decoder and records everything that it reads. The step gives the same deltas for every state and
 * payload that are equal in what it has read. null if that is not certain: the deltas contain an object of the state or
 * of the payload, whose content was not read.
 */
export function trackStep(
  decode: Machine<unknown, Frame, Delta>,
  state: unknown,
  frame: Pick<Frame, 'event' | 'data'>,
): TrackedStep | null {
  const reads: StateRead[] = []
  let deltas: readonly Delta[] = []
  const watched = watchState(state, [], reads)
  const names = trackFieldAccess(frame, (tracked) => {
    deltas = decode.step(watched, tracked).events
  })
  return names.readsText || hasWatched(deltas) ? null : { names, reads, deltas }
}

function watchState(value: unknown, path: readonly string[], reads: StateRead[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const addPresence = (target: object, name: string | symbol): void => {
    if (typeof name === 'string')
      reads.push({ path: [...path, name], of: 'presence', value: Object.hasOwn(target, name) })
  }
  return watchAs(value, {
    get(target, name) {
      const inner: unknown = Reflect.get(target, name)
      // The methods of lists are the same for all states.
      if (typeof name === 'symbol' || typeof inner === 'function') return inner
      const at = [...path, name]
      reads.push({ path: at, of: 'value', value: shapeOf(inner) })
      return watchState(inner, at, reads)
    },
    has(target, name) {
      addPresence(target, name)
      return Reflect.has(target, name)
    },
    getOwnPropertyDescriptor(target, name) {
      addPresence(target, name)
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
    ownKeys(target) {
      reads.push({ path, of: 'keys', value: keysOf(target) })
      return Reflect.ownKeys(target)
    },
  })
}

function hasWatched(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return isWatched(value) || Object.values(value).some(hasWatched)
}

/** A scalar that changes from chunk to chunk counts as equal to another one of its type if both or none are empty. */
const sortOf = (value: unknown): unknown =>
  value === null || typeof value === 'symbol' ? value : `${typeof value} ${Boolean(value)}`

/** A read, for the comparison with other states. */
export interface KeptRead extends StateRead {
  /** The value changes from chunk to chunk, so that only its sort is kept. */
  readonly changes: boolean
}

/** Returns the reads, each once, without the values that change from chunk to chunk. */
export function distinctReads(reads: readonly StateRead[], moves: StateDiff): readonly KeptRead[] {
  const known = new Map<string, KeptRead>()
  for (const { path, of, value } of reads) {
    const changes = of === 'value' && isChanged(moves, path)
    known.set(JSON.stringify([of, path]), { path, of, changes, value: changes ? sortOf(value) : value })
  }
  return [...known.values()]
}

/** Returns whether a step reads the same in this state, except for what changes from chunk to chunk. */
export const readsAlike = (reads: readonly KeptRead[], state: unknown): boolean =>
  reads.every(({ path, of, changes, value }) => {
    const found = holderOf(state, path, of === 'keys' ? path.length : path.length - 1)
    if (found === null) return false
    if (of === 'keys') return keysOf(found) === value
    const name = path[path.length - 1] as string
    if (of === 'presence') return Object.hasOwn(found, name) === value
    const inner = shapeOf(lookup(found as Readonly<Record<string, unknown>>, name))
    return (changes ? sortOf(inner) : inner) === value
  })

/** Returns the object at the first `depth` names of a path; null if there is none. */
function holderOf(state: unknown, path: readonly string[], depth: number): object | null {
  let value = state
  for (let i = 0; i < depth; i += 1) {
    if (typeof value !== 'object' || value === null) return null
    value = lookup(value as Readonly<Record<string, unknown>>, path[i] as string)
  }
  return typeof value === 'object' ? value : null
}

/** Returns whether the value at this path changes from chunk to chunk. */
function isChanged(moves: StateDiff, path: readonly string[]): boolean {
  let inside: StateDiff[string] | undefined = moves
  for (const name of path) {
    if (typeof inside === 'string' || inside === undefined) break
    inside = lookup(inside, name)
  }
  return typeof inside === 'string'
}
