import { concatenated } from '../text/bytes.ts'
import { checkBytes } from '../validation/arguments.ts'

/** A piece of a source: bytes, or a chunk of a stream as an object. */
type SourceValue = Uint8Array | object

/** The result of one read; without a value at the end. */
export interface SourceReading<Value extends SourceValue = SourceValue> {
  readonly done?: boolean | undefined
  readonly value?: Value | undefined
}

/** A `ReadableStreamDefaultReader`, or the iterator of another source. */
export interface SourceReader {
  read(): Promise<SourceReading>
  cancel(reason?: unknown): Promise<unknown>
}

/** The reader of a source; of an empty one for null. */
export function openSource(
  source: Uint8Array | ReadableStream<SourceValue> | AsyncIterable<SourceValue> | null,
): SourceReader {
  if (source !== null && ArrayBuffer.isView(source)) return sourceOf(source)
  if (source === null) return { read: async () => ({ done: true }), cancel: async () => undefined }
  if ('getReader' in source) return source.getReader()
  const iterator = source[Symbol.asyncIterator]()
  return {
    // An iterator of a program may return its result without a promise, or throw at once, as in a loop.
    read() {
      try {
        return Promise.resolve(iterator.next())
      } catch (error) {
        return Promise.reject(error)
      }
    },
    async cancel() {
      await iterator.return?.()
      // Before the first read, the iterator of a stream of Node does nothing.
      if ('destroy' in source && typeof source.destroy === 'function') source.destroy()
    },
  }
}

/** All bytes of a source. */
interface WholeSource {
  readonly bytes: Uint8Array
  /** True if the source was longer than its bound. Its other bytes were not read. */
  readonly isCut: boolean
}

/** Reads at most about `most` bytes. Rejects if the source breaks. */
export async function readBounded(reader: SourceReader, most: number): Promise<WholeSource> {
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { value } = await reader.read()
    if (value === undefined) return { bytes: concatenated(pieces), isCut: false }
    checkBytes(value, 'input')
    pieces.push(value)
    size += value.length
    if (size > most) {
      await reader.cancel().catch(() => undefined)
      return { bytes: concatenated(pieces), isCut: true }
    }
  }
}

/** A source of bytes that were read before. */
export function sourceOf(bytes: Uint8Array): SourceReader {
  let left: Uint8Array | undefined = bytes
  return {
    async read() {
      const value = left
      left = undefined
      return { value }
    },
    cancel: async () => undefined,
  }
}
