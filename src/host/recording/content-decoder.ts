import type { Transform } from 'node:stream'
import { codingOf } from '../../gateway/body/content-coding.ts'
import type { BodyReader, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { createDecoder } from '../content-decoders.ts'

const DAMAGED = upstreamError('upstream_invalid', 'The compressed answer of the upstream is damaged.')

export interface DecodedAnswer {
  readonly response: UpstreamResponse
  /** The content coding that was removed; null: none was. */
  readonly coding: string | null
  /** The content coding that the answer still has, because it is not known; null: it has none. */
  readonly unread: string | null
}

/** Removes the content coding of an answer. A failure of the connection arrives after all bytes before it. */
export function decodeAnswer(response: UpstreamResponse): DecodedAnswer {
  const { 'content-encoding': encoding, 'content-length': _, ...headers } = response.headers
  const coding = codingOf(encoding)
  if (coding === '') return { response, coding: null, unread: null }
  const decoder = createDecoder(coding, true)
  if (decoder === null) return { response, coding: null, unread: coding }
  return {
    response: { status: response.status, headers, ...decoded(response, decoder) },
    coding,
    unread: null,
  }
}

function decoded(
  response: UpstreamResponse,
  decoder: Transform,
): Pick<UpstreamResponse, 'read' | 'pause' | 'resume' | 'abort'> {
  const read = (reader: BodyReader): void => {
    let failure: GatewayError | null = null
    let trailers: Parameters<BodyReader['end']>[0]
    decoder.on('data', (chunk: Uint8Array) => reader.bytes(chunk))
    decoder.on('drain', () => response.resume())
    decoder.on('end', () => (failure === null ? reader.end(trailers) : reader.fail(failure)))
    decoder.on('error', () => {
      response.abort()
      reader.fail(failure ?? DAMAGED)
    })
    response.read({
      bytes: (chunk) => {
        // The reader may reuse the memory of a chunk, which the decoder reads later.
        if (!decoder.write(Buffer.from(chunk))) response.pause()
      },
      end: (received) => {
        trailers = received
        decoder.end()
      },
      fail: (error) => {
        failure = error
        decoder.end()
      },
    })
  }
  return {
    read,
    pause: () => void decoder.pause(),
    resume: () => void decoder.resume(),
    abort: () => {
      decoder.removeAllListeners('data').removeAllListeners('end').removeAllListeners('error')
      decoder.on('error', () => undefined)
      decoder.destroy()
      response.abort()
    },
  }
}
