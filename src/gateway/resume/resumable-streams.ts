import type { Target } from '../../engine/target.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { KeptStream, type KeptStreamOwner, type ResumeLimits } from './kept-stream.ts'

/**
 * The streams of this process that their clients may resume, by the keys that began them. They share one budget: what has
 * ended makes room first.
 */
export class ResumableStreams implements KeptStreamOwner {
  readonly limits: ResumeLimits
  private readonly streams = new Map<string, KeptStream>()
  /** Streams that have ended, the oldest first. */
  private readonly ended = new Set<KeptStream>()
  /** Ids that streams have had. The oldest are left out. */
  private readonly known = new Set<string>()
  private open = 0
  private held = 0

  constructor(limits: ResumeLimits) {
    this.limits = limits
  }

  /** The memory of all streams, in bytes. */
  bytes(): number {
    return this.held
  }

  /** The number of streams that could be resumed, or have begun and may become so. */
  count(): number {
    return this.open + this.ended.size
  }

  /**
   * Whether a stream of this key has had the id before. Some upstreams give ids that are not unique: the client of one
   * stream must not receive the other.
   */
  isTaken(key: string, responseId: string): boolean {
    return this.known.has(nameOf(key, responseId))
  }

  /** Returns a stream that can be resumed with this key; null if there is no room. */
  begin(context: RequestContext, key: string, target: Target): KeptStream | null {
    if (this.count() >= this.limits.streams && !this.dropEnded()) return null
    this.open += 1
    return new KeptStream(this, context, key, target)
  }

  find(key: string, responseId: string): KeptStream | undefined {
    return this.streams.get(nameOf(key, responseId))
  }

  register(stream: KeptStream, key: string, responseId: string): void {
    const name = nameOf(key, responseId)
    if (this.known.has(name)) {
      this.streams.get(name)?.forget()
      stream.forget()
      return
    }
    this.note(name)
    this.streams.set(name, stream)
    stream.onForget = () => {
      if (this.streams.get(name) === stream) this.streams.delete(name)
    }
  }

  grow(stream: KeptStream, bytes: number): void {
    this.held += bytes
    while (this.held > this.limits.memory_bytes) if (!this.dropEnded() && !stream.dropOldest()) return
  }

  noteEnd(stream: KeptStream): void {
    this.open -= 1
    this.ended.add(stream)
  }

  noteForgotten(stream: KeptStream): void {
    if (!this.ended.delete(stream)) this.open -= 1
  }

  /** Nothing can be resumed any more. */
  close(): void {
    for (const stream of [...this.ended, ...this.streams.values()]) stream.forget()
  }

  private note(name: string): void {
    this.known.add(name)
    const [oldest] = this.known
    if (this.known.size > MOST_IDS && oldest !== undefined) this.known.delete(oldest)
  }

  private dropEnded(): boolean {
    const [oldest] = this.ended
    oldest?.forget()
    return oldest !== undefined
  }
}

/** More than a server begins of such streams while one of them may be resumed. */
const MOST_IDS = 50_000

const nameOf = (key: string, responseId: string): string => `${key} ${responseId}`
