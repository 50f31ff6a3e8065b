import { type LongStep, type Machine, NOTHING, type Step } from '../machine/machine.ts'
import { type EscapedText, type FrameParts, frameText, type Output, type RunFrame } from '../output/frame-printer.ts'
import type { Event, EventOf, EventType } from '../protocol/event.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import type { Logprob } from '../protocol/part.ts'
import { isObject, quote } from '../text/json.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import type { Dialect } from './dialect.ts'
import { createJsonWriter, type JsonWriter } from './json-writer.ts'
import { memoizeByDialect } from './memoize.ts'
import { writeList, writeView } from './projection.ts'

/** Flat and small, because it is rebuilt for every event. */
export interface WriteState {
  readonly sequence: number
  /** The text to whose deltas `parts` belongs: its event type, its item, its index. */
  readonly type: EventType | ''
  readonly itemId: string
  readonly index: number
  /** The constant parts of all frames of that text. */
  readonly parts: FrameParts | null
  /** Whether the last frame belongs to that text and may still grow. Only if deltas are coalesced. */
  readonly open: boolean
}

/** One row, compiled for writing. */
interface Line {
  /** Whether one of its columns is the delta. All others then repeat from frame to frame. */
  readonly isDelta: boolean
  /** The text after the delta, if the event has no log probabilities. */
  readonly tail: string
  readonly head: string
  readonly columns: readonly (readonly [field: string, view: string])[]
}

/**
 * Joins text into one flat string, because V8 would flatten a concatenation again for every frame that begins with it.
 */
const flat = (pieces: readonly string[]): string => pieces.join('')

const PLAIN_TAIL = '}\n\n'

type Lines = Readonly<Record<EventType, readonly Line[]>>

const terminatorOf = ({ terminator }: Dialect): string => `data: ${terminator}\n\n`

/**
 * Events → SSE of one dialect, for a printer (`output/frame-printer.ts`): one piece a frame, or several if it contains a long
 * text. The terminator comes last. `coalesce`: consecutive deltas of one text become one event, as long as `open` is
 * not reset. A delta costs its length, any other event the size of its content.
 */
export function writeFrames(dialect: Dialect, coalesce = false): Machine<WriteState, Event, Output> {
  return new DialectWriter(dialect, coalesce)
}

const INITIAL: WriteState = { sequence: 0, type: '', itemId: '', index: -1, parts: null, open: false }

/** A class, because every stream has one. Its caches only save time. */
class DialectWriter implements Machine<WriteState, Event, Output>, WriteContext {
  readonly initial = INITIAL
  readonly dialect: Dialect
  readonly coalesce: boolean
  readonly writer = createJsonWriter()
  protected readonly lines: Lines

  constructor(dialect: Dialect, coalesce: boolean) {
    this.dialect = dialect
    this.coalesce = coalesce
    this.lines = linesOf(dialect)
  }

  step(state: WriteState, event: Event): Step<WriteState, Output> {
    const rows = this.lines[event.type]
    if (rows.length === 0) return { state, events: NOTHING }
    const line = rows[0] as Line
    if (event.type === 'item.progress') return writeProgress(this, state, event)
    if (!line.isDelta) return writeWhole(this, rows, state, event)
    // The events before a text and after it have nothing in common that was written once for all of them.
    this.writer.forgetLast()
    return writeDelta(this, line, state, event as DeltaEvent)
  }

  end(): readonly Output[] {
    return [terminatorOf(this.dialect)]
  }
}

const linesOf = memoizeByDialect(compile)

const headOf = ({ eventLines, numbered }: Dialect, name: string): string =>
  flat([eventLines ? `event: ${name}\n` : '', `data: {"type":"${name}"`, numbered ? ',"sequence_number":' : ''])

function compile(dialect: Dialect): Lines {
  const toLine = ([name = '', ...columns]: readonly string[]): Line => ({
    isDelta: columns.includes('delta'),
    tail: columns.at(-1) === 'logprobs' ? `,"logprobs":[]${PLAIN_TAIL}` : PLAIN_TAIL,
    head: headOf(dialect, name),
    columns: columns.map((column) => {
      const [field = '', view = ''] = column.split(':')
      return [field, view === '' ? field : column]
    }),
  })
  const rows = Object.entries(dialect.events).map(([type, lines]) => [type, lines.map(toLine)])
  return Object.fromEntries(rows) as Lines
}

