import type { CallType } from '../../../protocol/item.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString, toArray } from '../../../text/json.ts'
import { type Deltas, emitLoss, formatArguments } from '../../shared/upstream/deltas.ts'
import type { ChatState } from './state.ts'

const LEGACY = 'function_call'

/** Decodes fragments of tool calls, keyed by the vendor's index if there is one. */
export function applyCalls(state: ChatState, delta: JsonRecord, deltas: Deltas): ChatState {
  const calls = toArray(delta.tool_calls)
    .filter(isObject)
    .reduce<ChatState>((now, call) => applyCall(now, call, deltas), state)
  const old = delta.function_call
  if (isObject(old) && (isNonEmptyString(old.name) || isNonEmptyString(old.arguments)))
    emitCall(LEGACY, 'function_call', null, old, deltas)
  return calls
}

function applyCall(state: ChatState, call: JsonRecord, deltas: Deltas): ChatState {
  const custom = call.type === 'custom' || (call.function === undefined && isObject(call.custom))
  const body = custom ? call.custom : call.function
  const record = isObject(body) ? body : {}
  const next = address(state, call, record)
  emitCall(next.call, custom ? 'custom_tool_call' : 'function_call', call.id, record, deltas)
  return next
}

/**
 * Selects the call that a fragment belongs to. With an index, it is the call of that index. Without one, a fragment
 * that has a name or a new id begins a new call; any other fragment continues the previous call.
 */
function address(state: ChatState, call: JsonRecord, { name }: JsonRecord): ChatState {
  const id = isNonEmptyString(call.id) ? call.id : ''
  const { index } = call
  if (index !== undefined && index !== null) {
    const key = `index ${scalarToString(index)}`
    return key === state.call ? state : { ...state, call: key, callId: id }
  }
  const repeats = id !== '' && id === state.callId && (!isNonEmptyString(name) || name === state.callName)
  if (repeats || (id === '' && !isNonEmptyString(name) && state.call !== '')) return state
  return {
    ...state,
    call: `call ${state.calls}`,
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
  deltas.push({
    kind: 'call',
    key,
    type,
    callId: isNonEmptyString(id) ? id : null,
    name: isNonEmptyString(name) ? name : null,
    arguments: text,
  })
}

/** Arguments are JSON text; some servers send the object itself. */
function toText(args: unknown, deltas: Deltas): string {
  if (typeof args === 'string') return args
  return args === undefined || args === null ? '' : formatArguments(args, deltas)
}
