import type { WriterState } from '../../fast-path/slow-path.ts'
import { type Machine, NOTHING } from '../../machine/machine.ts'
import type { Event } from '../../protocol/event.ts'

/** Writes nothing: the events of a passed answer only show what it contains. */
export const SILENT_WRITER: Machine<WriterState, Event, never> = {
  initial: { sequence: 0, open: false },
  step: (state) => ({ state, events: NOTHING }),
  end: () => NOTHING,
}
