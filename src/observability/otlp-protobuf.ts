import { isObject } from '../text/json.ts'
import type { ExportRequest } from './otlp.ts'

type Kind = 'text' | 'bytes' | 'truth' | 'varint' | 'fixed64' | 'double'
interface FieldRow {
  readonly number: number
  readonly of: Kind | MessageRow
}
type MessageRow = { readonly [field: string]: FieldRow }

const field = (number: number, of: Kind | MessageRow): FieldRow => ({ number, of })

const SCALARS: MessageRow = {
  stringValue: field(1, 'text'),
  boolValue: field(2, 'truth'),
  intValue: field(3, 'varint'),
  doubleValue: field(4, 'double'),
}
/** A list inside a list does not occur. */
const ANY_VALUE: MessageRow = { ...SCALARS, arrayValue: field(5, { values: field(1, SCALARS) }) }
const ATTRIBUTE: MessageRow = { key: field(1, 'text'), value: field(2, ANY_VALUE) }
const SPAN: MessageRow = {
  traceId: field(1, 'bytes'),
  spanId: field(2, 'bytes'),
  parentSpanId: field(4, 'bytes'),
  name: field(5, 'text'),
  kind: field(6, 'varint'),
  startTimeUnixNano: field(7, 'fixed64'),
  endTimeUnixNano: field(8, 'fixed64'),
  attributes: field(9, ATTRIBUTE),
  status: field(15, { message: field(2, 'text'), code: field(3, 'varint') }),
}
const SCOPE_SPANS: MessageRow = {
  scope: field(1, { name: field(1, 'text'), version: field(2, 'text') }),
  spans: field(2, SPAN),
}
const RESOURCE_SPANS: MessageRow = {
  resource: field(1, { attributes: field(1, ATTRIBUTE) }),
  scopeSpans: field(2, SCOPE_SPANS),
}
const EXPORT_REQUEST: MessageRow = { resourceSpans: field(1, RESOURCE_SPANS) }

/** Encodes an export request in the binary form of OTLP, for receivers that accept no other. */
export function encodeExportRequest(request: ExportRequest): Uint8Array {
  const out: Tail = { bytes: new Uint8Array(FIRST_SIZE), at: FIRST_SIZE }
  writeMessage(EXPORT_REQUEST, request, out)
  return out.bytes.slice(out.at)
}

/** A buffer that is filled from its end, because the length of a message precedes the message. */
interface Tail {
  bytes: Uint8Array
  /** The position of the first byte written so far. */
  at: number
}

const FIRST_SIZE = 64 * 1024
const VARINT = 0
const FIXED64 = 1
const LENGTH = 2

const encoder = new TextEncoder()

function writeMessage(rows: MessageRow, message: unknown, out: Tail): void {
  if (!isObject(message)) return
  for (const name of Object.keys(rows).reverse()) {
    const { number, of } = rows[name] as FieldRow
    const value = message[name]
    if (!Array.isArray(value)) writeField(number, of, value, out)
    else for (let at = value.length - 1; at >= 0; at -= 1) writeField(number, of, value[at], out)
  }
}

function writeField(number: number, of: Kind | MessageRow, value: unknown, out: Tail): void {
  if (value === undefined) return
  const end = out.bytes.length - out.at
  const type = writeValue(of, value, out)
  if (type === LENGTH) writeVarint(out.bytes.length - out.at - end, out)
  writeVarint((number << 3) | type, out)
}

/** Writes a value and returns its wire type. */
function writeValue(of: Kind | MessageRow, value: unknown, out: Tail): number {
  if (typeof of === 'object') {
    writeMessage(of, value, out)
    return LENGTH
  }
  switch (of) {
    case 'text':
      writeBytes(encoder.encode(String(value)), out)
      return LENGTH
    case 'bytes':
      writeBytes(fromHex(String(value)), out)
      return LENGTH
    case 'truth':
      writeVarint(value === true ? 1 : 0, out)
      return VARINT
    case 'varint':
      writeVarint(Number(value), out)
      return VARINT
    case 'fixed64':
    case 'double':
      writeBytes(eightBytes(of, String(value)), out)
      return FIXED64
  }
}

function writeBytes(bytes: Uint8Array, out: Tail): void {
  makeRoom(bytes.length, out)
  out.at -= bytes.length
  out.bytes.set(bytes, out.at)
}

const LONGEST_VARINT = 10

/** Writes an integer, which must not be negative. */
function writeVarint(value: number, out: Tail): void {
  makeRoom(LONGEST_VARINT, out)
  let length = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length += 1
  out.at -= length
  let rest = value
  for (let at = 0; at < length - 1; at += 1) {
    out.bytes[out.at + at] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  out.bytes[out.at + length - 1] = rest
}

function makeRoom(length: number, out: Tail): void {
  if (out.at >= length) return
  const used = out.bytes.subarray(out.at)
  const bytes = new Uint8Array(2 * (out.bytes.length + length))
  bytes.set(used, bytes.length - used.length)
  out.bytes = bytes
  out.at = bytes.length - used.length
}

function eightBytes(of: 'fixed64' | 'double', text: string): Uint8Array {
  const view = new DataView(new ArrayBuffer(8))
  if (of === 'double') view.setFloat64(0, Number(text), true)
  else view.setBigUint64(0, BigInt(text), true)
  return new Uint8Array(view.buffer)
}

const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from({ length: digits.length / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16))
