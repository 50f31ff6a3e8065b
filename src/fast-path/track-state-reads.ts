import { getOrCreate } from '../collections/get-or-create.ts'
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
      reads.push({ path, of: 'keys', value: Object.keys(target) })
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

/** A read of a member, for the comparison with other states. */
interface KeptMember {
  readonly name: string
  readonly of: 'value' | 'presence'
  /** The value changes from chunk to chunk, so that only its sort is kept. */
  readonly changes: boolean
  readonly value: unknown
}

/** Everything that was read of one object of the state: it is found once. */
export interface KeptReads {
  readonly path: readonly string[]
  /** Null if its keys were not listed. */
  readonly keys: readonly string[] | null
  readonly members: readonly KeptMember[]
}

interface FoundReads {
  readonly path: readonly string[]
  keys: readonly string[] | null
  readonly members: Map<string, KeptMember>
}

/** Returns the reads, each once, without the values that change from chunk to chunk. */
export function distinctReads(reads: readonly StateRead[], moves: StateDiff): readonly KeptReads[] {
  const holders = new Map<string, FoundReads>()
  for (const { path, of, value } of reads) {
    const holder = of === 'keys' ? path : path.slice(0, -1)
    const found = getOrCreate(holders, JSON.stringify(holder), () => ({ path: holder, keys: null, members: new Map() }))
    if (of === 'keys') found.keys = value as readonly string[]
    else {
      const name = path[path.length - 1] as string
      const changes = of === 'value' && isChanged(moves, path)
      found.members.set(`${of} ${name}`, { name, of, changes, value: changes ? sortOf(value) : value })
    }
  }
  return [...holders.values()].map(({ path, keys, members }) => ({ path, keys, members: [...members.values()] }))
}

/** Returns whether a step reads the same in this state, except for what changes from chunk to chunk. */
export const readsAlike = (reads: readonly KeptReads[], state: unknown): boolean =>
  reads.every(({ path, keys, members }) => {
    const found = holderOf(state, path)
    if (found === null || (keys !== null && !hasKeys(found, keys))) return false
    return members.every(({ name, of, changes, value }) => {
      if (of === 'presence') return Object.hasOwn(found, name) === value
      const inner = shapeOf(lookup(found, name))
      return (changes ? sortOf(inner) : inner) === value
    })
  })

function hasKeys(value: object, keys: readonly string[]): boolean {
  const own = Object.keys(value)
  return own.length === keys.length && own.every((name, at) => name === keys[at])
}

/** Returns the object at a path; null if there is none. */
function holderOf(state: unknown, path: readonly string[]): Readonly<Record<string, unknown>> | null {
  let value = state
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return null
    value = lookup(value as Readonly<Record<string, unknown>>, name)
  }
  return typeof value === 'object' ? (value as Readonly<Record<string, unknown>> | null) : null
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
