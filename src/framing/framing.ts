import type { Boundary } from './boundary.ts'
import type { LiveFormat } from './format.ts'
import type { FrameReader } from './frame.ts'

/** One way to write frames as bytes. A wire brings its own, so that a bundle contains no other. */
export interface Framing {
  readonly name: string
  /**
   * Opens a reader for one stream. `limit` is the largest event, in UTF-16 units for text, otherwise in bytes.
   * `keepsText`: frames have the text in which they came. A framing in which frames are no text leaves it out.
   */
  open(limit: number, keepsText?: boolean): FrameReader
  /** Content types of the framing, without parameters. The first one is sent in requests. */
  readonly mediaTypes: readonly [string, ...string[]]
  /** Matches an answer with another content type whose first characters look like a stream. */
  readonly looksLike: RegExp
  readonly boundary: Boundary
  /** The extension of files that contain such streams. */
  readonly extension: string
  /** The format in which its frames are written as they arrive. */
  readonly format: LiveFormat
}

/** Splits the bytes of a stream at the ends of its frames. */
export const splitFrames = (framing: Framing, bytes: Uint8Array): readonly Uint8Array[] => [
  ...frameReads(framing, bytes),
]

/** Does the same for one frame at a time, for long streams. */
export function* frameReads({ open, boundary }: Framing, bytes: Uint8Array): Generator<Uint8Array> {
  const reader = open(Number.MAX_SAFE_INTEGER)
  // A frame of text ends with one of these bytes, unless a carriage return may end a line.
  const isText = !boundary.sized && !bytes.includes(CR)
  let start = 0
  for (let at = 0; at < bytes.length; ) {
    const from = at
    if (isText) while (at < bytes.length - 1 && bytes[at] !== LF && bytes[at] !== BRACE) at += 1
    at += 1
    if (reader.push(bytes.subarray(from, at)).length === 0) continue
    yield bytes.subarray(start, at)
    start = at
  }
  if (start < bytes.length) yield bytes.subarray(start)
}

const [LF, CR, BRACE] = [0x0a, 0x0d, 0x7d] as const
