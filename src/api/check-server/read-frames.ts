import { createParser } from 'eventsource-parser'
import type { AnswerFrame, FrameFormat } from '../../conformance/protocols/answer.ts'

/**
 * Reads the bytes of a checked answer with readers that the engine does not use: a checker that shares a reader with the
 * server that it checks shares its faults as well.
 */

interface ReadFrames {
  readonly frames: readonly AnswerFrame[]
  /** Server-sent events whose last one has no blank line after it: clients drop it. */
  readonly isOpen: boolean
}

/** Bytes that are not UTF-8 become replacement characters, which are reported where they stand. */
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

function readEvents(text: string): ReadFrames {
  const frames: AnswerFrame[] = []
  const parser = createParser({ onEvent: ({ event = '', data }) => void frames.push({ event, data }) })
  parser.feed(text)
  const complete = frames.length
  // Completes an event that the server left open, so that its rules are checked as well.
  parser.feed('\n\n')
  return { frames, isOpen: frames.length > complete }
}

const readLines = (text: string): ReadFrames => ({
  frames: text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((data) => ({ event: '', data })),
  isOpen: false,
})

const READERS = { sse: readEvents, ndjson: readLines } as const satisfies Record<
  FrameFormat,
  (text: string) => ReadFrames
>

export const readFrames = (format: FrameFormat, bytes: Uint8Array): ReadFrames => READERS[format](decode(bytes))
