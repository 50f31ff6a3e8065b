import { viewOf } from '../text/bytes.ts'
import { isObject, parseJson } from '../text/json.ts'
import { crc32 } from './crc32.ts'
import { BROKEN, ERROR, EXCEPTION } from './eventstream.ts'
import {
  BYTE,
  BYTES,
  FALSE,
  type Headers,
  type HeaderValue,
  INTEGER,
  LONG,
  SHORT,
  STRING,
  TIMESTAMP,
  TRUE,
  UUID,
} from './eventstream-headers.ts'
import type { Frame } from './frame.ts'

/** Writes AWS event streams, for scripted upstreams. */

const PRELUDE = 12
const CHECKSUM = 4

const encoder = new TextEncoder()

/** Encodes headers as their block. A name has at most 255 bytes, a value at most 65,535. */
export const writeHeaders = (headers: Headers): readonly number[] =>
  headers.flatMap(([name, value]) => {
    const letters = encoder.encode(name)
    return [letters.length, ...letters, ...writeValue(value)]
  })

function writeValue(header: HeaderValue): readonly number[] {
  switch (header.type) {
    case 'boolean':
      return [header.value ? TRUE : FALSE]
    case 'byte':
      return [BYTE, ...bigEndian(BigInt(header.value), 1)]
    case 'short':
      return [SHORT, ...bigEndian(BigInt(header.value), 2)]
    case 'integer':
      return [INTEGER, ...bigEndian(BigInt(header.value), 4)]
    case 'long':
      return [LONG, ...bigEndian(header.value, 8)]
    case 'timestamp':
      return [TIMESTAMP, ...bigEndian(header.value, 8)]
    case 'bytes':
      return [BYTES, ...bigEndian(BigInt(header.value.length), 2), ...header.value]
    case 'uuid':
      return [UUID, ...bigEndian(BigInt(`0x${header.value}`), 16)]
    case 'string': {
      const letters = encoder.encode(header.value)
      return [STRING, ...bigEndian(BigInt(letters.length), 2), ...letters]
    }
  }
}

/** Encodes negative numbers as two's complement. */
const bigEndian = (value: bigint, size: number): readonly number[] =>
  Array.from({ length: size }, (_, i) => Number(BigInt.asUintN(8, value >> BigInt(8 * (size - 1 - i)))))

const text = (name: string, value: string) => [name, { type: 'string', value }] as const

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

/** Encodes a frame as the message that decodes to the same frame. `:broken` has no message and becomes an error. */
export function encodeEventStream({ event, data }: Frame): Uint8Array {
  const json = text(':content-type', 'application/json')
  if (event.startsWith(EXCEPTION)) {
    const headers = [text(':exception-type', event.slice(EXCEPTION.length)), json, text(':message-type', 'exception')]
    return encodeMessage(headers, encoder.encode(data))
  }
  if (event.startsWith(ERROR) || event === BROKEN) {
    const parsed = parseJson(data)
    const message = isObject(parsed) && typeof parsed.message === 'string' ? parsed.message : data
    const code = event === BROKEN ? 'InternalFailure' : event.slice(ERROR.length)
    const headers = [text(':error-code', code), text(':error-message', message), text(':message-type', 'error')]
    return encodeMessage(headers, new Uint8Array(0))
  }
  return encodeMessage([text(':event-type', event), json, text(':message-type', 'event')], encoder.encode(data))
}

/** Writes the checksums of all whole messages of an AWS event stream anew, in place, after an edit of the same length. */
export function repairChecksums(bytes: Uint8Array): void {
  const view = viewOf(bytes)
  for (let at = 0; at + PRELUDE + CHECKSUM <= bytes.length; ) {
    const size = view.getUint32(at)
    const end = at + size - CHECKSUM
    if (size < PRELUDE + CHECKSUM || at + size > bytes.length) return
    view.setUint32(at + 8, crc32(bytes.subarray(at, at + 8)))
    view.setUint32(end, crc32(bytes.subarray(at, end)))
    at += size
  }
}
