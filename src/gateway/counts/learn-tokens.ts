import type { CountedModel } from '../../engine/token-counts/calibration.ts'
import { measureRequest, type RequestSize } from '../../engine/token-counts/request-size.ts'
import type { Prepared } from '../call/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { nextTurn, runInSlices } from '../run-in-slices.ts'
import type { TokenCounter } from './count-memory.ts'

/**
 * Measures a request whose answer has begun, so that nothing keeps the request for the whole answer. Returns null if
 * nothing is learned from the answer.
 */
export function sizeToLearn(
  { counts }: TokenCounter,
  { call, options, search }: Pick<Prepared, 'call' | 'options' | 'search'>,
): Promise<RequestSize> | null {
  // The usage of a search is that of all its turns.
  if (search !== null || !counts.calibration.wants(options.origin)) return null
  // The answer must not wait.
  return nextTurn().then(() => runInSlices(measureRequest(call.json)))
}

/** Learns from the usage of an answer how many tokens a request of its size has. */
export async function learnTokens(
  { counts: { calibration } }: TokenCounter,
  origin: CountedModel,
  measured: Promise<RequestSize>,
  { journal }: Pick<RequestContext, 'journal'>,
): Promise<void> {
  const size = await measured
  const { input_tokens: tokens = null } = journal.last('answered')?.usage ?? {}
  if (tokens === null || tokens === 0 || !size.isWhole) return
  calibration.learn(origin, { size, tokens })
}
