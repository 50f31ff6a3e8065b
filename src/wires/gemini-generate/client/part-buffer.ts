import { EMPTY_LIST, type List, listAppend, listAt, listWith } from '../../../collections/list.ts'
import {
  mapDelete,
  mapGet,
  mapLastKey,
  mapSet,
  type SortedMap,
  type SortedSet,
} from '../../../collections/sorted-map.ts'
import type { ResponsePart } from '../json.ts'

/** A call is emitted when it is whole and other output follows it, because its signature may come after the call. */
export interface PartCall {
  readonly kind: 'call'
  readonly key: string
  readonly id: string
  readonly name: string
  /** The arguments are free text. */
  readonly free: boolean
  readonly args: string
  readonly whole: boolean
  /** The response ended inside the call, or the arguments are no object. */
  readonly cut: boolean
  readonly signature: string | null
}

/** `step`: a part of a tool that the upstream ran. `loose`: a part that exists for its signature. */
interface HeldPart {
  readonly kind: 'image' | 'step' | 'loose'
  readonly part: ResponsePart
}

export type BufferedPart = PartCall | HeldPart

/** Parts that are not emitted yet, in order, with the indexes that find them again. Every change costs O(log n). */
export interface HeldParts {
  /** null where a part was emitted, or replaced by another part. */
  readonly values: List<BufferedPart | null>
  /** The index of the first part that was not emitted. */
  readonly next: number
  /** Positions of calls, by key. */
  readonly calls: SortedMap<string, number>
  /** Positions of calls without a signature, by id. */
  readonly unsigned: SortedMap<string, number>
  /** Positions of images without a signature. */
  readonly images: SortedSet<number>
  readonly steps: SortedSet<number>
}

export const NOTHING_HELD: HeldParts = {
  values: EMPTY_LIST,
  next: 0,
  calls: null,
  unsigned: null,
  images: null,
  steps: null,
}

export const isEmpty = ({ values, next }: HeldParts): boolean => next >= values.length

export function holdPart(held: HeldParts, part: BufferedPart): HeldParts {
  const at = held.values.length
  const values = listAppend<BufferedPart | null>(held.values, part)
  switch (part.kind) {
    case 'call': {
      const unsigned = part.signature === null ? mapSet(held.unsigned, part.id, at) : held.unsigned
      return { ...held, values, calls: mapSet(held.calls, part.key, at), unsigned }
    }
    case 'image':
      return { ...held, values, images: mapSet(held.images, at, true) }
    case 'step':
      return { ...held, values, steps: mapSet(held.steps, at, true) }
    case 'loose':
      return { ...held, values }
  }
}

/** Returns the held call of a key; `undefined` if there is none. */
export function heldCall(held: HeldParts, key: string): PartCall | undefined {
  const at = mapGet(held.calls, key)
  const call = at === undefined ? null : listAt(held.values, at)
  return call?.kind === 'call' ? call : undefined
}

/** Changes the call of a key, if it is held. */
export function withCall(held: HeldParts, key: string, change: Partial<PartCall>): HeldParts {
  const at = mapGet(held.calls, key)
  const call = heldCall(held, key)
  return at === undefined || call === undefined
    ? held
    : { ...held, values: listWith<BufferedPart | null>(held.values, at, { ...call, ...change }) }
}

/** Signs the last unsigned call of an id; null if there is none. */
export function signBufferedCall(held: HeldParts, id: string, signature: string): HeldParts | null {
  const at = mapGet(held.unsigned, id)
  const call = at === undefined ? null : listAt(held.values, at)
  if (at === undefined || call?.kind !== 'call') return null
  const values = listWith<BufferedPart | null>(held.values, at, { ...call, signature })
  return { ...held, values, unsigned: mapDelete(held.unsigned, id) }
}

/** Signs the last unsigned image; null if there is none. */
export function signImage(held: HeldParts, mimeType: string, thoughtSignature: string): HeldParts | null {
  const at = mapLastKey(held.images)
  const image = at === undefined ? null : listAt(held.values, at)
  if (at === undefined || image?.kind !== 'image') return null
  const part = { inlineData: { ...image.part.inlineData, mimeType }, thoughtSignature }
  const values = listWith<BufferedPart | null>(held.values, at, { kind: 'image', part })
  return { ...held, values, images: mapDelete(held.images, at) }
}

/** Drops the last parts of steps, at most `count` of them. */
export function dropSteps(held: HeldParts, count: number): HeldParts {
  let { values, steps } = held
  for (let left = count; left > 0; left -= 1) {
    const at = mapLastKey(steps)
    if (at === undefined) break
    values = listWith<BufferedPart | null>(values, at, null)
    steps = mapDelete(steps, at)
  }
  return { ...held, values, steps }
}

interface Shifted {
  readonly parts: readonly BufferedPart[]
  readonly left: HeldParts
}

const isOpen = (held: BufferedPart): boolean => held.kind === 'call' && !held.whole

/** Takes the parts before the first call that is incomplete. `all`: takes that call and the parts after it, too. */
export function shiftHeld(held: HeldParts, all: boolean): Shifted {
  const parts: BufferedPart[] = []
  let left = held
  for (; left.next < left.values.length; ) {
    const part = listAt(left.values, left.next) ?? null
    if (part !== null && !all && isOpen(part)) return { parts, left }
    if (part !== null) parts.push(part)
    left = without(left, part)
  }
  return { parts, left: NOTHING_HELD }
}

function without(held: HeldParts, part: BufferedPart | null): HeldParts {
  const { next: at } = held
  const values = listWith<BufferedPart | null>(held.values, at, null)
  const left = { ...held, values, next: at + 1 }
  switch (part?.kind) {
    case 'call': {
      const isIts = mapGet(held.unsigned, part.id) === at
      return {
        ...left,
        calls: mapDelete(held.calls, part.key),
        unsigned: isIts ? mapDelete(held.unsigned, part.id) : held.unsigned,
      }
    }
    case 'image':
      return { ...left, images: mapDelete(held.images, at) }
    case 'step':
      return { ...left, steps: mapDelete(held.steps, at) }
    default:
      return left
  }
}
