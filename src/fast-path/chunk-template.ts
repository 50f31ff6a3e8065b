import type { Boundary } from '../framing/boundary.ts'
import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import { createFramePrinter, type FrameParts, type FramePrinter, type Output } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { RespondState } from '../responses/state.ts'
import { escapeJson, isCompleteJson } from '../text/json.ts'
import { firstDifference } from '../text/json-diff.ts'
import { areSameParts, partsOf } from './frame-parts.ts'
import { type BytePattern, toBytePattern } from './match-bytes.ts'
import {
  fillPattern,
  type Pattern,
  type PatternWidth,
  patternsOf,
  type TemplateFields,
  wrapPattern,
} from './pattern.ts'
import { applyDiff, diffStates, isSameExcept, replacesText, type StateDiff } from './state-diff.ts'
import { type FieldNames, trackFieldAccess } from './track-field-access.ts'

/** The state of the machine that writes an answer. */
export interface WriterState {
  /** The number of the next frame. Frames of a target without numbers do not contain it. */
  readonly sequence: number
  /** Whether its last frame may still grow. */
  readonly open: boolean
  /** The rest of its state, if text may change it. A dialect's writer has none. */
  readonly inner?: unknown
}

/** The states of the machines of one translation. */
export interface Position<State = WriterState> {
  readonly upstream: unknown
  readonly responseState: RespondState
  readonly writerState: State
}

export interface Machines<State = WriterState, Out = Output> {
  readonly decode: Machine<unknown, Frame, Delta>
  readonly hub: Machine<RespondState, Delta, Event>
  readonly last: Machine<State, Event, Out>
}

/** The slow path, as the fast path uses it. */
export interface SlowPath<State = WriterState, Out = Output> extends Machines<State, Out> {
  /** Processes these bytes. Returns the frames that they completed. */
  process(bytes: Uint8Array): readonly Frame[]
  /** Returns whether these bytes changed a state or produced output. */
  madeProgress(): boolean
  /** Returns whether work is left of the received bytes. The machines are in the middle of it then. */
  busy(): boolean
  /** Returns whether nothing more is read. */
  turnOver(): boolean
  /** Returns whether the slice of work is used up. */
  spent(): boolean
  /** Returns whether a frame was too large, after which no further bytes are processed. */
  overflowed(): boolean
  position(): Position<State>
  move(position: Position<State>): void
}

/**
 * How the machines change with each chunk: the state of the decoder, the response state of the reducer, the text of its
 * active part, and the inner state of the writer.
 */
interface Moves {
  readonly upstream: StateDiff
  readonly response: StateDiff
  readonly writer: StateDiff
  /** Whether the reducer receives the text. Some decoders only accumulate it. */
  readonly text: boolean
}

/**
 * Chunks that differ from a proved one only in their text and their counts, and the output of these chunks. A template
 * is valid as long as all machines are in the same state, except for what changes with each chunk. States are
 * compared by identity.
 */
export interface ChunkTemplate {
  /** The pattern of the whole frame, as it arrives. */
  readonly pattern: BytePattern
  /** The frame inside: its name, and the number of bytes before and after its payload. */
  readonly event: string
  readonly before: number
  readonly behind: number
  readonly provedAt: Position
  readonly moves: Moves
  /** The chunks have counts, so that the machines must process the last one themselves. */
  readonly counts: boolean
  /** Prints the frame that is emitted; null if the target has none. */
  readonly framePrinter: FramePrinter | null
}

/** One frame that was read, and its bytes. */
export interface StepResult {
  readonly bytes: Uint8Array
  readonly frame: Frame
}

/** No decoder reads a member of this name. */
const UNKNOWN_FIELD = 'Kq7'

/**
 * Texts that a decoder which parses them would change or hold back; any values in the fields that no decoder reads, and
 * more such fields; and counts that go up and down.
 */
