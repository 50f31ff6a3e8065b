import type { Boundary } from '../framing/boundary.ts'

/** Who has to wait for more chunks than these need not count those of one read, nor those of a read of so few bytes. */
const A_READ = 64
const FEW_BYTES = 1024

/**
 * Where what the machines hear next ends, from `at` on: all that they need not be told one by one. `wait`: for how many
 * chunks nobody looks for a template. `onePerRead`: no small read of this stream that was heard whole held more than one.
 */
export function portionEnd(
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

/** Where so many messages end, as far as they are whole. */
function endOf(boundary: Boundary, chunk: Uint8Array, from: number, messages: number): number {
  let at = from
  for (let i = 0; i < messages && at < chunk.length; i += 1) {
    const end = boundary.end(chunk, at)
    if (end > chunk.length) break
    at = end
  }
  return at
}
