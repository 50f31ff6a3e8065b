import { FORMATS, type FormatName } from '../../framing/format.ts'
import { type Frame, isDone } from '../../framing/frame.ts'
import type { Framing } from '../../framing/framing.ts'
import { createObjectReader, splitFrame } from '../../framing/json-array.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { sealReasoning } from '../../responses/encrypted-content.ts'
import { formatJson, isObject, parseJson } from '../../text/json.ts'
import { LONG_JSON, type LongJson, parseLong } from '../../text/json-long.ts'
import { parseTextPieces } from '../../text/json-pieces.ts'
import { isLongJson, writeJson } from '../../text/json-write.ts'
import type { Steps } from '../../text/steps.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import {
  type AnswerEditContext,
  type AnswerPassthrough,
  NAMES_EDIT,
  SECRETS_EDIT,
  UNREADABLE_EDIT,
} from '../../wires/passthrough-contract.ts'
import { redactText } from '../../wires/redact.ts'
import { mayQuote, quotesLong, redactLong, redactValue } from '../../wires/shared/passthrough/secrets.ts'
import { DEPTH_ONLY } from '../decode-long.ts'
import { type PipelineOptions, targetContextOf } from '../reducer.ts'
import { concat, eachFrame } from './frame-cutter.ts'
import { SentEvents } from './sent-events.ts'

const encoder = new TextEncoder()

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Clients take a byte order mark for a part of the first JSON text, or of the first name of a field, and lose its frame. */
const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes

/** Values below this level are removed from an event that quotes a secret. No protocol has as many levels. */
const DEEPEST = 500

/** This many bytes of frames are edited in one step. */
const STEP = 16 * 1024

/** A name with one would end the line of its event. */
const LINE_BREAK = /[\r\n]/

/** Frames that a proxy joined in one. */
interface JoinedFrames {
  readonly parts: readonly Frame[]
}

const isJoined = (frame: Frame | JoinedFrames | null): frame is JoinedFrames => frame !== null && 'parts' in frame

export function createEditor(options: PipelineOptions, answers: AnswerPassthrough): AnswerEditor {
  const { target, redact = (text: string) => text, limits = LIMITS } = options
  const { origin, sign } = targetContextOf(options)
  const context: AnswerEditContext = {
    settings: target.settings,
    seal: (payload) => sealReasoning(origin, payload, sign),
    sealText: origin.isShared === true ? (text) => sealReasoning(origin, text, sign) : null,
    redact: (text) => redactText(text, redact),
    redactSent: redact,
  }
  return new AnswerEditor(answers, context, limits.upstreamEvent)
}

const [LF, CR] = [10, 13] as const

const PLAIN = /^(?:event: ([^\r\n]*)\r?\n)?data: /

const hasLineEnd = (text: string): boolean => text.includes('\n') || text.includes('\r')

/** The text without the line ends behind it. */
const withoutEnd = (text: string): string => {
  let end = text.length
  while (end > 0 && (text.charCodeAt(end - 1) === LF || text.charCodeAt(end - 1) === CR)) end -= 1
  return text.slice(0, end)
}

/** The frame in the text of a server-sent event of one line with data, after its name; null for any other. */
function plainFrame(text: string): Frame | null {
  const found = PLAIN.exec(text)
  if (found === null) return null
  const data = withoutEnd(text.slice(found[0].length))
  return hasLineEnd(data) ? null : { event: found[1] ?? '', data }
}

const isComment = (line: string): boolean => line.trim() === '' || line.startsWith(':')

/** A line of an event without data. */
const isField = (line: string): boolean => isComment(line) || /^(?:event|data|id|retry)[:\r\n]/.test(line)

/** Lines with their ends. */
const linesOf = (text: string): readonly string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []

/** Whether a frame is one line with data. */
const isOneLine = (text: string): boolean => text.startsWith('data:') && !hasLineEnd(withoutEnd(text))

