import { EMPTY_LIST, type List, listAppend, listToArray } from '../../machine/list.ts'
import { mapDelete, mapGet, mapSet, mapValues, type SortedMap } from '../../machine/sorted-map.ts'

interface Seal {
  readonly signature: string
  /** Its place among all. */
  readonly order: number
}

/** Signatures whose part is yet to come. */
export interface Seals {
  /** For any part. */
  readonly any: List<Seal>
  /** For the next call. */
  readonly nextCall: List<Seal>
  /** For the call of an id. */
  readonly calls: SortedMap<string, List<Seal>>
  readonly count: number
}

export const NO_SEALS: Seals = { any: EMPTY_LIST, nextCall: EMPTY_LIST, calls: null, count: 0 }

/** `call`: the id of its call, empty for the next one; null for any part. O(log n). */
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
  /** All but the last of several: a part bears one signature. */
  readonly others: readonly string[]
  readonly left: Seals
}

const inOrder = (lists: readonly List<Seal>[]): readonly string[] =>
  lists
    .flatMap(listToArray)
    .sort((a, b) => a.order - b.order)
    .map(({ signature }) => signature)

/** The signatures that the next part takes. `callId` is null where it is no call. O(k log k) for k of them. */
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

/** All of them, in their order. */
export const allSeals = ({ any, nextCall, calls }: Seals): readonly string[] =>
  inOrder([any, nextCall, ...mapValues(calls)])
