import { FORMATS, type FormatName, formatOfFraming } from '../../framing/format.ts'
import type { Frame } from '../../framing/frame.ts'
import { FRAMINGS, type FramingName } from '../../framing/registry.ts'
import type { Json, JsonObject } from '../../protocol/json.ts'
import { sealReasoning } from '../../responses/encrypted-content.ts'
import { isObject, parseJson } from '../../text/json.ts'
import { LONG_JSON, parseLong } from '../../text/json-long.ts'
import { isLongJson, writeJson } from '../../text/json-write.ts'
import type { Steps } from '../../text/steps.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import { type AnswerEditContext, type AnswerPassthrough, SECRETS_EDIT } from '../../wires/passthrough-contract.ts'
import { mayQuote, quotesLong, redactLong, redactValue } from '../../wires/shared/passthrough/secrets.ts'
import { redactText } from '../../wires/shared/upstream/redact.ts'
import { type PipelineOptions, targetContextOf } from '../reducer.ts'
import { concat, eachFrame } from './frame-cutter.ts'

const encoder = new TextEncoder()

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Values below this level are removed from an event that quotes a secret. No protocol has as many levels. */
const DEEPEST = 500

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
    redactSent: redact,
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

  /** Whether the upstream has quoted a secret. What it repeats in each event is then a part of the fast path. */
  hasSecrets(): boolean {
    return this.made.has(SECRETS_EDIT)
  }

  /** Whether an edit could apply to an event in this text. */
  concerns(text: string): boolean {
    return this.isMarked(text) || mayQuote(text, this.context.redactSent)
  }

  /** Whether an edit of the table could apply. */
  private isMarked(text: string): boolean {
    return this.table.marks.some((mark) => text.includes(mark))
  }

  /** Applies the edits of the table to an event or a body. Returns the object itself if none applies, and null if it is removed. */
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
    if (frame !== undefined && others.length === 0) {
      const edited = yield* this.editFrame(frame)
      if (edited === null) return NO_BYTES
      if (edited !== frame) return writeFrame(edited, formatOfFraming(framing))
    }
    // Comments, unknown fields and the ids of events are in no frame.
    const text = decodeUtf8(bytes)
    const hidden = yield* this.hideInText(text)
    return hidden === text ? bytes : encoder.encode(hidden)
  }

  /** Applies the edits to a frame. Returns the frame itself if none applies, and null if it is removed. */
  *editFrame(frame: Frame): Steps<Frame | null> {
    const data = yield* this.editText(frame.data)
    if (data === null) return null
    const event = frame.event === '' ? '' : yield* this.hideInText(frame.event)
    return data === frame.data && event === frame.event ? frame : { event, data }
  }

  /** Applies the edits to the text of an event or a body. Returns the text itself if none applies, and null if it is removed. */
  *editText(text: string): Steps<string | null> {
    const value = this.isMarked(text) ? yield* parseAll(text) : null
    if (!isObject(value)) return yield* this.hide(text)
    const edited = this.edit(value as JsonObject)
    if (edited === null) return null
    return yield* this.hide(edited === value ? text : yield* formatAll(edited))
  }

  /** Hides the secrets that the text of an event or a body quotes. Returns the text itself if there are none. */
  *hide(text: string): Steps<string> {
    if (!(yield* quotesLong(text, this.context.redactSent))) return text
    const hidden = yield* redactLong(text, this.context.redactSent)
    // A secret with quotes or backslashes may be a part of the notation, so that its text is no longer JSON.
    const shown = (yield* this.hideInJson(hidden)) ?? (yield* this.hideInJson(text)) ?? hidden
    if (shown !== text) this.made.add(SECRETS_EDIT)
    return shown
  }

  /** Hides secrets in the values of a JSON text, which may also end with the beginning of one; null if it is no JSON. */
  private *hideInJson(text: string): Steps<string | null> {
    const { redactSent } = this.context
    const value = (yield* parseAll(text)) as Json | undefined
    if (value === undefined || value === null) return null
    const redacted = yield* redactValue(value, redactSent, DEEPEST)
    return redacted === value ? text : yield* redactLong(yield* formatAll(redacted), redactSent)
  }

  private *hideInText(text: string): Steps<string> {
    const hidden = yield* redactLong(text, this.context.redactSent)
    if (hidden !== text) this.made.add(SECRETS_EDIT)
    return hidden
  }
}

/** The text of a frame in a format without a beginning and an end. */
export const writeFrame = (frame: Frame, format: Exclude<FormatName, 'array'>): Uint8Array =>
  encoder.encode(FORMATS[format].write.step(false, frame).events.join(''))

/** Parses a JSON text of any length in slices; null or undefined if it is not JSON. */
function* parseAll(text: string): Steps<unknown> {
  if (text.length <= LONG_JSON) return parseJson(text)
  const parsed = yield* parseLong(text, UNLIMITED)
  return parsed.ok ? parsed.value : null
}

function* formatAll(value: Json): Steps<string> {
  if (!isLongJson(value, LONG_JSON)) return JSON.stringify(value)
  return decodeUtf8(concat(yield* writeJson(value)))
}
