import type { Delta } from '../protocol/delta.ts'
import { append, BLOCK } from '../text/append.ts'

/**
 * The deltas of a whole answer, in order. Pieces of one text become one delta: an answer is kept at the cost of its texts,
 * not of the number of their pieces. Constant time for each delta.
 */
export class DeltaList {
  private readonly list: Delta[] = []
  /** What follows them. It goes on in the last of them where that is of the same text. */
  private block: Delta | null = null

  all(): readonly Delta[] {
    this.close()
    return this.list
  }

  /** Returns false: it is never full. */
  add(delta: Delta): boolean {
    const joined = join(this.block, delta)
    if (joined === null) this.close()
    this.block = joined ?? delta
    if (lengthOf(this.block) >= BLOCK) this.close()
    return false
  }

  private close(): void {
    const { list, block } = this
    if (block === null) return
    const last = list.pop() ?? null
    const joined = join(last, block)
    if (joined !== null) list.push(joined)
    else list.push(...(last === null ? [] : [last]), block)
    this.block = null
  }
}

function lengthOf(delta: Delta): number {
  if (delta.kind === 'call') return delta.arguments.length
  return 'text' in delta ? delta.text.length : 0
}

/** One delta in place of two; null where they are not of one text. */
function join(last: Delta | null, next: Delta): Delta | null {
  if (last === null) return null
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
