import type { TranslationOptions } from '../engine/answer.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { AnswerTranslator, StreamTranslator } from '../engine/stream-translator.ts'
import { type Frame, type FrameReader, jsonOf } from '../framing/frame.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LIMITS } from '../protocol/limits.ts'
import { isObject } from '../text/json.ts'

/** The events in the bytes of an answer that passes to its client. */
export const eventsOfBytes = (
  inner: StreamTranslator,
  { wire, limits = LIMITS }: TranslationOptions,
): AnswerTranslator<readonly JsonObject[]> => new PassedEvents(inner, wire.framing.open(limits.answerSize))

class PassedEvents implements AnswerTranslator<readonly JsonObject[]> {
  private readonly inner: StreamTranslator
  private readonly reader: FrameReader

  constructor(inner: StreamTranslator, reader: FrameReader) {
    this.inner = inner
    this.reader = reader
  }

  push(bytes: Uint8Array): readonly JsonObject[] {
    return objectsOf(this.reader.push(this.inner.push(bytes)))
  }

  pushBody(body: string): readonly JsonObject[] {
    return this.ending(this.inner.pushBody(body))
  }

  end(): readonly JsonObject[] {
    return this.ending(this.inner.end())
  }

  abort(error?: GatewayError): readonly JsonObject[] {
    return this.ending(this.inner.abort(error))
  }

  get done(): boolean {
    return this.inner.done
  }

  get outcome(): Outcome {
    return this.inner.outcome
  }

  private ending(bytes: Uint8Array): readonly JsonObject[] {
    return objectsOf([...this.reader.push(bytes), ...this.reader.end()])
  }
}

const objectsOf = (frames: readonly Frame[]): readonly JsonObject[] =>
  frames.map(jsonOf).filter((value): value is JsonObject => isObject(value))
