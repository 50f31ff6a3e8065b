import { copied, viewOf } from '../text/bytes.ts'
import { formatJson } from '../text/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import type { Boundary } from './boundary.ts'
import { addCrc32, CRC32_START, toCrc32 } from './crc32.ts'
import { type Headers, readHeaders } from './eventstream-headers.ts'
import type { Frame, FrameReader } from './frame.ts'
import type { Framing } from './framing.ts'

/**
 * AWS event streams, `application/vnd.amazon.eventstream`. A message is: total length (4 bytes, big-endian, itself
 * included), length of the headers (4), CRC-32 of those eight bytes (4), headers, payload, CRC-32 of all before it (4).
 *
 * The frame of an event has its name (`:event-type`). The name of any other frame begins with a colon, which the name
 * of an event never does: `:exception throttlingException` (`:exception-type`; the data is the payload), `:error
 * InternalFailure` (`:error-code`; the data is `{"message": …}`), and `:broken`, which no upstream sends: the bytes
 * from here on are not messages, and the data `{"code": …, "message": …}` has the reason. Nothing is read after it.
 */
export const EXCEPTION = ':exception '
export const ERROR = ':error '
export const BROKEN = ':broken'

const PRELUDE = 12
const CHECKSUM = 4

const NO_FRAMES: readonly Frame[] = []
const NO_BYTES = new Uint8Array(0)

const encoder = new TextEncoder()

const broken = (code: 'upstream_invalid' | 'upstream_truncated', why: string): Frame => ({
  event: BROKEN,
  data: formatJson({ code, message: `The event stream of the upstream is damaged: ${why}.` }),
})

/** The state of the bytes at the front of those received. */
type ReadMessage =
  | { readonly kind: 'frame'; readonly frame: Frame; readonly size: number }
  | { readonly kind: 'broken'; readonly frame: Frame }
  | { readonly kind: 'partial' | 'too large' }

const PARTIAL: ReadMessage = { kind: 'partial' }
const TOO_LARGE: ReadMessage = { kind: 'too large' }
const damaged = (why: string): ReadMessage => ({ kind: 'broken', frame: broken('upstream_invalid', why) })

/** The kind of a message, according to its headers. */
interface Kind {
  readonly event: string
  /** null: the payload is the data. */
  readonly data: string | null
}

function readMessage(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  limit: number,
  kindAt: ReturnType<typeof createKinds>,
): ReadMessage {
  const left = bytes.length - at
  if (left < PRELUDE) return PARTIAL
  // The lengths are used only after their checksum is verified.
  const prelude = addCrc32(CRC32_START, view, at, at + 8)
  if (toCrc32(prelude) !== view.getUint32(at + 8)) return damaged('the checksum of a prelude is wrong')
  const size = view.getUint32(at)
  const headers = at + PRELUDE
  const payload = headers + view.getUint32(at + 4)
  const end = at + size - CHECKSUM
  if (payload > end) return damaged('a message is shorter than its parts')
  if (size > limit) return TOO_LARGE
  if (left < size) return PARTIAL
  if (toCrc32(addCrc32(prelude, view, at + 8, end)) !== view.getUint32(end)) {
    return damaged('the checksum of a message is wrong')
  }
  const kind = kindAt(bytes, headers, payload)
  if (kind === null) return damaged('the headers of a message cannot be read')
  const { event, data } = kind
  return { kind: 'frame', frame: { event, data: data ?? decodeUtf8(bytes, payload, end) }, size }
}

/** The ends of messages, for code that inspects bytes before they are parsed. */
const MESSAGE_SIZE: Boundary = {
  sized: true,
  prefix: PRELUDE,
  suffix: CHECKSUM,
  begins: () => true,
  mayEnd: () => true,
  end: (bytes, from) => messageEnd(viewOf(bytes), from),
  closes: () => true,
  around(message, payload) {
    const start = PRELUDE + viewOf(message).getUint32(4)
    const before = decodeUtf8(message, PRELUDE, start)
    // Headers that are not ASCII may change when they are decoded.
    const isText = encoder.encode(before).length === before.length && before.length === start - PRELUDE
    return isText && decodeUtf8(message, start, message.length - CHECKSUM) === payload ? { before, behind: '' } : null
  },
  validates(view, start, end, before) {
    const prelude = addCrc32(CRC32_START, view, start, start + 8)
    return (
      view.getUint32(start) === end - start &&
      PRELUDE + view.getUint32(start + 4) === before &&
      toCrc32(prelude) === view.getUint32(start + 8) &&
      toCrc32(addCrc32(prelude, view, start + 8, end - CHECKSUM)) === view.getUint32(end - CHECKSUM)
    )
  },
}

