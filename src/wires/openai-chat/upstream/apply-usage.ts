import type { JsonRecord } from '../../../protocol/json.ts'
import { SERVED_MEMBERS } from '../../../protocol/served.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { readServed } from '../served.ts'
import { mergeUsage, toUsage } from '../usage.ts'
import type { ChatState } from './state.ts'

export function applyModel(state: ChatState, { model }: JsonRecord, deltas: Deltas): ChatState {
  if (!isNonEmptyString(model) || model === state.model) return state
  deltas.push({ kind: 'start', model })
  return { ...state, model }
}

/** Most vendors repeat these members in every chunk. */
export function applyServed(state: ChatState, chunk: JsonRecord, choice: JsonRecord | null, deltas: Deltas): ChatState {
  const found = readServed(chunk, choice)
  if (SERVED_MEMBERS.every((name) => found[name] === undefined || found[name] === state.served[name])) return state
  const served = { ...state.served, ...found }
  deltas.push({ kind: 'served', served })
  return { ...state, served }
}

/** Usage may be in any chunk, and in a vendor's own place: `x_groq` at Groq, the choice at Moonshot. */
export function applyUsages(state: ChatState, chunk: JsonRecord, choice: JsonRecord | null, deltas: Deltas): ChatState {
  const groq = isObject(chunk.x_groq) ? applyUsage(state, chunk.x_groq.usage, deltas) : state
  const whole = chunk.usage ? applyUsage(groq, withCost(chunk.usage, chunk.cost), deltas) : groq
  return choice?.usage ? applyUsage(whole, choice.usage, deltas) : whole
}

/** Venice reports the price beside the usage. */
const withCost = (usage: unknown, cost: unknown): unknown =>
  isObject(usage) && cost !== undefined && usage.cost === undefined ? { ...usage, cost } : usage

function applyUsage(state: ChatState, found: unknown, deltas: Deltas): ChatState {
  if (!isObject(found)) {
    emitWrongKind('usage', found, deltas)
    return state
  }
  const usage = mergeUsage(state.usage, found)
  if (usage === null) return state
  deltas.push({ kind: 'usage', usage: toUsage(usage) })
  return { ...state, usage }
}
