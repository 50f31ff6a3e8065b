import type { Live } from '../responses/state.ts'

/** So many chunks of one run are heard before a template is looked for: many runs are over by then. */
const ENOUGH = 4

/** To look for a template costs as much as that many chunks: who finds none that lasts looks ever more seldom. */
const COST = 24
const PATIENCE = 4
const LONGEST_WAIT = 1024

/** When a template is looked for, and with which two chunks. */
export class Lookout {
  /** For how many chunks none is looked for. */
  wait = 0
  /** How many chunks the template of now has taken. */
  worth = 0
  private penalty = 0
  // The chunk before, the run that was live then, and how many of its chunks were heard.
  private earlier = ''
  private live: Live | null = null
  private length = 0

  /**
   * Hears a chunk, empty where it has no text. Returns the one to compare it with, empty where there is none: only those
   * that follow one another in one run are alike. `interrupted`: others came in between.
   */
  hear(chunk: string, live: Live | null, interrupted: boolean): string {
    const goesOn = live === this.live
    const earlier = goesOn && !interrupted ? this.earlier : ''
    this.earlier = chunk
    this.live = live
    this.length = goesOn ? this.length + 1 : 1
    return chunk === '' || this.length < ENOUGH || this.wait > 0 ? '' : earlier
  }

  /** So many chunks went by unseen. */
  miss(chunks: number): void {
    this.wait = Math.max(0, this.wait - chunks)
    this.earlier = ''
  }

  /** The template was of no more use, or none was found. */
  lose(): void {
    const { worth, penalty } = this
    this.penalty = worth >= COST ? 0 : Math.min(Math.max(1, PATIENCE * penalty), LONGEST_WAIT)
    this.wait = Math.max(0, this.penalty - 1)
  }
}
