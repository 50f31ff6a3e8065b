import type { Transform } from 'node:stream'
import zlib from 'node:zlib'

/** A decoder of `node:zlib`. `bytesWritten` is the number of bytes that it has used. */
interface Engine extends Transform {
  readonly bytesWritten: number
}

interface Coding {
  /** `isCut`: the end of a cut body is decoded as far as it came, instead of being an error. */
  open(isCut: boolean): Engine
  /**
   * Whether frames may follow each other (RFC 8878, 3) and the engine of Node ends after the first one in a piece: the
   * rest needs an engine of its own. Members of gzip follow each other within one engine.
   */
  readonly hasFrames?: true
}

const { createZstdDecompress, constants } = zlib as {
  /** Node has it since 22.15. */
  readonly createZstdDecompress?: (options: { readonly params: Readonly<Record<number, number>> }) => Engine
  readonly constants: typeof zlib.constants & { readonly ZSTD_d_windowLogMax?: number }
}

const CUT = { finishFlush: constants.Z_SYNC_FLUSH }

const GZIP: Coding = { open: (isCut) => zlib.createGunzip(isCut ? CUT : {}) }

/** Windows of 8 MiB: encoders of this content coding must not use larger ones (RFC 9659, 3). */
const ZSTD_WINDOW_LOG = 23
const ZSTD_OPTIONS = { params: { [constants.ZSTD_d_windowLogMax ?? 0]: ZSTD_WINDOW_LOG } }

const DECODERS: ReadonlyMap<string, Coding> = new Map<string, Coding>([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', { open: (isCut) => zlib.createInflate(isCut ? CUT : {}) }],
  [
    'br',
    { open: (isCut) => zlib.createBrotliDecompress(isCut ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {}) },
  ],
  ...(createZstdDecompress === undefined
    ? []
    : [['zstd', { open: () => createZstdDecompress(ZSTD_OPTIONS), hasFrames: true }] as const]),
])

/** The content codings that this version of Node decodes. */
export const CODINGS: readonly string[] = [...DECODERS.keys()]

export interface DecoderListener {
  onDecoded(bytes: Buffer): void
  /** The decoder takes bytes again, after `write` has returned false. */
  onDrain(): void
  /** The body is complete: called after `end`. */
  onEnd(): void
  /** The body is damaged or incomplete, or bytes follow its end. The decoder is over. */
  onFault(): void
}

/** Decodes a body piece by piece. */
export interface BodyDecoder {
  /** Returns false if more bytes should wait for `drain`. The memory of the piece must not change later. */
  write(piece: Uint8Array): boolean
  end(): void
  pause(): void
  resume(): void
  /** Nothing is called any more. */
  close(): void
}

/** Returns a decoder of this coding; null if there is none. */
export function createDecoder(coding: string, listener: DecoderListener, isCut = false): BodyDecoder | null {
  const found = DECODERS.get(coding)
  return found === undefined ? null : new EngineDecoder(found, listener, isCut)
}

/** Bytes that may wait for the engine, before `write` returns false. */
const MOST_WAITING = 64 * 1024

/**
 * An engine of Node ends at the end of the compressed data and drops the rest of the piece in silence. It receives one
 * piece at a time, so that `bytesWritten` shows the rest.
 */
class EngineDecoder implements BodyDecoder {
  private readonly coding: Coding
  private readonly listener: DecoderListener
  private readonly isCut: boolean
  private engine: Engine
  private readonly waiting: Uint8Array[] = []
  private waitingBytes = 0
  private isFull = false
  private isBusy = false
  private isPaused = false
  /** `end` was called. */
  private isWhole = false
  /** The engine has delivered all that it will. */
  private hasEnded = false
  private isOver = false

  constructor(coding: Coding, listener: DecoderListener, isCut: boolean) {
    this.coding = coding
    this.listener = listener
    this.isCut = isCut
    this.engine = this.open()
  }

  write(piece: Uint8Array): boolean {
    if (this.isOver || piece.length === 0) return true
    this.waiting.push(piece)
    this.waitingBytes += piece.length
    this.isFull = this.waitingBytes > MOST_WAITING
    this.proceed()
    return !this.isFull
  }

  end(): void {
    this.isWhole = true
    this.proceed()
  }

  pause(): void {
    this.isPaused = true
    this.engine.pause()
  }

  resume(): void {
    this.isPaused = false
    this.engine.resume()
  }

  close(): void {
    this.isOver = true
    this.waiting.length = 0
    this.engine.destroy()
  }

  private open(): Engine {
    const engine = this.coding.open(this.isCut)
    engine.on('data', (decoded: Buffer) => {
      if (!this.isOver) this.listener.onDecoded(decoded)
    })
    engine.on('error', () => this.fail())
    engine.on('end', () => {
      this.hasEnded = true
      this.proceed()
    })
    if (this.isPaused) engine.pause()
    return engine
  }

  private proceed(): void {
    if (this.isOver || this.isBusy) return
    if (this.hasEnded) {
      this.follow()
      return
    }
    const piece = this.waiting.shift()
    if (piece !== undefined) this.feed(piece)
    else if (this.isWhole) this.engine.end()
    else if (this.isFull) {
      this.isFull = false
      this.listener.onDrain()
    }
  }

  private feed(piece: Uint8Array): void {
    const { engine } = this
    const before = engine.bytesWritten
    this.isBusy = true
    engine.write(piece, () => {
      const used = engine.bytesWritten - before
      this.isBusy = false
      this.waitingBytes -= used
      // An engine that has used a part only has ended, and reports it when all of its output has been read.
      if (used < piece.length) this.waiting.unshift(piece.subarray(used))
      if (used === piece.length || this.hasEnded) this.proceed()
    })
  }

  /** After the end of the compressed data. */
  private follow(): void {
    if (this.waiting.length === 0) {
      if (!this.isWhole) return
      this.isOver = true
      this.listener.onEnd()
    } else if (this.coding.hasFrames === true) {
      this.engine.destroy()
      this.hasEnded = false
      this.engine = this.open()
      this.proceed()
    } else this.fail()
  }

  private fail(): void {
    if (this.isOver) return
    this.close()
    this.listener.onFault()
  }
}
