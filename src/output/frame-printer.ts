import { escapeJson } from '../text/json.ts'
import { utf8Length } from '../text/utf8.ts'
import { createEscapedTextCache, type EscapedTextCache } from './escaped-text-cache.ts'
import { encoded } from './output-buffer.ts'
import { outputBuffer } from './scratch.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)

/**
 * The constant text of the frames of one run of deltas, around the sequence number and the escaped text. The quotes of
 * the text are part of the constants.
 */
export interface FrameParts {
  readonly head: string
  /** True if frames have a sequence number. Otherwise `middle` is empty. */
  readonly numbered: boolean
  readonly middle: string
  /** The text between the first and the second occurrence of the text, in frames that contain it twice. */
  readonly between?: string
  readonly tail: string
}

export interface RunFrame {
  readonly parts: FrameParts
  readonly number: number
  readonly words: string
  /** True if the text continues the previous frame, which has the same number. */
  readonly more: boolean
}

/** A long text inside a frame, without its quotes and not yet escaped. */
export interface EscapedText {
  readonly long: string
}

/** A frame or a piece of a long one as text; a long text inside a frame; or a frame of a run. */
export type Output = string | EscapedText | RunFrame

/** The text of a frame that does not continue another one. */
export const frameText = ({ parts: { head, numbered, middle, tail }, number, words }: Omit<RunFrame, 'more'>): string =>
  `${head}${numbered ? number : ''}${middle}${escapeJson(words)}${tail}`

/**
 * Frames of one run, prepared for writing. The bytes between two texts are constant except for the number, which is
 * incremented in place.
 */
export interface FramePrinter {
  readonly parts: FrameParts
  readonly between: Uint8Array | null
  /** The end of one frame and the beginning of the next: tail, head, number, middle. */
  link: Uint8Array
  /** The same memory without the tail. */
  begin: Uint8Array
  /** The number, and the range of its digits in `link`. */
  number: number
  from: number
  to: number
}

const BLANK = new Uint8Array(0)
const ZERO = 48
const NINE = 57

function createFramePrinter(parts: FrameParts): FramePrinter {
  const between = parts.between === undefined ? null : encoded(parts.between)
  const printer = { parts, between, link: BLANK, begin: BLANK, number: -1, from: 0, to: 0 }
  if (!parts.numbered) setLink(printer, '')
  return printer
}

function setLink(printer: FramePrinter, digits: string): void {
  const { tail, head, middle } = printer.parts
  const link = encoded(`${tail}${head}${digits}${middle}`)
  const end = utf8Length(tail)
  printer.link = link
  printer.begin = link.subarray(end)
  printer.from = end + utf8Length(head)
  printer.to = printer.from + digits.length
}

/** The tail has no array of its own, which would cost each open stream more memory than this copy costs time. */
function putTail({ link, begin }: FramePrinter): void {
  outputBuffer.put(link)
  outputBuffer.at -= begin.length
}

/** Increments the number in place, unless it gets one more digit or does not follow the last one. */
function count(printer: FramePrinter, number: number): void {
  const { link, from } = printer
  let at = printer.to - 1
  while (at >= from && link[at] === NINE) {
    link[at] = ZERO
    at -= 1
  }
  if (at < from || number !== printer.number + 1) setLink(printer, String(number))
  else link[at] = (link[at] as number) + 1
  printer.number = number
}

/**
 * Writes the output of a stream to the sink. The last frame of a run stays without its tail until other output follows:
 * the bytes between two frames of one run are then written in one copy, and a frame may still grow.
 */
export interface Printer {
  /** Starts the output for one read of bytes, and discards output that was not taken. */
  begin(): void
  /** Returns true if the buffer is full. Further output waits for `resume`. */
  emit(output: Output): boolean
  /** True if output is waiting. */
  waits(): boolean
  /** Writes more of the waiting output. */
  resume(): void
  /** Returns the printer of frames with these parts: that of the last frame if it has the same ones. */
  printerOf(parts: FrameParts): FramePrinter
  /** Begins a frame of a run. Its text is written to the sink. */
  frame(printer: FramePrinter, number: number): void
  /** True if the last frame still lacks its tail. */
  open(): boolean
  /** Drops waiting and all later output. */
  discard(): void
  /** Escaped texts that later events may repeat. */
  readonly textCache: EscapedTextCache
  /** All output since `begin`. `lend`: the bytes are valid only until the next output of any stream. */
  take(lend?: boolean): Uint8Array
}

