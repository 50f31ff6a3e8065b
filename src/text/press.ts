import { escapeJson } from './json.ts'
import { SINK } from './sink.ts'

/** What the frames of one run of deltas repeat, and where in them number and text stand. Quotes belong to what is around. */
export interface Parts {
  readonly head: string
  /** Are the frames numbered? Else there is no middle. */
  readonly numbered: boolean
  readonly middle: string
  readonly tail: string
}

/** A frame of a run. */
export interface RunFrame {
  readonly parts: Parts
  readonly number: number
  readonly words: string
}

/** A frame, or a piece of a long one, as text; or a frame of a run. */
export type Written = string | RunFrame

export const toText = ({ parts: { head, numbered, middle, tail }, number, words }: RunFrame): string =>
  `${head}${numbered ? number : ''}${middle}${escapeJson(words)}${tail}`

/**
 * Frames of one run, ready to be printed one behind another. Between two texts stands always the same, but for the
 * number, which is counted on in place.
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
const BLANK = new Uint8Array(0)
const ZERO = 48
const NINE = 57

export function openPress(parts: Parts): Press {
  const tail = encoder.encode(parts.tail)
  const press = { parts, tail, link: BLANK, begin: BLANK, number: -1, from: 0, to: 0 }
  if (!parts.numbered) setLink(press, '')
  return press
}

function setLink(press: Press, digits: string): void {
  const { head, middle, tail } = press.parts
  const before = encoder.encode(tail + head)
  press.link = encoder.encode(tail + head + digits + middle)
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

/** Prints the frame of this number up to its text. `first`: no frame that still wants its tail stands before it. */
export function begin(press: Press, number: number, first: boolean): void {
  if (press.parts.numbered) count(press, number)
  SINK.put(first ? press.begin : press.link)
}

/** Prints the tail of the last frame. */
export const finish = ({ tail }: Press): void => SINK.put(tail)

/** Prints frames, each whole. It remembers the run of the last one. */
export function openPrinter(): (frame: RunFrame) => void {
  let press: Press | null = null
  return ({ parts, number, words }) => {
    if (press === null || press.parts !== parts) press = openPress(parts)
    begin(press, number, true)
    SINK.words(words)
    finish(press)
  }
}
