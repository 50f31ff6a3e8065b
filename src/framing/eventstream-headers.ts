import { viewOf } from '../text/bytes.ts'
import { decodeUtf8 } from '../text/utf8.ts'

/** One header of a message, with the type that it has on the wire. A UUID is written as 32 hexadecimal digits. */
export type HeaderValue =
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'byte' | 'short' | 'integer'; readonly value: number }
  /** A timestamp counts milliseconds since 1970. */
  | { readonly type: 'long' | 'timestamp'; readonly value: bigint }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'string' | 'uuid'; readonly value: string }

export type Headers = readonly (readonly [name: string, value: HeaderValue])[]

/** The type numbers of the format. The first two are both `boolean`. */
export const TRUE = 0
export const FALSE = 1
export const BYTE = 2
export const SHORT = 3
export const INTEGER = 4
export const LONG = 5
export const BYTES = 6
export const STRING = 7
export const TIMESTAMP = 8
export const UUID = 9

/** Bytes of a value. A value of variable length has two bytes of length before it. */
const SIZES: Readonly<Record<number, number>> = {
  [TRUE]: 0,
  [FALSE]: 0,
  [BYTE]: 1,
  [SHORT]: 2,
  [INTEGER]: 4,
  [LONG]: 8,
  [TIMESTAMP]: 8,
  [UUID]: 16,
}

const toHex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Reads the header block of a message; null if it is malformed. */
export function readHeaders(block: Uint8Array): Headers | null {
  const view = viewOf(block)
  const headers: [string, HeaderValue][] = []
  for (let at = 0; at < block.length; ) {
    const typeAt = at + 1 + view.getUint8(at)
    if (typeAt >= block.length) return null
    const range = rangeOf(view, typeAt)
    if (range === null || range.end > block.length) return null
    const name = decodeUtf8(block.subarray(at + 1, typeAt))
    headers.push([name, readValue(view.getUint8(typeAt), block.subarray(range.start, range.end))])
    at = range.end
  }
  return headers
}

/** The range of the value whose type is at `typeAt`; null for an unknown type. */
function rangeOf(view: DataView, typeAt: number): { readonly start: number; readonly end: number } | null {
  const type = view.getUint8(typeAt)
  const start = typeAt + 1
  if (type !== BYTES && type !== STRING) {
    const size = SIZES[type]
    return size === undefined ? null : { start, end: start + size }
  }
  if (start + 2 > view.byteLength) return null
  return { start: start + 2, end: start + 2 + view.getUint16(start) }
}

function readValue(type: number, bytes: Uint8Array): HeaderValue {
  const view = viewOf(bytes)
  switch (type) {
    case TRUE:
    case FALSE:
      return { type: 'boolean', value: type === TRUE }
    case BYTE:
      return { type: 'byte', value: view.getInt8(0) }
    case SHORT:
      return { type: 'short', value: view.getInt16(0) }
    case INTEGER:
      return { type: 'integer', value: view.getInt32(0) }
    case LONG:
      return { type: 'long', value: view.getBigInt64(0) }
    case TIMESTAMP:
      return { type: 'timestamp', value: view.getBigInt64(0) }
    case BYTES:
      return { type: 'bytes', value: Uint8Array.from(bytes) }
    case UUID:
      return { type: 'uuid', value: toHex(bytes) }
    default:
      return { type: 'string', value: decodeUtf8(bytes) }
  }
}
