import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import { readFinishReason, stoppedWith } from '../../shared/upstream/answers/finish-reasons.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { CALL_REASONS, FINISH_REASONS } from '../terms.ts'
import type { ChatState } from './state.ts'

/** `place` is empty for the first choice, whose finish reason counts for an answer over several choices. */
export function applyFinish(
  state: ChatState,
  { finish_reason: word }: JsonRecord,
  place: string,
  deltas: Deltas,
): ChatState {
  if (!isNonEmptyString(word)) {
    emitWrongKind('finish_reason', word, deltas)
    return state
  }
  const reason = readFinishReason(FINISH_REASONS, word, 'finish_reason', deltas)
  // A later reason does not take back that calls were announced.
  const endsWithCalls = state.endsWithCalls || CALL_REASONS.has(word)
  if (reason === null) deltas.push(stoppedWith(word))
  else if (place === '' || !state.finished || reason !== 'stop')
    deltas.push({ kind: 'finish', reason, ...(endsWithCalls ? { called: true } : {}) })
  return state.finished && endsWithCalls === state.endsWithCalls ? state : { ...state, finished: true, endsWithCalls }
}
