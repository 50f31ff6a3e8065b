/** Node's Buffer, where there is one. Its native methods work on any Uint8Array. */
interface BufferLike {
  readonly prototype: {
    readonly utf8Write?: (this: Uint8Array, text: string, at: number, most: number) => number
  }
}

const nativeWrite = (globalThis as unknown as { readonly Buffer?: BufferLike }).Buffer?.prototype.utf8Write

const encoder = new TextEncoder()

/** Writes UTF-8 and returns how many bytes; lone surrogates become U+FFFD. */
export type WriteUtf8 = (bytes: Uint8Array, text: string, at: number) => number

/** With what every runtime has; the other must equal it (`test/text/sink.test.ts`). */
export const standardWrite: WriteUtf8 = (bytes, text, at) => encoder.encodeInto(text, bytes.subarray(at)).written

/** The fast way where there is one: it needs no view of the rest of the bytes. */
export const writeUtf8: WriteUtf8 =
  nativeWrite === undefined ? standardWrite : (bytes, text, at) => nativeWrite.call(bytes, text, at, bytes.length - at)

const SLAB = 64 * 1024

/** Characters of a text that may be said again. */
const LONG = 1024

/**
 * Where the bytes of one answer to one read are put together. They are written into a slab that is handed out piece by
 * piece, never twice: an allocation for each would cost more than the writing. All streams share it, so whoever writes
 * must `take` before anybody else writes.
 */
export interface Sink {
  /** Room for so many bytes behind `at`. Both fields change with it. */
  reserve(size: number): void
  bytes: Uint8Array
  at: number
  text(text: string): void
  /** The same; a text that is said again before the bytes are taken is encoded once. */
  long(text: string): void
  /** Forgets what nobody took: a bug that ended one stream must not be heard in another. */
  begin(): void
  /** What was written since the last time. */
  take(): Uint8Array
}

const NO_BYTES = new Uint8Array(0)

function openSink(): Sink {
  let start = 0
  const last = { text: '', bytes: NO_BYTES }
  return {
    bytes: new Uint8Array(SLAB),
    at: 0,
    reserve(size) {
      if (this.at + size <= this.bytes.length) return
      const used = this.bytes.subarray(start, this.at)
      this.bytes = new Uint8Array(Math.max(SLAB, 2 * used.length + size))
      this.bytes.set(used)
      this.at = used.length
      start = 0
    },
    text(text) {
      if (text.length >= LONG) return this.long(text)
      this.reserve(3 * text.length)
      this.at += writeUtf8(this.bytes, text, this.at)
    },
    long(text) {
      if (text === last.text) {
        this.reserve(last.bytes.length)
        this.bytes.set(last.bytes, this.at)
        this.at += last.bytes.length
        return
      }
      this.reserve(3 * text.length)
      const size = writeUtf8(this.bytes, text, this.at)
      last.text = text
      last.bytes = this.bytes.slice(this.at, this.at + size)
      this.at += size
    },
    begin() {
      start = this.at
    },
    take() {
      last.text = ''
      last.bytes = NO_BYTES
      if (this.at === start) return NO_BYTES
      const taken = this.bytes.subarray(start, this.at)
      start = this.at
      return taken
    },
  }
}

export const SINK: Sink = openSink()

/** Texts → their UTF-8 bytes, one after another. */
export function encodeUtf8(texts: readonly string[]): Uint8Array {
  for (const text of texts) SINK.text(text)
  return SINK.take()
}
