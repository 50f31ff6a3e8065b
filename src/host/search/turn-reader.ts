import { createDecoder } from '../../engine/decoder.ts'
import type { Sliced } from '../../engine/translate.ts'
import { FRAMINGS } from '../../framing/registry.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { Prepared } from '../server/endpoints/prepare-request.ts'
import { byFirstBytes, isStream } from '../upstream/detect-stream.ts'
import { wholeBody } from '../upstream/read-response-body.ts'
import type { BodyReader, UpstreamResponse } from '../upstream/transport.ts'
import type { Slices } from '../upstream/work-slices.ts'

/** Deltas that the search loop receives in one slice. */
const DELTAS = 128

/** The upstream answer of one turn, read in slices. */
export interface TurnReader extends Sliced<void> {
  /** Reads its body. */
  readonly reader: BodyReader
}

export interface TurnReaderOptions {
  readonly prepared: Prepared
  readonly answer: UpstreamResponse
  readonly slices: Slices<void>
  readonly onDeltas: (deltas: readonly Delta[]) => void
  /** Whether the deltas are still needed. */
  readonly wantsDeltas: () => boolean
  /** Called once, after all deltas, with the number of messages. */
  readonly done: (chunks: number) => void
}

/** Decodes a stream or a whole body to deltas. */
export function createTurnReader({
  prepared: { options },
  answer,
  slices,
  onDeltas,
  wantsDeltas,
  done,
}: TurnReaderOptions): TurnReader {
  const decoder = createDecoder(options)
  let deltas: readonly Delta[] = []
  let at = 0
  let isDone = false

  const finish = (chunks: number): void => {
    if (isDone) return
    isDone = true
    done(chunks)
  }
  const addDeltas = (more: readonly Delta[]): void => {
    deltas = at < deltas.length ? [...deltas.slice(at), ...more] : more
    at = 0
    applySome()
  }
  const applySome = (): void => {
    const some = deltas.slice(at, at + DELTAS)
    at += some.length
    if (some.length > 0) onDeltas(some)
    if (wantsDeltas()) return
    // The answer has passed a limit.
    deltas = []
    at = 0
    stop()
  }
  const stop = (): void => {
    answer.abort()
    // Earlier work is finished first.
    slices.run(() => finish(decoder.chunks()))
  }

  const stream: BodyReader = {
    bytes: (chunk) =>
      slices.run(() => {
        if (isDone || decoder.over()) return
        addDeltas(decoder.receive(chunk))
        // The stream has passed a limit.
        if (decoder.over()) stop()
      }),
    end: () => {
      slices.run(() => addDeltas(decoder.end()))
      slices.run(() => finish(decoder.chunks()))
    },
    fail: (error) => {
      slices.run(() => addDeltas(decoder.fail(error)))
      slices.run(() => finish(decoder.chunks()))
    },
  }
  const body = (): BodyReader =>
    wholeBody(answer, options.wholeLimits, (text) => {
      slices.run(() => addDeltas(text.ok ? decoder.receiveBody(text.value) : [{ kind: 'error', error: text.error }]))
      slices.run(() => finish(1))
    })
  const framing = FRAMINGS[options.wire.framing]
  return {
    reader: byFirstBytes(framing, isStream(answer.headers['content-type'], framing), () => stream, body),
    busy: () => at < deltas.length || decoder.busy(),
    resume() {
      if (at < deltas.length) applySome()
      else addDeltas(decoder.resume())
    },
  }
}
