import type { IncomingMessage } from 'node:http'
import type { Lease } from '../../gateway/body/body-budget.ts'
import { BodyIntake, type BodyLimits, DAMAGED, type RequestBody } from '../../gateway/body/body-intake.ts'
import { codingOf } from '../../gateway/body/content-coding.ts'
import type { Result } from '../../protocol/result.ts'
import { type BodyDecoder, createDecoder, type DecoderListener } from '../content-decoders.ts'
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
  const coding = codingOf(request.headers['content-encoding'])
  intake.expect(request.headers['content-length'], coding)
  const body = coding === '' ? intake : new DecodedBody(request, intake, coding)
  const pace = createPace(request.socket)
  const onData = (chunk: Buffer): void => {
    pace(chunk.length)
    body.add(chunk)
  }
  const onBreak = (): void => body.breakOff()
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
class DecodedBody implements DecoderListener {
  private readonly request: IncomingMessage
  private readonly intake: BodyIntake
  private readonly decoder: BodyDecoder | null
  private received = 0

  /** `coding`: one that the server decodes. */
  constructor(request: IncomingMessage, intake: BodyIntake, coding: string) {
    this.request = request
    this.intake = intake
    this.decoder = createDecoder(coding, this)
  }

  add(chunk: Buffer): void {
    this.received += chunk.length
    this.intake.bound(this.received)
    if (this.intake.refused) this.stop()
    else if (this.decoder?.write(chunk) === false) this.request.pause()
  }

  end(): void {
    if (this.intake.refused) this.stop()
    else this.decoder?.end()
  }

  breakOff(): void {
    this.intake.breakOff()
    this.stop()
  }

  onDecoded(bytes: Buffer): void {
    this.intake.add(bytes)
    if (this.intake.refused) this.stop()
  }

  onDrain(): void {
    this.request.resume()
  }

  onEnd(): void {
    this.intake.end()
  }

  onFault(): void {
    this.intake.breakOff(DAMAGED)
    this.stop()
  }

  private stop(): void {
    this.decoder?.close()
    this.request.resume()
  }
}
