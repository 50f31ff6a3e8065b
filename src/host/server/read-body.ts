import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import type { Lease } from '../../gateway/body/body-budget.ts'
import { BodyIntake, type BodyLimits, DAMAGED, type RequestBody } from '../../gateway/body/body-intake.ts'
import { codingOf } from '../../gateway/body/content-coding.ts'
import type { Result } from '../../protocol/result.ts'
import { createDecoder } from '../content-decoders.ts'
import { createPace } from '../pace.ts'

/**
 * Reads the client's whole body within its limits. The remaining bytes of a refused body are read and discarded, so
 * that the client can receive the refusal.
 */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  lease: Lease,
  done: (body: Result<RequestBody>) => void,
): void {
  const intake = new BodyIntake(limits, lease, done)
  // Events from before the listeners were added are not emitted again.
  if (request.destroyed) intake.breakOff()
  intake.expect(request.headers['content-length'])
  const decoder = createDecoder(codingOf(request.headers['content-encoding']))
  const body = decoder === null ? intake : new DecodedBody(request, intake, decoder)
  const pace = createPace(request.socket)
  const onData = (chunk: Buffer): void => {
    pace(chunk.length)
    body.add(chunk)
  }
  const onBreak = (): void => intake.breakOff()
  const onEnd = (): void => {
    // The request stays in memory for the whole answer, and must not keep the intake.
    request.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak)
    body.end()
  }
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('error', onBreak)
  request.on('close', onBreak)
}

/** Decodes a body piece by piece: the limits apply to what it decodes to. A refused body is decoded no further. */
class DecodedBody {
  private readonly request: IncomingMessage
  private readonly decoder: Transform
  private isOver = false

  constructor(request: IncomingMessage, intake: BodyIntake, decoder: Transform) {
    this.request = request
    this.decoder = decoder
    decoder.on('data', (chunk: Buffer) => {
      intake.add(chunk)
      if (intake.refused) this.stop()
    })
    decoder.on('end', () => intake.end())
    decoder.on('drain', () => request.resume())
    decoder.on('error', () => {
      intake.breakOff(DAMAGED)
      this.stop()
    })
  }

  add(chunk: Buffer): void {
    if (!this.isOver && !this.decoder.write(chunk)) this.request.pause()
  }

  end(): void {
    if (!this.isOver) this.decoder.end()
  }

  private stop(): void {
    this.isOver = true
    this.decoder.destroy()
    this.request.resume()
  }
}
