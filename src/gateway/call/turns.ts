import type { Answer } from '../../engine/answer.ts'
import type { Request } from '../../protocol/request.ts'
import type { Prepared } from './prepare-request.ts'

/** The turns of one request: its upstream requests, whose answers become one answer for the client. */
export interface Turns<Piece, Whole extends Answer<Piece>> {
  readonly answer: Whole
  /**
   * Resolves with the upstream request of the next turn, prepared if it goes to another upstream; or with null after the
   * end of the answer. `write` does work on
   * the answer after all earlier work, and sends its output.
   */
  next(write: (work: () => Piece) => void): Promise<Request | Prepared | null>
}

/** A request without server-side search has one turn, whose end is the end of the answer. */
export const oneTurn = <Piece, Whole extends Answer<Piece>>(answer: Whole): Turns<Piece, Whole> => new OneTurn(answer)

class OneTurn<Piece, Whole extends Answer<Piece>> implements Turns<Piece, Whole> {
  readonly answer: Whole

  constructor(answer: Whole) {
    this.answer = answer
  }

  async next(): Promise<null> {
    return null
  }
}
