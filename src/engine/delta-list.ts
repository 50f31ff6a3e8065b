import type { Delta } from '../protocol/delta.ts'
import { appendFlat, BLOCK } from '../text/flat-string.ts'

/**
 * The deltas of a whole answer, in order. Consecutive pieces of one text become one delta, so that the memory depends
 * on the length of the texts, not on the number of pieces. Constant time for each delta.
 */
export class DeltaList {
  private readonly list: Delta[] = []
  /** The delta after those of `list`. It is joined to the last of them if both are of the same text. */
  private block: Delta | null = null

  all(): readonly Delta[] {
    this.close()
    return this.list
  }

  /** Returns false: the list is never full. */
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

/** Returns one delta in place of two; null if they are not of the same text. */
function join(last: Delta | null, next: Delta): Delta | null {
  if (last === null) return null
  switch (next.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary': {
      if (last.kind !== next.kind || last.key !== next.key || last.part !== next.part) return null
      const isPlain = last.logprobs === null && next.logprobs === null
      return isPlain ? { ...next, text: appendFlat(last.text, next.text) } : null
    }
    case 'call': {
      const isMore = last.kind === 'call' && last.key === next.key && last.type === next.type
      if (!isMore || next.callId !== null || next.name !== null) return null
      return { ...last, arguments: appendFlat(last.arguments, next.arguments) }
    }
    default:
      return null
  }
}
