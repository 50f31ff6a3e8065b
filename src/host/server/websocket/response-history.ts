import type { JsonObject } from '../../../protocol/json.ts'
import type { KeepingHistory, KeptMemory } from './kept-memory.ts'

/** The items of one response: those of its request that are new, and its output. */
export interface HistoryEntry {
  readonly before: HistoryEntry | null
  readonly items: readonly unknown[]
  /** The approximate memory of `items`. */
  readonly bytes: number
}

interface HistoryLimits {
  /** The highest number of responses that can be continued. */
  readonly responses: number
  /** The highest sum of the bytes of all items. */
  readonly bytes: number
}

/**
 * The responses of one connection that a later request may continue. Continuations share the items of their earlier
 * turns. Beyond a limit, the oldest responses are dropped first.
 */
export class ResponseHistory implements KeepingHistory {
  readonly keyId: string
  private readonly entries = new Map<string, HistoryEntry>()
  /** For each entry, the number of ids and later entries that refer to it. */
  private readonly holders = new Map<HistoryEntry, number>()
  private bytes = 0
  private isClosed = false
  private readonly limits: HistoryLimits
  private readonly memory: KeptMemory

  /** `memory`: shared by all connections. `keyId`: the key that opened this one. */
  constructor(limits: HistoryLimits, memory: KeptMemory, keyId: string) {
    this.limits = limits
    this.memory = memory
    this.keyId = keyId
    memory.add(this)
  }

  find(id: string): HistoryEntry | undefined {
    return this.entries.get(id)
  }

  add(id: string, entry: HistoryEntry): void {
    if (this.isClosed) return
    this.drop(id)
    this.entries.set(id, entry)
    this.hold(entry)
    while (this.entries.size > this.limits.responses || this.bytes > this.limits.bytes) this.dropOldest()
    this.memory.settle()
  }

  dropOldest(): void {
    const [oldest] = this.entries.keys()
    if (oldest !== undefined) this.drop(oldest)
  }

  /** The connection has closed: nothing is kept any more. */
  close(): void {
    this.isClosed = true
    while (this.entries.size > 0) this.dropOldest()
    this.memory.remove(this)
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
      this.count(one.bytes)
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
      this.count(-one.bytes)
    }
  }

  private count(bytes: number): void {
    this.bytes += bytes
    this.memory.count(bytes)
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

/** The approximate memory of the items up to this response. */
export function bytesUpTo(entry: HistoryEntry): number {
  let sum = 0
  for (let one: HistoryEntry | null = entry; one !== null; one = one.before) sum += one.bytes
  return sum
}