function messageEnd(view: DataView, from: number): number {
  if (from + PRELUDE > view.byteLength) return from + PRELUDE
  const size = view.getUint32(from)
  const prelude = addCrc32(CRC32_START, view, from, from + 8)
  const isMessage = PRELUDE + view.getUint32(from + 4) + CHECKSUM <= size
  return isMessage && toCrc32(prelude) === view.getUint32(from + 8) ? from + size : Infinity
}

/** Consecutive messages of one kind have the same header bytes. They are parsed once. */
function createKinds(): (bytes: Uint8Array, start: number, end: number) => Kind | null {
  let last = NO_BYTES
  let known: Kind | null = kindOf([])
  return (bytes, start, end) => {
    if (isSame(bytes, start, end, last)) return known
    last = copied(bytes, start, end)
    const headers = readHeaders(last)
    known = headers === null ? null : kindOf(headers)
    return known
  }
}

function isSame(bytes: Uint8Array, start: number, end: number, other: Uint8Array): boolean {
  if (end - start !== other.length) return false
  for (let at = start, i = 0; at < end; at += 1, i += 1) if (bytes[at] !== other[i]) return false
  return true
}

function kindOf(headers: Headers): Kind {
  const word = (name: string): string => {
    const found = headers.find(([own]) => own === name)?.[1]
    return found?.type === 'string' ? found.value : ''
  }
  switch (word(':message-type')) {
    case 'exception':
      return { event: EXCEPTION + word(':exception-type'), data: null }
    case 'error':
      return { event: ERROR + word(':error-code'), data: formatJson({ message: word(':error-message') }) }
    default:
      return { event: word(':event-type'), data: null }
  }
}

/**
 * Bytes that wait for the rest of their message. The store grows by doubling, so that reads of single bytes cost no
 * more than one large read.
 */
function createStore() {
  const state = { bytes: NO_BYTES, size: 0 }
  return {
    /** The waiting bytes, followed by these. */
    with(more: Uint8Array): Uint8Array {
      if (state.size === 0) return more
      const size = state.size + more.length
      if (size > state.bytes.length) {
        const grown = new Uint8Array(Math.max(size, 2 * state.bytes.length))
        grown.set(state.bytes.subarray(0, state.size))
        state.bytes = grown
      }
      state.bytes.set(more, state.size)
      state.size = size
      return state.bytes.subarray(0, size)
    },
    /** Keeps the bytes from an index on, out of those that `with` returned. */
    keep(all: Uint8Array, from: number): void {
      if (from === all.length) {
        state.size = 0
        return
      }
      if (state.size === 0) state.bytes = copied(all, from)
      else if (from > 0) state.bytes.copyWithin(0, from, all.length)
      state.size = all.length - from
    },
    drop(): void {
      state.bytes = NO_BYTES
      state.size = 0
    },
    size: () => state.size,
  }
}

/** `limit` is the size of the largest message in bytes, including lengths, headers and checksums. */
export function createEventStreamReader(limit: number): FrameReader {
  const store = createStore()
  const kindAt = createKinds()
  const state = { over: false, overflowed: false }

  const stop = (): void => {
    state.over = true
    store.drop()
  }

  return {
    push(bytes) {
      if (state.over || bytes.length === 0) return NO_FRAMES
      const frames: Frame[] = []
      const all = store.with(bytes)
      const view = viewOf(all)
      let at = 0
      let message = readMessage(all, view, at, limit, kindAt)
      for (; message.kind === 'frame'; message = readMessage(all, view, at, limit, kindAt)) {
        frames.push(message.frame)
        at += message.size
      }
      if (message.kind === 'broken') frames.push(message.frame)
      if (message.kind === 'too large') state.overflowed = true
      if (message.kind === 'partial') store.keep(all, at)
      else stop()
      return frames
    },
    end() {
      const cut = !state.over && store.size() > 0
      stop()
      return cut ? [broken('upstream_truncated', 'it ends in the middle of a message')] : NO_FRAMES
    },
    overflowed: () => state.overflowed,
  }
}

export const EVENT_STREAM: Framing = {
  name: 'eventstream',
  open: createEventStreamReader,
  mediaTypes: ['application/vnd.amazon.eventstream'],
  // The first byte of a length: no text begins with a byte that small.
  looksLike: /^[^\t\n\v\f\r -\uffff]/,
  boundary: MESSAGE_SIZE,
  extension: 'bin',
  format: 'sse',
}
