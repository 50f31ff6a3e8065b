import type { Delta } from '../protocol/delta.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Steps } from '../text/steps.ts'
import { MachineChain } from './machine-chain.ts'
import type { Outcome } from './outcome.ts'
import { SlicedBody } from './sliced-body.ts'
import type { Sliced } from './translate.ts'

/** Encodes deltas from any source for a client. After `close`, further deltas are ignored. */
export interface Encoder<Piece, Whole> extends Sliced<Piece> {
  write(deltas: readonly Delta[]): Piece
  close(): Piece
  /** Closes the answer, and does all work that is left. */
  end(): Whole
  /** True if the answer was closed, or a limit was exceeded. */
  over(): boolean
  /** True if an item has begun, which means that the first token has arrived. */
  begun(): boolean
  /** `chunks`: the number of frames of all upstream answers that the deltas come from. */
  outcome(chunks: number): Outcome
}

/** The machines of a stream that begins with deltas. */
export class DeltaChain<State, Out> extends MachineChain<State, Out> {
  addDeltas(deltas: readonly Delta[]): void {
    if (this.phase !== 'open') return
    this.appendDeltas(deltas)
    this.work()
  }

  end(): void {
    if (this.phase !== 'open') return
    this.phase = 'end of reducer'
    this.work()
  }

  outcomeOf(chunks: number): Outcome {
    this.frameCount = chunks
    return this.outcome()
  }
}

/** The output buffer of a chain. `take` runs steps and returns their outputs as bytes. */
export interface EncoderOutput {
  take(steps: () => void): Uint8Array
  waits(): boolean
  resume(): void
}

/** Encodes the answer as a stream of bytes. */
export function encoderOf<State, Out>(
  chain: DeltaChain<State, Out>,
  output: EncoderOutput,
): Encoder<Uint8Array, Uint8Array> {
  const take = (steps: () => void): Uint8Array =>
    output.take(() => {
      chain.refill()
      steps()
    })
  const busy = (): boolean => chain.busy() || output.waits()
  const resume = (): Uint8Array =>
    take(() => {
      output.resume()
      if (!output.waits()) chain.resume()
    })
  const close = (): Uint8Array => take(() => chain.end())
  return {
    write: (deltas) => take(() => chain.addDeltas(deltas)),
    close,
    end() {
      const pieces = [close()]
      while (busy()) pieces.push(resume())
      return pieces.length === 1 ? (pieces[0] as Uint8Array) : concat(pieces)
    },
    over: () => chain.over(),
    begun: () => chain.begun(),
    outcome: (chunks) => chain.outcomeOf(chunks),
    busy,
    resume,
  }
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Encodes the answer as one body. */
export function bodyEncoderOf<State, Out>(
  chain: DeltaChain<State, Out>,
  toBody: () => Steps<JsonObject>,
  slice: number | undefined,
): Encoder<void, JsonObject> {
  const body = new SlicedBody(chain, toBody, slice)
  const close = (): void => {
    chain.refill()
    chain.end()
  }
  return {
    write(deltas) {
      chain.refill()
      chain.addDeltas(deltas)
    },
    close,
    end() {
      close()
      while (chain.busy()) body.resume()
      return body.whole()
    },
    over: () => chain.over(),
    begun: () => chain.begun(),
    outcome: (chunks) => chain.outcomeOf(chunks),
    busy: () => body.busy(),
    resume: () => body.resume(),
  }
}
