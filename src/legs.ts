import { viewResponseInSteps } from './dialects/view-long.ts'
import { writeFrames } from './dialects/write.ts'
import type { Sliced, TranslateOptions } from './engine.ts'
import { FRAMINGS } from './framing/table.ts'
import { tooLarge } from './hearing.ts'
import { NOTHING } from './machine/machine.ts'
import type { Delta } from './protocol/delta.ts'
import type { GatewayError } from './protocol/error.ts'
import type { JsonObject } from './protocol/json.ts'
import { LIMITS } from './protocol/limits.ts'
import type { Response } from './protocol/response.ts'
import { collect } from './responses/collect.ts'
import { SlicedDecoder } from './sliced-decoder.ts'
import { DeltaChain, type Telling, tellingOf, wholeTellingOf } from './telling.ts'
import { openPrinter } from './text/press.ts'

export type { Telling } from './telling.ts'

/**
 * A translation in two halves, for callers that build one response from several upstream answers (`search/loop.ts`). It
 * has no fast path, because such a caller needs every delta.
 */

/** The decoding half: one upstream answer. */
export interface Listening extends Sliced<readonly Delta[]> {
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

type ListenOptions = Pick<TranslateOptions, 'wire' | 'quirks' | 'limits' | 'slice'>

/** Decodes the bytes of an upstream stream to deltas. */
export function listen(options: ListenOptions): Listening {
  const { wire, limits = LIMITS } = options
  const reader = FRAMINGS[wire.framing].open(limits.upstreamEvent)
  const decoder = new SlicedDecoder(options, options.slice)
  let received = 0
  const unlessOver = (hear: () => void): readonly Delta[] => {
    if (decoder.over()) return NOTHING
    hear()
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

/** The encoding half: deltas → the events of a dialect, as bytes. */
export function tell(options: TranslateOptions): Telling<Uint8Array, Uint8Array> {
  const printer = openPrinter(options.slice !== undefined)
  const chain = new DeltaChain(options, writeFrames(options.dialect), (said) => printer.say(said), options.slice)
  const take = (steps: () => void): Uint8Array => {
    printer.begin()
    steps()
    return printer.take()
  }
  return tellingOf(chain, { take, waits: () => printer.waits(), resume: () => printer.resume() })
}

/** The encoding half for a whole body: deltas → the response object of a dialect. */
export function tellWhole(options: TranslateOptions): Telling<void, JsonObject> {
  const closed: Response[] = []
  const keep = (response: Response): boolean => closed.push(response) === 0
  const chain = new DeltaChain(options, collect, keep, options.slice)
  return wholeTellingOf(chain, () => viewResponseInSteps(options.dialect, closed[0] as Response), options.slice)
}
