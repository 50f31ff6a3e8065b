import { putBytes } from '../text/put-bytes.ts'
import { decodeUtf8 } from '../text/utf8.ts'

/** The last chunk that was taken, where machines must hear it themselves. */
export class LastChunk {
  /** How much of the run's text came before it, in bytes. */
  words = 0
  private bytes: Uint8Array = new Uint8Array(0)
  private length = 0

  /** Keeps a copy. */
  keep(bytes: Uint8Array): void {
    const { length } = bytes
    this.length = length
    if (this.bytes.length < length) this.bytes = new Uint8Array(2 * length)
    putBytes(this.bytes, bytes, 0)
  }

  /** The text without so many bytes at its ends. */
  textBetween(before: number, behind: number): string {
    return decodeUtf8(this.bytes, before, this.length - behind)
  }
}