const PROBES = [
  // The length of the first text differs from its number of characters.
  { leaf: 'Kq7zW</think> "\u00e9\u{1f642}"', value: '0', count: '7', blanks: '', members: '' },
  // Half of a character, as if the previous chunk had the other half.
  { leaf: '\udc00<', value: '"x9"', count: '0', blanks: ' ', members: `"${UNKNOWN_FIELD}":"\\ud800",` },
  {
    leaf: ' \n',
    value: '[{"a":"\\u0041\\""},-1.5e300,null]',
    count: '900719925474099',
    blanks: '   ',
    members: `"Zw3":null, "${UNKNOWN_FIELD}" : [{"Zw3":{"${UNKNOWN_FIELD}":[]}},-0.0],`,
  },
] as const
type Probe = (typeof PROBES)[number]

/**
 * Returns the template of which this chunk and an earlier one are instances; null if there is none. It is proved, not
 * guessed: with other text in its slot, and anything in the fields that no decoder reads, the machines must emit the
 * same frame with that text, and return to the same state.
 */
export function learn(
  machines: Machines,
  position: Position,
  { bytes, frame }: StepResult,
  earlier: string,
  leaves: TemplateFields,
  boundary: Boundary,
  width: PatternWidth,
): ChunkTemplate | null {
  const around = boundary.around(bytes, frame.data)
  // Decoders ignore a payload that is not JSON, which does not prove that any text may be in its place.
  if (around === null || !isCompleteJson(frame.data)) return null
  const { before, behind } = around
  const { event } = frame
  const readIn = (data: string) =>
    trackFieldAccess({ event, data }, (tracked) => void runOne(machines, position, tracked))
  for (const pattern of patternsOf(frame.data, earlier, leaves, () => readIn(frame.data), width)) {
    const proved = prove(machines, position, frame, pattern)
    if (proved === null || looksAtMore(pattern, readIn)) continue
    return {
      pattern: toBytePattern(wrapPattern(pattern, before, behind)),
      event,
      before: boundary.prefix + encoder.encode(before).length,
      behind: encoder.encode(behind).length + boundary.suffix,
      provedAt: position,
      ...proved,
    }
  }
  return null
}

const encoder = new TextEncoder()

/** Returns whether the template is valid in the present states of the machines. */
export const isStillValid = (
  { provedAt, moves }: ChunkTemplate,
  { upstream, responseState, writerState }: Position,
): boolean =>
  responseState.active === provedAt.responseState.active &&
  isSameExcept(responseState.response, provedAt.responseState.response, moves.response) &&
  isSameExcept(upstream, provedAt.upstream, moves.upstream) &&
  isSameExcept(writerState.inner, provedAt.writerState.inner, moves.writer)

/** Returns the states of the machines after chunks with this text, without the counts of the last of them. */
export function advance({ upstream, responseState, writerState }: Position, moves: Moves, words: string): Position {
  const { active, text, response } = responseState
  const { inner } = writerState
  return {
    upstream: applyDiff(upstream, moves.upstream, words),
    responseState: moves.text
      ? { active, text: text + words, response: applyDiff(response, moves.response, words) }
      : responseState,
    writerState: inner === undefined ? writerState : { ...writerState, inner: applyDiff(inner, moves.writer, words) },
  }
}

/** The effect of one frame. */
export interface FrameResult {
  readonly event: Event | null
  readonly outputs: readonly Output[]
  readonly after: Position
}

/** Runs the machines on this frame; null if it produced more than one event. */
export function runOne(
  { decode, hub, last }: Machines,
  { upstream, responseState, writerState }: Position,
  frame: Frame,
): FrameResult | null {
  const decoded = decode.step(upstream, frame)
  let now = responseState
  const events: Event[] = []
  for (const delta of decoded.events) {
    const responded = hub.step(now, delta)
    now = responded.state
    for (const event of responded.events) events.push(event)
  }
  const [event = null] = events
  if (events.length > 1) return null
  const written = event === null ? null : last.step(writerState, event)
  const after = { upstream: decoded.state, responseState: now, writerState: written?.state ?? writerState }
  return { event, outputs: written?.events ?? [], after }
}

// ---------------------------------------------------------------- the proof

