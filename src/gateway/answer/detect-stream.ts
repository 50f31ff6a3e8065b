import type { Framing } from '../../framing/framing.ts'
import { concatenated } from '../../text/bytes.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import type { BodyReader } from '../upstream/transport.ts'

const LONGEST = 256

/** The fewest characters that distinguish a stream from a body. */
const SHORTEST = 'retry:'.length

const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/**
 * Whether the header announces a stream. Vendors send streams with any content type, and bodies with that of a stream.
 */
export const isStream = (contentType: string | undefined, { mediaTypes }: Framing): boolean =>
  mediaTypes.includes(mediaTypeOf(contentType))

const JSON_TEXT = /^\ufeff?\s*[{[]/

/**
 * The first bytes distinguish a stream from a whole body. If they fit both or neither, the content type decides: a
 * stream may begin with unknown fields.
 */
const looksLikeStream = ({ looksLike }: Framing, isLabelled: boolean, start: string): boolean =>
  looksLike.test(start) || (isLabelled && !JSON_TEXT.test(start))

/**
 * Waits for the first bytes, and then passes everything to the matching reader. `isLabelled`: the content type
 * announces a stream.
 */
export const byFirstBytes = (
  framing: Framing,
  isLabelled: boolean,
  events: () => BodyReader,
  body: () => BodyReader,
): BodyReader => new DetectingReader(framing, isLabelled, events, body)

class DetectingReader implements BodyReader {
  instead: BodyReader | null = null
  private readonly start: Uint8Array[] = []
  private size = 0
  private readonly framing: Framing
  private readonly isLabelled: boolean
  private readonly events: () => BodyReader
  private readonly body: () => BodyReader

  constructor(framing: Framing, isLabelled: boolean, events: () => BodyReader, body: () => BodyReader) {
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
    if (this.size > LONGEST || decodeUtf8(this.gathered()).trim().length >= SHORTEST) this.choose()
  }

  end(): void {
    this.choose().end()
  }

  fail(error: Parameters<BodyReader['fail']>[0]): void {
    this.choose().fail(error)
  }

  private gathered(): Uint8Array {
    const [only, ...others] = this.start
    return only !== undefined && others.length === 0 ? only : concatenated(this.start)
  }

  private choose(): BodyReader {
    if (this.instead !== null) return this.instead
    const bytes = this.gathered()
    this.start.length = 0
    const isStream = looksLikeStream(
      this.framing,
      this.isLabelled,
      decodeUtf8(bytes, 0, Math.min(bytes.length, LONGEST)),
    )
    const reader = isStream ? this.events() : this.body()
    this.instead = reader
    if (bytes.length > 0) reader.bytes(bytes)
    return reader
  }
}
