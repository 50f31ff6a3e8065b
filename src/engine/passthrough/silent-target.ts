import type { WriterState } from '../../fast-path/slow-path.ts'
import { type Machine, NOTHING } from '../../machine/machine.ts'
import type { Event } from '../../protocol/event.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Steps } from '../../text/steps.ts'
import type { Target } from '../target.ts'

const INITIAL: WriterState = { sequence: 0, open: false }

const SILENT: Machine<WriterState, Event, never> = {
  initial: INITIAL,
  step: (state) => ({ state, events: NOTHING }),
  end: () => NOTHING,
}

function* noBody(): Steps<JsonObject> {
  yield
  return {}
}

/** A target that writes nothing: the machines only read the answer. */
export const silentTarget = (target: Target): Target => ({
  ...target,
  coalesces: false,
  stream: () => SILENT,
  openBody: () => ({ machine: SILENT, add: () => false, build: noBody }),
})
