import { measureRequest } from '../../engine/token-counts/request-size.ts'
import type { Prepared } from '../endpoints/prepare-request.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { runInSlices } from '../run-in-slices.ts'

/**
 * Learns from the usage of an answer how many tokens a request of its size has. Called after the client has the answer,
 * so that measuring the request delays nothing.
 */
export async function learnTokens(
  { counts: { calibration } }: Pick<Gateway, 'counts'>,
  { call, options, search }: Pick<Prepared, 'call' | 'options' | 'search'>,
  { entry }: Pick<RequestContext, 'entry'>,
): Promise<void> {
  const { input_tokens: tokens = null } = entry.usage ?? {}
  // The usage of a search is that of all its turns.
  if (search !== null || tokens === null || tokens === 0 || !calibration.wants(options.origin)) return
  const size = await runInSlices(measureRequest(call.json))
  if (size.isWhole) calibration.learn(options.origin, { size, tokens })
}
