import { createUtf8Reader } from '../text/utf8.ts'
import { LINE_END } from './boundary.ts'
import { blankFrame, type Frame, type FrameReader } from './frame.ts'
import type { Framing } from './framing.ts'

const NO_FRAMES: readonly Frame[] = []
const LF = 0x0a

/**
 * One JSON value per line. Accepts LF or CRLF, blank lines, a byte order mark, characters split between reads, and a
 * last line without a line ending. Lines are cut as bytes, because no other UTF-8 character contains an LF byte, so
 * that each line becomes a string of its own: a character beyond Latin-1 then doubles the width of its own line only.
 */
export function createNdjsonReader(limit: number, keepsText = false): FrameReader {
  const text = createUtf8Reader()
  const state = { held: '', overflowed: false }

  const hold = (text: string): void => {
    state.held += text
    state.overflowed ||= state.held.length > limit
  }
  const take = (frames: Frame[]): void => {
    const { held } = state
    const data = held.trim()
    state.held = ''
    if (!keepsText) {
      if (data !== '') frames.push({ event: '', data })
    } else if (data !== '') frames.push({ event: '', data, text: held })
    else if (held !== '') frames.push(blankFrame(held))
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
      if (state.overflowed) return frames
      if (keepsText && state.held !== '') state.held += '\n'
      take(frames)
      return frames
    },
    overflowed: () => state.overflowed,
  }
}

export const NDJSON: Framing = {
  name: 'ndjson',
  open: createNdjsonReader,
  mediaTypes: [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonl',
    'application/jsonlines',
    'application/stream+json',
  ],
  // An object that continues in its first line. A whole body of one line is a stream of one frame, too.
  looksLike: /^\ufeff?\s*\{[ \t]*"/,
  boundary: LINE_END,
  extension: 'ndjson',
  format: 'ndjson',
}
