import { createUtf8Reader } from '../text/utf8.ts'
import { BLANK_LINE } from './boundary.ts'
import { blankFrame, type Frame, type FrameReader } from './frame.ts'
import type { Framing } from './framing.ts'

const NO_FRAMES: readonly Frame[] = []
const noFrames = (): readonly Frame[] => NO_FRAMES

/** Large reads are decoded in pieces: one character beyond Latin-1 makes its whole string twice as wide and slow. */
const PIECE = 2_048

const DATA = 'data: '
const EVENT = 'event: '
const LF = 10
const CR = 13
const SPACE = 32
const LETTER_E = 101

/** A byte order mark that was encoded twice. */
const DOUBLE_MARK = 'ï»¿'

/** True if a carriage return is a line ending by itself. */
function hasLoneCr(text: string): boolean {
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) {
    if (text.charCodeAt(at + 1) !== LF) return true
  }
  return false
}

/** The index after the first blank line that ends a line begun at or after `from`; -1 if there is none. */
function blankLineEnd(text: string, from: number): number {
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
    const next = lineStart(text, at)
    if (next > 0) return next
  }
  return -1
}

/** The index after the line ending that follows this one; 0 if none follows. */
function lineStart(text: string, lf: number): number {
  const next = text.charCodeAt(lf + 1)
  if (next === LF) return lf + 2
  return next === CR && text.charCodeAt(lf + 2) === LF ? lf + 3 : 0
}

/** The end of the text of a line whose line ending has its LF at `lf`. */
const textEnd = (text: string, lf: number): number => (text.charCodeAt(lf - 1) === CR ? lf - 1 : lf)

/**
 * Server-sent events. Accepts any line ending, comments, a byte order mark, and characters split between reads. One
 * vendor (GPUStack) reports failures in a field of its own, `error:` (docs/wires/openai-chat.md, 8); it is read as an
 * event of that name. `onStray` receives lines that have no known field, and returns the frames that they complete.
 * `keepsText`: frames have the text in which they came.
 *
 * Messages of one data line, with or without an event line before it, are cut out at once. All others are read line by
 * line, and so is the whole rest of the stream after the first carriage return without a line feed. Both give the frames
 * of eventsource-parser (`test/framing`).
 */
export const createSseReader = (
  limit: number,
  onStray: (line: string) => readonly Frame[] = noFrames,
  keepsText = false,
): FrameReader => new SseReader(limit, onStray, keepsText)

/** A class instead of closures, because each closure would be one more object per stream. */
class SseReader implements FrameReader {
  private readonly limit: number
  private readonly onStray: (line: string) => readonly Frame[]
  private readonly text = createUtf8Reader()
  private isOver = false
  private frames: Frame[] = []
  private carry = ''
  private cr = false
  private endsInLf = false
  private plain = true
  private started = false
  private event = ''
  /** The data lines of a message that is read line by line. */
  private data: string | null = null
  private readonly keepsText: boolean
  /** The lines since the last blank one, with their ends; null if they have more than one frame, or are too long. */
  private lines: string | null = ''

  constructor(limit: number, onStray: (line: string) => readonly Frame[], keepsText: boolean) {
    this.limit = limit
    this.onStray = onStray
    this.keepsText = keepsText
  }

  push(bytes: Uint8Array): readonly Frame[] {
    const { text } = this
    if (bytes.length <= PIECE) this.read(text.push(bytes))
    else for (let at = 0; at < bytes.length; at += PIECE) this.read(text.push(bytes.subarray(at, at + PIECE)))
    return this.taken()
  }

  end(): readonly Frame[] {
    // Several vendors omit the last blank line. Their last event counts all the same.
    this.read(`${this.text.end()}\n\n`)
    return this.keepsText ? this.taken().filter(({ text }) => text?.trim() !== '') : this.taken()
  }

  overflowed(): boolean {
    return this.isOver
  }

  /** The index after the mark at the beginning of the stream. `text` has its whole first line if it has not begun. */
  private begin(text: string): number {
    const isFirst = !this.started
    this.started = true
    return isFirst && text.startsWith(DOUBLE_MARK) ? DOUBLE_MARK.length : 0
  }

  /** Reads all complete lines from `start` on, and returns the rest. */
  private readLines(text: string, start: number): string {
    let from = start
    for (let lf = text.indexOf('\n', from); lf >= 0; lf = text.indexOf('\n', from)) {
      if (lf - from + (this.data?.length ?? 0) > this.limit) this.isOver = true
      if (this.isOver) return ''
      if (this.keepsText && this.lines !== null) this.keepLine(this.lines, text.slice(from, lf + 1))
      this.readLine(text.slice(from, textEnd(text, lf)))
      from = lf + 1
    }
    return text.slice(from)
  }

  private keepLine(lines: string, line: string): void {
    this.lines = lines.length > this.limit ? null : lines + line
  }

