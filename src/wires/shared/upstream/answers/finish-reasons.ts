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

/**
 * Returns how the response ends; null: it failed. A word that the table lacks is a normal end, and a loss: the upstream
 * finished for a reason that no client learns.
 */
export function readFinishReason(
  reasons: FinishReasons,
  word: string,
  field: string,
  deltas: Deltas,
): FinishReason | null {
  emitWords({ finishReason: shortWord(word) }, deltas)
  const reason = lookup(reasons, word)
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
