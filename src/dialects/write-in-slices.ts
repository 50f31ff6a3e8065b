import type { LongStep, Machine } from '../machine/machine.ts'
import { type EscapedText, frameText, type Output, type RunFrame } from '../output/frame-printer.ts'
import type { Event } from '../protocol/event.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import type { Logprob } from '../protocol/part.ts'
import { isObject } from '../text/json.ts'
import type { Steps } from '../text/steps.ts'
import type { Dialect } from './dialect.ts'
import type { JsonWriter } from './json-writer.ts'
import { writeList, writeView } from './projection.ts'
import {
  type DeltaEvent,
  DialectWriter,
  type Line,
  PLAIN_TAIL,
  type WriteContext,
  type WriteState,
  writeDelta,
} from './write.ts'

/** `writeFrames`, with long events in slices. */
export const writeInSlices = (dialect: Dialect, coalesce = false): Machine<WriteState, Event, Output> =>
  new SlicedWriter(dialect, coalesce)

class SlicedWriter extends DialectWriter {
  stepInSlices(state: WriteState, event: Event): LongStep<WriteState, Output> | null {
    const rows = this.lines[event.type]
    const line = rows[0]
    if (line === undefined || event.type === 'item.progress') return null
    if (!line.isDelta) return isLong(event) ? writeLong(this, rows, state, event) : null
    const { logprobs } = event as DeltaEvent
    const isAlone = logprobs !== undefined && logprobs.length > 0 && line.tail !== PLAIN_TAIL
    return isAlone && isLong(logprobs) ? writeLongDelta(this, line, state, event as DeltaEvent, logprobs) : null
  }
}

/** A value that contains more values than this is written in slices. */
const MANY = 1000

const isLong = (value: unknown): boolean => countDown(value, MANY) < 0

/** Returns `left` less the number of values in `value`. Stops counting below zero. */
function countDown(value: unknown, left: number): number {
  let rest = left - 1
  if (typeof value !== 'object' || value === null) return rest
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && rest >= 0; at += 1) rest = countDown(value[at], rest)
    return rest
  }
  // A list of all members, as `Object.values` makes it, would take most of the time.
  for (const name in value) {
    if (rest < 0) return rest
    const inner = (value as JsonObject)[name]
    rest = typeof inner === 'object' && inner !== null ? countDown(inner, rest) : rest - 1
  }
  return rest
}

function* writeLong(
  context: WriteContext,
  lines: readonly Line[],
  state: WriteState,
  event: Event,
): LongStep<WriteState, string | EscapedText> {
  const { dialect, writer } = context
  const source = event as unknown as Readonly<Record<string, Json>>
  let { sequence } = state
  for (const { head, columns } of lines) {
    writer.add(dialect.numbered ? `${head}${sequence}` : head)
    sequence += 1
    for (const [field, name] of columns) {
      writer.add(`,"${field}":`)
      const value = source[field] ?? null
      if (isObject(value)) yield* taken(writer, writeView(dialect, writer, value, name))
      else if (Array.isArray(value)) yield* taken(writer, writeList(dialect, writer, value))
      else writer.writeValue(value)
    }
    writer.add('}\n\n')
  }
  yield* writer.take()
  const { type, itemId, index, parts } = state
  return { sequence, type, itemId, index, parts, open: false }
}

/** Writes a delta with many log probabilities as a frame of its own. */
function* writeLongDelta(
  context: WriteContext,
  line: Line,
  state: WriteState,
  event: DeltaEvent,
  logprobs: readonly Logprob[],
): LongStep<WriteState, Output> {
  const { dialect, writer } = context
  const plain = { ...event, logprobs: [] }
  const step = writeDelta({ ...context, coalesce: false }, line, { ...state, open: false }, plain)
  for (const frame of step.events as readonly RunFrame[]) {
    yield frameText({ ...frame, parts: { ...frame.parts, tail: '","logprobs":' } })
  }
  yield* taken(writer, writeList(dialect, writer, logprobs as unknown as readonly Json[]))
  yield PLAIN_TAIL
  return step.state
}

/** Emits the pieces of each slice of work, and null at the end of the slice. */
function* taken(writer: JsonWriter, steps: Steps<void>): Generator<string | EscapedText | null, void, undefined> {
  while (steps.next().done !== true) {
    yield* writer.take()
    yield null
  }
  yield* writer.take()
}
