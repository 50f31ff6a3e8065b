import { copied } from '../text/bytes.ts'
import type { Frame, FrameReader } from './frame.ts'
import type { Framing } from './framing.ts'

/** The largest body in bytes. A longer one is read as the stream that its content type declares. */
const LONGEST = 4 * 1024 * 1024

/** The number of first characters that decide whether a frame begins. */
const START = 256

const [LF, CR, COLON] = [10, 13, 58] as const

const NO_FRAMES: readonly Frame[] = []

/**
 * A reader that keeps back JSON or a page in place of a stream: some upstreams answer a failed request with it, and some
 * a request for a stream with a whole body.
 */
export interface BareBodyReader extends FrameReader {
  /** The text that was kept back, which is all that has arrived; null if there is none. `end` reads it as a stream. */
  held(): string | null
  /** Reads the bytes that were kept back as a stream, because no more arrive. */
  release(): readonly Frame[]
}

/**
 * Opens the reader of a framing. Bytes that begin with `{`, `[`, `<` or a quote, at once or behind comments, reach it only
 * if they are too long for a body, or at the end. If frames of the framing begin like that, the reader receives all bytes at once.
 */
export const createBareBodyReader = (framing: Framing, limit: number, keepsText = false): BareBodyReader =>
  new HoldingReader(framing, limit, keepsText)

/** A class, because closures would be additional objects of every stream. */
class HoldingReader implements BareBodyReader {
  private readonly framing: Framing
  private readonly limit: number
  private readonly reader: FrameReader
  private pieces: Uint8Array[] | null = null
  private isStream = false
  private size = 0
  private start = ''
  /** Whether comments have arrived, and the last one has no end yet. */
  private hasComments = false
  private inComment = false

  constructor(framing: Framing, limit: number, keepsText: boolean) {
    this.framing = framing
    this.limit = limit
    this.reader = framing.open(limit, keepsText)
  }

  push(bytes: Uint8Array): readonly Frame[] {
    if (this.isStream) return this.reader.push(bytes)
    const start = this.pieces === null ? this.endOfComments(bytes) : 0
    if (start === bytes.length) return this.reader.push(bytes)
    if (start > 0) return [...this.reader.push(bytes.subarray(0, start)), ...this.push(bytes.subarray(start))]
    if (this.isHeld(bytes)) {
      // Keeps a copy, because the caller may reuse its bytes.
      this.pieces ??= []
      this.pieces.push(copied(bytes))
      return NO_FRAMES
    }
    const released = this.release()
    const frames = this.reader.push(bytes)
    return released.length === 0 ? frames : [...released, ...frames]
  }

  release(): readonly Frame[] {
    const { pieces } = this
    this.isStream = true
    this.pieces = null
    this.start = ''
    return pieces === null ? NO_FRAMES : pieces.flatMap((piece) => this.reader.push(piece))
  }

  end(): readonly Frame[] {
    return [...this.release(), ...this.reader.end()]
  }

  overflowed(): boolean {
    return this.reader.overflowed()
  }

  held(): string | null {
    return this.isStream || (this.hasComments && this.pieces === null) ? null : decodeAll(this.pieces ?? [])
  }

  /** The end of the comments, and of the blank lines behind them: a body may follow. */
  private endOfComments(bytes: Uint8Array): number {
    let at = 0
    while (at < bytes.length) {
      const byte = bytes[at] as number
      if (!this.inComment && byte !== COLON && !(this.hasComments && (byte === LF || byte === CR))) break
      this.hasComments = true
      const end = bytes.indexOf(LF, at)
      this.inComment = end < 0
      at = end < 0 ? bytes.length : end + 1
    }
    return at
  }

  private isHeld(bytes: Uint8Array): boolean {
    // Nearly every stream is decided by its first byte, before anything is copied or decoded.
    if (this.size === 0 && !mayBeginBody(bytes[0])) return false
    this.size += bytes.length
    if (this.size > Math.min(LONGEST, this.limit)) return false
    if (this.start.length >= START) return true
    this.start += new TextDecoder('latin1').decode(bytes.subarray(0, START))
    return MAY_BE_BODY.test(this.start) && !this.framing.looksLike.test(this.start.replace(MARK, '\ufeff'))
  }
}

/** The bytes of a byte order mark as Latin-1 decodes them. */
const MARK = /^ï»¿/

const MAY_BE_BODY = /^(?:ï(?:»(?:¿)?)?)?\s*(?:$|[[{<"])/

/** False for a first byte that `MAY_BE_BODY` does not match. */
const mayBeginBody = (byte: number | undefined): boolean =>
  byte === undefined ||
  byte <= 0x20 ||
  byte === 0x22 ||
  byte === 0x3c ||
  byte === 0x5b ||
  byte === 0x7b ||
  byte === 0xef ||
  byte === 0xa0

function decodeAll(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode()
}
