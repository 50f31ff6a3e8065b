import type { Reader } from './source.ts'

/**
 * The HTTP parser gives every chunk of a read by itself: gathered to the end of the tick they cost one translation and
 * one write. What the reader throws is our own bug; it ends this answer and no other.
 */
export const gather = (reader: Reader, onBug: (error: unknown) => void): Reader => new Gathered(reader, onBug)

const NONE: Uint8Array[] = []

/** A class, as everything that each chunk of a stream goes through: see `Hearing` in `upstream.ts`. */
class Gathered implements Reader {
  private readonly reader: Reader
  private readonly onBug: (error: unknown) => void
  private waiting = NONE
  private broken = false

  constructor(reader: Reader, onBug: (error: unknown) => void) {
    this.reader = reader
    this.onBug = onBug
  }

  bytes(chunk: Uint8Array): void {
    if (this.waiting.length > 0) return void this.waiting.push(chunk)
    this.waiting = [chunk]
    process.nextTick(flush, this)
  }

  flush(): void {
    const { waiting } = this
    if (waiting.length === 0) return
    this.waiting = NONE
    this.guard(() => this.reader.bytes(waiting.length === 1 ? (waiting[0] as Uint8Array) : Buffer.concat(waiting)))
  }

  end(): void {
    this.flush()
    this.guard(() => this.reader.end())
  }

  fail(error: Parameters<Reader['fail']>[0]): void {
    this.flush()
    this.guard(() => this.reader.fail(error))
  }

  private guard(act: () => void): void {
    if (this.broken) return
    try {
      act()
    } catch (error) {
      this.broken = true
      this.onBug(error)
    }
  }
}

const flush = (gathered: Gathered): void => gathered.flush()
