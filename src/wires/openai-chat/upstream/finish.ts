import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString } from '../../../text/json.ts'
import { lookup } from '../../../text/lookup.ts'
import { emitWrongKind } from '../../shared/upstream/answers/answer-values.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'
import { CALL_REASONS, FINISH_REASONS } from '../terms.ts'
import type { ChatState } from './state.ts'

/** The failure of an answer that ended with calls and has none. */
export const MISSING_CALLS: Delta = {
  kind: 'error',
  error: upstreamError('upstream_invalid', 'The upstream stopped for tool calls, but sent none.'),
}

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
  const reason = lookup(FINISH_REASONS, word)
  const endsWithCalls = state.endsWithCalls || CALL_REASONS.has(word)
  if (reason === null) {
    deltas.push({ kind: 'error', error: upstreamError('server_error', `The upstream stopped with "${word}".`) })
  } else if (place === '' || !state.finished || (reason ?? 'stop') !== 'stop')
    deltas.push({ kind: 'finish', reason: reason ?? 'stop' })
  return state.finished && endsWithCalls === state.endsWithCalls ? state : { ...state, finished: true, endsWithCalls }
}