/** For one stream, which is written without pauses. */
export const createPrinter = (): Printer => new BufferedPrinter()

class BufferedPrinter implements Printer {
  readonly textCache = createEscapedTextCache()
  private framePrinter: FramePrinter | null = null
  private isOpen = false
  protected discards = false

  begin(): void {
    this.isOpen = false
    outputBuffer.reset()
  }

  emit(output: Output): boolean {
    if (!this.discards) this.print(output)
    return false
  }

  waits(): boolean {
    return false
  }

  resume(): void {
    // Nothing waits.
  }

  discard(): void {
    this.discards = true
  }

  protected print(output: Output): void {
    if (typeof output === 'string') {
      this.finish()
      outputBuffer.text(output)
    } else if ('long' in output) this.printText(output.long)
    else this.printFrame(output)
  }

  protected printText(text: string): void {
    outputBuffer.putRepeated(this.textCache.bytesOf(text))
  }

  printerOf(parts: FrameParts): FramePrinter {
    return this.framePrinter?.parts === parts ? this.framePrinter : createFramePrinter(parts)
  }

  frame(next: FramePrinter, number: number): void {
    const goesOn = this.isOpen && this.framePrinter === next
    if (!goesOn) this.finish()
    if (next.parts.numbered) count(next, number)
    outputBuffer.put(goesOn ? next.link : next.begin)
    this.framePrinter = next
    this.isOpen = true
  }

  open(): boolean {
    return this.isOpen
  }

  take(lend?: boolean): Uint8Array {
    this.finish()
    return this.discards ? NO_BYTES : outputBuffer.take(lend)
  }

  private printFrame({ parts, number, words, more }: RunFrame): void {
    if (!more || !this.isOpen) this.frame(this.printerOf(parts), number)
    outputBuffer.words(words)
    this.textCache.add(parts, words)
  }

  private finish(): void {
    if (this.isOpen && this.framePrinter !== null) putTail(this.framePrinter)
    this.isOpen = false
  }
}

/** The approximate number of bytes that fill the buffer of a sliced stream. */
const FULL_BUFFER = 256 * 1024

const LONG_PIECE = 64 * 1024

/** All streams without waiting output share it. */
const NO_OUTPUT: Output[] = []

/** For one stream: at most about `FULL_BUFFER` bytes between `begin` and `take`. */
export const createSlicedPrinter = (): Printer => new SlicedPrinter()

class SlicedPrinter extends BufferedPrinter {
  // A long text that is written in pieces, the offset of the next piece, and the output that follows it.
  private long = ''
  private longAt = 0
  private rest = NO_OUTPUT
  private restAt = 0

  override emit(output: Output): boolean {
    if (this.discards) return false
    if (outputBuffer.size() < FULL_BUFFER && !this.waits()) this.print(output)
    else if (this.rest.length > 0) this.rest.push(output)
    else this.rest = [output]
    return outputBuffer.size() >= FULL_BUFFER || this.waits()
  }

  override waits(): boolean {
    return this.longAt < this.long.length || this.restAt < this.rest.length
  }

  override resume(): void {
    this.printLong()
    while (outputBuffer.size() < FULL_BUFFER && this.restAt < this.rest.length) {
      this.print(this.rest[this.restAt] as Output)
      this.restAt += 1
    }
    if (this.waits()) return
    this.rest = NO_OUTPUT
    this.restAt = 0
  }

  override discard(): void {
    super.discard()
    this.long = ''
    this.longAt = 0
    this.rest = NO_OUTPUT
    this.restAt = 0
  }

  protected override printText(text: string): void {
    if (text.length <= FULL_BUFFER) super.printText(text)
    else {
      this.long = text
      this.longAt = 0
      this.printLong()
    }
  }

  private printLong(): void {
    while (this.longAt < this.long.length && outputBuffer.size() < FULL_BUFFER) {
      const end = pieceEnd(this.long, this.longAt + LONG_PIECE)
      outputBuffer.text(escapeJson(this.long.slice(this.longAt, end)))
      this.longAt = end
    }
    if (this.longAt < this.long.length) return
    this.long = ''
    this.longAt = 0
  }
}

/** Cuts between two characters, because a lone surrogate would be escaped. */
function pieceEnd(text: string, end: number): number {
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end
}

/** Writes all output at once. */
export function printAll(printer: Printer, outputs: readonly Output[]): Uint8Array {
  printer.begin()
  for (const one of outputs) printer.emit(one)
  return printer.take()
}
