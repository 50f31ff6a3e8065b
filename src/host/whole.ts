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

/** Of an error body as much is read; its words are short. */
const ERROR_BYTES = 64 * 1024

/** Control characters, but white space: text has none, and compressed bytes that no header announces have. */
const CONTROL = /[^\P{Cc}\s]/u

/** What an error body says: what has come of it until its end, its limit, or its time. Empty where that is no text. */
export const readErrorText = (answer: Answer, limitMs: number): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const finish = (): void => {
      clearTimeout(timer)
      // The last character may be cut: it is left out.
      const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, ERROR_BYTES), { stream: true })
      resolve(CONTROL.test(text) ? '' : text)
    }
    const cut = (): void => {
      answer.abort()
      finish()
    }
    const timer = setTimeout(cut, limitMs)
    answer.read({
      bytes(chunk) {
        if (size >= ERROR_BYTES) return
        chunks.push(chunk)
        size += chunk.length
        if (size >= ERROR_BYTES) cut()
      },
      end: finish,
      fail: finish,
    })
  })

export const readWhole = (answer: Answer, limit: number): Promise<Attempt<string>> =>
  new Promise((resolve) => answer.read(wholeBody(answer, limit, resolve)))
