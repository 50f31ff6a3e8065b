import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { emitWrongKind, readCallId, readObjects } from '../../shared/upstream/answers/answer-values.ts'
import { type Deltas, formatArguments } from '../../shared/upstream/deltas.ts'
import { type CohereState, leaveText } from './state.ts'

const keyOf = (index: unknown): string => `call ${scalarToString(index)}`

/** Applies the start of a call, or a piece of its arguments. */
export function applyCall(
  state: CohereState,
  { index }: JsonRecord,
  { tool_calls: found }: JsonRecord,
  deltas: Deltas,
): CohereState {
  const [call, ...others] = readObjects(found, 'tool_calls', deltas)
  if (call === undefined) return state
  const first = applyOne(state, keyOf(index), call, deltas)
  // An event has one call, and some proxies send all calls in one event.
  return others.reduce<CohereState>((now, other, i) => applyOne(now, `${keyOf(index)} ${i + 1}`, other, deltas), first)
}

function applyOne(state: CohereState, key: string, call: JsonRecord, deltas: Deltas): CohereState {
  const body = isObject(call.function) ? call.function : call
  const callId = readCallId(call.id)
  const name = isNonEmptyString(body.name) ? body.name : null
  const text = typeof body.arguments === 'string' ? body.arguments : objectText(body.arguments, deltas)
  deltas.push({ kind: 'call', key, type: 'function_call', callId, name, arguments: text })
  return leaveText(state)
}

/** Some proxies send the arguments themselves in place of their text. */
function objectText(args: unknown, deltas: Deltas): string {
  if (isObject(args)) return formatArguments(args, deltas)
  emitWrongKind('arguments', args, deltas)
  return ''
}

export function applyCallEnd({ index }: JsonRecord, deltas: Deltas): void {
  deltas.push({ kind: 'stop', key: keyOf(index) })
}
