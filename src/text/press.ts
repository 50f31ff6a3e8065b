import { escapeJson } from './json.ts'
import { openRetold, type Retold } from './retold.ts'
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
  /** It goes on in the frame before, which has the same number. */
  readonly more: boolean
}

/** A long text inside of a frame: what JSON writes between the quotes of it. */
export interface LongText {
  readonly long: string
}

/** A frame, or a piece of a long one, as text; a long text in one; or a frame of a run. */
export type Written = string | LongText | RunFrame

/** Of a frame that does not go on in another. */
export const frameText = ({ parts: { head, numbered, middle, tail }, number, words }: Omit<RunFrame, 'more'>): string =>
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

/**
 * Prints what a stream says, into the sink. The last frame of a run is left without its tail until something else follows:
 * what stands between two frames of one run is then written at once, and a frame may still grow.
 */
export interface Printer {
  /** Begins the answer to a read: forgets what nobody took. */
  begin(): void
  /** Returns true where the buffer is full: the rest waits for `resume`. */
  say(said: Written): boolean
  /** Is something waiting? */
  waits(): boolean
  /** Prints more of what waits. */
  resume(): void
  /** Begins a frame of a run. Its text is written into the sink. */
  frame(press: Press, number: number): void
  /** Does the last frame still want its tail? */
  open(): boolean
  /** Prints nothing more, and forgets what waits. */
  discard(): void
  /** What was said, and may be said again. */
  readonly retold: Retold
  /** What was said since `begin`, whole. `lend`: whoever speaks next writes it over. */
  take(lend?: boolean): Uint8Array
}

/** Bytes that fill the buffer of a sliced stream, about. */
export const FULL = 256 * 1024

/** For one stream. `sliced`: no more than about `FULL` bytes between `begin` and `take`. */
export const openPrinter = (sliced = false): Printer => new OpenPrinter(sliced ? FULL : Number.POSITIVE_INFINITY)

class OpenPrinter implements Printer {
  readonly retold = openRetold()
  private readonly full: number
  private press: Press | null = null
  private isOpen = false
  // A long text that is printed in pieces, where the next of them begins, and what follows it.
  private long = ''
  private longAt = 0
  private rest: Written[] = []
  private restAt = 0
  private discards = false

  constructor(full: number) {
    this.full = full
  }

  begin(): void {
    this.isOpen = false
    SINK.begin()
  }

  say(said: Written): boolean {
    if (this.discards) return false
    if (SINK.size() < this.full && !this.waits()) this.print(said)
    else this.rest.push(said)
    return SINK.size() >= this.full || this.waits()
  }

  waits(): boolean {
    return this.longAt < this.long.length || this.restAt < this.rest.length
  }

  resume(): void {
    this.printLong()
    while (SINK.size() < this.full && this.restAt < this.rest.length) {
      this.print(this.rest[this.restAt] as Written)
      this.restAt += 1
    }
    if (this.waits()) return
    this.rest = []
    this.restAt = 0
  }

  discard(): void {
    this.discards = true
    this.long = ''
    this.longAt = 0
    this.rest = []
    this.restAt = 0
  }

  private print(said: Written): void {
    if (typeof said === 'string') {
      this.finish()
      SINK.text(said)
    } else if (!('long' in said)) this.sayFrame(said)
    else if (said.long.length <= this.full) SINK.put(this.retold.bytesOf(said.long))
    else {
      this.long = said.long
      this.longAt = 0
      this.printLong()
    }
  }

  private printLong(): void {
    while (this.longAt < this.long.length && SINK.size() < this.full) {
      const end = pieceEnd(this.long, this.longAt + LONG_PIECE)
      SINK.text(escapeJson(this.long.slice(this.longAt, end)))
      this.longAt = end
    }
    if (this.longAt < this.long.length) return
    this.long = ''
    this.longAt = 0
  }

  frame(next: Press, number: number): void {
    const goesOn = this.isOpen && this.press === next
    if (!goesOn) this.finish()
    if (next.parts.numbered) count(next, number)
    SINK.put(goesOn ? next.link : next.begin)
    this.press = next
    this.isOpen = true
  }

  open(): boolean {
    return this.isOpen
  }

  take(lend?: boolean): Uint8Array {
    this.finish()
    return SINK.take(lend)
  }

  private sayFrame({ parts, number, words, more }: RunFrame): void {
    const { press } = this
    if (!more || !this.isOpen) this.frame(press?.parts === parts ? press : openPress(parts), number)
    SINK.words(words)
    this.retold.add(parts, words)
  }

  private finish(): void {
    if (this.isOpen && this.press !== null) SINK.put(this.press.tail)
    this.isOpen = false
  }
}

const LONG_PIECE = 64 * 1024

/** Between two characters: half of one would be escaped. */
function pieceEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end
}

/** All of it at once. */
export function printAll(printer: Printer, said: readonly Written[]): Uint8Array {
  printer.begin()
  for (const one of said) printer.say(one)
  return printer.take()
}
