import { putBytes } from '../text/bytes.ts'
import { decodeUtf8 } from '../text/utf8.ts'

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** The last chunk of the fast path, for machines that must process it themselves. */
export class LastChunk {
  /** Escaped text of the same part before this chunk, in bytes. */
  words = 0
  private bytes = NO_BYTES
  private length = 0

  /** Keeps a copy of the chunk. */
  keep(bytes: Uint8Array): void {
    const { length } = bytes
    this.length = length
    if (this.bytes.length < length) this.bytes = new Uint8Array(2 * length)
    putBytes(this.bytes, bytes, 0)
  }

  /** Returns the text without `before` bytes at its start and `behind` bytes at its end. */
  textBetween(before: number, behind: number): string {
    return decodeUtf8(this.bytes, before, this.length - behind)
  }
}
