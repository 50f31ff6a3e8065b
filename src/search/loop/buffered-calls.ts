import { EMPTY_LIST, type List, listAppend, listAt, listToArray, listWith } from '../../collections/list.ts'
import { mapDelete, mapGet, mapKeys, mapSet, type SortedMap, type SortedSet } from '../../collections/sorted-map.ts'
import type { CallDelta } from '../../protocol/delta.ts'
import { growName } from '../../responses/grow-name.ts'
import { appendFlat } from '../../text/flat-string.ts'

/** A call of the open turn. While its name is incomplete, it may belong to the search or to the client. */
interface BufferedCall {
  readonly key: string
  readonly callId: string
  readonly name: string
  readonly arguments: string
  /** The deltas that are held back; null for a client's call, whose deltas have all been passed on. */
  readonly held: List<CallDelta> | null
}

/** The calls of a turn. A delta of a call costs O(log n), and O(k) for its own k characters. */
export interface BufferedCalls {
  /** In the order in which they began. */
  readonly calls: List<BufferedCall>
  /** The position of each call, by its key. */
  readonly last: SortedMap<string, number>
  /** Positions of calls that are held back although their name, so far, is not the name of the search. */
  readonly foreign: SortedSet<number>
}

export const NO_CALLS: BufferedCalls = { calls: EMPTY_LIST, last: null, foreign: null }

interface BufferStep {
  readonly calls: BufferedCalls
  /** The deltas that may be passed on now. */
  readonly passed: readonly CallDelta[]
}

const begin = ({ key }: CallDelta): BufferedCall => ({
  key,
  callId: '',
  name: '',
  arguments: '',
  held: EMPTY_LIST,
})

/** Whether the call may still become a call of the search: a name may arrive late, or in pieces. */
const mayBeOurs = (name: string, tool: string, type: CallDelta['type']): boolean =>
  type === 'function_call' && tool.startsWith(name)

/** If another call begins now, the name is complete, and is not the name of the search. */
const isForeign = ({ name, held }: BufferedCall, tool: string): boolean => held !== null && name !== '' && name !== tool

/** Holds back the deltas of calls that are, or may become, calls of the search; passes on all others. */
export function bufferCall(before: BufferedCalls, delta: CallDelta, tool: string): BufferStep {
  const at = mapGet(before.last, delta.key) ?? -1
  const call = listAt(before.calls, at)
  return call === undefined ? beginCall(before, delta, tool) : growCall(before, at, call, delta, tool)
}

function beginCall(before: BufferedCalls, delta: CallDelta, tool: string): BufferStep {
  let { calls } = before
  const passed: CallDelta[] = []
  for (const at of mapKeys(before.foreign)) {
    const call = listAt(calls, at) as BufferedCall
    for (const held of listToArray(call.held ?? EMPTY_LIST)) passed.push(held)
    calls = listWith(calls, at, { ...call, held: null })
  }
  const at = calls.length
  const opened = { calls: listAppend(calls, begin(delta)), last: mapSet(before.last, delta.key, at), foreign: null }
  const grown = growCall(opened, at, begin(delta), delta, tool)
  return { calls: grown.calls, passed: [...passed, ...grown.passed] }
}

function growCall(
  { calls, last, foreign }: BufferedCalls,
  at: number,
  old: BufferedCall,
  delta: CallDelta,
  tool: string,
): BufferStep {
  const name = growName(old.name, delta.name ?? '')
  const isOpen = old.held !== null && mayBeOurs(name, tool, delta.type)
  const held = listAppend(old.held ?? EMPTY_LIST, delta)
  const call: BufferedCall = {
    key: delta.key,
    callId: old.callId || (delta.callId ?? ''),
    name,
    arguments: appendFlat(old.arguments, delta.arguments),
    held: isOpen ? held : null,
  }
  return {
    calls: {
      calls: listWith(calls, at, call),
      last,
      foreign: isForeign(call, tool) ? mapSet(foreign, at, true) : mapDelete(foreign, at),
    },
    passed: isOpen ? [] : listToArray(held),
  }
}

/** At the end of a turn: returns the deltas that were held back for calls that are not calls of the search. */
export const releaseCalls = ({ calls }: BufferedCalls, tool: string): readonly CallDelta[] =>
  listToArray(calls).flatMap(({ name, held }) => (held === null || name === tool ? [] : listToArray(held)))
