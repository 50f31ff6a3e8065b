import { ANSWER_ENDING } from '../../protocol/limits.ts'
import type { UpstreamResponse } from '../upstream/transport.ts'

/**
 * Releases an upstream whose answer is complete. If its body ends at once, the connection serves another request; if it
 * stays open, the connection is closed.
 */
export class UpstreamRelease {
  private readonly upstream: UpstreamResponse
  private readonly timer: ReturnType<typeof setTimeout>
  private size = 0
  private isOver = false

  constructor(upstream: UpstreamResponse) {
    this.upstream = upstream
    this.timer = setTimeout(() => this.abort(), ANSWER_ENDING.release_ms)
  }

  /** Drops these bytes. */
  bytes({ length }: Uint8Array): void {
    this.size += length
    if (this.size > ANSWER_ENDING.release_bytes) this.abort()
  }

  /** The body has ended, or its connection has broken. */
  ended(): void {
    this.isOver = true
    clearTimeout(this.timer)
  }

  private abort(): void {
    if (this.isOver) return
    this.ended()
    this.upstream.abort('complete')
  }
}
