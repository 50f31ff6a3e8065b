import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { type CohereState, leaveText } from './state.ts'

const keyOf = (index: unknown): string => `call ${scalarToString(index)}`

/** Applies the start of a call, or a piece of its arguments. */
export function applyCall(
  state: CohereState,
  { index }: JsonRecord,
  { tool_calls: found }: JsonRecord,
  deltas: Deltas,
): CohereState {
  const call = [found].flat()[0]
  if (!isObject(call)) return state
  const body = isObject(call.function) ? call.function : {}
  const key = keyOf(index)
  const callId = isNonEmptyString(call.id) ? call.id : null
  const name = isNonEmptyString(body.name) ? body.name : null
  const bare = name !== null || state.progress.bareCall === key
  const text = isNonEmptyString(body.arguments) ? body.arguments : ''
  // Cohere sends the arguments `null` for a call without arguments. Among other pieces, `null` is a value.
  const args = bare && text.trim() === 'null' ? '' : text
  deltas.push({ kind: 'call', key, type: 'function_call', callId, name, arguments: args })
  const left = leaveText(state)
  const bareCall = bare && args === '' ? key : ''
  return bareCall === left.progress.bareCall ? left : { length: left.length, progress: { ...left.progress, bareCall } }
}

export function applyCallEnd({ index }: JsonRecord, deltas: Deltas): void {
  deltas.push({ kind: 'stop', key: keyOf(index) })
}
