import type { IncomingMessage } from 'node:http'
import { createPace } from '../../host/pace.ts'
import { clientError, type GatewayError, gatewayError } from '../../protocol/error.ts'
import { BODIES } from '../../protocol/limits.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Cut } from '../../text/json-cost.ts'
import type { Steps } from '../../text/steps.ts'
import { EMPTY_BODY, faultOfScan, scanBody } from '../../validation/body.ts'
import { describeValue } from '../../validation/messages.ts'
import type { Lease } from './body-budget.ts'
import { ByteBlocks } from './byte-blocks.ts'
import { isCompressed } from './content-coding.ts'

/**
 * Checks that the header announces a JSON body. Without this check, pages of other sites could send requests: see
 * `cross-site.ts`.
 */
export function checkContentType({ headers }: IncomingMessage): Result<null> {
  if (isCompressed(headers['content-encoding'])) {
    return unsupported(`Content-Encoding: expected identity, got ${describeValue(headers['content-encoding'])}`)
  }
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (type.trim() !== 'application/json')
    return unsupported(`Content-Type: expected application/json, got ${describeValue(headers['content-type'])}`)
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  return isUtf8 ? ok(null) : unsupported(`Content-Type: expected charset=utf-8, got ${describeValue(charset)}`)
}

const unsupported = (message: string) => err(clientError('unsupported_media_type', message))

const tooLarge = (limit: number): GatewayError =>
  clientError('request_too_large', `The request body is too large: expected at most ${limit} bytes.`)

/** Sent to a client whose body does not fit beside the bodies of other requests. A later attempt may succeed. */
const BUSY: GatewayError = {
  ...gatewayError(
    'server_is_overloaded',
    'The request bodies in progress use all of the memory for them. Retry the request.',
    503,
  ),
  retryAfter: 1,
}

/** A received body, and the positions at which its text can be split. */
export interface RequestBody {
  readonly bytes: readonly Uint8Array[]
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
 * Reads the client's whole body. Its cost is counted while it arrives, and taken from the lease, so that a body that is
 * too expensive is refused before it is parsed. Its remaining bytes are read and discarded, so that the client can
 * receive the refusal.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits, lease: Lease): Promise<Result<RequestBody>> {
  return new Promise((resolve) => {
    const blocks = new ByteBlocks()
    const scan = scanBody(limits.values)
    let size = 0
    let isOver = false
    const refuse = (error: GatewayError): void => {
      if (isOver) return
      isOver = true
      blocks.clear()
      lease.release()
      resolve(err(error))
    }
    // Events from before the listeners were added are not emitted again.
    if (request.destroyed) refuse(INCOMPLETE)
    if (Number(request.headers['content-length'] ?? 0) > limits.bytes) refuse(tooLarge(limits.bytes))
    const pace = createPace(request.socket)
    request.on('data', (chunk: Buffer) => {
      pace(chunk.length)
      if (isOver) return
      size += chunk.length
      if (size > limits.bytes) return refuse(tooLarge(limits.bytes))
      scan.add(chunk)
      const fault = faultOfScan(scan)
      if (fault !== null) return refuse(fault)
      if (!lease.resize(costOf(size, scan.values))) return refuse(BUSY)
      blocks.add(chunk)
    })
    request.on('end', () => {
      if (scan.empty) return refuse(EMPTY_BODY)
      if (isOver) return
      isOver = true
      // Listeners of the request stay in memory for the whole answer, and must not keep its body.
      resolve(ok({ bytes: blocks.take(), cuts: scan.cuts.splice(0), size, values: scan.values }))
    })
    request.on('error', () => refuse(INCOMPLETE))
    request.on('close', () => refuse(INCOMPLETE))
  })
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
    if (!lease.resize(costOf(size, scan.values))) return err(BUSY)
    yield
  }
  if (scan.empty) return err(EMPTY_BODY)
  return ok({ bytes: [bytes], cuts: scan.cuts.splice(0), size, values: scan.values })
}

/** Cost in bytes of memory, until the body has been serialised for its upstream. */
const costOf = (bytes: number, values: number): number => bytes * BODIES.perByte + values * BODIES.perValue

/** Cost after that: the sent bytes, and the values that a retry would be built from. */
export const keptCostOf = ({ size, values }: RequestBody): number =>
  size * BODIES.perByteKept + values * BODIES.perValue

const INCOMPLETE = clientError('incomplete_body', 'The request ended before its body was complete.')
