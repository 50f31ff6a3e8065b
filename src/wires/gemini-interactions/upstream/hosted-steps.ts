import { EMPTY_LIST, listAppend, listToArray } from '../../../collections/list.ts'
import { EMPTY_QUEUE, queueAppend, queueFirst, queueShift, queueSize } from '../../../collections/queue.ts'
import { mapDelete, mapGet, mapSet, mapValues } from '../../../collections/sorted-map.ts'
import type { Json, JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, scalarToString } from '../../../text/json.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { hostedItems, hostedName, isHostedCall } from './hosted-items.ts'
import type { HostedCall, InteractionState, OpenStep, WaitingCalls } from './state.ts'

/** The members of hosted steps that a delta may bring. */
const MEMBERS = [
  'id',
  'call_id',
  'name',
  'server_name',
  'arguments',
  'result',
  'is_error',
  'signature',
  'search_type',
  'retrieval_type',
] as const

/** Adds the members of a delta to a step. An empty text replaces nothing. */
function merged(raw: JsonObject, delta: JsonRecord): JsonObject {
  const next: Record<string, Json> = { ...raw }
  for (const name of MEMBERS) {
    const value = delta[name]
    if (value !== undefined && value !== null && value !== '') next[name] = value as Json
  }
  return next
}

/** Emits the items of a call. A step that opens several pages has several items. */
function emitItems(key: string, call: JsonRecord, result: JsonRecord | null, deltas: Deltas): void {
  hostedItems(call, result).forEach((item, at) => {
    deltas.push({ kind: 'hosted', key: at === 0 ? key : `${key} page ${at}`, item, done: result !== null })
  })
}

const withName = ({ open, byName }: WaitingCalls, name: string, number: number): WaitingCalls => ({
  open,
  byName: mapSet(byName, name, queueAppend(mapGet(byName, name) ?? EMPTY_QUEUE, number)),
})

/** Returns the number of the first open call of a name, and the other calls of it. Each call is visited once a name. */
function take(calls: WaitingCalls, name: string): { readonly at: number | null; readonly left: WaitingCalls } {
  let left = mapGet(calls.byName, name)
  while (left !== undefined && queueSize(left) > 0) {
    const at = queueFirst(left) as number
    left = queueShift(left)
    if (mapGet(calls.open, at) === undefined) continue
    return { at, left: { open: calls.open, byName: mapSet(calls.byName, name, left) } }
  }
  return { at: null, left: { open: calls.open, byName: mapDelete(calls.byName, name) } }
}

const idName = (id: string): string => `id ${id}`
const typeName = (type: string): string => `type ${hostedName(type)}`

/** Takes the call of a result: that of its id, else the oldest one of its type. */
function takeCall(calls: WaitingCalls, result: JsonObject): { call: HostedCall | null; left: WaitingCalls } {
  const id = scalarToString(result.call_id)
  const named = id === '' ? { at: null, left: calls } : take(calls, idName(id))
  const { at, left } = named.at === null ? take(named.left, typeName(scalarToString(result.type))) : named
  const call = at === null ? undefined : mapGet(left.open, at)
  return at === null || call === undefined
    ? { call: null, left }
    : { call, left: { open: mapDelete(left.open, at), byName: left.byName } }
}

const withCall = (state: InteractionState, { number, key }: OpenStep, raw: JsonObject): InteractionState => ({
  ...state,
  calls: {
    open: mapSet(state.calls.open, number, { key, raw, started: !state.afterText }),
    byName: state.calls.byName,
  },
})

/** Begins a hosted call. A result has no item of its own. */
export function beginHosted(state: InteractionState, step: OpenStep, deltas: Deltas): InteractionState {
  const { key, type, id, number, raw } = step
  if (raw === null || !isHostedCall(type)) return state
  if (!state.afterText) emitItems(key, raw, null, deltas)
  const started = withCall(state, step, raw)
  const typed = withName(started.calls, typeName(type), number)
  return { ...started, calls: id === '' ? typed : withName(typed, idName(id), number), hasContent: true }
}

export function applyHostedDelta(
  state: InteractionState,
  index: string,
  step: OpenStep,
  delta: JsonRecord,
  deltas: Deltas,
): InteractionState {
  const raw = merged(step.raw ?? {}, delta)
  const next = { ...state, steps: mapSet(state.steps, index, { ...step, raw }) }
  const call = isHostedCall(step.type) ? mapGet(next.calls.open, step.number) : undefined
  if (call === undefined) return next
  if (call.started) emitItems(step.key, raw, null, deltas)
  const open = mapSet(next.calls.open, step.number, { ...call, raw })
  return { ...next, calls: { open, byName: next.calls.byName } }
}

/** Begins the items of calls that have no result. */
export function beginWaiting({ calls }: InteractionState, deltas: Deltas): void {
  for (const { key, raw, started } of mapValues(calls.open)) if (!started) emitItems(key, raw, null, deltas)
}

/** A call of code that is known already. */
const CODE: JsonObject = { type: 'code_execution_call', arguments: {} }

/** Ends a hosted step: the call waits for its result, and a result ends its call. */
export function endHosted(state: InteractionState, step: OpenStep, deltas: Deltas): InteractionState {
  const raw = withoutEmpty(step.raw ?? {})
  const next = { ...state, raw: listAppend(state.raw, raw) }
  if (isHostedCall(step.type)) return next
  const { call, left } = takeCall(next.calls, raw)
  if (call !== null) emitItems(call.key, call.raw, raw, deltas)
  // A further result of code that has ended is an item of its own.
  else if (step.type === 'code_execution_result') emitItems(step.key, CODE, raw, deltas)
  else emitLoss('a result without its step', deltas)
  const ended = { ...next, calls: left }
  return left.open === null ? sealSteps(ended, deltas) : ended
}

/** An empty signature is none. */
const withoutEmpty = ({ signature, ...rest }: JsonObject): JsonObject =>
  isNonEmptyString(signature) ? { ...rest, signature } : rest

/** Steps with a signature, and those of MCP servers, which never have one, go back unchanged. */
const goesBack = ({ type, signature }: JsonObject): boolean =>
  isNonEmptyString(signature) || scalarToString(type).startsWith('mcp_')

/** Seals the finished hosted steps, before another step begins. */
export function sealSteps(state: InteractionState, deltas: Deltas): InteractionState {
  if (state.raw.length === 0) return state
  const steps = listToArray(state.raw)
  if (steps.some(goesBack))
    deltas.push({ kind: 'opaque', key: `steps ${state.count}`, payload: { on: 'steps', steps } })
  return { ...state, raw: EMPTY_LIST }
}
