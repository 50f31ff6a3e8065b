import { SLACK } from '../text/bytes.ts'
import { createOutputBuffer, type OutputBuffer } from './output-buffer.ts'

/**
 * The mutable memory that all streams share. The other mutable state of the core is in `engine/pipeline.ts` and
 * `fast-path/`. Memory for each stream, or for each read, would cost more than the work that is done in it. A call on one stream uses
 * it from beginning to end, and leaves nothing in it but bytes that it lends (`OutputBuffer.take`).
 */

export const outputBuffer: OutputBuffer = createOutputBuffer()

/** A read, to be compared with patterns. */
interface ReadMemory {
  bytes: Uint8Array
  /** A view of the same bytes. */
  view: DataView
  /** The number of bytes that are loaded. */
  length: number
}

export const READ_MEMORY = 64 * 1024

function createReadMemory(): ReadMemory {
  const bytes = new Uint8Array(READ_MEMORY + SLACK)
  return { bytes, view: new DataView(bytes.buffer), length: 0 }
}

/**
 * Copying a read into this memory costs less than it saves: a view of each read, and machine code for every kind of
 * array that a read may be.
 */
export const readMemory: ReadMemory = /* @__PURE__ */ createReadMemory()

/** The text of a chunk that matched a pattern: where it is in `readMemory`, and what kind of text it is. */
export interface FoundText {
  start: number
  end: number
  /** The text has characters beyond ASCII, which may be incomplete. */
  wide: boolean
  /** The text has escapes. */
  escaped: boolean
  /** The text has escapes that JSON.stringify would write differently, or that may not be JSON at all. */
  odd: boolean
  /** The text has brackets of JSON. */
  brackets: boolean
  /** The length of the longest content of another slot. */
  loose: number
}

const createFoundText = (): FoundText => ({
  start: 0,
  end: 0,
  wide: false,
  escaped: false,
  odd: false,
  brackets: false,
  loose: 0,
})

export const foundText: FoundText = /* @__PURE__ */ createFoundText()
