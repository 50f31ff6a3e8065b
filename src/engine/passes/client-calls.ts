import { getOrCreate } from '../../collections/get-or-create.ts'
import {
  mapDelete,
  mapEntries,
  mapGet,
  mapKeys,
  mapSet,
  type SortedMap,
  type SortedSet,
} from '../../collections/sorted-map.ts'
import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { CallDelta, Delta } from '../../protocol/delta.ts'
import { type CallJson, checkJson, toArgumentObject, withMoreJson } from '../../responses/call-arguments.ts'
import { appendFlat } from '../../text/flat-string.ts'
import { CLIENT_TOOLS, type FunctionNames, isClientTool } from './client-tool-table.ts'

/** A call of a function that stands for a tool of the client, until it is whole. */
interface HeldCall {
  readonly first: CallDelta
  readonly text: string
  readonly json: CallJson | null
}

interface HeldCalls {
  /** By key. */
  readonly calls: SortedMap<string, HeldCall>
  /** The keys of calls that have grown since they were last checked. */
  readonly grown: SortedSet<string>
}

const NONE: HeldCalls = { calls: null, grown: null }

const withCall = ({ calls, grown }: HeldCalls, key: string, call: HeldCall): HeldCalls => ({
  calls: mapSet(calls, key, call),
  grown: mapSet(grown, key, true),
})

const withoutCall = ({ calls, grown }: HeldCalls, key: string): HeldCalls => ({
  calls: mapDelete(calls, key),
  grown: mapDelete(grown, key),
})

/** Returns the item of a call; the call itself if its arguments were cut or do not fit. */
function itemOf(key: string, { first, text }: HeldCall): readonly Delta[] {
  const { name, callId } = first
  const given = toArgumentObject(text)
  const tool = name !== null && isClientTool(name) ? CLIENT_TOOLS[name] : null
  const fields = given === null || tool === null ? null : tool.toFields(given)
  if (fields === null || tool === null) return [{ ...first, arguments: text }]
  const item = { type: tool.call, id: '', status: 'completed', fields: { call_id: callId ?? '', ...fields } }
  return [{ kind: 'hosted', key, item, done: true }]
}

const allOf = ({ calls }: HeldCalls): readonly Delta[] => mapEntries(calls).flatMap(([key, call]) => itemOf(key, call))

/** Emits the calls that are whole, because something else begins. A call costs O(its length) altogether. */
function wholeOf(held: HeldCalls): Step<HeldCalls, Delta> {
  const deltas: Delta[] = []
  let { calls } = held
  for (const key of mapKeys(held.grown)) {
    const call = mapGet(calls, key) as HeldCall
    const json = checkJson(call.json, call.text)
    if (json.whole === true) deltas.push(...itemOf(key, call))
    calls = json.whole === true ? mapDelete(calls, key) : mapSet(calls, key, { ...call, json })
  }
  return { state: { calls, grown: null }, events: deltas }
}

const begins = (delta: Delta, names: ReadonlySet<string>): delta is CallDelta =>
  delta.kind === 'call' && delta.type === 'function_call' && delta.name !== null && names.has(delta.name)

function more(held: HeldCalls, call: HeldCall, delta: CallDelta): HeldCalls {
  const text = appendFlat(call.text, delta.arguments)
  const json = call.json === null ? null : withMoreJson(call.json, call.text, delta.arguments)
  const first =
    call.first.callId === null && delta.callId !== null ? { ...call.first, callId: delta.callId } : call.first
  return withCall(held, delta.key, { first, text, json })
}

/** Deltas that begin no item. */
const ASIDE: ReadonlySet<Delta['kind']> = new Set(['start', 'usage', 'loss', 'mark', 'opaque', 'phase'])

/**
 * Converts calls of functions that stand for tools of the client into items of those tools. An item is emitted when its
 * arguments are whole and something else begins, or when the call ends.
 */
export const toClientCalls = (functions: FunctionNames): Machine<HeldCalls, Delta, Delta> => {
  const names: ReadonlySet<string> = functions
  return {
    initial: NONE,

    step(held, delta): Step<HeldCalls, Delta> {
      const known = 'key' in delta ? mapGet(held.calls, delta.key) : undefined
      if (known !== undefined && delta.kind === 'call') {
        return { state: more(held, known, delta), events: NOTHING }
      }
      if (known !== undefined && delta.kind === 'stop') {
        return { state: withoutCall(held, delta.key), events: [...itemOf(delta.key, known), delta] }
      }
      if (delta.kind === 'finish' || delta.kind === 'error' || delta.kind === 'cut') {
        return { state: NONE, events: [...allOf(held), delta] }
      }
      if (begins(delta, names)) {
        const { state, events } = wholeOf(held)
        const call = { first: { ...delta, arguments: '' }, text: delta.arguments, json: null }
        return { state: withCall(state, delta.key, call), events }
      }
      if (held.grown === null || ASIDE.has(delta.kind)) return { state: held, events: [delta] }
      const { state, events } = wholeOf(held)
      return { state, events: [...events, delta] }
    },

    end: allOf,
  }
}

/** Memory of the process: one machine for each set of tools, of which there are few. */
const BACK = new Map<string, ReturnType<typeof toClientCalls>>()

/** Returns the one machine for these tools. */
export const backFor = (names: FunctionNames): ReturnType<typeof toClientCalls> =>
  getOrCreate(BACK, [...names].sort().join(' '), () => toClientCalls(names))
