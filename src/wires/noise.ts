import { NOTHING } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { upstreamError } from '../protocol/error.ts'
import { ANSWER_BOUNDS } from '../protocol/limits.ts'

const FIRST: readonly Delta[] = [{ kind: 'loss', feature: 'a payload that is not a JSON object' }]

const TOO_MANY: readonly Delta[] = [
  {
    kind: 'error',
    error: upstreamError(
      'upstream_invalid',
      `More than ${ANSWER_BOUNDS.unreadable_frames} events of the upstream are no JSON objects.`,
    ),
  },
]

/** What one more frame that cannot be read gives, after so many others. A cut connection and broken proxies leave some. */
export function noiseAfter(count: number): readonly Delta[] {
  if (count === 0) return FIRST
  return count === ANSWER_BOUNDS.unreadable_frames ? TOO_MANY : NOTHING
}

/** So many that the answer has failed, and nothing more is read. */
export const isTooNoisy = (count: number): boolean => count > ANSWER_BOUNDS.unreadable_frames
