import type { Boundary } from '../framing/boundary.ts'
import type { Printer } from '../text/press.ts'
import type { Leaves } from './shape.ts'

export interface ShortcutOptions {
  readonly printer: Printer
  /** Chunks of one text become one frame, as long as the printer has one open. */
  readonly coalesce: boolean
  readonly leaves: Leaves
  readonly boundary: Boundary
  /** The reader's limit for one event. The reader decides whether a larger one is accepted. */
  readonly limit: number
  /** Bytes of text after which the machines are synchronised at the latest. */
  readonly mostText: number
}
