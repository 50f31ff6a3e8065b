import type { BugReceiver } from '../../gateway/upstream/reader-guard.ts'
import type { BodyReader } from '../../gateway/upstream/transport.ts'
import { putBytes } from '../../text/bytes.ts'

/**
 * Joins the chunks of one read: the HTTP parser emits each of them separately, and joined they cost one translation and
 * one write. A read ends with `flush`, or with the tick if the source does not call it. An exception of the reader is a
 * bug of the gateway; it ends this answer only.
 */
export const batchReads = (reader: BodyReader, owner: BugReceiver): BodyReader => new BatchedReader(reader, owner)

/** The size of the memory in which chunks are joined. One call of a reader has no more joined bytes. */
const JOINED = 128 * 1024

/** Memory of the process that no reader uses now. Two readers rarely join chunks at the same time. */
let spare: Buffer | null = null

function takeMemory(): Buffer {
  const memory = spare ?? Buffer.allocUnsafeSlow(JOINED)
  spare = null
  return memory
}

/** A class, as every object on the path of a chunk: see `DispatchHandler` in `http-transport.ts`. */
class BatchedReader implements BodyReader {
  private reader: BodyReader
  private readonly owner: BugReceiver
  /** The first chunk of this tick, which is the only one of most reads, and the size of all. */
  private first: Uint8Array | null = null
  private size = 0
  /** Has all chunks once there are two. A list of them would have to grow with each. */
  private memory: Buffer | null = null
  private broken = false
  /** The source calls `flush`. */
  private isFlushed = false

  constructor(reader: BodyReader, owner: BugReceiver) {
    this.reader = reader
    this.owner = owner
  }

  bytes(chunk: Uint8Array): void {
    if (this.size + chunk.length > JOINED) this.pass()
    const { first } = this
    if (first === null) {
      this.first = chunk
      if (!this.isFlushed) process.nextTick(flushed, this)
    } else {
      if (this.memory === null) {
        this.memory = takeMemory()
        putBytes(this.memory, first, 0)
      }
      putBytes(this.memory, chunk, this.size)
    }
    this.size += chunk.length
  }

  flush(): void {
    this.isFlushed = true
    this.pass()
  }

  pass(): void {
    const { first, memory, size } = this
    if (first === null) return
    this.first = null
    this.memory = null
    this.size = 0
    if (memory === null) this.give(first)
    else {
      const joined = memory.subarray(0, size)
      this.give(this.reader.keepsNone === true ? joined : Buffer.from(joined))
      spare = memory
    }
  }

  private give(bytes: Uint8Array): void {
    if (this.broken) return
    try {
      this.reader.bytes(bytes)
    } catch (error) {
      this.breakOff(error)
    }
    this.reader = this.reader.instead ?? this.reader
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
