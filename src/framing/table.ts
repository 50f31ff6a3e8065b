import { BLANK_LINE, type Boundary, LINE_END } from './boundary.ts'
import { MESSAGE_SIZE, openEventStream } from './eventstream.ts'
import type { FrameReader } from './frame.ts'
import { openNdjson } from './ndjson.ts'
import { openSse } from './sse.ts'
import { EVENTS_ONLY, openSseOrArray } from './sse-or-array.ts'

export type FramingName = 'sse' | 'sse-or-array' | 'ndjson' | 'eventstream'

/** One way to put messages into bytes. */
export interface Framing {
  /** A fresh reader for one stream; `limit` is the largest event, in UTF-16 units where it is text, else in bytes. */
  open(limit: number): FrameReader
  /** Content types that say so, without parameters; the first is the one to ask for. */
  readonly mediaTypes: readonly [string, ...string[]]
  /** Of an answer that is labelled as something else: do its first characters look like a stream? */
  readonly looksLike: RegExp
  readonly boundary: Boundary
  /** Of the files that hold such streams. */
  readonly extension: string
}

export const FRAMINGS = {
  sse: {
    open: openSse,
    mediaTypes: ['text/event-stream'],
    // Fields of server-sent events, or a comment.
    looksLike: /^\ufeff?\s*(?:data|event|id|retry|error)?:/,
    boundary: BLANK_LINE,
    extension: 'sse',
  },
  'sse-or-array': {
    open: openSseOrArray,
    mediaTypes: ['text/event-stream'],
    // Server-sent events, or an array: an object alone is a whole body.
    looksLike: /^\ufeff?\s*(?:\[|(?:data|event|id|retry|error)?:)/,
    boundary: EVENTS_ONLY,
    extension: 'sse',
  },
  ndjson: {
    open: openNdjson,
    mediaTypes: [
      'application/x-ndjson',
      'application/ndjson',
      'application/jsonl',
      'application/x-jsonl',
      'application/jsonlines',
      'application/stream+json',
    ],
    // An object that goes on in its first line: a whole body of one line is a stream of one message, too.
    looksLike: /^\ufeff?\s*\{[ \t]*"/,
    boundary: LINE_END,
    extension: 'ndjson',
  },
  eventstream: {
    open: openEventStream,
    mediaTypes: ['application/vnd.amazon.eventstream'],
    // The first byte of a length: no text begins with one that small.
    looksLike: /^[^\t\n\v\f\r -\uffff]/,
    boundary: MESSAGE_SIZE,
    extension: 'bin',
  },
} satisfies Record<FramingName, Framing>

/** Bytes of a stream, cut where its messages end: as they were sent, one by one. */
export function splitFrames({ open }: Framing, bytes: Uint8Array): readonly Uint8Array[] {
  const reader = open(Number.MAX_SAFE_INTEGER)
  const ends: number[] = []
  for (let at = 0; at < bytes.length; at += 1) {
    if (reader.push(bytes.subarray(at, at + 1)).length > 0) ends.push(at + 1)
  }
  const places = ends.at(-1) === bytes.length ? ends : [...ends, bytes.length]
  return places.map((end, i) => bytes.subarray(places[i - 1] ?? 0, end)).filter(({ length }) => length > 0)
}
