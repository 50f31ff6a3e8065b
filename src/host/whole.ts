import { type GatewayError, upstreamError } from '../protocol/error.ts'
import { LONGEST, UPSTREAM_MEMBERS, UPSTREAM_VALUES } from '../protocol/limits.ts'
import { JsonCost, type JsonLimits } from '../text/json-cost.ts'
import { type Attempt, failure, success } from './attempt.ts'
import { ByteBlocks } from './byte-blocks.ts'
import type { Answer, Reader } from './source.ts'

const tooLarge = (what: string): GatewayError =>
  upstreamError('upstream_too_large', `The answer of the upstream is larger than ${what}.`)

const EXCESSES: Readonly<Record<keyof JsonLimits, (most: number) => GatewayError>> = {
  depth: (most) => tooLarge(`${most} levels of lists and objects`),
  values: (most) => tooLarge(`${most} values`),
  members: (most) => tooLarge(`${most} members in one object`),
}

/** How much a whole body may hold. */
export interface WholeLimits {
  readonly bytes: number
  readonly values: number
}

/** A body that is no JSON is counted, too: its brackets mean nothing, and seldom are so many. */
const toScan = ({ values }: WholeLimits): JsonCost =>
  new JsonCost({ depth: LONGEST.nesting, values, members: UPSTREAM_MEMBERS })

/** Reads a body to its end, as text. What it costs is counted while it arrives, so that it is given up before it is parsed. */
export function wholeBody(answer: Answer, limits: WholeLimits, done: (body: Attempt<string>) => void): Reader {
  const blocks = new ByteBlocks()
  const scan = toScan(limits)
  let size = 0
  let isOver = false
  const giveUp = (error: GatewayError): void => {
    isOver = true
    blocks.clear()
    answer.abort()
    done(failure(error))
  }
  return {
    bytes(chunk) {
      if (isOver) return
      size += chunk.length
      if (size > limits.bytes) return giveUp(tooLarge(`${limits.bytes} bytes`))
      scan.add(chunk)
      if (scan.excess !== null) return giveUp(EXCESSES[scan.excess.of](scan.excess.most))
      blocks.add(chunk)
    },
    end: () => done(success(new TextDecoder().decode(Buffer.concat(blocks.take())))),
    fail: (error) => done(failure(error)),
  }
}

/** Of a short body: a failure, or the results of a search. */
export const readWhole = (answer: Answer, bytes: number): Promise<Attempt<string>> =>
  new Promise((resolve) => answer.read(wholeBody(answer, { bytes, values: UPSTREAM_VALUES }, resolve)))
