import type { BodyReader } from './transport.ts'

/**
 * Guards a reader: its exception is a bug of the gateway, and ends its own answer only. `onBug` receives it. A platform
 * whose transport emits many small chunks also joins them here.
 */
export type ReaderGuard = (reader: BodyReader, onBug: (error: unknown) => void) => BodyReader

/** The guard for transports whose chunks need no joining. */
export const guardReader: ReaderGuard = (reader, onBug) => new GuardedReader(reader, onBug)

class GuardedReader implements BodyReader {
  private reader: BodyReader
  private readonly onBug: (error: unknown) => void
  private broken = false

  constructor(reader: BodyReader, onBug: (error: unknown) => void) {
    this.reader = reader
    this.onBug = onBug
  }

  bytes(chunk: Uint8Array): void {
    this.guard((reader) => reader.bytes(chunk))
    this.reader = this.reader.instead ?? this.reader
  }

  end(trailers?: Parameters<BodyReader['end']>[0]): void {
    this.guard((reader) => reader.end(trailers))
  }

  fail(error: Parameters<BodyReader['fail']>[0]): void {
    this.guard((reader) => reader.fail(error))
  }

  private guard(act: (reader: BodyReader) => void): void {
    if (this.broken) return
    try {
      act(this.reader)
    } catch (error) {
      this.broken = true
      this.onBug(error)
    }
  }
}
