import type { Transform } from 'node:stream'
import { codingOf } from '../../gateway/body/content-coding.ts'
import type { BodyReader, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { createDecoder } from '../content-decoders.ts'

const DAMAGED = upstreamError('upstream_invalid', 'The compressed answer of the upstream is damaged.')

/**
 * Removes the content coding of an answer: some servers and networks compress answers although the request does not accept
 * it. A failure of the connection arrives after all bytes before it. An answer in an unknown coding stays as it is.
 */
export function decodeAnswer(response: UpstreamResponse): UpstreamResponse {
  if (response.headers['content-encoding'] === undefined) return response
  const { 'content-encoding': encoding, 'content-length': _, ...headers } = response.headers
  const coding = codingOf(encoding)
  const decoder = coding === '' ? null : createDecoder(coding, true)
  return decoder === null
    ? response
    : { status: response.status, headers, decoded: coding, ...readDecoded(response, decoder) }
}

function readDecoded(
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