// ---------------------------------------------------------------- fast: deltas of one text

type DeltaEvent = Extract<Event, { delta: string }> & Loose

/** The fields that only some kinds of deltas have. */
type Loose = {
  readonly content_index?: number
  readonly summary_index?: number
  readonly logprobs?: readonly Logprob[]
}

const indexOf = ({ content_index, summary_index }: Loose): number => content_index ?? summary_index ?? 0

/** All fields but the delta repeat from frame to frame, so that they are written once for each text. */
function writeDelta(
  { dialect, coalesce }: WriteContext,
  line: Line,
  state: WriteState,
  event: DeltaEvent,
): Step<WriteState, Output> {
  const { sequence } = state
  const index = indexOf(event)
  const known = state.type === event.type && state.itemId === event.item_id && state.index === index
  const parts = known && state.parts !== null ? state.parts : partsOf(dialect, line, event)
  const { logprobs } = event
  const alone = logprobs !== undefined && logprobs.length > 0 && line.tail !== PLAIN_TAIL
  const more = state.open && known && !alone
  const number = more ? sequence - 1 : sequence
  const frame = { parts, number, words: event.delta, more }
  return {
    state: { sequence: number + 1, type: event.type, itemId: event.item_id, index, parts, open: coalesce && !alone },
    events: [
      alone
        ? frameText({ ...frame, parts: { ...parts, tail: `","logprobs":${JSON.stringify(logprobs)}${PLAIN_TAIL}` } })
        : frame,
    ],
  }
}

function partsOf({ numbered }: Dialect, { head, columns, tail }: Line, event: DeltaEvent): FrameParts {
  const source = event as unknown as JsonObject
  const before = columns.slice(
    0,
    columns.findIndex(([field]) => field === 'delta'),
  )
  const fields = flat([...before.map(([field]) => `,"${field}":${JSON.stringify(source[field])}`), ',"delta":"'])
  return numbered
    ? { head, numbered, middle: fields, tail: `"${tail}` }
    : { head: flat([head, fields]), numbered, middle: '', tail: `"${tail}` }
}

// ---------------------------------------------------------------- slow: everything else

/** The context in which one stream is written. Its caches only save time. */
interface WriteContext {
  readonly dialect: Dialect
  readonly coalesce: boolean
  readonly writer: JsonWriter
}

function writeWhole(
  context: WriteContext,
  lines: readonly Line[],
  state: WriteState,
  event: Event,
): Step<WriteState, string | EscapedText> {
  const { dialect, writer } = context
  const source = event as unknown as Record<string, JsonObject>
  lines.forEach(({ head, columns }, i) => {
    writer.add(dialect.numbered ? `${head}${state.sequence + i}` : head)
    for (const [field, name] of columns) {
      writer.add(`,"${field}":`)
      writeColumn(context, source[field] ?? null, name)
    }
    writer.add('}\n\n')
  })
  const { sequence, type, itemId, index, parts } = state
  return {
    state: { sequence: sequence + lines.length, type, itemId, index, parts, open: false },
    events: writer.take(),
  }
}

/** Writes an event of a hosted item under its own name, with its fields beside the address. */
function writeProgress(
  { dialect, writer }: WriteContext,
  { sequence, type, itemId, index, parts }: WriteState,
  event: EventOf<'item.progress'>,
): Step<WriteState, string | EscapedText> {
  const { name, item_id, output_index, fields } = event
  writer.add(headOf(dialect, `response.${name}`))
  if (dialect.numbered) writer.add(`${sequence}`)
  for (const [key, value] of Object.entries({ item_id, output_index, ...fields })) {
    writer.add(`,${quote(key)}:`)
    writer.writeValue(value)
  }
  writer.add('}\n\n')
  return { state: { sequence: sequence + 1, type, itemId, index, parts, open: false }, events: writer.take() }
}

function writeColumn({ dialect, writer }: WriteContext, value: Json, name: string): void {
  if (isObject(value)) writer.writeOnce(value, name, () => runSteps(writeView(dialect, writer, value, name)))
  else writer.writeValue(value)
}

// ---------------------------------------------------------------- long: in slices

/** `writeFrames`, with long events in slices. */
export const writeInSlices: typeof writeFrames = (dialect, coalesce = false) => new SlicedWriter(dialect, coalesce)

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
