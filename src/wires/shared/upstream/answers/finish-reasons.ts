import type { Delta, FinishReason } from '../../../../protocol/delta.ts'
import { upstreamError } from '../../../../protocol/error.ts'
import { lookup } from '../../../../text/lookup.ts'
import { type Deltas, emitLoss, emitWords } from '../deltas.ts'

/** A vendor's word → how the response ends; null: it failed. */
export type FinishReasons = Readonly<Record<string, FinishReason | null>>

/** In UTF-16 units, of a word in a loss. */
const LONGEST_WORD = 64

/** Shortens a word of an upstream. The ellipsis shows where a secret may have been cut, also to `redactor`. */
export const shortWord = (word: string): string =>
  word.length <= LONGEST_WORD ? word : `${word.slice(0, LONGEST_WORD)}…`

/** Words of all protocols: gateways and local servers write those of the upstream behind them, in any case. */
const OTHER_WORDS: FinishReasons = {
  stop: 'stop',
  end_turn: 'stop',
  complete: 'stop',
  completed: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  stop_sequence: 'stop',
  tool_use: 'stop',
  tool_call: 'stop',
  tool_calls: 'stop',
  function_call: 'stop',
  length: 'max_output_tokens',
  max_length: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  max_output_tokens: 'max_output_tokens',
  max_new_tokens: 'max_output_tokens',
  model_length: 'max_output_tokens',
  model_context_window_exceeded: 'max_output_tokens',
  content_filter: 'content_filter',
  content_filtered: 'content_filter',
  guardrail_intervened: 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
  prohibited_content: 'content_filter',
  refusal: 'content_filter',
  incomplete: 'max_output_tokens',
  error: null,
  failed: null,
  cancelled: null,
  insufficient_system_resource: null,
  abort: null,
  timeout: null,
  malformed_function_call: null,
}

/** Returns how the response ends; null: it failed; undefined: the word is of no protocol. */
export function finishReasonOf(reasons: FinishReasons, word: string): FinishReason | null | undefined {
  const own = lookup(reasons, word)
  return own === undefined ? lookup(OTHER_WORDS, word.slice(0, LONGEST_WORD).toLowerCase()) : own
}

/**
 * Returns how the response ends; null: it failed. A word of no protocol is a normal end, and a loss: the upstream
 * finished for a reason that no client learns.
 */
export function readFinishReason(
  reasons: FinishReasons,
  word: string,
  field: string,
  deltas: Deltas,
): FinishReason | null {
  emitWords({ finishReason: shortWord(word) }, deltas)
  const reason = finishReasonOf(reasons, word)
  if (reason !== undefined) return reason
  emitLoss(`${field} ${shortWord(word)}`, deltas)
  return 'stop'
}

/** The failure of an answer that ended with this word. */
export const stoppedWith = (word: string): Delta => ({
  kind: 'error',
  error: upstreamError('server_error', `The upstream stopped with "${shortWord(word)}".`),
})

/** Emits the end of an answer with this word. `called`: the word announces calls of tools. */
export function emitFinish(
  reasons: FinishReasons,
  word: string,
  field: string,
  called: ReadonlySet<string>,
  deltas: Deltas,
): void {
  const reason = readFinishReason(reasons, word, field, deltas)
  deltas.push(
    reason === null ? stoppedWith(word) : { kind: 'finish', reason, ...(called.has(word) ? { called: true } : {}) },
  )
}
