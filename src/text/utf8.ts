import { joined } from './joined.ts'

/** Bytes that come in pieces → text. A character cut between two pieces is told with the second. */
export interface Utf8Reader {
  push(bytes: Uint8Array): string
  /** What a cut-off last character becomes. */
  end(): string
}

/** Node's Buffer, where there is one. Its native methods work on any Uint8Array. */
interface BufferLike {
  readonly prototype: { readonly utf8Slice?: (this: Uint8Array, start: number, end: number) => string }
}

const slice = (globalThis as unknown as { readonly Buffer?: BufferLike }).Buffer?.prototype.utf8Slice

/** With what every runtime has; the other must equal it (`test/text/utf8.test.ts`). */
export function openStandardUtf8(): Utf8Reader {
  const decoder = new TextDecoder()
  return { push: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
}

/** The fast way where there is one: it costs a fifth for the small reads that streams are made of. */
export const openUtf8: () => Utf8Reader = slice === undefined ? openStandardUtf8 : () => openNativeUtf8(slice)

const NO_BYTES = new Uint8Array(0)
const MARK = '\ufeff'

function openNativeUtf8(toText: NonNullable<typeof slice>): Utf8Reader {
  const state = { carry: NO_BYTES, started: false }

  const tell = (text: string): string => {
    if (state.started || text === '') return text
    state.started = true
    return text.startsWith(MARK) ? text.slice(1) : text
  }

  return {
    push(bytes) {
      // Whole to the last, as reads that end with a message are.
      if (state.started && state.carry.length === 0 && (bytes[bytes.length - 1] as number) < 0x80) {
        return toText.call(bytes, 0, bytes.length)
      }
      const all = state.carry.length === 0 ? bytes : joined(state.carry, bytes)
      const whole = all.length - openTail(all)
      state.carry = whole === all.length ? NO_BYTES : Uint8Array.from(all.subarray(whole))
      return tell(toText.call(all, 0, whole))
    },
    end() {
      const rest = state.carry
      state.carry = NO_BYTES
      return tell(rest.length === 0 ? '' : '\ufffd')
    },
  }
}

/** The length of a character at the end that more bytes could complete; 0 to 3. */
function openTail(bytes: Uint8Array): number {
  const end = bytes.length
  for (let back = 1; back <= 3 && back <= end; back += 1) {
    const byte = bytes[end - back] as number
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return couldGrow(bytes, end - back, back) ? back : 0
  }
  return 0
}

/** Is the sequence that starts here a true beginning of a character, with bytes still missing? */
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

/** Leads whose second byte is bounded more narrowly: no overlong forms, no surrogates, nothing above U+10FFFF. */
const SECOND: ReadonlyMap<number, readonly [low: number, high: number]> = new Map([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
])

/** Are these bytes UTF-8 to the last? */
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

/** The text of bytes that are whole; a mark at the start is a character like any other. */
export const decodeUtf8 = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  slice === undefined ? wholeDecoder.decode(bytes.subarray(start, end)) : slice.call(bytes, start, end)