/** The declared edits of one answer, and what they have found so far. */
export class AnswerEditor {
  /** The events that were sent so far, and how they ended. */
  readonly sent: SentEvents
  private readonly table: AnswerPassthrough
  private readonly context: AnswerEditContext
  private readonly limit: number
  private readonly made = new Set<string>()
  private examinesAll = false

  constructor(table: AnswerPassthrough, context: AnswerEditContext, limit: number) {
    this.table = table
    this.context = context
    this.limit = limit
    this.sent = new SentEvents(table)
  }

  /** The names of the edits that changed the answer. */
  edits(): readonly string[] {
    return [...this.made]
  }

  /** Whether an edit may change what the upstream repeats in each event, which is then a part of the fast path. */
  examinesFast(): boolean {
    return this.examinesAll
  }

  /** Whether an edit could apply to a body of this text. */
  concerns(text: string): boolean {
    return this.isMarked(text) || mayQuote(text, this.context.redactSent)
  }

  private isMarked(text: string): boolean {
    return this.table.marks.some((mark) => text.includes(mark))
  }

  /** Applies the edits of the table to an event or a body. Returns the object itself if none applies, and null if it is removed. */
  edit(value: JsonObject): JsonObject | null {
    let edited: JsonObject | null = value
    for (const [name, edit] of Object.entries(this.table.edits)) {
      const next: JsonObject | null = edit(edited, this.context)
      if (next !== edited) this.made.add(name)
      edited = next
      if (edited === null) return null
    }
    return edited
  }

  /**
   * Applies the edits to whole frames. The bytes of a frame that no edit changes stay as they are. Nothing follows the
   * end of the answer, which is not among them: `sent` has it.
   */
  *frames(framing: Framing, frames: Uint8Array): Steps<Uint8Array> {
    const pieces: Uint8Array[] = []
    let size = 0
    for (const piece of eachFrame(framing, frames)) {
      if (this.sent.isOver) break
      const edited = yield* this.piece(framing, piece)
      if (edited.length > 0) pieces.push(edited)
      size += piece.length
      if (size < STEP) continue
      size = 0
      yield
    }
    return concat(pieces)
  }

  private *piece(framing: Framing, received: Uint8Array): Steps<Uint8Array> {
    const bytes = withoutMark(received)
    const text = decodeUtf8(bytes)
    if (bytes.length > STEP) yield
    const frames = this.framesIn(framing, bytes, text)
    if (bytes.length > STEP) yield
    if (frames === null) {
      this.sent.isOver = true
      return NO_BYTES
    }
    const [frame] = frames
    const isBare = this.table.dataOnly === true
    if (frame === undefined) return yield* this.withoutData(bytes, text)
    if (frames.length > 1) return yield* this.written(framing, frames)
    const edited = yield* this.editFrame(frame)
    if (isJoined(edited)) return yield* this.written(framing, edited.parts)
    const isSame = edited === frame && (!isBare || isOneLine(text))
    if (!isSame && edited === frame) this.note(NAMES_EDIT)
    if (edited === null) return NO_BYTES
    return this.sent.hold(isSame ? yield* this.sameText(bytes, text, frame.data) : write(edited, framing))
  }

  /** Keeps comments and fields. Other lines may be a body that is no stream. */
  private *withoutData(bytes: Uint8Array, text: string): Steps<Uint8Array> {
    const isKept = this.table.dataOnly === true ? isComment : isField
    const lines = linesOf(text)
    const kept = lines.filter(isKept)
    if (kept.length === lines.length) return yield* this.sameText(bytes, text, '')
    if (this.table.dataOnly !== true) this.note(UNREADABLE_EDIT)
    if (kept.every((line) => line.trim() === '')) return NO_BYTES
    return encoder.encode(yield* this.hideInText(kept.join('')))
  }

  /** The frames of whole bytes; null if one is too long. Nearly every frame is one line with data, after its name. */
  private framesIn(framing: Framing, bytes: Uint8Array, text: string): readonly Frame[] | null {
    const plain = framing.format === 'sse' ? plainFrame(text) : null
    if (plain !== null) return plain.data.length > this.limit ? null : [plain]
    const reader = framing.open(this.limit)
    const frames = reader.push(bytes)
    return reader.overflowed() ? null : frames
  }

