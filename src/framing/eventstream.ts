import { formatJson, isObject, parseJson } from '../text/json.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { crc32 } from './crc32.ts'
import { bigEndian, type Headers, openHeaders, writeHeaders } from './eventstream-headers.ts'
import type { Frame, FrameReader } from './frame.ts'

/**
 * AWS event streams, `application/vnd.amazon.eventstream`. A message is: total length (4 bytes, big-endian, itself
 * included), length of the headers (4), CRC-32 of those eight bytes (4), headers, payload, CRC-32 of all before it (4).
 *
 * Its frame is named like its event (`:event-type`). What is no event has a name that begins with a colon, which the name
 * of an event never does: `:exception throttlingException` (`:exception-type`; the data is the payload),
 * `:error InternalFailure` (`:error-code`; the data is `{"message": …}`) — and `:broken`, which no upstream says: the
 * bytes from here on are no messages, and the data `{"code": …, "message": …}` tells why. Nothing is read after it.
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

/** What lies at the front of the bytes read so far. */
type Front =
  | { readonly kind: 'frame'; readonly frame: Frame; readonly size: number }
  | { readonly kind: 'broken'; readonly frame: Frame }
  | { readonly kind: 'partial' | 'too large' }

const PARTIAL: Front = { kind: 'partial' }
const TOO_LARGE: Front = { kind: 'too large' }
const damaged = (why: string): Front => ({ kind: 'broken', frame: broken('upstream_invalid', why) })

/** The message that begins at `at`. */
function readFront(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  limit: number,
  readHeaders: ReturnType<typeof openHeaders>,
): Front {
  const left = bytes.length - at
  if (left < PRELUDE) return PARTIAL
  // Before its checksum is right, no length is believed.
  if (crc32(bytes, at + 8, at) !== view.getUint32(at + 8)) return damaged('the checksum of a prelude is wrong')
  const size = view.getUint32(at)
  const headersEnd = PRELUDE + view.getUint32(at + 4)
  if (headersEnd + CHECKSUM > size) return damaged('a message is shorter than its parts')
  if (size > limit) return TOO_LARGE
  if (left < size) return PARTIAL
  const payloadEnd = at + size - CHECKSUM
  if (crc32(bytes, payloadEnd, at) !== view.getUint32(payloadEnd)) {
    return damaged('the checksum of a message is wrong')
  }
  const headers = readHeaders(bytes.subarray(at + PRELUDE, at + headersEnd))
  if (headers === null) return damaged('the headers of a message cannot be read')
  return { kind: 'frame', frame: toFrame(headers, bytes, at + headersEnd, payloadEnd), size }
}

function toFrame(headers: Headers, bytes: Uint8Array, start: number, end: number): Frame {
  const word = (name: string): string => {
    for (const [own, found] of headers) if (own === name) return found.type === 'string' ? found.value : ''
    return ''
  }
  switch (word(':message-type')) {
    case 'exception':
      return { event: EXCEPTION + word(':exception-type'), data: decodeUtf8(bytes, start, end) }
    case 'error':
      return { event: ERROR + word(':error-code'), data: formatJson({ message: word(':error-message') }) }
    default:
      return { event: word(':event-type'), data: decodeUtf8(bytes, start, end) }
  }
}

/** Bytes that wait for the rest of their message. Grows by doubling, so that single bytes cost no more than many. */
function openStore() {
  const state = { bytes: NO_BYTES, size: 0 }
  return {
    /** These bytes after those that wait. */
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
    /** Of what `with` gave, the bytes from here on wait. */
    keep(all: Uint8Array, from: number): void {
      if (from === all.length) {
        state.size = 0
        return
      }
      if (state.size === 0) state.bytes = all.slice(from)
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

/** `limit` is the size of the largest message in bytes, its frame included. */
export function openEventStream(limit: number): FrameReader {
  const store = openStore()
  const readHeaders = openHeaders()
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
      let at = 0
      const view = new DataView(all.buffer, all.byteOffset, all.length)
      let front = readFront(all, view, at, limit, readHeaders)
      for (; front.kind === 'frame'; front = readFront(all, view, at, limit, readHeaders)) {
        frames.push(front.frame)
        at += front.size
      }
      if (front.kind === 'broken') frames.push(front.frame)
      if (front.kind === 'too large') state.overflowed = true
      if (front.kind === 'partial') store.keep(all, at)
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

const text = (name: string, value: string) => [name, { type: 'string', value }] as const

/** One message with any headers. */
export function encodeMessage(headers: Headers, payload: Uint8Array): Uint8Array {
  const block = writeHeaders(headers)
  const size = PRELUDE + block.length + payload.length + CHECKSUM
  const message = new Uint8Array(size)
  message.set([...bigEndian(BigInt(size), 4), ...bigEndian(BigInt(block.length), 4)])
  message.set(bigEndian(BigInt(crc32(message, 8)), 4), 8)
  message.set(block, PRELUDE)
  message.set(payload, PRELUDE + block.length)
  message.set(bigEndian(BigInt(crc32(message, size - CHECKSUM)), 4), size - CHECKSUM)
  return message
}

/** A frame → the message that is read as this frame. `:broken` is nothing that can be said, and becomes an error. */
export function encodeEventStream({ event, data }: Frame): Uint8Array {
  const json = text(':content-type', 'application/json')
  if (event.startsWith(EXCEPTION)) {
    const headers = [text(':exception-type', event.slice(EXCEPTION.length)), json, text(':message-type', 'exception')]
    return encodeMessage(headers, encoder.encode(data))
  }
  if (event.startsWith(ERROR) || event === BROKEN) {
    const told = parseJson(data)
    const message = isObject(told) && typeof told.message === 'string' ? told.message : data
    const code = event === BROKEN ? 'InternalFailure' : event.slice(ERROR.length)
    const headers = [text(':error-code', code), text(':error-message', message), text(':message-type', 'error')]
    return encodeMessage(headers, NO_BYTES)
  }
  return encodeMessage([text(':event-type', event), json, text(':message-type', 'event')], encoder.encode(data))
}
