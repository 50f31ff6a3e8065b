import { type GatewayError, upstreamError } from '../../protocol/error.ts'
import { LIMITS, MAX_LENGTHS, UPSTREAM_MEMBERS } from '../../protocol/limits.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { concatenated } from '../../text/bytes.ts'
import { JsonCost, type JsonLimits } from '../../text/json-cost.ts'
import { bodyCostOf } from '../body/body-intake.ts'
import { ByteBlocks } from '../body/byte-blocks.ts'
import type { BodyReader, UpstreamResponse } from './transport.ts'

const tooLarge = (what: string): GatewayError =>
  upstreamError('upstream_too_large', `The upstream response is too large: expected at most ${what}.`)

const EXCESSES: Readonly<Record<keyof JsonLimits, (most: number) => GatewayError>> = {
  depth: (most) => tooLarge(`${most} levels of lists and objects`),
  values: (most) => tooLarge(`${most} values`),
  members: (most) => tooLarge(`${most} members in one object`),
}

export interface WholeLimits {
  readonly bytes: number
  readonly values: number
}

/** A body that is not JSON is counted as well: its brackets have no meaning, and are seldom that many. */
const toScan = ({ values }: WholeLimits): JsonCost =>
  new JsonCost({ depth: MAX_LENGTHS.nesting, values, members: UPSTREAM_MEMBERS })

/**
 * Reads a whole body as text. Its cost is counted while it arrives, so that a body that is too expensive is aborted
 * before it is parsed.
 */
export function wholeBody(
  answer: UpstreamResponse,
  limits: WholeLimits,
  done: (body: Result<string>) => void,
  onCost: (bytes: number) => void = () => undefined,
): BodyReader {
  const blocks = new ByteBlocks()
  const scan = toScan(limits)
  let size = 0
  let isOver = false
  const abortWith = (error: GatewayError): void => {
    isOver = true
    blocks.clear()
    answer.abort()
    done(err(error))
  }
  return {
    bytes(chunk) {
      if (isOver) return
      size += chunk.length
      if (size > limits.bytes) return abortWith(tooLarge(`${limits.bytes} bytes`))
      scan.add(chunk)
      if (scan.excess !== null) return abortWith(EXCESSES[scan.excess.of](scan.excess.most))
      blocks.add(chunk)
      onCost(bodyCostOf(size, scan.values))
    },
    // The end may have arrived in the same read as the bytes that exceeded a limit.
    end() {
      if (!isOver) done(ok(new TextDecoder().decode(concatenated(blocks.take()))))
    },
    fail(error) {
      if (!isOver) done(err(error))
    },
  }
}

/** The bytes that are read of an error body; its message is short. */
const ERROR_BYTES = 64 * 1024

/** Control characters except white space. Text has none; compressed bytes without a `Content-Encoding` have some. */
const CONTROL = /[^\P{Cc}\s]/u

/**
 * Reads the text of an error body until its end, its size limit or its time limit. Returns an empty text if the bytes
 * are not text.
 */
export const readErrorText = (answer: UpstreamResponse, limitMs: number): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const finish = (): void => {
      clearTimeout(timer)
      // The last character may be incomplete, and is left out.
      const text = new TextDecoder().decode(concatenated(chunks).subarray(0, ERROR_BYTES), { stream: true })
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

/** Reads a short body: an error, or the results of a search. */
export const readWhole = (answer: UpstreamResponse, bytes: number): Promise<Result<string>> =>
  new Promise((resolve) => answer.read(wholeBody(answer, { bytes, values: LIMITS.upstreamValues }, resolve)))