  /** Writes frames anew, with the edits. */
  *written(framing: Framing, frames: readonly Frame[]): Steps<Uint8Array> {
    return concat(yield* this.each(frames, (frame) => write(frame, framing)))
  }

  /** Writes each frame after the edits, up to the end of the answer. */
  *each(frames: readonly Frame[], write: (frame: Frame) => Uint8Array): Steps<readonly Uint8Array[]> {
    const pieces: Uint8Array[] = []
    let size = 0
    for (const frame of frames) {
      if (this.sent.isOver) break
      const edited = yield* this.editFrame(frame)
      if (isJoined(edited)) pieces.push(...(yield* this.each(edited.parts, write)))
      else if (edited !== null) pieces.push(this.sent.hold(write(edited)))
      size += frame.data.length
      if (size < STEP) continue
      size = 0
      yield
    }
    return pieces
  }

  /** Comments, unknown fields and the ids of events are in no frame. `searched`: a part in which no secret was found. */
  private *sameText(bytes: Uint8Array, text: string, searched: string): Steps<Uint8Array> {
    const at = searched === '' ? -1 : text.indexOf(searched)
    if (at >= 0) {
      const { redactSent } = this.context
      const around = `${text.slice(0, at)}\n${text.slice(at + searched.length)}`
      if (!(yield* quotesLong(around, redactSent))) return bytes
    }
    const hidden = yield* this.hideInText(text)
    return hidden === text ? bytes : encoder.encode(hidden)
  }

  /**
   * Applies the edits to a frame. Returns the frame itself if none applies, null if it is removed, and the frames that a
   * proxy joined in this one without their edits.
   */
  private *editFrame(frame: Frame): Steps<Frame | JoinedFrames | null> {
    const { table, sent } = this
    if (isDone(frame)) {
      if (table.terminator?.matches(frame) !== true) return this.unread(frame)
      sent.done()
      // OpenAI's libraries know it only without spaces.
      const data = frame.data.trim()
      return data === frame.data ? frame : { ...frame, data }
    }
    const read = yield* readJson(frame.data)
    if (!read.ok) {
      // The machines that read the answer fail at this frame.
      sent.isOver = true
      return null
    }
    const { value } = read
    if (!isObject(value)) {
      const parts = Array.isArray(value) ? yield* this.listed(frame, value) : splitFrame(frame)
      if (parts.length === 0) return this.unread(frame)
      this.note(UNREADABLE_EDIT)
      return { parts }
    }
    const formed = this.form(value as JsonObject, frame.event)
    const edited = formed === null ? null : this.edit(formed)
    if (edited === null) return null
    const proposed = table.eventName?.(edited, frame.event) ?? frame.event
    const name = LINE_BREAK.test(proposed) ? frame.event : proposed
    if (name !== frame.event) this.note(NAMES_EDIT)
    const text = edited === value ? frame.data : yield* formatAll(edited)
    if (text === null) {
      this.note(UNREADABLE_EDIT)
      return null
    }
    // A line break is white space in JSON.
    const data = yield* this.hide(table.dataOnly === true ? text.replaceAll('\n', ' ') : text)
    const event = name === '' ? '' : yield* this.hideInText(name)
    const sends = sent.add(edited, name)
    if (sends && table.terminator?.matches(frame) === true) sent.done()
    if (!sends) return null
    return data === frame.data && event === frame.event ? frame : { event, data }
  }

  /** Removes a frame that is no event. */
  private unread(frame: Frame): null {
    this.note(UNREADABLE_EDIT)
    if (this.table.unreadEnds?.(frame, this.sent.memory) === true) this.sent.isOver = true
    return null
  }

  /** The events of a list in one frame, with the upstream's own text if there is nothing else in it. */
  private *listed({ event, data }: Frame, list: readonly unknown[]): Steps<readonly Frame[]> {
    if (this.table.readsLists !== true) return []
    if (list.every(isObject)) return createObjectReader(data.length).read(data)
    const frames: Frame[] = []
    for (const one of list.filter(isObject)) {
      const text = yield* formatAll(one as JsonObject)
      if (text !== null) frames.push({ event, data: text })
    }
    return frames
  }

