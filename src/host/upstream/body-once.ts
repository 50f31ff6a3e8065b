import type { Readable } from 'node:stream'

/** For a shorter body, an iterator costs more time than its memory is worth. */
const LONG = 16 * 1024

/** The bytes of a body, which are given away once. */
class BodyOnce implements Iterable<Uint8Array> {
  private bytes: Uint8Array | null

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  *[Symbol.iterator](): Iterator<Uint8Array> {
    const { bytes } = this
    this.bytes = null
    if (bytes !== null) yield bytes
  }
}

/** The fields of a call whose body is sent. */
interface SentBody {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | Readable
}

/**
 * Returns the body of a call as undici takes it. undici keeps a body for as long as the answer lasts: of a long one it
 * gets an iterable, which has nothing left when it is sent, and its length as a header. The types of undici lack
 * iterables; its documentation has them.
 */
export const sentOnce = (headers: SentBody['headers'], bytes: Uint8Array): SentBody =>
  bytes.length < LONG
    ? { headers, body: bytes }
    : {
        headers: { ...headers, 'content-length': String(bytes.length) },
        body: new BodyOnce(bytes) as unknown as Readable,
      }
