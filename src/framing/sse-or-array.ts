import type { Frame, FrameReader } from './frame.ts'
import { openJsonArray, openObjects } from './json-array.ts'
import { openSse } from './sse.ts'

const NO_FRAMES: readonly Frame[] = []

/** White space and the bytes of a byte order mark: they decide nothing, and are left out. */
const BLANK: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf])

const BRACKET = 0x5b
const BRACE = 0x7b

/**
 * Server-sent events, or JSON where the upstream was not asked for events or does not know them: the first byte that is
 * not blank decides. Among events, JSON that stands there bare is a message too: that is how some upstreams tell that
 * they failed, when they have already begun.
 */
export function openSseOrArray(limit: number): FrameReader {
  const bare = openObjects(limit)
  const state: { reader: FrameReader | null } = { reader: null }
  const openFor = (byte: number | undefined): FrameReader =>
    byte === BRACKET || byte === BRACE ? openJsonArray(limit) : openSse(limit, (line) => bare.read(`${line}\n`))

  return {
    push(bytes) {
      if (state.reader !== null) return state.reader.push(bytes)
      const start = bytes.findIndex((byte) => !BLANK.has(byte))
      if (start < 0) return NO_FRAMES
      state.reader = openFor(bytes[start])
      return state.reader.push(bytes.subarray(start))
    },
    end: () => (state.reader === null ? NO_FRAMES : [...state.reader.end(), ...bare.end()]),
    overflowed: () => state.reader?.overflowed() === true || bare.overflowed(),
  }
}
