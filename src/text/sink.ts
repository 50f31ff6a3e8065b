import { copyText, SLACK } from './copy.ts'
import { escapeJson } from './json.ts'
import { putBytes } from './put-bytes.ts'

/** Node's Buffer, where there is one. Its native methods work on any Uint8Array. */
interface BufferLike {
  readonly prototype: {
    readonly utf8Write?: (this: Uint8Array, text: string, at: number, most: number) => number
  }
  /** Memory of its own that nobody has wiped. */
  allocUnsafeSlow?(size: number): Uint8Array<ArrayBuffer>
}

const native = (globalThis as unknown as { readonly Buffer?: BufferLike }).Buffer
const nativeWrite = native?.prototype.utf8Write

/** What is written over before anybody sees it need not be wiped. */
const allocate = (size: number): Uint8Array<ArrayBuffer> =>
  native?.allocUnsafeSlow === undefined ? new Uint8Array(size) : new Uint8Array(native.allocUnsafeSlow(size).buffer)

const encoder = new TextEncoder()

/** Writes UTF-8 and returns how many bytes; lone surrogates become U+FFFD. */
export type WriteUtf8 = (bytes: Uint8Array, text: string, at: number) => number

/** With what every runtime has; the other must equal it (`test/text/sink.test.ts`). */
export const standardWrite: WriteUtf8 = (bytes, text, at) => encoder.encodeInto(text, bytes.subarray(at)).written

/** The fast way where there is one: it needs no view of the rest of the bytes. */
export const writeUtf8: WriteUtf8 =
  nativeWrite === undefined ? standardWrite : (bytes, text, at) => nativeWrite.call(bytes, text, at, bytes.length - at)

const SLAB = 64 * 1024

/** A larger one is not kept. */
const LARGEST = 1024 * 1024

/** So many characters are written one by one in less time than it takes to ask for it. */
const FEW = 48

/** ASCII that JSON does not escape. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) => (code < 32 || code === 34 || code === 92 ? 0 : 1))

/**
 * Where the bytes of one answer to one read are put together. They are written into a slab that is handed out piece by
 * piece, never twice: an allocation for each would cost more than the writing. All streams share it, so whoever writes
 * must `take` before anybody else writes.
 */
export interface Sink {
  /** Room for so many bytes behind `at`. All fields change with it. */
  reserve(size: number): void
  /** Other memory. */
  renew(size: number): void
  bytes: Uint8Array<ArrayBuffer>
  /** Of the same bytes. */
  view: DataView
  at: number
  put(bytes: Uint8Array): void
  /** A part of text, behind which `SLACK` more bytes can be read. */
  copy(from: DataView, start: number, end: number): void
  text(text: string): void
  /** What JSON writes between the quotes of a string. */
  words(text: string): void
  /** Bytes written since the last time that they were taken. */
  size(): number
  /** Forgets what nobody took: a bug that ended one stream must not be heard in another. */
  begin(): void
  /** What was written since the last time. `lend`: whoever writes next writes it over. */
  take(lend?: boolean): Uint8Array
}

const NO_BYTES = new Uint8Array(0)

function openSink(): Sink {
  let start = 0
  const slab = allocate(SLAB)
  // Beside the bytes: to ask an array for its buffer takes as long as to copy what a token has.
  let { buffer } = slab
  return {
    bytes: slab,
    view: new DataView(buffer),
    at: 0,
    reserve(size) {
      if (this.at + size <= this.bytes.length) return
      const used = this.bytes.subarray(start, this.at)
      this.renew(Math.max(SLAB, 2 * used.length + size))
      this.put(used)
    },
    renew(size) {
      this.bytes = allocate(size)
      buffer = this.bytes.buffer
      this.view = new DataView(buffer)
      this.at = 0
      start = 0
    },
    put(bytes) {
      this.reserve(bytes.length)
      putBytes(this.bytes, bytes, this.at)
      this.at += bytes.length
    },
    copy(from, start, end) {
      this.reserve(end - start + SLACK)
      copyText(from, start, end, this.view, this.at)
      this.at += end - start
    },
    words(text) {
      const { length } = text
      if (length > FEW) return this.text(escapeJson(text))
      this.reserve(length)
      const { bytes } = this
      let to = this.at
      for (let i = 0; i < length; i += 1) {
        const code = text.charCodeAt(i)
        if (PLAIN[code] !== 1) return this.text(escapeJson(text))
        bytes[to++] = code
      }
      this.at = to
    },
    text(text) {
      this.reserve(3 * text.length)
      this.at += writeUtf8(this.bytes, text, this.at)
    },
    size() {
      return this.at - start
    },
    begin() {
      if (this.bytes.length > LARGEST) this.renew(SLAB)
      start = this.at
    },
    take(lend = false) {
      if (this.at === start) return NO_BYTES
      // Half the price of a `subarray`.
      const taken = new Uint8Array(buffer, start, this.at - start)
      if (lend) this.at = start
      else start = this.at
      return taken
    },
  }
}

export const SINK: Sink = openSink()

/** Texts → their UTF-8 bytes, one after another. */
export function encodeUtf8(texts: readonly string[]): Uint8Array {
  SINK.begin()
  for (const text of texts) SINK.text(text)
  return SINK.take()
}
