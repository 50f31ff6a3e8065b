import { BLANK_LINE, type Boundary, LINE_END } from './boundary.ts'
import { createEventStreamReader, MESSAGE_SIZE } from './eventstream.ts'
import type { FrameReader } from './frame.ts'
import { createNdjsonReader } from './ndjson.ts'
import { createSseReader } from './sse.ts'
import { createSseOrArrayReader, EVENTS_ONLY } from './sse-or-array.ts'

export type FramingName = 'sse' | 'sse-or-array' | 'ndjson' | 'eventstream'

/** One way to write frames as bytes. */
export interface Framing {
  /** Opens a reader for one stream. `limit` is the largest event, in UTF-16 units for text, otherwise in bytes. */
  open(limit: number): FrameReader
  /** Content types of the framing, without parameters. The first one is sent in requests. */
  readonly mediaTypes: readonly [string, ...string[]]
  /** Matches an answer with another content type whose first characters look like a stream. */
  readonly looksLike: RegExp
  readonly boundary: Boundary
  /** The extension of files that contain such streams. */
  readonly extension: string
}

export const FRAMINGS = {
  sse: {
    open: createSseReader,
    mediaTypes: ['text/event-stream'],
    // Fields of server-sent events, or a comment.
    looksLike: /^\ufeff?\s*(?:data|event|id|retry|error)?:/,
    boundary: BLANK_LINE,
    extension: 'sse',
  },
  'sse-or-array': {
    open: createSseOrArrayReader,
    mediaTypes: ['text/event-stream'],
    // Server-sent events, or an array. A single object is a whole body.
    looksLike: /^\ufeff?\s*(?:\[|(?:data|event|id|retry|error)?:)/,
    boundary: EVENTS_ONLY,
    extension: 'sse',
  },
  ndjson: {
    open: createNdjsonReader,
    mediaTypes: [
      'application/x-ndjson',
      'application/ndjson',
      'application/jsonl',
      'application/x-jsonl',
      'application/jsonlines',
      'application/stream+json',
    ],
    // An object that continues in its first line. A whole body of one line is a stream of one frame, too.
    looksLike: /^\ufeff?\s*\{[ \t]*"/,
    boundary: LINE_END,
    extension: 'ndjson',
  },
  eventstream: {
    open: createEventStreamReader,
    mediaTypes: ['application/vnd.amazon.eventstream'],
    // The first byte of a length: no text begins with a byte that small.
    looksLike: /^[^\t\n\v\f\r -\uffff]/,
    boundary: MESSAGE_SIZE,
    extension: 'bin',
  },
} satisfies Record<FramingName, Framing>

/** Splits the bytes of a stream at the ends of its frames. */
export const splitFrames = (framing: Framing, bytes: Uint8Array): readonly Uint8Array[] => [
  ...frameReads(framing, bytes),
]

/** Does the same for one frame at a time, for long streams. */
export function* frameReads({ open, boundary }: Framing, bytes: Uint8Array): Generator<Uint8Array> {
  const reader = open(Number.MAX_SAFE_INTEGER)
  // A frame of text ends with one of these bytes, unless a carriage return may end a line.
  const isText = !boundary.sized && !bytes.includes(CR)
  let start = 0
  for (let at = 0; at < bytes.length; ) {
    const from = at
    if (isText) while (at < bytes.length - 1 && bytes[at] !== LF && bytes[at] !== BRACE) at += 1
    at += 1
    if (reader.push(bytes.subarray(from, at)).length === 0) continue
    yield bytes.subarray(start, at)
    start = at
  }
  if (start < bytes.length) yield bytes.subarray(start)
}

const [LF, CR, BRACE] = [0x0a, 0x0d, 0x7d] as const
