import { SERVED_MEMBERS, type Served } from '../../../protocol/served.ts'
import { isObject } from '../../../text/json.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { servedIn } from '../served.ts'
import { toUsage } from '../usage.ts'
import { type GeminiState, updateProgress } from './state.ts'

/** Google repeats these members in every chunk. */
export function applyServed(state: GeminiState, found: Served, deltas: Deltas): GeminiState {
  const served = { ...state.progress.served, ...found }
  if (SERVED_MEMBERS.every((name) => served[name] === state.progress.served[name])) return state
  deltas.push({ kind: 'served', served })
  return updateProgress(state, { served })
}

/** Some answers without a finish reason end with a chunk that has usage and no candidates. */
export function applyUsage(state: GeminiState, found: unknown, alone: boolean, deltas: Deltas): GeminiState {
  const reported = isObject(found) ? applyServed(state, servedIn(found), deltas) : state
  if (!isObject(found)) emitWrongKind('usageMetadata', found, deltas)
  const usage = isObject(found) ? toUsage(found) : null
  if (usage === null) return reported
  deltas.push({ kind: 'usage', usage })
  const { hasContent, ended } = reported.progress
  return alone && hasContent && !ended ? updateProgress(reported, { ended: true }) : reported
}
