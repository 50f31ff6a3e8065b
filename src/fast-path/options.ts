import type { Boundary } from '../framing/boundary.ts'
import type { Printer } from '../output/frame-printer.ts'
import { READ_MEMORY } from '../output/scratch.ts'
import type { DecoderKind } from './kept-shapes.ts'
import type { TemplateFields } from './patterns/pattern.ts'

/** An answer whose chunks may be passed on as they came. */
export interface PassedChunks {
  /** Whether they are. */
  readonly isPassed: boolean
  /** Whether the last frame on the slow path was sent as it came: only such chunks are proved. */
  readonly isSame: boolean
  /** Whether its events have numbers, of which the last one is needed. */
  readonly isNumbered: boolean
  /** Whether a chunk with other members than the proved one quotes a secret. */
  quotes(chunk: string): boolean
}

/** Held by the answer itself: another object with them would be one more of every stream. */
export interface FastPathOptions {
  readonly printer: Printer
  /** Chunks of one text become one frame, as long as the printer has one open. */
  readonly coalesce: boolean
  readonly leaves: TemplateFields
  readonly boundary: Boundary
  /** The reader's limit for one event. The reader decides whether a larger one is accepted. */
  readonly limit: number
  /** The kind of its decoder, if streams with the same kind of decoder can use what it shows; otherwise null. */
  readonly decoder: DecoderKind | null
  /** Bytes of text after which the machines are synchronised at the latest. */
  readonly mostText: number
  /** Null if the chunks are always translated. */
  readonly passed: PassedChunks | null
}

/** Longest incomplete chunk that is held back, because each read scans all of it again. */
export const LONGEST_CARRY = 4 * 1024

/** Larger reads are cut: a piece and the bytes that are held back fit into the shared memory together. */
export const PIECE = READ_MEMORY - LONGEST_CARRY - 1
