import { SINK } from '../text/sink.ts'
import { DESK, type Found } from './bytes.ts'
import type { Template } from './template.ts'

/** Fewer bytes than this are copied one by one: that is faster than to ask for it. */
const FEW = 32

/** Bytes of the longest sequence number. */
const DIGITS = 16

/** A byte of JSON text becomes no more than this many: as an escaped control character. */
const WIDEST = 6

function put(bytes: Uint8Array): void {
  const { length } = bytes
  if (length < FEW) for (let i = 0, to = SINK.at; i < length; i += 1) SINK.bytes[to++] = bytes[i] as number
  else SINK.bytes.set(bytes, SINK.at)
  SINK.at += length
}

function putNumber(value: number): void {
  let digits = 1
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1
  let rest = value
  for (let at = SINK.at + digits - 1; at >= SINK.at; at -= 1) {
    SINK.bytes[at] = 48 + (rest % 10)
    rest = Math.floor(rest / 10)
  }
  SINK.at += digits
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
 * Writes the frame that a chunk on the desk becomes, of which `found` is the text; `instead` is that text where it must
 * be written otherwise.
 */
export function say({ head, numbered, middle, tail }: Template, sequence: number, found: Found, instead: string): void {
  SINK.reserve(head.length + middle.length + tail.length + (found.end - found.start) * WIDEST + DIGITS)
  put(head)
  if (numbered) {
    putNumber(sequence)
    put(middle)
  }
  if (instead === '') putFound(found)
  else SINK.text(instead)
  put(tail)
}
