import { createParser, type EventSourceParser } from 'eventsource-parser'
import { openUtf8 } from '../text/utf8.ts'
import type { Frame, FrameReader } from './frame.ts'

const NO_FRAMES: readonly Frame[] = []

/** One character beyond Latin-1 makes its whole string twice as wide and slow: large reads are taken in pieces. */
const PIECE = 2_048

const DATA = 'data: '
const EVENT = 'event: '
const LF = 10
const CR = 13
const LETTER_E = 101

/** Is there a carriage return that is a line ending by itself? */
function hasLoneCr(said: string): boolean {
  for (let at = said.indexOf('\r'); at >= 0; at = said.indexOf('\r', at + 1)) {
    if (said.charCodeAt(at + 1) !== LF) return true
  }
  return false
}

/** The index behind the first blank line that ends a line begun at or after `from`; -1 where there is none. */
function blankLineEnd(said: string, from: number): number {
  for (let at = said.indexOf('\n', from); at >= 0; at = said.indexOf('\n', at + 1)) {
    const next = lineStart(said, at)
    if (next > 0) return next
  }
  return -1
}

/** The index behind the line end that stands behind this one; 0 where none does. */
function lineStart(said: string, lf: number): number {
  const next = said.charCodeAt(lf + 1)
  if (next === LF) return lf + 2
  return next === CR && said.charCodeAt(lf + 2) === LF ? lf + 3 : 0
}

/** Where the text of a line ends whose line end has its LF here. */
const textEnd = (said: string, lf: number): number => (said.charCodeAt(lf - 1) === CR ? lf - 1 : lf)

/**
 * Server-sent events: any line ending, comments anywhere, a byte order mark, characters cut between reads.
 * One vendor (GPUStack) tells failures in a field of its own, `error:`; it is read as an event of that name.
 * `hearStray` is given the lines that are of no field at all, and says what messages they complete.
 *
 * Messages of one data line, with or without an event line before it, are cut out here; everything else is read by
 * eventsource-parser, and the whole stream from the first carriage return on that has no line feed behind it. Both say the same (`test/framing`).
 */
export function openSse(limit: number, hearStray: (line: string) => readonly Frame[] = () => NO_FRAMES): FrameReader {
  const text = openUtf8()
  const state = { overflowed: false, frames: [] as Frame[], carry: '', cr: false, endsInLf: false, plain: true }
  /** Made when it is needed: most streams are plain to their end. */
  let made: EventSourceParser | null = null
  const parse = (said: string): void => {
    made ??= createParser({
      maxBufferSize: limit,
      onEvent: ({ event, data }) => tell(event ?? '', data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') state.overflowed = true
        else if (error.type !== 'unknown-field') return
        else if (error.field === 'error') state.frames.push({ event: 'error', data: error.value ?? '' })
        else for (const frame of hearStray(error.line ?? '')) state.frames.push(frame)
      },
    })
    made.feed(said)
  }

  const tell = (event: string, data: string): void => {
    // The parser counts only what waits for its end; an event that comes in one read is measured here.
    if (data.length > limit) state.overflowed = true
    if (!state.overflowed) state.frames.push({ event, data })
  }

  /** The index behind the plain message that begins at `at`; `at` itself where none does, or it is not whole yet. */
  const cutPlain = (said: string, at: number): number => {
    let start = at
    let event = ''
    if (said.charCodeAt(at) === LETTER_E && said.startsWith(EVENT, at)) {
      const end = said.indexOf('\n', at)
      if (end < 0) return at
      event = said.slice(at + EVENT.length, textEnd(said, end))
      start = end + 1
    }
    if (!said.startsWith(DATA, start)) return at
    const end = said.indexOf('\n', start)
    const next = end < 0 ? 0 : lineStart(said, end)
    if (next === 0) return at
    if (end + 1 - at > limit) state.overflowed = true
    tell(event, said.slice(start + DATA.length, textEnd(said, end)))
    return next
  }

  /** Whole messages only, so that the parser begins each time anew; the rest waits. */
  const cut = (said: string): void => {
    let at = 0
    while (at < said.length && !state.overflowed) {
      const next = cutPlain(said, at)
      if (next > at) at = next
      else {
        const end = blankLineEnd(said, at)
        if (end < 0) break
        if (end - 1 - at > limit) state.overflowed = true
        else parse(said.slice(at, end))
        at = end
      }
    }
    state.carry = at === 0 ? said : said.slice(at)
    if (state.carry.length > limit) state.overflowed = true
  }

  /** A message ends with a blank line. Until one comes, what waits is not looked at again, however long it grows. */
  const readPlain = (piece: string): void => {
    const cutBefore = state.endsInLf && lineStart(piece, -1) > 0
    const last = piece.length - 1
    state.endsInLf = piece.charCodeAt(last) === LF
    const endsHere = state.endsInLf && piece.charCodeAt(textEnd(piece, last) - 1) === LF
    if (endsHere || cutBefore || blankLineEnd(piece, 0) > 0) {
      cut(state.carry === '' ? piece : state.carry + piece)
      return
    }
    state.carry += piece
    if (state.carry.length > limit) state.overflowed = true
  }

  /** Without a carriage return at its end: whether it is one by itself, the next piece tells. */
  const held = (piece: string): string => {
    const said = state.cr ? `\r${piece}` : piece
    state.cr = said.endsWith('\r')
    return state.cr ? said.slice(0, -1) : said
  }

  const read = (piece: string): void => {
    if (state.overflowed || piece === '') return
    const hasCr = state.cr || piece.includes('\r')
    const said = hasCr ? held(piece) : piece
    if (said === '') return
    if (state.plain && (!hasCr || !hasLoneCr(said))) {
      readPlain(said)
      return
    }
    state.plain = false
    const all = state.carry + said
    state.carry = ''
    parse(all)
  }

  const taken = (): readonly Frame[] => {
    const { frames } = state
    if (frames.length === 0) return NO_FRAMES
    state.frames = []
    return frames
  }

  return {
    push(bytes) {
      if (bytes.length <= PIECE) read(text.push(bytes))
      else for (let at = 0; at < bytes.length; at += PIECE) read(text.push(bytes.subarray(at, at + PIECE)))
      return taken()
    },
    end() {
      // Several vendors leave out the last blank line: what they said counts all the same.
      read(`${text.end()}\n\n`)
      return taken()
    },
    overflowed: () => state.overflowed,
  }
}
