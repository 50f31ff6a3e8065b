import { createParser } from 'eventsource-parser'
import type { Frame, FrameReader } from './frame.ts'

const NO_FRAMES: readonly Frame[] = []

/**
 * Server-sent events: any line ending, comments anywhere, a byte order mark, characters cut between reads.
 * One vendor (GPUStack) tells failures in a field of its own, `error:`; it is read as an event of that name.
 */
export function openSse(limit: number): FrameReader {
  const decoder = new TextDecoder()
  const frames: Frame[] = []
  const state = { overflowed: false }
  const parser = createParser({
    maxBufferSize: limit,
    onEvent: ({ event, data }) => {
      frames.push({ event: event ?? '', data })
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') state.overflowed = true
      else if (error.type === 'unknown-field' && error.field === 'error') {
        frames.push({ event: 'error', data: error.value ?? '' })
      }
    },
  })

  const take = (text: string): readonly Frame[] => {
    if (state.overflowed || text === '') return NO_FRAMES
    parser.feed(text)
    return frames.length === 0 ? NO_FRAMES : frames.splice(0)
  }

  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true })),
    // Several vendors leave out the last blank line: what they said counts all the same.
    end: () => take(`${decoder.decode()}\n\n`),
    get overflowed() {
      return state.overflowed
    },
  }
}
