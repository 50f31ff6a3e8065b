import type { TranslationOptions } from '../engine/answer.ts'
import type { AnswerTranslator, StreamTranslator } from '../engine/stream-translator.ts'
import { type Frame, jsonOf } from '../framing/frame.ts'
import type { JsonObject } from '../protocol/json.ts'
import { LIMITS } from '../protocol/limits.ts'
import { isObject } from '../text/json.ts'

/** The events in the bytes of an answer that passes to its client. */
export function eventsOfBytes(
  inner: StreamTranslator,
  { wire, limits = LIMITS }: TranslationOptions,
): AnswerTranslator<readonly JsonObject[]> {
  const reader = wire.framing.open(limits.answerSize)
  const objects = (frames: readonly Frame[]): readonly JsonObject[] =>
    frames.map(jsonOf).filter((value): value is JsonObject => isObject(value))
  const ending = (bytes: Uint8Array): readonly JsonObject[] => objects([...reader.push(bytes), ...reader.end()])
  return {
    push: (bytes) => objects(reader.push(inner.push(bytes))),
    pushBody: (body) => ending(inner.pushBody(body)),
    end: () => ending(inner.end()),
    abort: (error) => ending(inner.abort(error)),
    get done() {
      return inner.done
    },
    get outcome() {
      return inner.outcome
    },
  }
}
