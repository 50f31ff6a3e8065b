import { EMPTY_LIST, type List, listAppend, listToArray } from '../../../collections/list.ts'
import { mapDelete, mapGet, mapSet, mapValues, type SortedMap } from '../../../collections/sorted-map.ts'

interface Seal {
  readonly signature: string
  /** The position among all signatures. */
  readonly order: number
}

/** Signatures whose part has not come yet. */
export interface Seals {
  /** Signatures for any part. */
  readonly any: List<Seal>
  /** Signatures for the next call. */
  readonly nextCall: List<Seal>
  readonly calls: SortedMap<string, List<Seal>>
  readonly count: number
}

export const NO_SEALS: Seals = { any: EMPTY_LIST, nextCall: EMPTY_LIST, calls: null, count: 0 }

/** `call` is the id of the signed call, empty for the next call, or null for any part. O(log n). */
export function addSeal(seals: Seals, signature: string, call: string | null): Seals {
  const { any, nextCall, calls, count } = seals
  const seal = { signature, order: count }
  if (call === null) return { any: listAppend(any, seal), nextCall, calls, count: count + 1 }
  if (call === '') return { any, nextCall: listAppend(nextCall, seal), calls, count: count + 1 }
  return {
    any,
    nextCall,
    calls: mapSet(calls, call, listAppend(mapGet(calls, call) ?? EMPTY_LIST, seal)),
    count: count + 1,
  }
}

interface Taken {
  readonly signature: string | null
  /** All signatures but the last one, because a part carries only one. */
  readonly others: readonly string[]
  readonly left: Seals
}

const inOrder = (lists: readonly List<Seal>[]): readonly string[] =>
  lists
    .flatMap(listToArray)
    .sort((a, b) => a.order - b.order)
    .map(({ signature }) => signature)

/** Takes the signatures of the next part. `callId` is null if the part is not a call. O(k log k) for k signatures. */
export function takeSeals(seals: Seals, callId: string | null): Taken {
  const { any, nextCall, calls, count } = seals
  const own = callId === null ? undefined : mapGet(calls, callId)
  const taken = inOrder([any, ...(callId === null ? [] : [nextCall]), ...(own === undefined ? [] : [own])])
  if (taken.length === 0) return { signature: null, others: [], left: seals }
  const left: Seals = {
    any: EMPTY_LIST,
    nextCall: callId === null ? nextCall : EMPTY_LIST,
    calls: callId === null ? calls : mapDelete(calls, callId),
    count,
  }
  return { signature: taken.at(-1) ?? null, others: taken.slice(0, -1), left }
}

/** Returns all signatures, in their order. */
export const allSeals = ({ any, nextCall, calls }: Seals): readonly string[] =>
  inOrder([any, nextCall, ...mapValues(calls)])
