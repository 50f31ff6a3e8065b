import { copied } from '../text/joined.ts'
import type { Frame, FrameReader } from './frame.ts'
import type { Framing } from './table.ts'

/** Failures are short: what is longer is read as the stream that it is said to be. */
const LONGEST = 64 * 1024

/** So many first characters show whether a message begins. */
const START = 256

const NO_FRAMES: readonly Frame[] = []

/** A reader that holds JSON back which stands where a stream should: what a failed request is answered with. */
export interface BareJsonReader extends FrameReader {
  /** The text that is held back, and all that has come; null where there is none. `end` reads it as a stream. */
  held(): string | null
  /** Reads what is held back as a stream: no more comes. */
  release(): readonly Frame[]
}

/**
 * The reader of a framing, which is given what begins with `{` or `[` only when it is too long for a failure, or at the
 * end. A framing in which messages begin so is given everything at once.
 */
export function openUnlessJson({ open, looksLike }: Framing, limit: number): BareJsonReader {
  const reader = open(limit)
  const longest = Math.min(LONGEST, limit)
  let pieces: Uint8Array[] | null = []
  let size = 0
  let start = ''

  const release = (): readonly Frame[] => {
    const held = pieces ?? []
    pieces = null
    return held.flatMap((piece) => reader.push(piece))
  }
  const isHeld = (bytes: Uint8Array): boolean => {
    size += bytes.length
    if (size > longest) return false
    if (start.length >= START) return true
    start += new TextDecoder('latin1').decode(bytes.subarray(0, START))
    return MAY_BE_JSON.test(start) && !looksLike.test(start)
  }

  return {
    push(bytes) {
      if (pieces === null) return reader.push(bytes)
      const hold = isHeld(bytes)
      // A copy of what is held: the bytes are the caller's again.
      if (hold) pieces.push(copied(bytes))
      return hold ? NO_FRAMES : [...release(), ...reader.push(bytes)]
    },
    release,
    end: () => [...release(), ...reader.end()],
    overflowed: () => reader.overflowed(),
    held: () => (pieces === null ? null : decodeAll(pieces)),
  }
}

/** The bytes of a byte order mark as Latin-1 has them. */
const MAY_BE_JSON = /^(?:ï(?:»(?:¿)?)?)?\s*(?:$|[[{])/

function decodeAll(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
}
