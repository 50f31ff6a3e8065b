import type { BugReceiver } from '../../gateway/upstream/reader-guard.ts'
import type { BodyReader } from '../../gateway/upstream/transport.ts'
import { putBytes } from '../../text/bytes.ts'

/**
 * Joins the chunks of one read: the HTTP parser emits each of them separately, and joined they cost one translation and
 * one write. A read ends with `flush`, or with the tick if the source does not call it. An exception of the reader is a
 * bug of the gateway; it ends this answer only.
 */
export const batchReads = (reader: BodyReader, owner: BugReceiver): BodyReader => new BatchedReader(reader, owner)

const NONE: Uint8Array[] = []

/** Scratch memory in which the chunks of a read are joined; a larger read gets memory of its own. */
const SCRATCH = Buffer.allocUnsafeSlow(128 * 1024)

function inScratch(pieces: readonly Uint8Array[]): Uint8Array {
  let size = 0
  for (const piece of pieces) size += piece.length
  if (size > SCRATCH.length) return Buffer.concat(pieces)
  let at = 0
  for (const piece of pieces) {
    putBytes(SCRATCH, piece, at)
    at += piece.length
  }
  return SCRATCH.subarray(0, size)
}

/** A class, as every object on the path of a chunk: see `DispatchHandler` in `http-transport.ts`. */
class BatchedReader implements BodyReader {
  private reader: BodyReader
  private readonly owner: BugReceiver
  /** The first chunk of this tick, and the others: most reads have one. */
  private first: Uint8Array | null = null
  private others = NONE
  private broken = false
  /** The source calls `flush`. */
  private isFlushed = false

  constructor(reader: BodyReader, owner: BugReceiver) {
    this.reader = reader
    this.owner = owner
  }

  bytes(chunk: Uint8Array): void {
    if (this.first === null) {
      this.first = chunk
      if (!this.isFlushed) process.nextTick(flushed, this)
    } else if (this.others.length > 0) this.others.push(chunk)
    else this.others = [chunk]
  }

  flush(): void {
    this.isFlushed = true
    this.pass()
  }

  pass(): void {
    const { first, others } = this
    if (first === null) return
    this.first = null
    this.others = NONE
    if (this.broken) return
    try {
      this.reader.bytes(others.length === 0 ? first : this.together([first, ...others]))
    } catch (error) {
      this.breakOff(error)
    }
    this.reader = this.reader.instead ?? this.reader
  }

  private together(pieces: readonly Uint8Array[]): Uint8Array {
    return this.reader.keepsNone === true ? inScratch(pieces) : Buffer.concat(pieces)
  }

  end(): void {
    this.pass()
    this.guard(() => this.reader.end())
  }

  fail(error: Parameters<BodyReader['fail']>[0]): void {
    this.pass()
    this.guard(() => this.reader.fail(error))
  }

  private guard(act: () => void): void {
    if (this.broken) return
    try {
      act()
    } catch (error) {
      this.breakOff(error)
    }
  }

  private breakOff(error: unknown): void {
    this.broken = true
    this.owner.onBug(error)
  }
}

const flushed = (gathered: BatchedReader): void => gathered.pass()
