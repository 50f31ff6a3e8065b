import type { Answer } from '../../../engine/answer.ts'
import type { Request } from '../../../protocol/request.ts'

/** The turns of one request: its upstream requests, whose answers become one answer for the client. */
export interface Turns<Piece, Whole extends Answer<Piece>> {
  readonly answer: Whole
  /** True if nothing more is read of the upstream answer of this turn. */
  turnOver(): boolean
  /**
   * Resolves with the upstream request of the next turn; or with null after the end of the answer. `write` does work on
   * the answer after all earlier work, and sends its output.
   */
  next(write: (work: () => Piece) => void): Promise<Request | null>
}

/** A request without server-side search has one turn, whose end is the end of the answer. */
export const oneTurn = <Piece, Whole extends Answer<Piece>>(answer: Whole): Turns<Piece, Whole> => ({
  answer,
  turnOver: () => answer.over(),
  next: async () => null,
})
