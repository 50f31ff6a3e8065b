import type { Dialect } from '../../src/dialects/dialect.ts'
import { type WriteState, writeFrames } from '../../src/dialects/write.ts'
import type { Machine } from '../../src/machine/machine.ts'
import { frameText, type Output } from '../../src/output/frame-printer.ts'
import type { Event } from '../../src/protocol/event.ts'
import { escapeJson } from '../../src/text/json.ts'

const toText = (output: Output): string =>
  typeof output === 'string' ? output : 'long' in output ? escapeJson(output.long) : frameText(output)

/** Writes events as SSE text of one dialect, in strings that equal the printer's output. */
export function write(dialect: Dialect): Machine<WriteState, Event, string> {
  const frames = writeFrames(dialect)
  return {
    initial: frames.initial,
    step: (state, event) => {
      const step = frames.step(state, event)
      return { state: step.state, events: step.events.map(toText) }
    },
    end: (state) => frames.end(state).map(toText),
  }
}
