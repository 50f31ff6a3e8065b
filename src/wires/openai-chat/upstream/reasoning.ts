import { listToArray } from '../../../collections/list.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { toArray } from '../../../text/json.ts'
import { type Deltas, emitLoss } from '../../shared/upstream/deltas.ts'
import { withoutLeadingTag } from '../../shared/upstream/think-tags.ts'
import { hasReasoning, isWorthSealing, mergeDetails, NO_ENTRIES, readableReasoning } from '../reasoning-details.ts'
import { contentDelta, REASONING } from './deltas.ts'
import type { ChatState } from './state.ts'

/** Applies the reasoning of a message, in the fields of any vendor. */
export function applyReasoning(state: ChatState, delta: JsonRecord, deltas: Deltas): ChatState {
  if (!hasReasoning(delta)) return state
  const { kind, text } = readableReasoning(delta)
  if (text !== '') deltas.push(contentDelta(kind, text))
  const found = toArray(delta.reasoning_details)
  const think = withoutLeadingTag(state.think)
  if (found.length === 0) return think === state.think ? state : { ...state, think }
  const details = mergeDetails(state.details, found)
  if (details.cut && !state.details.cut) emitLoss('members of reasoning_details', deltas)
  return { ...state, think, details }
}

/** Encrypted reasoning precedes the content it led to, so it is emitted as soon as other content begins. */
export function seal(state: ChatState, deltas: Deltas): ChatState {
  if (state.details.entries.length === 0) return state
  const payload = listToArray(state.details.entries)
  if (isWorthSealing(payload)) deltas.push({ kind: 'opaque', key: REASONING, payload })
  else if (payload.some(({ type }) => type === 'reasoning.server_tool_call'))
    emitLoss('reasoning.server_tool_call', deltas)
  return { ...state, details: NO_ENTRIES }
}
