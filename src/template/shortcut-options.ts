import type { Boundary } from '../framing/boundary.ts'
import type { Printer } from '../text/press.ts'
import type { Leaves } from './shape.ts'

export interface ShortcutOptions {
  readonly printer: Printer
  /** Chunks of one run go into one frame, as long as the printer has one open. */
  readonly coalesce: boolean
  readonly leaves: Leaves
  readonly boundary: Boundary
  /** Of one event, as the reader has it. Whether a larger one passes it, the reader decides. */
  readonly limit: number
  /** Bytes of text that the machines are given at the latest. */
  readonly mostText: number
}
