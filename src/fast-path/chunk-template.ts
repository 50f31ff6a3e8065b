import type { Boundary } from '../framing/boundary.ts'
import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import { openPress, type Parts, type Press, type Written } from '../output/frame-printer.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { RespondState } from '../responses/state.ts'
import { escapeJson, isCompleteJson } from '../text/json.ts'
import { differsAt } from '../text/json-diff.ts'
import { type ByteShape, toByteShape } from './match-bytes.ts'
import { fill, type Leaves, type Shape, shapesOf, type Width, wrap } from './pattern.ts'
import { type Growth, grow, growthOf, sameBut, tellsLast } from './state-diff.ts'
import { fieldsRead } from './track-field-access.ts'

/** The state of a last machine that numbers its output, as a dialect's writer does. */
export interface Counting {
  readonly sequence: number
  /** Whether its last frame may still grow. */
  readonly open: boolean
}

/** The states of the machines of one translation. */
export interface Position<Said> {
  readonly upstream: unknown
  readonly told: RespondState
  readonly said: Said
}

export interface Machines<Said, Out> {
  readonly decode: Machine<unknown, Frame, Delta>
  readonly hub: Machine<RespondState, Delta, Event>
  readonly last: Machine<Said, Event, Out>
}

/** The slow path, as the fast path uses it. */
export interface Slow<Said, Out> extends Machines<Said, Out> {
  /** Processes these bytes. Returns the frames that they completed. */
  hear(bytes: Uint8Array): readonly Frame[]
  /** Returns whether these bytes changed a state or produced output. */
  stirred(): boolean
  /** Returns whether work is left of the received bytes. The machines are in the middle of it then. */
  busy(): boolean
  /** Returns whether the slice of work is used up. */
  spent(): boolean
  /** Returns whether a frame was too large, after which no further bytes are processed. */
  overflowed(): boolean
  position(): Position<Said>
  move(position: Position<Said>): void
}

/**
 * How the machines change with each chunk: the state of the decoder, the response state of the reducer, and the text of
 * its active part.
 */
interface Moves {
  readonly upstream: Growth
  readonly story: Growth
  /** Whether the reducer receives the text. Some decoders only accumulate it. */
  readonly text: boolean
}

/**
 * Chunks that differ from a proved one only in their text and their counts, and the output of these chunks. A template
 * is valid as long as decoder and reducer are in the same state, except for what changes with each chunk. States are
 * compared by identity.
 */
export interface Template {
  /** The pattern of the whole frame, as it arrives. */
  readonly shape: ByteShape
  /** The frame inside: its name, and the number of bytes before and after its payload. */
  readonly event: string
  readonly before: number
  readonly behind: number
  readonly stood: Position<unknown>
  readonly moves: Moves
  /** The chunks have counts, so that the machines must process the last one themselves. */
  readonly counts: boolean
  /** Prints the frame that is emitted; null if the dialect emits none. */
  readonly press: Press | null
}

/** One frame that was read, and its bytes. */
export interface Heard {
  readonly bytes: Uint8Array
  readonly frame: Frame
}

/** No decoder reads a member of this name. */
const STRANGER = 'Kq7'

/**
 * Texts that a decoder which parses them would change or hold back; any values in the fields that no decoder reads, and
 * more such fields; and counts that go up and down.
 */
const PROBES = [
  // The length of the first text differs from its number of characters.
  { leaf: 'Kq7zW</think> "\u00e9\u{1f642}"', value: '0', count: '7', blanks: '', members: '' },
  // Half of a character, as if the previous chunk had the other half.
  { leaf: '\udc00<', value: '"x9"', count: '0', blanks: ' ', members: `"${STRANGER}":"\\ud800",` },
  {
    leaf: ' \n',
    value: '[{"a":"\\u0041\\""},-1.5e300,null]',
    count: '900719925474099',
    blanks: '   ',
    members: `"Zw3":null, "${STRANGER}" : [{"Zw3":{"${STRANGER}":[]}},-0.0],`,
  },
] as const
type Probe = (typeof PROBES)[number]

/**
 * Returns the template of which this chunk and an earlier one are instances; null if there is none. It is proved, not
 * guessed: with other text in its slot, and anything in the fields that no decoder reads, the machines must emit the
 * same frame with that text, and return to the same state.
 */
export function learn<Said extends Counting>(
  machines: Machines<Said, Written>,
  position: Position<Said>,
  { bytes, frame }: Heard,
  earlier: string,
  leaves: Leaves,
  boundary: Boundary,
  width: Width,
): Template | null {
  const around = boundary.around(bytes, frame.data)
  // Decoders ignore a payload that is not JSON, which does not prove that any text may be in its place.
  if (around === null || !isCompleteJson(frame.data)) return null
  const { before, behind } = around
  const { event } = frame
  const readIn = (data: string) => fieldsRead(() => void hearOne(machines, position, { event, data }))
  for (const shape of shapesOf(frame.data, earlier, leaves, () => readIn(frame.data), width)) {
    const proved = prove(machines, position, frame, shape)
    if (proved === null || looksAtMore(shape, readIn)) continue
    return {
      shape: toByteShape(wrap(shape, before, behind)),
      event,
      before: boundary.lead + encoder.encode(before).length,
      behind: encoder.encode(behind).length + boundary.trail,
      stood: position,
      ...proved,
    }
  }
  return null
}

