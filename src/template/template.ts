import type { Boundary } from '../framing/boundary.ts'
import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { Event } from '../protocol/event.ts'
import type { RespondState } from '../responses/state.ts'
import { quote } from '../text/json.ts'
import { type ByteShape, toByteShape } from './bytes.ts'
import { type Growth, grow, growthOf, sameState } from './growth.ts'
import { fill, type Leaves, type Shape, shapesOf, wrap } from './shape.ts'

/** The state of a last machine that counts what it says, as a dialect's writer does. */
export interface Counting {
  readonly sequence: number
}

/** The machines of a translation, and where each of them stands. */
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

/**
 * Chunks that differ from a proved one in nothing but their text, and what they become. It holds for as long as decoder
 * and reducer stand where they stood, but for what grows with the text: their states are compared by identity.
 */
export interface Template {
  /** Of the whole frame, as it comes. */
  readonly shape: ByteShape
  readonly upstream: unknown
  readonly growth: Growth
  readonly live: RespondState['live']
  readonly story: RespondState['story']
  /** The frame that is said: head, the sequence number where the dialect has one, middle, the quoted text, tail. */
  readonly head: Uint8Array
  readonly numbered: boolean
  readonly middle: Uint8Array
  readonly tail: Uint8Array
}

/** One frame that was read, and the text of the bytes that it was read from. */
export interface Heard {
  readonly raw: string
  readonly frame: Frame
}

/** Texts that a decoder which looks into them would take for something else, or hold back; and what padding might be. */
const PROBES = [
  // The first tells length from number of characters.
  { words: 'Kq7zW</think> "\u00e9\u{1f642}"', text: '', number: '0' },
  { words: '<', text: 'x9', number: '1' },
  { words: ' \n', text: '\\u0041\\"', number: '18446744073709551615' },
] as const

/** Sequence numbers that stand nowhere else in a frame, and in whose place any other may be put. */
const NUMBERS = [7_070_707_001, 9_090_909_002] as const

/**
 * The template that this chunk and an earlier one are instances of. Proved, not guessed: with other words in the hole,
 * and anything in the padding, the machines must say the same frame with those words in it, and stand where they stood.
 */
export function learn<Said extends Counting>(
  machines: Machines<Said, string>,
  position: Position<Said>,
  { raw, frame }: Heard,
  earlier: string,
  leaves: Leaves,
  boundary: Boundary,
): Template | null {
  const at = raw.indexOf(frame.data)
  const [before, behind] = [raw.slice(0, at), raw.slice(at + frame.data.length)]
  if (at < 0 || !boundary.frames(before, behind)) return null
  for (const shape of shapesOf(frame.data, earlier, leaves)) {
    const proved = prove(machines, position, frame, shape)
    if (proved === null) continue
    const { live, story } = position.told
    const { growth, parts } = proved
    const around = wrap(shape, before, behind)
    return { shape: toByteShape(around), upstream: position.upstream, growth, live, story, ...toBytes(parts) }
  }
  return null
}

const encoder = new TextEncoder()

/** The quotes around the text are part of what is around it. */
const toBytes = ({ head, numbered, middle, tail }: Parts) => ({
  head: encoder.encode(numbered ? head : `${head}"`),
  numbered,
  middle: encoder.encode(numbered ? `${middle}"` : ''),
  tail: encoder.encode(`"${tail}`),
})

interface Parts {
  readonly head: string
  readonly numbered: boolean
  readonly middle: string
  readonly tail: string
}

interface Proved {
  readonly growth: Growth
  readonly parts: Parts
}

function prove<Said extends Counting>(
  machines: Machines<Said, string>,
  position: Position<Said>,
  { event }: Frame,
  shape: Shape,
): Proved | null {
  const say = ({ words, text, number }: (typeof PROBES)[number], from: Position<Said>, sequence: number) =>
    sayOnce(machines, from, { event, data: fill(shape, quote(words).slice(1, -1), text, number) }, words, sequence)

  const [first, ...others] = PROBES
  const said = say(first, position, NUMBERS[0])
  const growth = said === null ? null : growthOf(position.upstream, said.after.upstream, first.words)
  const parts = said === null ? null : partsOf(said.frame, first.words)
  if (said === null || growth === null || parts === null) return null
  // The others from where the first came to as well: what was said before must not matter.
  const right = others.every((probe, i) => {
    const from = i === 0 ? said.after : position
    const again = say(probe, from, NUMBERS[1])
    return (
      again !== null &&
      again.frame === put(parts, NUMBERS[1], quote(probe.words)) &&
      sameState(again.after.upstream, grow(from.upstream, growth, probe.words))
    )
  })
  return right ? { growth, parts } : null
}

/** The frame that a chunk becomes, and where the machines stand after it; null where it does anything else, or more. */
function sayOnce<Said extends Counting>(
  { decode, hub, last }: Machines<Said, string>,
  { upstream, told, said }: Position<Said>,
  frame: Frame,
  words: string,
  sequence: number,
): { readonly frame: string; readonly after: Position<Said> } | null {
  const decoded = decode.step(upstream, frame)
  const [delta] = decoded.events
  if (decoded.events.length !== 1 || delta === undefined) return null
  const heard = hub.step(told, delta)
  const [event] = heard.events
  const { live, story, text } = heard.state
  if (heard.events.length !== 1 || event === undefined) return null
  if (live === null || live !== told.live || story !== told.story || text !== told.text + words) return null
  const written = last.step({ ...said, sequence }, event)
  const [first] = written.events
  if (written.events.length !== 1 || first === undefined) return null
  return { frame: first, after: { upstream: decoded.state, told: heard.state, said } }
}

function partsOf(said: string | null, words: string): Parts | null {
  if (said === null) return null
  const number = String(NUMBERS[0])
  const quoted = quote(words)
  const at = said.indexOf(quoted)
  if (at < 0 || said.indexOf(quoted, at + 1) >= 0) return null
  const before = said.slice(0, at)
  const tail = said.slice(at + quoted.length)
  const place = before.indexOf(number)
  return place < 0
    ? { head: before, numbered: false, middle: '', tail }
    : { head: before.slice(0, place), numbered: true, middle: before.slice(place + number.length), tail }
}

const put = ({ head, numbered, middle, tail }: Parts, sequence: number, quoted: string): string =>
  numbered ? head + sequence + middle + quoted + tail : head + quoted + tail
