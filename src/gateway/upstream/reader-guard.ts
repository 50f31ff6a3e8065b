import type { BodyReader } from './transport.ts'

/** Receives an exception of a reader, which is a bug of the gateway. */
export interface BugReceiver {
  onBug(error: unknown): void
}

/**
 * Guards a reader: its exception ends its own answer only. A platform whose transport emits many small chunks also
 * joins them here.
 */
export type ReaderGuard = (reader: BodyReader, owner: BugReceiver) => BodyReader

/** The guard for transports whose chunks need no joining. */
export const guardReader: ReaderGuard = (reader, owner) => new GuardedReader(reader, owner)

class GuardedReader implements BodyReader {
  private reader: BodyReader
  private readonly owner: BugReceiver
  private broken = false

  constructor(reader: BodyReader, owner: BugReceiver) {
    this.reader = reader
    this.owner = owner
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
      this.owner.onBug(error)
    }
  }
}
