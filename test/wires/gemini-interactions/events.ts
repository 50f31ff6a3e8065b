import { DONE, eventText, type SentEvent } from '../../../src/testing/scripted/interactions-events.ts'
import { toBytes } from '../../engine/run-engine.ts'

export * from '../../../src/testing/scripted/interactions-events.ts'
export { startStep as start } from '../../../src/testing/scripted/interactions-events.ts'

/** The bytes of a stream of this wire. */
export const streamBytes = (...events: readonly SentEvent[]): Uint8Array => toBytes(eventText(events) + DONE)
