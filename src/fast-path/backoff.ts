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

/** Decides when a template is learned or recalled, and from which two chunks. */
export class LearningBackoff {
  /** The number of chunks until the next attempt. */
  wait: number
  /** The number of chunks that the present template has matched. */
  worth = 0
  /** How many chunks of the present text were processed. */
  length = 0
  private penalty = 0
  /** Chunks of a new text that are not observed. */
  private readonly patience: number
  // The previous chunk, and the part that was active then.
  private earlier = ''
  private live: ActivePart | null = null

  constructor(patience: number) {
    this.patience = patience
    this.wait = patience
  }

  /**
   * Records a chunk, which is empty if it has no text. Returns the chunk to compare it with; empty if there is none,
   * because only consecutive chunks of one text are alike. `interrupted`: other chunks came in between.
   */
  observe(chunk: string, live: ActivePart | null, interrupted: boolean): string {
    const earlier = live === this.live && !interrupted ? this.earlier : ''
    this.earlier = chunk
    this.count(1, live)
    return chunk === '' || this.length < ENOUGH || this.wait > 0 ? '' : earlier
  }

  /** Records that the template has matched: the chunk before it is compared with no other. */
  forget(): void {
    this.earlier = ''
  }

  /** Records a number of chunks that were not observed. `live`: the part that is active after them. */
  miss(chunks: number, live: ActivePart | null): void {
    this.wait = Math.max(0, this.wait - chunks)
    this.earlier = ''
    this.count(chunks, live)
  }

  private count(chunks: number, live: ActivePart | null): void {
    if (live === this.live) {
      this.length += chunks
      return
    }
    this.live = live
    this.length = chunks
    this.wait = Math.max(this.wait, this.patience - chunks)
  }

  /** Records that the template became useless, or that none was found. `cost`: what it has cost, in chunks. */
  fail(cost = COST): void {
    const { worth, penalty } = this
    this.penalty = worth >= cost ? 0 : Math.min(Math.max(1, BACKOFF_FACTOR * penalty), LONGEST_WAIT)
    this.wait = Math.max(0, this.penalty - 1)
  }
}
