import { decodeUtf8 } from '../text/utf8.ts'

/** What stands around the payload of a message, between `lead` and `trail`. */
export interface Around {
  readonly before: string
  readonly behind: string
}

/** Where a framing's messages end, as far as it can be told from the bytes alone. */
export interface Boundary {
  /** Messages tell their size: none is heard before it is whole. */
  readonly sized: boolean
  /** Bytes at the start of a message, and at its end, that are told from all others. */
  readonly lead: number
  readonly trail: number
  /**
   * The index behind the first message end at or after `from`; the length of the bytes where there is none. Of sized ones:
   * behind the message that begins at `from`, whether it is whole or not; Infinity where there is no such message.
   */
  end(bytes: Uint8Array, from: number): number
  /** Does a stream that begins with these bytes have such messages? null: they do not tell. */
  begins(bytes: Uint8Array): boolean | null
  /** Does a message end with these bytes? */
  closes(bytes: Uint8Array): boolean
  /** Could a message end in these bytes? */
  mayEnd(bytes: Uint8Array): boolean
  /** What stands around the payload of a message that has nothing else to say; null where it has. */
  around(message: Uint8Array, payload: string): Around | null
  /** Do lead and trail fit this message, whose payload begins `before` bytes behind its start? */
  holds(bytes: Uint8Array, start: number, end: number, before: number): boolean
}

/** Of messages that are text from their first byte to the last. */
const textual = (before: RegExp, behind: RegExp) => ({
  sized: false,
  lead: 0,
  trail: 0,
  begins: () => true,
  mayEnd: (bytes: Uint8Array): boolean => bytes.includes(LF) || bytes.includes(CR),
  around(message: Uint8Array, payload: string): Around | null {
    const text = decodeUtf8(message)
    const at = text.indexOf(payload)
    const around = { before: text.slice(0, at), behind: text.slice(at + payload.length) }
    return at >= 0 && before.test(around.before) && behind.test(around.behind) ? around : null
  },
  holds: () => true,
})

const LF = 10
const CR = 13

/** Server-sent events: a blank line, in either of the two line endings that vendors use. */
export const BLANK_LINE: Boundary = {
  ...textual(/^(?:event: ?[^\r\n]*\r?\n)?data: ?$/, /^\r?\n\r?\n$/),
  end(bytes, from) {
    for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
      if (bytes[at + 1] === LF) return at + 2
      if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3
    }
    return bytes.length
  },
  closes(bytes) {
    const { length } = bytes
    if (length < 2 || bytes[length - 1] !== LF) return false
    return bytes[length - 2] === LF || (bytes[length - 2] === CR && length > 2 && bytes[length - 3] === LF)
  },
}

/** NDJSON. */
export const LINE_END: Boundary = {
  ...textual(/^$/, /^\r?\n$/),
  end(bytes, from) {
    const at = bytes.indexOf(LF, from)
    return at < 0 ? bytes.length : at + 1
  },
  closes: (bytes) => bytes[bytes.length - 1] === LF,
}
