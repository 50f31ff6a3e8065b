import { codingOf } from '../../gateway/body/content-coding.ts'
import type { BodyReader, Trailers, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { type BodyDecoder, CODINGS, createDecoder, type DecoderListener } from '../content-decoders.ts'

const DAMAGED = upstreamError('upstream_invalid', 'The compressed upstream response is damaged.')

/**
 * Removes the content coding of an answer: some servers and networks compress answers although the request does not accept
 * it. A failure of the connection arrives after all bytes before it. An answer in an unknown coding stays as it is.
 */
export function decodeAnswer(response: UpstreamResponse): UpstreamResponse {
  if (response.headers['content-encoding'] === undefined) return response
  const { 'content-encoding': encoding, 'content-length': _, ...headers } = response.headers
  const coding = codingOf(encoding)
  return CODINGS.includes(coding) ? new DecodedAnswer(response, headers, coding) : response
}

/** A coded answer, read from its source and written to its reader. */
class DecodedAnswer implements UpstreamResponse, DecoderListener {
  readonly status: number
  readonly headers: UpstreamResponse['headers']
  readonly decoded: string
  private readonly source: UpstreamResponse
  private readonly decoder: BodyDecoder | null
  private reader: BodyReader | null = null
  private trailers: Trailers | undefined
  private failure: GatewayError | null = null

  constructor(source: UpstreamResponse, headers: UpstreamResponse['headers'], coding: string) {
    this.source = source
    this.status = source.status
    this.headers = headers
    this.decoded = coding
    this.decoder = createDecoder(coding, this, true)
  }

  read(reader: BodyReader): void {
    this.reader = reader
    this.source.read({
      bytes: (chunk) => {
        // The source may reuse the memory of a chunk, which the decoder reads later.
        if (this.decoder?.write(Buffer.from(chunk)) === false) this.source.pause()
      },
      end: (trailers) => {
        this.trailers = trailers
        this.decoder?.end()
      },
      fail: (error) => {
        this.failure = error
        this.decoder?.end()
      },
    })
  }

  pause(): void {
    this.decoder?.pause()
  }

  resume(): void {
    this.decoder?.resume()
  }

  abort(end?: 'complete'): void {
    this.decoder?.close()
    this.source.abort(end)
  }

  onDecoded(bytes: Buffer): void {
    this.reader?.bytes(bytes)
  }

  onDrain(): void {
    this.source.resume()
  }

  onEnd(): void {
    if (this.failure === null) this.reader?.end(this.trailers)
    else this.reader?.fail(this.failure)
  }

  onFault(): void {
    this.source.abort()
    this.reader?.fail(this.failure ?? DAMAGED)
  }
}
