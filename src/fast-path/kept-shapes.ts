import { getOrCreate } from '../collections/get-or-create.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import type { KeptShape } from './kept-shape.ts'

/** Shapes of one kind of decoder: text, reasoning, arguments, each in a few forms. */
const MOST_SHAPES = 8

/** Kinds of decoders of one wire, which its quirks distinguish. */
const MOST_QUIRKS = 32

/** After this many shapes that were added but never used, only one stream in `SELDOM` adds another one. */
const MOST_UNUSED = 16
const SELDOM = 64

/** Recalling a shape costs about as much as this many chunks on the slow path: a text with fewer of them is short. */
const SHORT = 12

/** A prediction changes after two texts that contradict it, as in a two-bit saturating counter. */
const MOST_TRUST = 3
const LEAST_TRUST = 2

/** The shapes that streams with the same kind of decoder have kept, the last used ones first. */
export class KeptShapes {
  private shapes: readonly KeptShape[] = []
  private streams = 0
  private unused = 0
  private offered = 0
  /** How far the last texts have paid for their shapes. */
  private trust = MOST_TRUST

  /** Counts a stream that uses the shapes. */
  join(): this {
    this.streams += 1
    return this
  }

  all(): readonly KeptShape[] {
    return this.shapes
  }

  /**
   * Returns whether a stream should add the shape that it has found. The first one should not: a decoder that is made
   * for one request has no other stream.
   */
  wantsMore(): boolean {
    this.offered += 1
    if (this.streams < 2) return false
    return this.unused < MOST_UNUSED || this.offered % SELDOM === 0
  }

  add(shape: KeptShape): void {
    this.unused += 1
    this.shapes = [shape, ...this.shapes].slice(0, MOST_SHAPES)
  }

  /** Records that a shape has served another stream. */
  use(shape: KeptShape): void {
    this.unused = 0
    if (this.shapes[0] !== shape) this.shapes = [shape, ...this.without(shape)]
  }

  /** Returns the chunks of each text for which a stream recalls no shape: none if the last texts were long. */
  patience(): number {
    return this.trust < LEAST_TRUST ? SHORT : 0
  }

  /** Records the chunks of a text whose shape was recalled. */
  noteText(chunks: number): void {
    this.trust = chunks < SHORT ? Math.max(0, this.trust - 1) : Math.min(MOST_TRUST, this.trust + 1)
  }

  /** Drops a shape of which a stream had one chunk only. */
  drop(shape: KeptShape): void {
    this.shapes = this.without(shape)
  }

  private without(shape: KeptShape): readonly KeptShape[] {
    return this.shapes.filter((other) => other !== shape)
  }
}

/** The function that opens a decoder, and its argument: decoders of one kind are equal. */
export interface DecoderKind {
  readonly decodeStream: StreamWire['decodeStream']
  readonly quirks: Quirks
}

/** Memory of the process, bounded by the constants above: `decodeStream` is a function of a wire. */
const KINDS = new WeakMap<StreamWire['decodeStream'], Map<string, KeptShapes>>()

/** Returns the shapes of a kind of decoder, for one more stream. */
export function keptShapes({ decodeStream, quirks }: DecoderKind): KeptShapes {
  const kinds = getOrCreate(KINDS, decodeStream, () => new Map<string, KeptShapes>())
  const name = JSON.stringify(quirks)
  const known = kinds.get(name)
  if (known !== undefined) return known.join()
  const [oldest] = kinds.keys()
  if (kinds.size >= MOST_QUIRKS && oldest !== undefined) kinds.delete(oldest)
  const shapes = new KeptShapes()
  kinds.set(name, shapes)
  return shapes.join()
}
