import type { Boundary } from '../framing/boundary.ts'

/**
 * With a longer wait than this number of chunks, the chunks of one read are not counted, nor those of a read with fewer
 * bytes than `FEW_BYTES`.
 */
const A_READ = 64
const FEW_BYTES = 1024

/**
 * Returns the end of the bytes, from `at` on, that the machines process in one go. `wait`: the number of chunks for
 * which no template is learned. `onePerRead`: no small read of this stream that was processed whole has contained more
 * than one chunk.
 */
export function boundaryEnd(
  boundary: Boundary,
  chunk: Uint8Array,
  at: number,
  wait: number,
  onePerRead: boolean,
): number {
  const few = !boundary.sized && chunk.length - at < FEW_BYTES
  if (wait === 0) return few && onePerRead && boundary.closes(chunk) ? chunk.length : boundary.end(chunk, at)
  return few || (wait > A_READ && !boundary.sized) ? chunk.length : endOf(boundary, chunk, at, wait)
}

/** Returns the end of that number of messages, or of the last one that is complete. */
function endOf(boundary: Boundary, chunk: Uint8Array, from: number, messages: number): number {
  let at = from
  for (let i = 0; i < messages && at < chunk.length; i += 1) {
    const end = boundary.end(chunk, at)
    if (end > chunk.length) break
    at = end
  }
  return at
}
