import { SINK } from '../text/sink.ts'
import { DESK, type Found } from './bytes.ts'

/** A frame, cut where its sequence number and its text stand: the quotes around the text are part of what is around it. */
export interface Parts {
  readonly head: string
  /** Has the dialect sequence numbers? Else there is no middle. */
  readonly numbered: boolean
  readonly middle: string
  readonly tail: string
}

/**
 * Frames that differ in nothing but number and text, ready to be printed one behind another. Between two texts stands
 * always the same, but for the number, which is counted on in place.
 */
export interface Press {
  readonly parts: Parts
  readonly tail: Uint8Array
  /** The end of one frame and the beginning of the next: tail, head, number, middle. */
  link: Uint8Array
  /** The same bytes without the tail. */
  begin: Uint8Array
  /** The number, and where its digits stand in `link`. */
  number: number
  from: number
  to: number
}

const encoder = new TextEncoder()
const ZERO = 48
const NINE = 57

/** A byte of JSON text becomes no more than this many: as an escaped control character. */
const WIDEST = 6

/** Fewer bytes than this are copied one by one: a view of them would cost more. */
const FEW = 32

const BLANK = new Uint8Array(0)

export function openPress(parts: Parts): Press {
  const tail = encoder.encode(parts.tail)
  const press = { parts, tail, link: BLANK, begin: BLANK, number: -1, from: 0, to: 0 }
  if (!parts.numbered) setLink(press, '')
  return press
}

function setLink(press: Press, digits: string): void {
  const { head, middle } = press.parts
  const before = encoder.encode(press.parts.tail + head)
  press.link = encoder.encode(press.parts.tail + head + digits + middle)
  press.begin = press.link.subarray(press.tail.length)
  press.from = before.length
  press.to = before.length + digits.length
}

/** Counts on, but for a carry that makes the number longer. */
function count(press: Press, number: number): void {
  const { link, from } = press
  let at = press.to - 1
  while (at >= from && link[at] === NINE) {
    link[at] = ZERO
    at -= 1
  }
  if (at < from || number !== press.number + 1) setLink(press, String(number))
  else link[at] = (link[at] as number) + 1
  press.number = number
}

function put(bytes: Uint8Array): void {
  SINK.bytes.set(bytes, SINK.at)
  SINK.at += bytes.length
}

/** The text from the desk, as it stands. */
function putFound({ start, end }: Found): void {
  const { bytes } = DESK
  if (end - start >= FEW) {
    put(bytes.subarray(start, end))
    return
  }
  const to = SINK.bytes
  let at = SINK.at
  for (let from = start; from < end; from += 1) to[at++] = bytes[from] as number
  SINK.at = at
}

/**
 * Prints the frame of this number but for its tail. `found` is its text on the desk, `instead` that text where it must be
 * written otherwise; `first`: no frame without its tail stands before it.
 */
export function print(press: Press, number: number, first: boolean, found: Found, instead: string): void {
  if (press.parts.numbered) count(press, number)
  SINK.reserve(press.link.length + press.tail.length + (found.end - found.start) * WIDEST)
  put(first ? press.begin : press.link)
  if (instead === '') putFound(found)
  else SINK.text(instead)
}

/** The tail of the last frame. There is room for it. */
export function finish(press: Press): void {
  SINK.reserve(press.tail.length)
  put(press.tail)
}
