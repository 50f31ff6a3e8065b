/** Where a framing's messages end, as far as it can be told from the bytes alone. */
export interface Boundary {
  /** The index behind the first message end at or after `from`; the length of the bytes where there is none. */
  end(bytes: Uint8Array, from: number): number
  /** Does a message end with these bytes? */
  closes(bytes: Uint8Array): boolean
  /** Are these what stands before and behind the payload of a message that has nothing else to say? */
  frames(before: string, behind: string): boolean
}

const LF = 10
const CR = 13

/** Server-sent events: a blank line, in either of the two line endings that vendors use. */
export const BLANK_LINE: Boundary = {
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
  frames: (before, behind) => /^(?:event: ?[^\r\n]*\r?\n)?data: ?$/.test(before) && /^\r?\n\r?\n$/.test(behind),
}

/** NDJSON. */
export const LINE_END: Boundary = {
  end(bytes, from) {
    const at = bytes.indexOf(LF, from)
    return at < 0 ? bytes.length : at + 1
  },
  closes: (bytes) => bytes[bytes.length - 1] === LF,
  frames: (before, behind) => before === '' && /^\r?\n$/.test(behind),
}
