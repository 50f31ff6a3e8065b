import type { Arrival } from './exchange.ts'

/**
 * Finds a server that holds a stream back until it is complete. A machine with other work delays bytes as well, so that a
 * single measurement shows nothing: the order in which the bytes of two streams arrive decides, several times.
 */

/** The most pairs of streams. Two of them decide. */
export const MOST_PAIRS = 3
const DECIDING_PAIRS = 2

/** The part of the time of an answer in which all of its bytes arrive, if they arrive together. */
const BURST = 0.1

/** A long answer takes much longer than a short one, where the server generates them at all. */
const LEAST_DELAY_MS = 100

/** True if all bytes of an answer arrived together: of a server that holds them back, or of one that is fast. */
export const isBurst = ({ sentAt, firstAt, lastAt }: Arrival): boolean => lastAt - firstAt <= BURST * (lastAt - sentAt)

/**
 * Of a long and a short stream that were requested together, in this order: the first byte of the long one arrives before
 * the short one ends, unless the server waits for the end of the long one.
 */
const isHeldBack = (long: Arrival, short: Arrival): boolean =>
  isBurst(long) && long.firstAt - short.lastAt >= LEAST_DELAY_MS

/** `request`: the arrivals of a long and a short stream; null if one of them failed. */
export async function holdsStreamsBack(
  request: () => Promise<{ readonly long: Arrival; readonly short: Arrival } | null>,
): Promise<boolean> {
  let held = 0
  for (let pair = 0; pair < MOST_PAIRS; pair += 1) {
    const arrivals = await request()
    if (arrivals === null) return false
    if (isHeldBack(arrivals.long, arrivals.short)) held += 1
    if (held === DECIDING_PAIRS || pair + 1 - held === DECIDING_PAIRS) break
  }
  return held === DECIDING_PAIRS
}
