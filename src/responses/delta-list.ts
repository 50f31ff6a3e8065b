import type { Delta } from '../protocol/delta.ts'
import { append } from '../text/append.ts'

/**
 * The deltas of a whole answer, in order. Pieces of one text become one delta: an answer is kept at the cost of its texts,
 * not of the number of their pieces. Constant time for each delta.
 */
export class DeltaList {
  readonly all: Delta[] = []

  /** Returns false: it is never full. */
  add(delta: Delta): boolean {
    const at = this.all.length - 1
    const joined = join(this.all[at], delta)
    if (joined === null) this.all.push(delta)
    else this.all[at] = joined
    return false
  }
}

/** One delta in place of two; null where they are not of one text. */
function join(last: Delta | undefined, next: Delta): Delta | null {
  if (last === undefined) return null
  switch (next.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary': {
      if (last.kind !== next.kind || last.key !== next.key || last.part !== next.part) return null
      const isPlain = last.logprobs === null && next.logprobs === null
      return isPlain ? { ...next, text: append(last.text, next.text) } : null
    }
    case 'call': {
      const isMore = last.kind === 'call' && last.key === next.key && last.type === next.type
      if (!isMore || next.callId !== null || next.name !== null) return null
      return { ...last, arguments: append(last.arguments, next.arguments) }
    }
    default:
      return null
  }
}
