import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { type Attempt, failure, success } from './attempt.ts'
import type { Answer, Reader } from './source.ts'

const tooLarge = (limit: number): GatewayError =>
  upstreamError('upstream_too_large', `The answer of the upstream is larger than ${limit} bytes.`)

/** Reads a body to its end, as text. */
export function wholeBody(answer: Answer, limit: number, done: (body: Attempt<string>) => void): Reader {
  const chunks: Uint8Array[] = []
  let size = 0
  return {
    bytes(chunk) {
      if (size > limit) return
      size += chunk.length
      chunks.push(chunk)
      if (size <= limit) return
      chunks.length = 0
      answer.abort()
      done(failure(tooLarge(limit)))
    },
    end: () => done(success(new TextDecoder().decode(Buffer.concat(chunks)))),
    fail: (error) => done(failure(error)),
  }
}

export const readWhole = (answer: Answer, limit: number): Promise<Attempt<string>> =>
  new Promise((resolve) => answer.read(wholeBody(answer, limit, resolve)))
