import { isObject, toArray } from '../text/json.ts'
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
/** Lists of lists are not made here. */
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

/** An export request in the binary form of OTLP, for receivers that take no other. */
export function encodeExportRequest(request: ExportRequest): Uint8Array {
  const pieces: Uint8Array[] = []
  writeMessage(EXPORT_REQUEST, request, pieces)
  return joined(pieces)
}

const VARINT = 0
const FIXED64 = 1
const LENGTH = 2

// Pieces are put together once, at the end: prompts are long, and stand four messages deep.
function writeMessage(rows: MessageRow, message: unknown, out: Uint8Array[]): void {
  if (!isObject(message)) return
  for (const [name, { number, of }] of Object.entries(rows)) {
    const value = message[name]
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? toArray(value) : [value]) writeField(number, of, one, out)
  }
}

function writeField(number: number, of: Kind | MessageRow, value: unknown, out: Uint8Array[]): void {
  const { type, pieces } = encode(of, value)
  out.push(varint(BigInt((number << 3) | type)))
  if (type === LENGTH) out.push(varint(BigInt(lengthOf(pieces))))
  for (const piece of pieces) out.push(piece)
}

interface Encoded {
  readonly type: number
  readonly pieces: readonly Uint8Array[]
}

function encode(of: Kind | MessageRow, value: unknown): Encoded {
  if (typeof of === 'object') {
    const pieces: Uint8Array[] = []
    writeMessage(of, value, pieces)
    return { type: LENGTH, pieces }
  }
  switch (of) {
    case 'text':
      return { type: LENGTH, pieces: [new TextEncoder().encode(String(value))] }
    case 'bytes':
      return { type: LENGTH, pieces: [fromHex(String(value))] }
    case 'truth':
      return { type: VARINT, pieces: [varint(value === true ? 1n : 0n)] }
    case 'varint':
      return { type: VARINT, pieces: [varint(BigInt(String(value)))] }
    case 'fixed64':
    case 'double':
      return { type: FIXED64, pieces: [eightBytes(of, String(value))] }
  }
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

function eightBytes(of: 'fixed64' | 'double', text: string): Uint8Array {
  const view = new DataView(new ArrayBuffer(8))
  if (of === 'double') view.setFloat64(0, Number(text), true)
  else view.setBigUint64(0, BigInt(text), true)
  return new Uint8Array(view.buffer)
}

const fromHex = (digits: string): Uint8Array =>
  Uint8Array.from((digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)))

const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(lengthOf(pieces))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
