import type { JsonObject } from '../../../protocol/json.ts'

/** The items of one response: those of its request that are new, and its output. */
export interface HistoryEntry {
  readonly before: HistoryEntry | null
  readonly items: readonly unknown[]
  /** The approximate size of `items`, in bytes of JSON. */
  readonly bytes: number
}

export interface HistoryLimits {
  /** The highest number of responses that can be continued. */
  readonly responses: number
  /** The highest sum of the bytes of all items. */
  readonly bytes: number
}

/**
 * The responses of one connection that a later request may continue. Continuations share the items of their earlier
 * turns. Beyond a limit, the oldest responses are dropped first.
 */
export class ResponseHistory {
  private readonly entries = new Map<string, HistoryEntry>()
  /** For each entry, the number of ids and later entries that refer to it. */
  private readonly holders = new Map<HistoryEntry, number>()
  private bytes = 0
  private readonly limits: HistoryLimits

  constructor(limits: HistoryLimits) {
    this.limits = limits
  }

  find(id: string): HistoryEntry | undefined {
    return this.entries.get(id)
  }

  add(id: string, entry: HistoryEntry): void {
    this.drop(id)
    this.entries.set(id, entry)
    this.hold(entry)
    while (this.entries.size > this.limits.responses || this.bytes > this.limits.bytes) {
      const [oldest] = this.entries.keys()
      if (oldest === undefined) return
      this.drop(oldest)
    }
  }

  drop(id: string): void {
    const entry = this.entries.get(id)
    if (entry === undefined) return
    this.entries.delete(id)
    this.release(entry)
  }

  /** The size of everything that is kept. */
  size(): { readonly responses: number; readonly bytes: number } {
    return { responses: this.entries.size, bytes: this.bytes }
  }

  private hold(entry: HistoryEntry): void {
    for (let one: HistoryEntry | null = entry; one !== null; one = one.before) {
      const count = this.holders.get(one) ?? 0
      this.holders.set(one, count + 1)
      if (count > 0) return
      this.bytes += one.bytes
    }
  }

  private release(entry: HistoryEntry): void {
    for (let one: HistoryEntry | null = entry; one !== null; one = one.before) {
      const count = (this.holders.get(one) ?? 0) - 1
      if (count > 0) {
        this.holders.set(one, count)
        return
      }
      this.holders.delete(one)
      this.bytes -= one.bytes
    }
  }
}

const isCompaction = (item: unknown): boolean =>
  typeof item === 'object' && item !== null && (item as JsonObject).type === 'compaction'

/**
 * Returns the items of a conversation up to this response, in order. The latest compaction in an output replaces all
 * items before it.
 */
export function itemsUpTo(entry: HistoryEntry): readonly unknown[] {
  const turns: (readonly unknown[])[] = []
  for (let one: HistoryEntry | null = entry; one !== null; one = one.before) {
    const at = one.items.findLastIndex(isCompaction)
    turns.push(at < 0 ? one.items : one.items.slice(at))
    if (at >= 0) break
  }
  return turns.reverse().flat()
}

/** The approximate size of the items up to this response, in bytes of JSON. */
export function bytesUpTo(entry: HistoryEntry): number {
  let sum = 0
  for (let one: HistoryEntry | null = entry; one !== null; one = one.before) sum += one.bytes
  return sum
}
