import { joined } from './bytes.ts'

/** Decodes bytes that arrive in pieces. A character split between two pieces is returned with the second. */
export interface Utf8Reader {
  push(bytes: Uint8Array): string
  /** The replacement for an incomplete last character. */
  end(): string
}

/** The part of Node's `Buffer` that is used, if the runtime has it. Its native methods work on any `Uint8Array`. */
interface BufferLike {
  readonly prototype: { readonly utf8Slice?: (this: Uint8Array, start: number, end: number) => string }
}

const slice = (globalThis as unknown as { readonly Buffer?: BufferLike }).Buffer?.prototype.utf8Slice

/** Works in every runtime. `test/text/utf8.test.ts` compares it with the native version. */
export function createStandardUtf8Reader(): Utf8Reader {
  const decoder = new TextDecoder()
  return { push: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
}

/** Uses the native method if the runtime has it: for the small reads of a stream it costs a fifth. */
export const createUtf8Reader: () => Utf8Reader =
  slice === undefined ? createStandardUtf8Reader : () => new NativeUtf8Reader(slice)

const NO_BYTES = new Uint8Array(0)
const MARK = '\ufeff'

/** A class, because closures would be additional objects of every stream. */
class NativeUtf8Reader implements Utf8Reader {
  private readonly toText: NonNullable<typeof slice>
  private carry = NO_BYTES
  private started = false

  constructor(toText: NonNullable<typeof slice>) {
    this.toText = toText
  }

  push(bytes: Uint8Array): string {
    // The bytes end with a complete character, as in most reads that end with a frame.
    if (this.started && this.carry.length === 0 && (bytes[bytes.length - 1] as number) < 0x80) {
      return this.toText.call(bytes, 0, bytes.length)
    }
    const all = this.carry.length === 0 ? bytes : joined(this.carry, bytes)
    const whole = all.length - incompleteTail(all)
    this.carry = whole === all.length ? NO_BYTES : Uint8Array.from(all.subarray(whole))
    return this.withoutMark(this.toText.call(all, 0, whole))
  }

  end(): string {
    const rest = this.carry
    this.carry = NO_BYTES
    return this.withoutMark(rest.length === 0 ? '' : '\ufffd')
  }

  private withoutMark(text: string): string {
    if (this.started || text === '') return text
    this.started = true
    return text.startsWith(MARK) ? text.slice(1) : text
  }
}

/** The length of an incomplete character at the end that more bytes could complete: 0 to 3. */
export function incompleteTail(bytes: Uint8Array): number {
  const end = bytes.length
  for (let back = 1; back <= 3 && back <= end; back += 1) {
    const byte = bytes[end - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return couldGrow(bytes, end - back, back) ? back : 0
  }
  return 0
}

/** True if the sequence at `start` is a valid beginning of a character that lacks bytes. */
function couldGrow(bytes: Uint8Array, start: number, have: number): boolean {
  const lead = bytes[start] as number
  const need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  if (have >= need || lead < 0xc2 || lead > 0xf4) return false
  if (have === 1) return true
  const second = bytes[start + 1] as number
  const [low, high] = SECOND.get(lead) ?? ANY
  return second >= low && second <= high
}

const ANY: readonly [low: number, high: number] = [0x80, 0xbf]

/** Lead bytes with a narrower range of second bytes: no overlong forms, no surrogates, nothing above U+10FFFF. */
const SECOND: ReadonlyMap<number, readonly [low: number, high: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
])

/** True if the bytes are valid UTF-8 and end with a complete character. */
export function isWholeUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  while (at < end) {
    const lead = bytes[at] as number
    if (lead < 0x80) {
      at += 1
      continue
    }
    if (lead < 0xc2 || lead > 0xf4) return false
    const next = at + (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2)
    if (next > end) return false
    const second = bytes[at + 1] as number
    const [low, high] = SECOND.get(lead) ?? ANY
    if (second < low || second > high) return false
    for (at += 2; at < next; at += 1) if (((bytes[at] as number) & 0xc0) !== 0x80) return false
  }
  return true
}

const wholeDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes complete UTF-8. A byte order mark at the start is kept as a character. */
export const decodeUtf8 = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  slice === undefined ? wholeDecoder.decode(bytes.subarray(start, end)) : slice.call(bytes, start, end)

const encoder = new TextEncoder()

/** The number of bytes of a short text as UTF-8. */
export function utf8Length(text: string): number {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) >= 0x80) return encoder.encode(text).length
  return text.length
}
