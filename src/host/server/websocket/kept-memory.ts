import { removeLast } from '../../../collections/remove-last.ts'

/** The responses that one connection keeps. */
export interface KeepingHistory {
  /** The id of the key that opened the connection. */
  readonly keyId: string
  size(): { readonly bytes: number }
  dropOldest(): void
}

/**
 * Memory that the kept responses of all connections share, in bytes. Beyond the limit, the key that uses most of it
 * loses its oldest responses, so that one key cannot take the responses of others.
 */
export class KeptMemory {
  private readonly limit: number
  private readonly histories: KeepingHistory[] = []
  private sum = 0

  constructor(limit: number) {
    this.limit = limit
  }

  add(history: KeepingHistory): void {
    this.histories.push(history)
  }

  remove(history: KeepingHistory): void {
    removeLast(this.histories, history)
  }

  /** The sum of all connections. */
  held(): number {
    return this.sum
  }

  /** Counts bytes that a history keeps from now on, or no longer keeps. */
  count(bytes: number): void {
    this.sum += bytes
  }

  /** Drops responses until the rest is within the limit. */
  settle(): void {
    while (this.sum > this.limit) {
      const largest = this.largest()
      if (largest === null) return
      largest.dropOldest()
    }
  }

  /** The history with the most bytes, of the key with the most bytes; null if nothing is kept. */
  private largest(): KeepingHistory | null {
    const sums = new Map<string, number>()
    for (const history of this.histories) sums.set(history.keyId, (sums.get(history.keyId) ?? 0) + history.size().bytes)
    let key = ''
    for (const [id, sum] of sums) if (sum > (sums.get(key) ?? 0)) key = id
    let found: KeepingHistory | null = null
    for (const history of this.histories)
      if (history.keyId === key && history.size().bytes > (found?.size().bytes ?? 0)) found = history
    return found
  }
}
