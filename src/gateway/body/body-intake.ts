import { clientError, type GatewayError, gatewayError } from '../../protocol/error.ts'
import { BODIES } from '../../protocol/limits.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Cut, JsonCost } from '../../text/json-cost.ts'
import type { Steps } from '../../text/steps.ts'
import { EMPTY_BODY, faultOfScan, scanBody } from '../../validation/body.ts'
import type { Lease } from './body-budget.ts'
import { ByteBlocks } from './byte-blocks.ts'

const tooLarge = (limit: number): GatewayError =>
  clientError('request_too_large', `The request body is too large: expected at most ${limit} bytes.`)

/** Sent to a client whose body does not fit beside the bodies of other requests. A later attempt may succeed. */
export const BUSY: GatewayError = {
  ...gatewayError(
    'server_is_overloaded',
    'The request bodies in progress use all of the memory for them. Retry the request.',
    503,
  ),
  retryAfter: 1,
}

/** A received body, and the positions at which its text can be split. */
export interface RequestBody {
  /** The parser takes the blocks out of this list. */
  readonly bytes: Uint8Array[]
  readonly cuts: readonly Cut[]
  /** Number of bytes, and of JSON values. */
  readonly size: number
  readonly values: number
}

export interface BodyLimits {
  readonly bytes: number
  readonly values: number
}

/**
 * Receives the client's body. Its cost is counted while it arrives, and taken from the lease, so that a body that is too
 * expensive is refused before it is parsed. The rest of a refused body is discarded.
 */
export class BodyIntake {
  private readonly blocks = new ByteBlocks()
  private readonly scan: JsonCost
  private readonly limits: BodyLimits
  private readonly lease: Lease
  private readonly done: (body: Result<RequestBody>) => void
  private size = 0
  private isOver = false
  /** The memory of its decoder. */
  private decoder = 0

  /** `done` is called once: with the body, or with the reason why it is refused. */
  constructor(limits: BodyLimits, lease: Lease, done: (body: Result<RequestBody>) => void) {
    this.limits = limits
    this.lease = lease
    this.done = done
    this.scan = scanBody(limits.values)
  }

  /** `length`: the header `Content-Length`. `coding`: the content coding of the body, empty if it has none. */
  expect(length: string | undefined, coding: string): void {
    this.bound(Number(length ?? 0))
    if (coding === '' || this.isOver) return
    this.decoder = BODIES.perDecoder
    if (!this.lease.resize(this.decoder)) this.refuse(BUSY)
  }

  /** `bytes`: of the body as it was sent, so far. One that decodes to less must not be endless either. */
  bound(bytes: number): void {
    if (bytes > this.limits.bytes) this.refuse(tooLarge(this.limits.bytes))
  }

  add(chunk: Uint8Array): void {
    if (this.isOver) return
    this.size += chunk.length
    const fault = this.faultAfter(chunk)
    if (fault === null) this.blocks.add(chunk)
    else this.refuse(fault)
  }

  /** Counts the chunk. Returns the reason against the body so far; null if there is none. */
  private faultAfter(chunk: Uint8Array): GatewayError | null {
    const { limits, lease, scan, size } = this
    if (size > limits.bytes) return tooLarge(limits.bytes)
    scan.add(chunk)
    return faultOfScan(scan) ?? (lease.resize(this.decoder + bodyCostOf(size, scan.values)) ? null : BUSY)
  }

  end(): void {
    const { scan, size } = this
    if (scan.empty) this.refuse(EMPTY_BODY)
    if (this.isOver) return
    this.isOver = true
    this.lease.resize(bodyCostOf(size, scan.values))
    // The source of the body may stay in memory for the whole answer, and must not keep the bytes.
    this.done(ok({ bytes: this.blocks.take(), cuts: scan.cuts.splice(0), size, values: scan.values }))
  }

  /** The body ended before it was complete, or for this reason. */
  breakOff(reason: GatewayError = INCOMPLETE): void {
    this.refuse(reason)
  }

  get refused(): boolean {
    return this.isOver
  }

  private refuse(error: GatewayError): void {
    if (this.isOver) return
    this.isOver = true
    this.blocks.clear()
    this.lease.release()
    this.done(err(error))
  }
}

/** Bytes of a message that are scanned in one step. */
const SCANNED = 64 * 1024

/** The same for a body that has arrived whole, as one message of a socket. */
export function* scanMessage(bytes: Uint8Array, limits: BodyLimits, lease: Lease): Steps<Result<RequestBody>> {
  const scan = scanBody(limits.values)
  const { length: size } = bytes
  if (size > limits.bytes) return err(tooLarge(limits.bytes))
  for (let at = 0; at < size; at += SCANNED) {
    scan.add(bytes.subarray(at, at + SCANNED))
    const fault = faultOfScan(scan)
    if (fault !== null) return err(fault)
    if (!lease.resize(bodyCostOf(size, scan.values))) return err(BUSY)
    yield
  }
  if (scan.empty) return err(EMPTY_BODY)
  return ok({ bytes: [bytes], cuts: scan.cuts.splice(0), size, values: scan.values })
}

/** Cost in bytes of memory, until the body has been serialised for its upstream. */
export const bodyCostOf = (bytes: number, values: number): number => bytes * BODIES.perByte + values * BODIES.perValue

/** Cost after that: the sent bytes, and the values that a retry would be built from. */
export const keptCostOf = ({ size, values }: RequestBody): number =>
  size * BODIES.perByteKept + values * BODIES.perValue

/** The bytes are not in the content coding that the header announces, end too early, or go on behind their end. */
export const DAMAGED = clientError('malformed_request', 'Content-Encoding: the body is damaged or incomplete.')

const INCOMPLETE = clientError('incomplete_body', 'The request ended before its body was complete.')
