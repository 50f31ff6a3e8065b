import type { Delta, ServedDelta, UpstreamWords } from '../../../protocol/delta.ts'
import { formatJson, isNonEmptyString } from '../../../text/json.ts'
import { hasLargeNumber } from '../large-numbers.ts'

/** The deltas of one step, in order: each function of a decoder adds its own. */
export type Deltas = Delta[]

/** Adds the loss of a feature that no event can carry. */
export function emitLoss(feature: string, deltas: Deltas): void {
  deltas.push({ kind: 'loss', feature })
}

/** The loss of an answer in which such a number came in an object, whose text was parsed. */
const LARGE_NUMBER = 'a number beyond 2^53 in arguments'

/** Returns arguments that came as an object as JSON text; empty if they are nested too deep to be written. */
export function formatArguments(args: unknown, deltas: Deltas): string {
  if (hasLargeNumber(args)) emitLoss(LARGE_NUMBER, deltas)
  return formatJson(args)
}

const NOTHING_SERVED: ServedDelta['served'] = {}

/** Reports the upstream's own words about its answer, for the program. A value that is no text is not reported. */
export function emitWords(words: Readonly<Partial<Record<keyof UpstreamWords, unknown>>>, deltas: Deltas): void {
  const known: Partial<Record<keyof UpstreamWords, string>> = {}
  let isEmpty = true
  for (const name of Object.keys(words) as (keyof UpstreamWords)[]) {
    const word = words[name]
    if (!isNonEmptyString(word)) continue
    known[name] = word
    isEmpty = false
  }
  if (!isEmpty) deltas.push({ kind: 'served', served: NOTHING_SERVED, words: known })
}
