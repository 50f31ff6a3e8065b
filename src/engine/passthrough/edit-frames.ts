import { FORMATS, type FormatName } from '../../framing/format.ts'
import type { Frame } from '../../framing/frame.ts'
import { FRAMINGS, type FramingName } from '../../framing/registry.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { sealReasoning } from '../../responses/encrypted-content.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { LONG_JSON, parseLong } from '../../text/json-long.ts'
import { isLongJson, writeJson } from '../../text/json-write.ts'
import type { Steps } from '../../text/steps.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import type { AnswerEditContext, AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import { redactText } from '../../wires/shared/upstream/redact.ts'
import { type PipelineOptions, targetContextOf } from '../reducer.ts'
import { concat, eachFrame } from './frame-cutter.ts'

const encoder = new TextEncoder()

const NO_BYTES: Uint8Array = new Uint8Array(0)

const UNLIMITED = {
  depth: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
  members: Number.POSITIVE_INFINITY,
}

/** The edits of one answer of a wire. */
export function createEditor(options: PipelineOptions, answers: AnswerPassthrough): AnswerEditor {
  const { target, redact = (text: string) => text } = options
  const { origin, sign } = targetContextOf(options)
  return new AnswerEditor(answers, {
    settings: target.settings,
    seal: (payload) => sealReasoning(origin, payload, sign),
    redact: (text) => redactText(text, redact),
  })
}

/** The declared edits of one answer, and what they have found so far. */
export class AnswerEditor {
  /** Whether an event reported the failure of the answer. */
  hasFailure = false
  private readonly table: AnswerPassthrough
  private readonly context: AnswerEditContext
  private readonly made = new Set<string>()

  constructor(table: AnswerPassthrough, context: AnswerEditContext) {
    this.table = table
    this.context = context
  }

  /** The names of the edits that changed the answer. */
  edits(): readonly string[] {
    return [...this.made]
  }

  /** Whether an edit could apply to an event in this text. */
  concerns(text: string): boolean {
    return this.table.marks.some((mark) => text.includes(mark))
  }

  /** Applies the edits to an event or a body. Returns the object itself if none applies, and null if it is removed. */
  edit(value: JsonObject): JsonObject | null {
    if (this.table.isFailure(value)) this.hasFailure = true
    let edited: JsonObject | null = value
    for (const [name, edit] of Object.entries(this.table.edits)) {
      const next: JsonObject | null = edit(edited, this.context)
      if (next !== edited) this.made.add(name)
      edited = next
      if (edited === null) return null
    }
    return edited
  }

  /** Applies the edits to whole frames. The bytes of a frame that no edit changes stay as they are. */
  *frames(framing: FramingName, frames: Uint8Array): Steps<Uint8Array> {
    if (!this.concerns(decodeUtf8(frames))) return frames
    const pieces: Uint8Array[] = []
    for (const piece of eachFrame(framing, frames)) {
      const text = decodeUtf8(piece)
      pieces.push(this.concerns(text) ? yield* this.frame(framing, piece) : piece)
      yield
    }
    return concat(pieces)
  }

  private *frame(framing: FramingName, bytes: Uint8Array): Steps<Uint8Array> {
    const [frame, ...others] = FRAMINGS[framing].open(Number.MAX_SAFE_INTEGER).push(bytes)
    if (frame === undefined || others.length > 0) return bytes
    const edited = yield* this.editFrame(frame)
    if (edited === frame) return bytes
    return edited === null ? NO_BYTES : writeFrame(edited, framing === 'ndjson' ? 'ndjson' : 'sse')
  }

  /** Applies the edits to a frame. Returns the frame itself if none applies, and null if it is removed. */
  *editFrame(frame: Frame): Steps<Frame | null> {
    if (!this.concerns(frame.data)) return frame
    const value = yield* parseAll(frame.data)
    if (!isObject(value)) return frame
    const edited = this.edit(value as JsonObject)
    if (edited === value) return frame
    return edited === null ? null : { event: frame.event, data: yield* formatAll(edited) }
  }
}

/** The text of a frame in a format without a beginning and an end. */
export const writeFrame = (frame: Frame, format: Exclude<FormatName, 'array'>): Uint8Array =>
  encoder.encode(FORMATS[format].write.step(false, frame).events.join(''))

/** Parses a JSON text of any length in slices; null or undefined if it is not JSON. */
export function* parseAll(text: string): Steps<unknown> {
  if (text.length <= LONG_JSON) return parseJson(text)
  const parsed = yield* parseLong(text, UNLIMITED)
  return parsed.ok ? parsed.value : null
}

function* formatAll(value: JsonObject): Steps<string> {
  if (!isLongJson(value, LONG_JSON)) return JSON.stringify(value)
  return decodeUtf8(concat(yield* writeJson(value)))
}
