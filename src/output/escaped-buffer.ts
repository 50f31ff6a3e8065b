import { copyText, SLACK } from '../text/bytes.ts'
import { parseJson } from '../text/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { writeUtf8 } from './output-buffer.ts'

/** The initial capacity in bytes. */
const FIRST = 256

/** Text that is collected piece by piece, as it is written inside JSON strings. */
export interface EscapedBuffer {
  bytes: Uint8Array
  /** A view of the same bytes. */
  view: DataView
  length: number
}

const NO_BYTES = new Uint8Array(0)

export const emptyEscapedBuffer = (): EscapedBuffer => ({
  bytes: NO_BYTES,
  view: new DataView(NO_BYTES.buffer),
  length: 0,
})

function reserve(words: EscapedBuffer, size: number): void {
  const length = words.length + size
  if (length <= words.bytes.length) return
  const larger = new Uint8Array(Math.max(FIRST, length + (length >> 1)))
  larger.set(words.bytes.subarray(0, words.length))
  words.bytes = larger
  words.view = new DataView(larger.buffer)
}

/** Adds a part of a text that is followed by `SLACK` readable bytes. */
export function addBytes(words: EscapedBuffer, from: DataView, start: number, end: number): void {
  reserve(words, end - start + SLACK)
  copyText(from, start, end, words.view, words.length)
  words.length += end - start
}

export function addEscaped(words: EscapedBuffer, text: string): void {
  reserve(words, 3 * text.length)
  words.length += writeUtf8(words.bytes, text, words.length)
}

/**
 * Longer texts are built in pieces: for a string of more than 128 KiB, V8 allocates memory that was not in use before.
 */
const PIECE = 16 * 1024
/** The length of the longest escape. */
const ESCAPE = 6
const BACKSLASH = 92

/** A part of the collected bytes as text. */
export function bufferText({ bytes }: EscapedBuffer, start: number, end: number, escaped: boolean): string {
  let text = ''
  for (let at = start, next = at; at < end; at = next) {
    next = end - at > PIECE ? pieceEnd(bytes, at, end) : end
    const inside = decodeUtf8(bytes, at, next)
    text += escaped ? (parseJson(`"${inside}"`) as string) : inside
  }
  return text
}

/** An end between two characters and outside of escapes. */
function pieceEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start + PIECE; at > start + ESCAPE; at -= 1) {
    const isWithin = ((bytes[at] as number) & 0xc0) === 0x80
    if (!isWithin && !bytes.subarray(at - ESCAPE, at).includes(BACKSLASH)) return at
  }
  return end
}
