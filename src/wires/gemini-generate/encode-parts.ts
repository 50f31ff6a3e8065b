import { EMPTY_LIST, type List, listAppend, listAt, listWith } from '../../machine/list.ts'
import { mapDelete, mapGet, mapLastKey, mapSet, type SortedMap, type SortedSet } from '../../machine/sorted-map.ts'
import type { ResponsePart } from './wire.ts'

/** A call is told when it is whole, and not before something else comes: what it is signed with may follow it. */
export interface HeldCall {
  readonly kind: 'call'
  readonly key: string
  readonly id: string
  readonly name: string
  /** Its arguments are free text. */
  readonly free: boolean
  readonly args: string
  readonly whole: boolean
  /** The answer ended inside it, or its arguments are no object. */
  readonly cut: boolean
  readonly signature: string | null
}

/** `step`: of a tool that the upstream ran; `loose`: a part that exists for its signature. */
export interface HeldPart {
  readonly kind: 'image' | 'step' | 'loose'
  readonly part: ResponsePart
}

export type Held = HeldCall | HeldPart

/** What waits to be told, in its order, and where it is found again. Every change costs O(log n). */
export interface HeldParts {
  /** null where a part was told, or another stands for it. */
  readonly values: List<Held | null>
  /** The index of the first that was not told. */
  readonly next: number
  /** Calls, by key. */
  readonly calls: SortedMap<string, number>
  /** Calls without a signature, by id. */
  readonly unsigned: SortedMap<string, number>
  /** Images without a signature. */
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

export function holdPart(held: HeldParts, part: Held): HeldParts {
  const at = held.values.length
  const values = listAppend<Held | null>(held.values, part)
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

/** The call of that key; undefined where none waits. */
export function heldCall(held: HeldParts, key: string): HeldCall | undefined {
  const at = mapGet(held.calls, key)
  const call = at === undefined ? null : listAt(held.values, at)
  return call?.kind === 'call' ? call : undefined
}

/** With that call changed, if it waits. */
export function withCall(held: HeldParts, key: string, change: Partial<HeldCall>): HeldParts {
  const at = mapGet(held.calls, key)
  const call = heldCall(held, key)
  return at === undefined || call === undefined
    ? held
    : { ...held, values: listWith<Held | null>(held.values, at, { ...call, ...change }) }
}

/** With the last unsigned call of that id signed; null where there is none. */
export function signCall(held: HeldParts, id: string, signature: string): HeldParts | null {
  const at = mapGet(held.unsigned, id)
  const call = at === undefined ? null : listAt(held.values, at)
  if (at === undefined || call?.kind !== 'call') return null
  const values = listWith<Held | null>(held.values, at, { ...call, signature })
  return { ...held, values, unsigned: mapDelete(held.unsigned, id) }
}

/** With the last unsigned image signed; null where there is none. */
export function signImage(held: HeldParts, mimeType: string, thoughtSignature: string): HeldParts | null {
  const at = mapLastKey(held.images)
  const image = at === undefined ? null : listAt(held.values, at)
  if (at === undefined || image?.kind !== 'image') return null
  const part = { inlineData: { ...image.part.inlineData, mimeType }, thoughtSignature }
  const values = listWith<Held | null>(held.values, at, { kind: 'image', part })
  return { ...held, values, images: mapDelete(held.images, at) }
}

/** Without the last parts of steps, at most so many. */
export function dropSteps(held: HeldParts, count: number): HeldParts {
  let { values, steps } = held
  for (let left = count; left > 0; left -= 1) {
    const at = mapLastKey(steps)
    if (at === undefined) break
    values = listWith<Held | null>(values, at, null)
    steps = mapDelete(steps, at)
  }
  return { ...held, values, steps }
}

interface Shifted {
  readonly parts: readonly Held[]
  readonly left: HeldParts
}

const isOpen = (held: Held): boolean => held.kind === 'call' && !held.whole

/** Takes what stands before the first call that is still being told; `all`: that and what follows it, too. */
export function shiftHeld(held: HeldParts, all: boolean): Shifted {
  const parts: Held[] = []
  let left = held
  for (; left.next < left.values.length; ) {
    const part = listAt(left.values, left.next) ?? null
    if (part !== null && !all && isOpen(part)) return { parts, left }
    if (part !== null) parts.push(part)
    left = without(left, part)
  }
  return { parts, left: NOTHING_HELD }
}

/** Without the first. */
function without(held: HeldParts, part: Held | null): HeldParts {
  const { next: at } = held
  const values = listWith<Held | null>(held.values, at, null)
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
