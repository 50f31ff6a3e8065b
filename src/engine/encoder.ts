import { viewResponseInSteps } from '../dialects/view-long.ts'
import { writeFrames } from '../dialects/write.ts'
import { createPrinter } from '../output/frame-printer.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Response } from '../protocol/response.ts'
import { collect } from '../responses/collect.ts'
import { bodyEncoderOf, DeltaChain, type Encoder, encoderOf } from './delta-encoder.ts'
import type { TranslateOptions } from './translate.ts'

export type { Encoder } from './delta-encoder.ts'

export type DecodeOptions = Pick<TranslateOptions, 'wire' | 'quirks' | 'limits' | 'slice'>

/** The encoding half: deltas → the events of a dialect, as bytes. */
export function createEncoder(options: TranslateOptions): Encoder<Uint8Array, Uint8Array> {
  const printer = createPrinter(options.slice !== undefined)
  const chain = new DeltaChain(options, writeFrames(options.dialect), (output) => printer.emit(output), options.slice)
  const take = (steps: () => void): Uint8Array => {
    printer.begin()
    steps()
    return printer.take()
  }
  return encoderOf(chain, { take, waits: () => printer.waits(), resume: () => printer.resume() })
}

/** The encoding half for a whole body: deltas → the response object of a dialect. */
export function createBodyEncoder(options: TranslateOptions): Encoder<void, JsonObject> {
  const closed: Response[] = []
  const keep = (response: Response): boolean => closed.push(response) === 0
  const chain = new DeltaChain(options, collect, keep, options.slice)
  return bodyEncoderOf(chain, () => viewResponseInSteps(options.dialect, closed[0] as Response), options.slice)
}
