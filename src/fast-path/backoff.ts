import type { ActivePart } from '../responses/state.ts'

/** Chunks of one text that are processed before a template is learned. Many texts end earlier. */
const ENOUGH = 4

/**
 * Learning a template costs as much as processing `COST` chunks. After each template that did not pay off, the wait
 * until the next attempt grows (exponential backoff), up to `LONGEST_WAIT` chunks.
 */
const COST = 24
const BACKOFF_FACTOR = 4
const LONGEST_WAIT = 1024

/** Decides when a template is learned, and from which two chunks. */
export class LearningBackoff {
  /** The number of chunks until the next attempt. */
  wait = 0
  /** The number of chunks that the present template has matched. */
  worth = 0
  private penalty = 0
  // The previous chunk, the part that was active then, and how many of its chunks were processed.
  private earlier = ''
  private live: ActivePart | null = null
  private length = 0

  /**
   * Records a chunk, which is empty if it has no text. Returns the chunk to compare it with; empty if there is none,
   * because only consecutive chunks of one text are alike. `interrupted`: other chunks came in between.
   */
  observe(chunk: string, live: ActivePart | null, interrupted: boolean): string {
    const goesOn = live === this.live
    const earlier = goesOn && !interrupted ? this.earlier : ''
    this.earlier = chunk
    this.live = live
    this.length = goesOn ? this.length + 1 : 1
    return chunk === '' || this.length < ENOUGH || this.wait > 0 ? '' : earlier
  }

  /** Records that the template has matched: the chunk before it is compared with no other. */
  forget(): void {
    this.earlier = ''
  }

  /** Records a number of chunks that were not observed. */
  miss(chunks: number): void {
    this.wait = Math.max(0, this.wait - chunks)
    this.earlier = ''
  }

  /** Records that the template became useless, or that none was found. `cost`: what it has cost, in chunks. */
  fail(cost = COST): void {
    const { worth, penalty } = this
    this.penalty = worth >= cost ? 0 : Math.min(Math.max(1, BACKOFF_FACTOR * penalty), LONGEST_WAIT)
    this.wait = Math.max(0, this.penalty - 1)
  }
}
