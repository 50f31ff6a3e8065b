import type { IncomingMessage } from 'node:http'
import type { Lease } from '../../gateway/body/body-budget.ts'
import { BodyIntake, type BodyLimits, type RequestBody } from '../../gateway/body/body-intake.ts'
import type { Result } from '../../protocol/result.ts'
import { createPace } from '../pace.ts'

/**
 * Reads the client's whole body within its limits. The remaining bytes of a refused body are read and discarded, so
 * that the client can receive the refusal.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits, lease: Lease): Promise<Result<RequestBody>> {
  return new Promise((resolve) => {
    const intake = new BodyIntake(limits, lease, resolve)
    // Events from before the listeners were added are not emitted again.
    if (request.destroyed) intake.breakOff()
    intake.expect(request.headers['content-length'])
    const pace = createPace(request.socket)
    const onData = (chunk: Buffer): void => {
      pace(chunk.length)
      intake.add(chunk)
    }
    const onBreak = (): void => intake.breakOff()
    const onEnd = (): void => {
      // The request stays in memory for the whole answer, and must not keep the intake.
      request.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak)
      intake.end()
    }
    request.on('data', onData)
    request.on('end', onEnd)
    request.on('error', onBreak)
    request.on('close', onBreak)
  })
}
