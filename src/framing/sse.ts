import { createParser } from 'eventsource-parser'
import { openUtf8 } from '../text/utf8.ts'
import type { Frame, FrameReader } from './frame.ts'

const NO_FRAMES: readonly Frame[] = []

/** One character beyond Latin-1 makes its whole string twice as wide and slow: large reads are taken in pieces. */
const PIECE = 2_048

/**
 * Server-sent events: any line ending, comments anywhere, a byte order mark, characters cut between reads.
 * One vendor (GPUStack) tells failures in a field of its own, `error:`; it is read as an event of that name.
 * `hearStray` is given the lines that are of no field at all, and says what messages they complete.
 */
export function openSse(limit: number, hearStray: (line: string) => readonly Frame[] = () => NO_FRAMES): FrameReader {
  const text = openUtf8()
  const state = { overflowed: false, frames: [] as Frame[] }
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: ({ event, data }) => {
      // The parser counts only what waits for its end; an event that comes in one read is measured here.
      state.overflowed ||= data.length > limit
      if (!state.overflowed) state.frames.push({ event: event ?? '', data })
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') state.overflowed = true
      else if (error.type !== 'unknown-field') return
      else if (error.field === 'error') state.frames.push({ event: 'error', data: error.value ?? '' })
      else for (const frame of hearStray(error.line ?? '')) state.frames.push(frame)
    },
  })

  const take = (said: string): readonly Frame[] => {
    if (state.overflowed || said === '') return NO_FRAMES
    parser.feed(said)
    const { frames } = state
    if (frames.length === 0) return NO_FRAMES
    state.frames = []
    return frames
  }

  return {
    push(bytes) {
      if (bytes.length <= PIECE) return take(text.push(bytes))
      const frames: Frame[] = []
      for (let at = 0; at < bytes.length; at += PIECE) {
        for (const frame of take(text.push(bytes.subarray(at, at + PIECE)))) frames.push(frame)
      }
      return frames
    },
    // Several vendors leave out the last blank line: what they said counts all the same.
    end: () => take(`${text.end()}\n\n`),
    get overflowed() {
      return state.overflowed
    },
  }
}
