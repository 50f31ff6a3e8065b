import { copyText, putBytes, SLACK } from '../text/bytes.ts'
import { escapeJson } from '../text/json.ts'
import { utf8Length } from '../text/utf8.ts'

/** The part of Node's `Buffer` that is used, if the runtime has it. Its native methods work on any `Uint8Array`. */
interface BufferLike {
  readonly prototype: {
    readonly utf8Write?: (this: Uint8Array, text: string, at: number, most: number) => number
  }
  /** Returns uninitialized memory that is not shared with other buffers. */
  allocUnsafeSlow?(size: number): Uint8Array<ArrayBuffer>
}

const native = (globalThis as unknown as { readonly Buffer?: BufferLike }).Buffer
const nativeWrite = native?.prototype.utf8Write

/** Memory that is overwritten before it is read need not be zeroed. */
const allocate = (size: number): Uint8Array<ArrayBuffer> =>
  native?.allocUnsafeSlow === undefined ? new Uint8Array(size) : new Uint8Array(native.allocUnsafeSlow(size).buffer)

const encoder = new TextEncoder()

/** Writes UTF-8 and returns the number of bytes. Lone surrogates become U+FFFD. */
type WriteUtf8 = (bytes: Uint8Array, text: string, at: number) => number

/** Works in every runtime. `test/output/output-buffer.test.ts` compares it with the native version. */
export const standardWrite: WriteUtf8 = (bytes, text, at) => encoder.encodeInto(text, bytes.subarray(at)).written

/** Uses the native method if the runtime has it, which needs no view of the remaining bytes. */
export const writeUtf8: WriteUtf8 =
  nativeWrite === undefined ? standardWrite : (bytes, text, at) => nativeWrite.call(bytes, text, at, bytes.length - at)

/** The UTF-8 of a text. One of ASCII alone is written natively, if the runtime has the method: a third of the time. */
export function encoded(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  return utf8Length(text) === text.length && writeUtf8(bytes, text, 0) === text.length ? bytes : encoder.encode(text)
}

const SLAB = 64 * 1024

/** A larger buffer is not kept. */
const LARGEST = 1024 * 1024

/** How often the terminal events of an answer repeat a text at most. */
const REPETITIONS = 4

/** Up to this many characters are written one by one, which is faster than a native call. */
const FEW = 48

/** ASCII characters that JSON does not escape. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) => (code < 32 || code === 34 || code === 92 ? 0 : 1))

/**
 * The buffer for the output of one read. Bytes are written into a slab that is handed out piece by piece and never
 * reused, because one allocation for each piece would cost more than writing it. All streams share the buffer, so that
 * a writer must call `take` before another one writes.
 */
export interface OutputBuffer {
  /** Ensures that `size` bytes fit after `at`. It may replace every field. */
  reserve(size: number): void
  /** Replaces the memory. */
  renew(size: number): void
  bytes: Uint8Array<ArrayBuffer>
  /** A view of the same bytes. */
  view: DataView
  at: number
  put(bytes: Uint8Array): void
  /** As `put`. If the memory must be replaced, it has room for as many repetitions of the bytes as an answer ends with. */
  putRepeated(bytes: Uint8Array): void
  /** Copies a part of a text that is followed by `SLACK` readable bytes. */
  copy(from: DataView, start: number, end: number): void
  text(text: string): void
  /** Writes the escaped text between the quotes of a JSON string. */
  words(text: string): void
  /** Bytes written since the last `take`. */
  size(): number
  /**
   * Discards output that was not taken. If a stream threw half-way, its bytes must not appear in another stream's
   * output.
   */
  reset(): void
  /** The bytes written since the last `take`. `lend`: the bytes are valid only until the next write. */
  take(lend?: boolean): Uint8Array
}

const NO_BYTES = new Uint8Array(0)

export function createOutputBuffer(): OutputBuffer {
  let start = 0
  const slab = allocate(SLAB)
  // Stored separately, because reading `buffer` of an array takes as long as copying a token.
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
    putRepeated(bytes) {
      if (this.at + bytes.length > this.bytes.length) this.reserve(REPETITIONS * bytes.length)
      this.put(bytes)
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
    reset() {
      if (this.bytes.length > LARGEST) this.renew(SLAB)
      start = this.at
    },
    take(lend = false) {
      if (this.at === start) return NO_BYTES
      // Costs half as much as `subarray`.
      const taken = new Uint8Array(buffer, start, this.at - start)
      if (lend) this.at = start
      else start = this.at
      return taken
    },
  }
}
