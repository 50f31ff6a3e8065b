import { DONE, eventText, type SentEvent } from '../../../src/testing/scripted/interactions-events.ts'
import { toBytes } from '../../engine/run-engine.ts'

export {
  callStep,
  completed,
  created,
  DONE,
  delta,
  eventText,
  type SentEvent,
  startStep as start,
  step,
  stop,
  textStep,
  thoughtStep,
  usageOf,
} from '../../../src/testing/scripted/interactions-events.ts'

/** The bytes of a stream of this wire. */
export const streamBytes = (...events: readonly SentEvent[]): Uint8Array => toBytes(eventText(events) + DONE)
