import { BODIES } from '../../protocol/limits.ts'
import type { Steps } from '../../text/steps.ts'

/** Values that are counted in one step. */
const STEP = 1024

/**
 * The approximate memory of a parsed JSON value, in bytes: its texts, and the values in it. Not recursive, because a
 * value may be nested deeper than the stack.
 */
export function* costOfValue(value: unknown): Steps<number> {
  let cost = 0
  let count = 0
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    cost += BODIES.perValue
    count += 1
    if (typeof next === 'string') cost += next.length * BODIES.perByteKept
    else if (Array.isArray(next)) for (const one of next) rest.push(one)
    else if (typeof next === 'object' && next !== null) {
      for (const [name, inner] of Object.entries(next)) {
        cost += name.length
        rest.push(inner)
      }
    }
    if (count % STEP === 0) yield
  }
  return cost
}
