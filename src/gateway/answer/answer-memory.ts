import { type GatewayError, gatewayError } from '../../protocol/error.ts'
import { afterTick } from '../run-in-slices.ts'

/** An answer that keeps text until it ends. */
export interface HeldAnswer {
  /** Its cost in bytes, and its index in the list of all such answers; -1 if it is not in the list. */
  heldBytes: number
  heldAt: number
  /** The answer must end, because all answers together need too much memory. */
  onNoRoom(error: GatewayError): void
}

const FULL: GatewayError = {
  ...gatewayError(
    'server_is_overloaded',
    'The open answers use all of the memory for them (limits.answers_memory_bytes), and this one is the largest. Retry the request.',
    503,
  ),
  retryAfter: 1,
}

/**
 * Memory that the texts of all open answers share, in bytes. Beyond the limit, the largest answer fails, because a
 * client that does not read would else make the answers of others fail. A single answer is never failed: other limits
 * bound its size.
 */
export class AnswerMemory {
  private readonly limit: number
  private readonly open: HeldAnswer[] = []
  private sum = 0
  private isScheduled = false

  constructor(limit: number) {
    this.limit = limit
  }

  /** The sum of all answers. */
  held(): number {
    return this.sum
  }

  /** Sets the cost of an answer. */
  hold(answer: HeldAnswer, bytes: number): void {
    if (answer.heldAt < 0) answer.heldAt = this.open.push(answer) - 1
    this.sum += bytes - answer.heldBytes
    answer.heldBytes = bytes
    if (this.isScheduled || !this.isFull()) return
    this.isScheduled = true
    // The answer that grows is writing its output.
    afterTick(() => this.makeRoom())
  }

  /** The last answer takes the place of the one that is released, so that nothing is searched. */
  release(answer: HeldAnswer): void {
    const { open } = this
    if (answer.heldAt < 0) return
    const last = open.pop()
    if (last !== undefined && last !== answer) {
      open[answer.heldAt] = last
      last.heldAt = answer.heldAt
    }
    this.sum -= answer.heldBytes
    answer.heldBytes = 0
    answer.heldAt = -1
  }

  private isFull(): boolean {
    return this.sum > this.limit && this.open.length > 1
  }

  private makeRoom(): void {
    this.isScheduled = false
    while (this.isFull()) {
      const largest = this.open.reduce((most, one) => (one.heldBytes > most.heldBytes ? one : most))
      this.release(largest)
      largest.onNoRoom(FULL)
    }
  }
}
