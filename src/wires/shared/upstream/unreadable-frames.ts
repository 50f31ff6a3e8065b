import { NOTHING } from '../../../machine/machine.ts'
import type { Delta } from '../../../protocol/delta.ts'
import { upstreamError } from '../../../protocol/error.ts'
import { ANSWER_BOUNDS } from '../../../protocol/limits.ts'

const FIRST: readonly Delta[] = [{ kind: 'loss', feature: 'a payload that is not a JSON object' }]

const TOO_MANY: readonly Delta[] = [
  {
    kind: 'error',
    error: upstreamError(
      'upstream_invalid',
      `More than ${ANSWER_BOUNDS.unreadable_frames} events of the upstream are not JSON objects.`,
    ),
  },
]

/**
 * Returns the deltas for one more unreadable frame after `count` others: a loss for the first, an error at the limit,
 * else nothing. A few are tolerated, because cut connections and broken proxies leave some.
 */
export function unreadableFrame(count: number): readonly Delta[] {
  if (count === 0) return FIRST
  return count === ANSWER_BOUNDS.unreadable_frames ? TOO_MANY : NOTHING
}

/** Whether the limit is exceeded: the answer has failed, and later frames are dropped. */
export const hasTooManyUnreadable = (count: number): boolean => count > ANSWER_BOUNDS.unreadable_frames
