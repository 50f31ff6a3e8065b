import type { Framing } from '../framing/table.ts'
import type { Reader } from './source.ts'

const LONGEST = 256

/** Enough to tell a stream from a body. */
const SHORTEST = 'retry:'.length

const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** Whether the header says that a stream comes. Vendors label streams with anything, and bodies as streams. */
export const isStream = (contentType: string | undefined, { mediaTypes }: Framing): boolean =>
  mediaTypes.includes(mediaTypeOf(contentType))

const JSON_TEXT = /^\ufeff?\s*[{[]/

/**
 * The first bytes say whether a stream or one whole body comes. Where they could be either, or neither, the label decides:
 * a stream may begin with fields that nobody knows.
 */
const looksLikeStream = ({ looksLike }: Framing, isLabelled: boolean, start: string): boolean =>
  looksLike.test(start) || (isLabelled && !JSON_TEXT.test(start))

/** Waits for the first bytes, and then gives everything to the reader that they ask for. `isLabelled`: as a stream. */
export const byFirstBytes = (framing: Framing, isLabelled: boolean, events: () => Reader, body: () => Reader): Reader =>
  new Sniffed(framing, isLabelled, events, body)

class Sniffed implements Reader {
  instead: Reader | null = null
  private readonly start: Uint8Array[] = []
  private size = 0
  private readonly framing: Framing
  private readonly isLabelled: boolean
  private readonly events: () => Reader
  private readonly body: () => Reader

  constructor(framing: Framing, isLabelled: boolean, events: () => Reader, body: () => Reader) {
    this.framing = framing
    this.isLabelled = isLabelled
    this.events = events
    this.body = body
  }

  bytes(chunk: Uint8Array): void {
    if (this.instead !== null) {
      this.instead.bytes(chunk)
      return
    }
    this.start.push(chunk)
    this.size += chunk.length
    if (this.size > LONGEST || Buffer.concat(this.start).toString().trim().length >= SHORTEST) this.choose()
  }

  end(): void {
    this.choose().end()
  }

  fail(error: Parameters<Reader['fail']>[0]): void {
    this.choose().fail(error)
  }

  private choose(): Reader {
    if (this.instead !== null) return this.instead
    const bytes = Buffer.concat(this.start.splice(0))
    const isStream = looksLikeStream(this.framing, this.isLabelled, bytes.subarray(0, LONGEST).toString())
    const reader = isStream ? this.events() : this.body()
    this.instead = reader
    if (bytes.length > 0) reader.bytes(bytes)
    return reader
  }
}
