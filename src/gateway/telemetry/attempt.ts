import type { Json } from '../../protocol/json.ts'
import { upstreamName } from '../upstream/upstream-guard.ts'

/** An upstream that a request goes to. */
export interface Attempted {
  readonly vendor: string
  /** The member of the vendor's pool; null if it has none. */
  readonly member: string | null
  /** The vendor's own name of the model. */
  readonly model: string
}

/** One attempt at an upstream for a request. */
export interface Attempt extends Attempted {
  /** The code of its failure, or the reason why it was skipped; null if the client has its answer. */
  readonly error: string | null
  /**
   * The upstream was not called: its breaker is open, its retry budget is spent, or the request cannot be encoded for
   * it.
   */
  readonly isSkipped: boolean
}

export const attemptLine = ({ vendor, member, model, error, isSkipped }: Attempt): Json => ({
  vendor,
  ...(member === null ? {} : { member }),
  model,
  ...(error === null ? {} : { error }),
  ...(isSkipped ? { skipped: true } : {}),
})

/** `<vendor>/<model>` or `<vendor>@<member>/<model>`, the code of the failure, and `skipped` if no call was made. */
export const formatAttempt = ({ error, isSkipped, ...upstream }: Attempt): string =>
  [formatUpstream(upstream), error ?? [], isSkipped ? 'skipped' : []].flat().join(' ')

/**
 * Names of models are text of the client: characters that a header cannot contain, or that separate its entries, are
 * replaced.
 */
export const formatUpstream = ({ model, ...place }: Attempted): string =>
  `${upstreamName(place)}/${model}`.replace(/[^\x21-\x2b\x2d-\x7e]/g, '?')