  private form(value: JsonObject, event: string): JsonObject | null {
    const { sent } = this
    let formed: JsonObject | null = value
    for (const [name, edit] of Object.entries(this.table.eventEdits ?? {})) {
      const stream = { event, memory: sent.memory }
      const next: JsonObject | null = edit(formed, stream)
      sent.memory = stream.memory
      if (next !== formed) this.note(name)
      formed = next
      if (formed === null) return null
    }
    return formed
  }

  /** Records an edit that may apply to every event. */
  private note(edit: string | null): void {
    if (edit === null) return
    this.made.add(edit)
    this.examinesAll = true
  }

  /** Applies the edits to a body. Returns the text itself if none applies, and null if it is removed. */
  *editText(text: string): Steps<string | null> {
    const value = this.isMarked(text) ? yield* parseAll(text) : null
    if (!isObject(value)) return yield* this.hide(text)
    const edited = this.edit(value as JsonObject)
    if (edited === null) return null
    const formatted = edited === value ? text : yield* formatAll(edited)
    return formatted === null ? null : yield* this.hide(formatted)
  }

  /** Hides the secrets that the text of an event or a body quotes. Returns the text itself if there are none. */
  *hide(text: string): Steps<string> {
    if (!(yield* quotesLong(text, this.context.redactSent))) return text
    const hidden = yield* redactLong(text, this.context.redactSent)
    // A secret with quotes or backslashes may be a part of the notation, so that its text is no longer JSON.
    const shown = (yield* this.hideInJson(hidden)) ?? (yield* this.hideInJson(text)) ?? hidden
    if (shown !== text) this.note(SECRETS_EDIT)
    return shown
  }

  /** Hides secrets in the values of a JSON text, which may also end with the beginning of one; null if it is no JSON. */
  private *hideInJson(text: string): Steps<string | null> {
    const { redactSent } = this.context
    const value = (yield* parseAll(text)) as Json | undefined
    if (value === undefined || value === null) return null
    const redacted = yield* redactValue(value, redactSent, DEEPEST)
    if (redacted === value) return text
    const formatted = yield* formatAll(redacted)
    return formatted === null ? null : yield* redactLong(formatted, redactSent)
  }

  /** Frames of the gateway, without the secrets that it repeats from the upstream's. */
  *hidden(frames: readonly Frame[]): Steps<readonly Frame[]> {
    const shown: Frame[] = []
    for (const frame of frames) shown.push({ ...frame, data: yield* this.hide(frame.data) })
    return shown
  }

  private *hideInText(text: string): Steps<string> {
    const hidden = yield* redactLong(text, this.context.redactSent)
    if (hidden !== text) this.note(SECRETS_EDIT)
    return hidden
  }
}

/** The text of a frame in a format without a beginning and an end. */
export const writeFrame = (frame: Frame, format: Exclude<FormatName, 'array'>): Uint8Array =>
  encoder.encode(FORMATS[format].write.step(false, frame).events.join(''))

const write = (frame: Frame, framing: Framing): Uint8Array => writeFrame(frame, framing.format)

/** Parses a JSON text of any length in slices. A long one that is nested too deep is not parsed. */
function* readJson(text: string): Steps<LongJson> {
  if (text.length <= LONG_JSON) return { ok: true, value: parseJson(text) }
  return yield* parseLong(text, DEPTH_ONLY, parseTextPieces)
}

/** Returns null or undefined if the text is not JSON, or was not parsed. */
function* parseAll(text: string): Steps<unknown> {
  const read = yield* readJson(text)
  return read.ok ? read.value : null
}

/** Returns null for a value that is nested too deep to be written. */
function* formatAll(value: Json): Steps<string | null> {
  try {
    if (!isLongJson(value, LONG_JSON)) return formatJson(value) || null
    return decodeUtf8(concat(yield* writeJson(value)))
  } catch {
    return null
  }
}