function filled(pattern: Pattern, probe: Probe): string {
  const { value, count, blanks, members } = probe
  const leaf = escapeJson(probe.leaf)
  return fillPattern(pattern, { leaf, repeat: leaf, value, count, blanks, members })
}

/**
 * If members may appear and disappear, a decoder must read known members by name only, for every text and every count.
 * A decoder that enumerates the members of an object reads `UNKNOWN_FIELD`, which rejects the pattern.
 */
const looksAtMore = (pattern: Pattern, readIn: (data: string) => FieldNames): boolean =>
  pattern.slots.includes('members') &&
  PROBES.some((probe) => {
    const read = readIn(filled(pattern, probe))
    return read.readsText || [...read].some((name) => name === UNKNOWN_FIELD || !pattern.known.has(name))
  })

type Proved = Pick<ChunkTemplate, 'moves' | 'counts' | 'framePrinter'>

function prove(machines: Machines, position: Position, { event }: Frame, pattern: Pattern): Proved | null {
  const emitProbe = (probe: Probe, from: Position) =>
    emitOnce(machines, from, { event, data: filled(pattern, probe) }, probe.leaf)
  const [first, second, third] = PROBES
  const one = emitProbe(first, position)
  if (one === null) return null
  const { parts } = one
  const moves = movesOf(position, one.after, first.leaf)
  if (moves === null) return null
  const counts = replacesText(moves.upstream) || replacesText(moves.response) || replacesText(moves.writer)
  // Without counts, nothing but the text may change.
  if (counts && !pattern.slots.includes('count')) return null

  /**
   * Processes a probe after another one. The result must be a frame of the same text, and a state that keeps nothing of
   * the other probe but its text; otherwise returns null.
   */
  const follows = (probe: Probe, from: Position, words: string, after: Position): Position | null => {
    const again = emitProbe(probe, after)
    if (again === null || !areSameParts(again.parts, parts)) return null
    if (!isSameExcept(again.after.responseState.response, after.responseState.response, moves.response)) return null
    if (!isSameExcept(again.after.upstream, after.upstream, moves.upstream)) return null
    if (!isSameExcept(again.after.writerState.inner, after.writerState.inner, moves.writer)) return null
    const alone = counts ? emitProbe(probe, advance(from, moves, words))?.after : advance(after, moves, probe.leaf)
    return alone !== undefined && isSame(again.after, alone) ? again.after : null
  }
  const two = follows(second, position, first.leaf, one.after)
  const three = two === null ? null : follows(third, one.after, second.leaf, two)
  return three === null ? null : { moves, counts, framePrinter: parts === null ? null : createFramePrinter(parts) }
}

const isSame = (one: Position, other: Position): boolean =>
  firstDifference(one.upstream, other.upstream) === null &&
  firstDifference(one.responseState.response, other.responseState.response) === null &&
  firstDifference(one.writerState.inner, other.writerState.inner) === null &&
  one.responseState.text === other.responseState.text

function movesOf(before: Position, after: Position, words: string): Moves | null {
  const upstream = diffStates(before.upstream, after.upstream, words)
  const response = diffStates(before.responseState.response, after.responseState.response, words)
  const writer = diffStates(before.writerState.inner, after.writerState.inner, words)
  return upstream === null || response === null || writer === null
    ? null
    : { upstream, response, writer, text: after.responseState !== before.responseState }
}

/**
 * Returns the constant parts of the frame that a chunk becomes, null if it becomes none. The whole result is null if
 * the chunk has any other effect.
 */
function emitOnce(
  machines: Machines,
  position: Position,
  frame: Frame,
  words: string,
): { readonly parts: FrameParts | null; readonly after: Position } | null {
  const result = runOne(machines, position, frame)
  if (result === null) return null
  const { event, outputs, after } = result
  if (event === null) return after.responseState === position.responseState ? { parts: null, after } : null
  const { active, text } = after.responseState
  if (active === null || active !== position.responseState.active || text !== position.responseState.text + words)
    return null
  if (outputs.length === 0) return { parts: null, after }
  const parts = partsOf(outputs, words, position.writerState.sequence)
  return parts === null ? null : { parts, after }
}
