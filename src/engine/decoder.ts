import { FRAMINGS } from '../framing/registry.ts'
import { NOTHING } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import type { GatewayError } from '../protocol/error.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { DecodeOptions } from './encoder.ts'
import { tooLarge } from './reducer.ts'
import { SlicedDecoder } from './sliced-decoder.ts'
import type { Sliced } from './translate.ts'

/**
 * A translation in two halves, for callers that build one response from several upstream answers (`search/loop/loop.ts`). It
 * has no fast path, because such a caller needs every delta.
 */

/** The decoding half: one upstream answer. */
export interface Decoder extends Sliced<readonly Delta[]> {
  receive(bytes: Uint8Array): readonly Delta[]
  /** A whole upstream body in place of a stream, including its end. */
  receiveBody(body: string): readonly Delta[]
  end(): readonly Delta[]
  fail(error: GatewayError): readonly Delta[]
  /** True if further bytes of the upstream cannot change the answer. */
  over(): boolean
  /** The number of frames decoded so far. */
  chunks(): number
}

/** Decodes the bytes of an upstream stream to deltas. */
export function createDecoder(options: DecodeOptions): Decoder {
  const { wire, limits = LIMITS } = options
  const reader = FRAMINGS[wire.framing].open(limits.upstreamEvent)
  const decoder = new SlicedDecoder(options, options.slice)
  let received = 0
  const unlessOver = (apply: () => void): readonly Delta[] => {
    if (decoder.over()) return NOTHING
    apply()
    return decoder.resume()
  }
  return {
    receive: (bytes) =>
      unlessOver(() => {
        received += bytes.length
        decoder.add(reader.push(bytes))
        if (reader.overflowed()) decoder.close(tooLarge('One event', limits.upstreamEvent))
        else if (received > limits.upstreamTotal) decoder.close(tooLarge('The answer', limits.upstreamTotal))
      }),
    receiveBody: (body) => unlessOver(() => decoder.addBody(body)),
    end: () =>
      unlessOver(() => {
        decoder.add(reader.end())
        decoder.close()
      }),
    fail: (error) => unlessOver(() => decoder.close({ kind: 'cut', error })),
    over: () => decoder.over(),
    chunks: () => decoder.chunks,
    busy: () => decoder.busy(),
    resume: () => decoder.resume(),
  }
}
