import { EMPTY_LIST, type List } from '../../collections/list.ts'
import type { Event } from '../../protocol/event.ts'

/** The messages of an answer whose upstream reports no phases. */
export interface PhaseState {
  /** The index of the last item which shows that each earlier text was commentary; -1 if there is none. */
  readonly latest: number
  /** The end of a message of unknown phase, and all events after it. */
  readonly waiting: List<Event>
}

export const NO_PHASES: PhaseState = { latest: -1, waiting: EMPTY_LIST }
