import { openUtf8 } from '../text/utf8.ts'
import type { Frame, FrameReader } from './frame.ts'

const NO_FRAMES: readonly Frame[] = []
const LF = 0x0a

/**
 * One JSON value a line: LF or CRLF, blank lines anywhere, a byte order mark, characters cut between reads, and a last
 * line without its end. Lines are cut as bytes, where no character can hold an LF, so that each becomes a text of its own:
 * one character beyond Latin-1 then makes no other line twice as wide.
 */
export function openNdjson(limit: number): FrameReader {
  const text = openUtf8()
  const state = { held: '', overflowed: false }

  const hold = (said: string): void => {
    state.held += said
    state.overflowed ||= state.held.length > limit
  }
  const take = (frames: Frame[]): void => {
    const data = state.held.trim()
    state.held = ''
    if (data !== '') frames.push({ event: '', data })
  }

  return {
    push(bytes) {
      if (state.overflowed) return NO_FRAMES
      const frames: Frame[] = []
      let at = 0
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, at)) {
        hold(text.push(bytes.subarray(at, end + 1)))
        if (state.overflowed) return frames
        take(frames)
        at = end + 1
      }
      if (at < bytes.length) hold(text.push(bytes.subarray(at)))
      return frames
    },
    end() {
      if (state.overflowed) return NO_FRAMES
      const frames: Frame[] = []
      hold(text.end())
      if (!state.overflowed) take(frames)
      return frames
    },
    overflowed: () => state.overflowed,
  }
}
