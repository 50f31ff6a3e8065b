import { listAppend } from '../../../collections/list.ts'
import { mapGet, mapSet, mapSize } from '../../../collections/sorted-map.ts'
import type { CallType } from '../../../protocol/item.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { emitWrongKind, readCallId, readObjects } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import { readSignature } from '../signatures.ts'
import type { ChatState } from './state.ts'

const LEGACY = 'function_call'

/**
 * Decodes fragments of tool calls, keyed by the vendor's index if there is one. `choice` begins the keys of a choice, and
 * is empty for the first one.
 */
export function applyCalls(state: ChatState, delta: JsonRecord, choice: string, deltas: Deltas): ChatState {
  const found = readObjects(delta.tool_calls, 'tool_calls', deltas)
  const calls = found.reduce<ChatState>((now, call) => applyCall(now, call, choice, deltas), state)
  const old = delta.function_call
  const legacy = isObject(old) && (isNonEmptyString(old.name) || Boolean(old.arguments))
  if (legacy) emitCall(`${choice}${LEGACY}`, 'function_call', null, old, deltas)
  else if (!isObject(old)) emitWrongKind(LEGACY, old, deltas)
  return !calls.called && (found.length > 0 || legacy) ? { ...calls, called: true } : calls
}

function applyCall(state: ChatState, call: JsonRecord, choice: string, deltas: Deltas): ChatState {
  const custom = call.type === 'custom' || (call.function === undefined && isObject(call.custom))
  const body = custom ? call.custom : call.function
  const isFlat = body === undefined && isNonEmptyString(call.name)
  const record = isObject(body) ? body : isFlat ? call : {}
  if (!isObject(body) && !isFlat) emitWrongKind('tool_calls.function', body, deltas)
  const next = address(state, call, choice, record)
  const signed = applySignature(next, call, record, deltas)
  emitCall(next.call, custom ? 'custom_tool_call' : 'function_call', call.id, record, deltas)
  return signed
}

/**
 * Applies the signature of a call. It is emitted before its call, so that its reasoning item precedes the item of the
 * call, and at the end of the answer if it comes later.
 */
function applySignature(state: ChatState, call: JsonRecord, body: JsonRecord, deltas: Deltas): ChatState {
  const found = readSignature(call) ?? readSignature(body)
  if (found === null || mapGet(state.signatures, found.signature) === true) return state
  const payload: Json = { on: 'call', id: readCallId(call.id) ?? state.callId, ...found }
  const signatures = mapSet<string, true>(state.signatures, found.signature, true)
  if (!isNonEmptyString(body.name)) return { ...state, signatures, later: listAppend<Json>(state.later, payload) }
  deltas.push({ kind: 'opaque', key: `signature of ${state.call} ${mapSize(signatures)}`, payload })
  return { ...state, signatures }
}

/**
 * Selects the call that a fragment belongs to. With an index, it is the call of that index. Without one, a fragment
 * that has a name or a new id begins a new call; any other fragment continues the previous call.
 */
function address(state: ChatState, call: JsonRecord, choice: string, { name }: JsonRecord): ChatState {
  const id = readCallId(call.id) ?? ''
  const { index } = call
  if (index !== undefined && index !== null) {
    const key = `${choice}index ${scalarToString(index)}`
    return key === state.call ? state : { ...state, call: key, callId: id }
  }
  const repeats = id !== '' && id === state.callId && (!isNonEmptyString(name) || name === state.callName)
  if (repeats || (id === '' && !isNonEmptyString(name) && state.call !== '')) return state
  return {
    ...state,
    call: `${choice}call ${state.calls}`,
    callId: id,
    callName: isNonEmptyString(name) ? name : '',
    calls: state.calls + 1,
  }
}

function emitCall(
  key: string,
  type: CallType,
  id: unknown,
  { name, arguments: args, input }: JsonRecord,
  deltas: Deltas,
): void {
  const given = type === 'function_call' ? args : input
  const text = toText(given, deltas)
  if (text === '' && given !== '' && given !== undefined && given !== null)
    emitLoss('arguments that are nested too deeply', deltas)
  if (typeof name !== 'string') emitWrongKind('the name of a call', name, deltas)
  deltas.push({
    kind: 'call',
    key,
    type,
    callId: readCallId(id),
    name: isNonEmptyString(name) ? name : null,
    arguments: text,
  })
}

/** Arguments are JSON text; some servers send the object itself. */
function toText(args: unknown, deltas: Deltas): string {
  if (typeof args === 'string') return args
  return args === undefined || args === null ? '' : formatArguments(args, deltas)
}