const encoder = new TextEncoder()

/** Returns whether the template is valid in the present states of the machines. */
export const stands = ({ stood, moves }: Template, { upstream, told }: Position<unknown>): boolean =>
  told.live === stood.told.live &&
  sameBut(told.story, stood.told.story, moves.story) &&
  sameBut(upstream, stood.upstream, moves.upstream)

/** Returns the states of the machines after chunks with this text, without the counts of the last of them. */
export function moved<Said>({ upstream, told, said }: Position<Said>, moves: Moves, words: string): Position<Said> {
  const { live, text, story } = told
  return {
    upstream: grow(upstream, moves.upstream, words),
    told: moves.text ? { live, text: text + words, story: grow(story, moves.story, words) } : told,
    said,
  }
}

/** Returns the states of the machines after this frame, and its event; null if it produced more than one event. */
export function hearOne<Said>(
  { decode, hub }: Machines<Said, Written>,
  { upstream, told, said }: Position<Said>,
  frame: Frame,
): { readonly event: Event | null; readonly after: Position<Said> } | null {
  const decoded = decode.step(upstream, frame)
  let now = told
  const events: Event[] = []
  for (const delta of decoded.events) {
    const heard = hub.step(now, delta)
    now = heard.state
    for (const event of heard.events) events.push(event)
  }
  const [event = null] = events
  return events.length > 1 ? null : { event, after: { upstream: decoded.state, told: now, said } }
}

// ---------------------------------------------------------------- the proof

function filled(shape: Shape, probe: Probe): string {
  const { value, count, blanks, members } = probe
  const leaf = escapeJson(probe.leaf)
  return fill(shape, { leaf, twin: leaf, value, count, blanks, members })
}

/**
 * If members may appear and disappear, a decoder must read known members by name only, for every text and every count.
 * A decoder that enumerates the members of an object reads `STRANGER`, which rejects the pattern.
 */
const looksAtMore = (shape: Shape, readIn: (data: string) => ReadonlySet<string>): boolean =>
  shape.holes.includes('members') &&
  PROBES.some((probe) => [...readIn(filled(shape, probe))].some((name) => name === STRANGER || !shape.known.has(name)))

type Proved = Pick<Template, 'moves' | 'counts' | 'press'>

function prove<Said extends Counting>(
  machines: Machines<Said, Written>,
  position: Position<Said>,
  { event }: Frame,
  shape: Shape,
): Proved | null {
  const say = (probe: Probe, from: Position<Said>) =>
    sayOnce(machines, from, { event, data: filled(shape, probe) }, probe.leaf)
  const [first, second, third] = PROBES
  const one = say(first, position)
  if (one === null) return null
  const { parts } = one
  const moves = movesOf(position, one.after, first.leaf)
  if (moves === null) return null
  const counts = tellsLast(moves.upstream) || tellsLast(moves.story)
  // Without counts, nothing but the text may change.
  if (counts && !shape.holes.includes('count')) return null

  /**
   * Processes a probe after another one. The result must be a frame of the same text, and a state that keeps nothing of
   * the other probe but its text; otherwise returns null.
   */
  const follows = (probe: Probe, from: Position<Said>, words: string, after: Position<Said>): Position<Said> | null => {
    const again = say(probe, after)
    if (again === null || again.parts !== parts) return null
    if (!sameBut(again.after.told.story, after.told.story, moves.story)) return null
    if (!sameBut(again.after.upstream, after.upstream, moves.upstream)) return null
    const alone = counts ? say(probe, moved(from, moves, words))?.after : moved(after, moves, probe.leaf)
    return alone !== undefined && isSame(again.after, alone) ? again.after : null
  }
  const two = follows(second, position, first.leaf, one.after)
  const three = two === null ? null : follows(third, one.after, second.leaf, two)
  return three === null ? null : { moves, counts, press: parts === null ? null : openPress(parts) }
}

const isSame = (one: Position<unknown>, other: Position<unknown>): boolean =>
  differsAt(one.upstream, other.upstream) === null &&
  differsAt(one.told.story, other.told.story) === null &&
  one.told.text === other.told.text

function movesOf(before: Position<unknown>, after: Position<unknown>, words: string): Moves | null {
  const upstream = growthOf(before.upstream, after.upstream, words)
  const story = growthOf(before.told.story, after.told.story, words)
  return upstream === null || story === null ? null : { upstream, story, text: after.told !== before.told }
}

/**
 * Returns the constant parts of the frame that a chunk becomes, null if it becomes none. The whole result is null if
 * the chunk has any other effect.
 */
function sayOnce<Said extends Counting>(
  machines: Machines<Said, Written>,
  position: Position<Said>,
  frame: Frame,
  words: string,
): { readonly parts: Parts | null; readonly after: Position<Said> } | null {
  const heard = hearOne(machines, position, frame)
  if (heard === null) return null
  const { event, after } = heard
  if (event === null) return after.told === position.told ? { parts: null, after } : null
  const { live, text } = after.told
  if (live === null || live !== position.told.live || text !== position.told.text + words) return null
  const { events } = machines.last.step(position.said, event)
  const [said] = events
  if (said === undefined) return { parts: null, after }
  const isOfRun = events.length === 1 && typeof said === 'object' && 'words' in said && said.words === words
  return isOfRun && said.number === position.said.sequence - (said.more ? 1 : 0) ? { parts: said.parts, after } : null
}
