import { decodeUtf8 } from '../text/utf8.ts'

/** The text around the payload of a frame, inside its prefix and suffix. */
export interface Delimiters {
  readonly before: string
  readonly behind: string
}

/** The ends of the frames of a framing, as far as the bytes alone show them. */
export interface Boundary {
  /** True if frames contain their size. Such a frame is not decoded before it is complete. */
  readonly sized: boolean
  /** Bytes at the start and at the end of a frame that are computed from all others: lengths and checksums. */
  readonly prefix: number
  readonly suffix: number
  /**
   * The index after the first frame end at or after `from`; the length of the bytes if there is none. If frames are
   * sized: the index after the frame that begins at `from`, which may be incomplete; Infinity if no such frame is
   * possible.
   */
  end(bytes: Uint8Array, from: number): number
  /** True if a stream that begins with these bytes has such frames; null if the bytes do not decide it. */
  begins(bytes: Uint8Array): boolean | null
  /** True if a frame ends with these bytes. Always true if frames are sized, because `end` has cut them. */
  closes(bytes: Uint8Array): boolean
  /** True if a frame could end within these bytes. */
  mayEnd(bytes: Uint8Array): boolean
  /** The text around the payload of a frame that has no other content; null if it has other content. */
  around(message: Uint8Array, payload: string): Delimiters | null
  /** True if lead and trail are valid for this frame, whose payload begins `before` bytes after its start. */
  validates(view: DataView, start: number, end: number, before: number): boolean
}

/** For frames that are text from the first byte to the last. */
const textual = (before: RegExp, behind: RegExp, ends: Pick<Boundary, 'end' | 'closes'>): Boundary => ({
  sized: false,
  prefix: 0,
  suffix: 0,
  begins: () => true,
  mayEnd: (bytes: Uint8Array): boolean => bytes.includes(LF) || bytes.includes(CR),
  around(message: Uint8Array, payload: string): Delimiters | null {
    const text = decodeUtf8(message)
    const at = text.indexOf(payload)
    const around = { before: text.slice(0, at), behind: text.slice(at + payload.length) }
    return at >= 0 && before.test(around.before) && behind.test(around.behind) ? around : null
  },
  validates: () => true,
  ...ends,
})

const LF = 10
const CR = 13

/** Server-sent events: a blank line, in either of the two line endings that vendors use. */
export const BLANK_LINE: Boundary = /* @__PURE__ */ textual(/^(?:event: ?[^\r\n]*\r?\n)?data: ?$/, /^\r?\n\r?\n$/, {
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
})

/** NDJSON: a line feed. */
export const LINE_END: Boundary = /* @__PURE__ */ textual(/^$/, /^\r?\n$/, {
  end(bytes, from) {
    const at = bytes.indexOf(LF, from)
    return at < 0 ? bytes.length : at + 1
  },
  closes: (bytes) => bytes[bytes.length - 1] === LF,
})
