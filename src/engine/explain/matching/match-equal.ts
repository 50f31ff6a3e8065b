import type { BodyValue } from './body-tree.ts'
import { type ClientValues, isLeaf } from './client-values.ts'
import type { GrowingMatching } from './matching.ts'

/** Texts of this length are hardly equal by chance. */
const LONG = 12

/** Members that name the kind of an object: equal words show nothing about their objects. */
const KINDS: ReadonlySet<string> = new Set(['type', 'role'])

export const namesKind = ({ name, index }: BodyValue): boolean => index === null && KINDS.has(name)

const isDistinctive = (node: BodyValue): boolean => {
  const { value, leaves } = node
  if (!isLeaf(node)) return leaves > 1
  if (namesKind(node)) return false
  return typeof value === 'string' ? value.length >= LONG : typeof value === 'number' && Math.abs(value) >= 10
}

/** Whether an equal value under another name may be the same one. */
const isWord = (node: BodyValue): boolean => {
  const { value } = node
  return !namesKind(node) && ((typeof value === 'string' && value !== '') || typeof value === 'number')
}

/**
 * Pairs the free values of the upstream's body for which `find` returns one of the client's, each before its insides.
 * The body itself is paired already.
 */
export function pairFree(
  matching: GrowingMatching,
  find: (upstream: BodyValue) => BodyValue | undefined,
  pair: 'pairEqual' | 'pairChanged' = 'pairEqual',
): void {
  const { values } = matching.upstream
  for (let at = 1; at < values.length; ) {
    const value = values[at] as BodyValue
    if (matching.isFree(value)) {
      const source = find(value)
      if (source !== undefined) matching[pair](value, source)
    }
    at = matching.isSettled(value) ? value.end : at + 1
  }
}

/** The ids that both bodies have in the same number: their values are the same ones, in the same order. */
function evenIds({ upstream, client }: GrowingMatching): (id: number) => boolean {
  const counts = new Map<number, number>()
  for (const { id } of client.values) counts.set(id, (counts.get(id) ?? 0) + 1)
  for (const { id } of upstream.values) counts.set(id, (counts.get(id) ?? 0) - 1)
  return (id) => counts.get(id) === 0
}

/**
 * Pairs equal objects, lists and long texts: first those that show where the messages and tools have gone, then those
 * that one body has more often, beside them.
 */
export function matchEqual(matching: GrowingMatching, from: ClientValues): void {
  const isEven = evenIds(matching)
  pairFree(matching, (value) => (isEven(value.id) && isDistinctive(value) ? from.anywhere(value) : undefined))
  pairFree(matching, (value) => {
    if (isDistinctive(value)) return from.equalBeside(value) ?? from.anywhere(value)
    return isLeaf(value) ? undefined : (from.equalBeside(value) ?? from.sameName(value))
  })
}

/** Pairs short equal values: those beside values that are paired already, or the only ones. */
export function matchWords(matching: GrowingMatching, from: ClientValues): void {
  const pairLeaves = (find: (upstream: BodyValue) => BodyValue | undefined): void =>
    pairFree(matching, (value) => (isLeaf(value) ? find(value) : undefined))
  pairLeaves((value) => from.namedBeside(value, ({ id }) => id === value.id))
  pairLeaves((value) => {
    const source = isWord(value) ? from.equalBeside(value) : undefined
    return source !== undefined && isWord(source) ? source : undefined
  })
  pairLeaves((value) => {
    if (!isWord(value))
      return from.samePlace(value) ?? (typeof value.value === 'boolean' ? from.onlyNamed(value) : undefined)
    const source = from.sameName(value) ?? from.onlyNamed(value) ?? from.only(value)
    return source !== undefined && isWord(source) ? source : undefined
  })
}
