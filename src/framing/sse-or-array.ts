import { BLANK_LINE, type Boundary } from './boundary.ts'
import type { Frame, FrameReader } from './frame.ts'
import type { Framing } from './framing.ts'
import { createJsonArrayReader, createObjectReader } from './json-array.ts'
import { createSseReader } from './sse.ts'

const NO_FRAMES: readonly Frame[] = []

/** White space and the bytes of a byte order mark. They do not decide the format, and are skipped. */
const BLANK: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf])

const BRACKET = 0x5b
const BRACE = 0x7b

const isBare = (byte: number | undefined): boolean => byte === BRACKET || byte === BRACE

const startOf = (bytes: Uint8Array): number => bytes.findIndex((byte) => !BLANK.has(byte))

/** In an array a blank line does not end a frame. */
const EVENTS_ONLY: Boundary = {
  ...BLANK_LINE,
  begins(bytes) {
    const start = startOf(bytes)
    return start < 0 ? null : !isBare(bytes[start])
  },
}

/**
 * Server-sent events, or JSON if the upstream was not asked for events or does not support them. The first byte that is
 * not blank decides. Bare JSON between events is a frame, too: some upstreams report a failure that way after the
 * stream has begun.
 */
export function createSseOrArrayReader(limit: number, keepsText = false): FrameReader {
  const bare = createObjectReader(limit)
  const state: { reader: FrameReader | null } = { reader: null }
  const openFor = (byte: number | undefined): FrameReader =>
    isBare(byte) ? createJsonArrayReader(limit) : createSseReader(limit, (line) => bare.read(`${line}\n`), keepsText)

  return {
    push(bytes) {
      if (state.reader !== null) return state.reader.push(bytes)
      const start = startOf(bytes)
      if (start < 0) return NO_FRAMES
      state.reader = openFor(bytes[start])
      return state.reader.push(bytes.subarray(start))
    },
    end: () => (state.reader === null ? NO_FRAMES : [...state.reader.end(), ...bare.end()]),
    overflowed: () => state.reader?.overflowed() === true || bare.overflowed(),
  }
}

export const SSE_OR_ARRAY: Framing = {
  name: 'sse-or-array',
  open: createSseOrArrayReader,
  mediaTypes: ['text/event-stream'],
  // Server-sent events, or an array. A single object is a whole body.
  looksLike: /^\ufeff?\s*(?:\[|(?:data|event|id|retry|error)?:)/,
  boundary: EVENTS_ONLY,
  extension: 'sse',
  format: 'sse',
}