  private readLine(line: string): void {
    if (line === '') {
      this.endLines()
      return
    }
    const colon = line.indexOf(':')
    // Comments, and a field that does not change the frames.
    if (colon === 0 || (colon === 2 && line.startsWith('id'))) return
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1)
    switch (colon < 0 ? line : line.slice(0, colon)) {
      case 'data':
        this.data = this.data === null ? value : `${this.data}\n${value}`
        return
      case 'event':
        this.event = value
        return
      case 'error':
        this.frames.push({ event: 'error', data: value })
        this.lines = null
        return
      case 'id':
      case 'retry':
        return
      default:
        for (const frame of this.onStray(line)) {
          this.frames.push(frame)
          this.lines = null
        }
    }
  }

  private endLines(): void {
    const { data, lines } = this
    if (data !== null) this.emit(this.event, data, lines)
    else if (this.keepsText && lines !== null) this.frames.push(blankFrame(lines))
    this.event = ''
    this.data = null
    this.lines = ''
  }

  private emit(event: string, data: string, text: string | null): void {
    if (this.isOver) return
    this.frames.push(this.keepsText && text !== null ? { event, data, text } : { event, data })
  }

  /** The index after the plain message that begins at `at`; `at` itself if there is none or it is incomplete. */
  private cutPlain(text: string, at: number): number {
    let start = at
    let event = ''
    if (text.charCodeAt(at) === LETTER_E && text.startsWith(EVENT, at)) {
      const end = text.indexOf('\n', at)
      if (end < 0) return at
      event = text.slice(at + EVENT.length, textEnd(text, end))
      start = end + 1
    }
    if (!text.startsWith(DATA, start)) return at
    const end = text.indexOf('\n', start)
    const next = end < 0 ? 0 : lineStart(text, end)
    if (next === 0) return at
    if (end + 1 - at > this.limit) this.isOver = true
    this.emit(event, text.slice(start + DATA.length, textEnd(text, end)), this.keepsText ? text.slice(at, next) : null)
    return next
  }

  /** Cuts complete messages only. The rest is carried over. */
  private cut(text: string): void {
    let at = this.begin(text)
    while (at < text.length && !this.isOver) {
      const next = this.cutPlain(text, at)
      if (next > at) at = next
      else {
        const end = blankLineEnd(text, at)
        if (end < 0) break
        if (end - 1 - at > this.limit) this.isOver = true
        else this.readLines(text.slice(at, end), 0)
        at = end
      }
    }
    this.carry = at === 0 ? text : text.slice(at)
    if (this.carry.length > this.limit) this.isOver = true
  }

  /**
   * A message ends with a blank line. Until one arrives, the bytes carried over are not scanned again, however many
   * they are.
   */
  private readPlain(piece: string): void {
    const cutBefore = this.endsInLf && lineStart(piece, -1) > 0
    const last = piece.length - 1
    this.endsInLf = piece.charCodeAt(last) === LF
    const endsHere = this.endsInLf && piece.charCodeAt(textEnd(piece, last) - 1) === LF
    if (endsHere || cutBefore || blankLineEnd(piece, 0) > 0) {
      this.cut(this.carry === '' ? piece : this.carry + piece)
      return
    }
    this.carry += piece
    if (this.carry.length > this.limit) this.isOver = true
  }

  /** The piece without a final carriage return: the next piece shows whether a line feed follows it. */
  private held(piece: string): string {
    const text = this.cr ? `\r${piece}` : piece
    this.cr = text.endsWith('\r')
    return this.cr ? text.slice(0, -1) : text
  }

  /** The text with LF as its line endings. A CR at its end is one already, so that a LF behind it is skipped. */
  private normalised(text: string): string {
    const isFirst = this.plain
    this.plain = false
    const all = isFirst && this.cr ? `${text}\r` : text
    const rest = !isFirst && this.cr && all.startsWith('\n') ? all.slice(1) : all
    this.cr = all.endsWith('\r')
    return rest.replace(/\r\n?/g, '\n')
  }

  private read(piece: string): void {
    if (this.isOver || piece === '') return
    const hasCr = this.cr || piece.includes('\r')
    const text = hasCr && this.plain ? this.held(piece) : piece
    if (text === '') return
    if (this.plain && (!hasCr || !hasLoneCr(text))) {
      this.readPlain(text)
      return
    }
    const lines = this.normalised(text)
    this.carry += lines
    // Lines without an end are not scanned again.
    if (lines.includes('\n')) this.carry = this.readLines(this.carry, this.begin(this.carry))
    if (this.carry.length + (this.data?.length ?? 0) > this.limit) this.isOver = true
  }

  private taken(): readonly Frame[] {
    const { frames } = this
    if (frames.length === 0) return NO_FRAMES
    this.frames = []
    return frames
  }
}

export const SSE: Framing = {
  name: 'sse',
  open: (limit, keepsText) => createSseReader(limit, noFrames, keepsText),
  mediaTypes: ['text/event-stream'],
  // Fields of server-sent events, or a comment.
  looksLike: /^\ufeff?\s*(?:data|event|id|retry|error)?:/,
  boundary: BLANK_LINE,
  extension: 'sse',
  format: 'sse',
}
