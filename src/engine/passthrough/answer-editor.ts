import type { Json, JsonObject } from '../../protocol/json.ts'
import { sealReasoning } from '../../responses/encrypted-content.ts'
import { concatenated } from '../../text/bytes.ts'
import { formatJson } from '../../text/json.ts'
import { LONG_JSON, type LongJson, parseLong } from '../../text/json-long.ts'
import { parseTextPieces } from '../../text/json-pieces.ts'
import { isLongJson, writeJson } from '../../text/json-write.ts'
import { parseLenientJson } from '../../text/lenient-json.ts'
import type { Steps } from '../../text/steps.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import {
  type AnswerEditContext,
  type AnswerPassthrough,
  NAMES_EDIT,
  SECRETS_EDIT,
  type StreamEvent,
  UNREADABLE_EDIT,
} from '../../wires/passthrough-contract.ts'
import { redactText } from '../../wires/redact.ts'
import { hasLargeNumber } from '../../wires/shared/large-numbers.ts'
import { mayQuote, quotesLong, redactLong, redactValue } from '../../wires/shared/passthrough/secrets.ts'
import { DEPTH_ONLY } from '../decode-long.ts'
import { type PipelineOptions, targetContextOf } from '../reducer.ts'
import type { WholeBody } from '../whole-body.ts'
import { numberLosses } from './number-losses.ts'

/** Values below this level are removed from an event that quotes a secret. No protocol has as many levels. */
const DEEPEST = 500

/** A name with one would end the line of its event. */
const LINE_BREAK = /[\r\n]/

const NONE: readonly JsonObject[] = []

const LARGE_NUMBERS: readonly string[] = ['a number beyond 2^53']

export function createEditor(options: PipelineOptions, answers: AnswerPassthrough): AnswerEditor {
  const { target, redact = (text: string) => text } = options
  const { origin, sign } = targetContextOf(options)
  return new AnswerEditor(answers, {
    settings: target.settings,
    seal: (payload) => sealReasoning(origin, payload, sign),
    sealText: origin.isShared === true ? (text) => sealReasoning(origin, text, sign) : null,
    redact: (text) => redactText(text, redact),
    redactSent: redact,
  })
}

/** The declared edits of one answer, and the names of those that have changed it. */
export class AnswerEditor {
  private readonly table: AnswerPassthrough
  private readonly context: AnswerEditContext
  private readonly entries: readonly (readonly [string, AnswerPassthrough['edits'][string]])[]
  private readonly made = new Set<string>()
  private isRounded = false

  constructor(table: AnswerPassthrough, context: AnswerEditContext) {
    this.table = table
    this.context = context
    this.entries = Object.entries(table.edits)
  }

  /** The names of the edits that changed the answer. */
  edits(): readonly string[] {
    return [...this.made]
  }

  /** The losses of the edits: what is written again was parsed, and has no more digits than a double. */
  losses(): readonly string[] {
    return this.isRounded ? LARGE_NUMBERS : []
  }

  note(edit: string): void {
    this.made.add(edit)
  }

  /** Notes an event that is written as it was read, because strict readers refuse it. */
  noteRewritten(value: unknown): void {
    this.note(UNREADABLE_EDIT)
    this.isRounded ||= hasLargeNumber(value)
  }

  /** Returns an event in the form that clients read, after the edits; the event itself if none applies, null if it is removed. */
  event(value: JsonObject, event: StreamEvent<unknown>): JsonObject | null {
    const formed = this.table.form(value, event)
    if (formed !== value) this.note(this.table.formName)
    const edited = formed === null ? null : this.edit(formed)
    if (edited !== value && edited !== null) this.isRounded ||= hasLargeNumber([value, edited])
    return edited
  }

  /** Returns the events that the upstream has left out before an event. */
  omitted(value: JsonObject, event: StreamEvent<unknown>): readonly JsonObject[] {
    const events = this.table.omitted?.(value, event) ?? NONE
    if (events.length > 0) this.note(this.table.formName)
    return events
  }

  /** Applies the edits of events and bodies. */
  edit(value: JsonObject): JsonObject | null {
    let edited: JsonObject = value
    for (const [name, edit] of this.entries) {
      const next = edit(edited, this.context)
      if (next !== edited) this.note(name)
      if (next === null) return null
      edited = next
    }
    return edited
  }

  /** Returns the name that the frame of an event has. */
  nameOf(value: JsonObject, event: string): string {
    const { eventName } = this.table
    if (eventName === undefined) return event
    const proposed = eventName(value, event)
    if (proposed === event || LINE_BREAK.test(proposed)) return event
    this.note(NAMES_EDIT)
    return proposed
  }

  /**
   * Returns the text of a body after the edits, which do not remove it: its own one, if none applies. One that strict
   * readers refuse is written as it was read.
   */
  *editBody({ text, value, isStrict }: WholeBody): Steps<string> {
    const edited = this.edit(value as JsonObject) ?? (value as JsonObject)
    if (edited === value && isStrict) return yield* this.hide(text)
    this.isRounded ||= (yield* numberLosses({ value: value as JsonObject, edited }, ['value', 'edited'])).length > 0
    return yield* this.hide((yield* formatAll(edited)) ?? text)
  }

  /** Whether a text quotes a secret. */
  quotes(text: string): boolean {
    return mayQuote(text, this.context.redactSent)
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

  /** Hides the secrets in a text that is no JSON. */
  *hideInText(text: string): Steps<string> {
    const hidden = yield* redactLong(text, this.context.redactSent)
    if (hidden !== text) this.note(SECRETS_EDIT)
    return hidden
  }
}

/** Parses a JSON text of any length in slices. A long one that is nested too deep is not parsed. */
function* readJson(text: string): Steps<LongJson> {
  if (text.length <= LONG_JSON) return { ok: true, value: parseLenientJson(text) }
  return yield* parseLong(text, DEPTH_ONLY, parseTextPieces)
}

/** Returns null or undefined if the text is not JSON, or was not parsed. */
function* parseAll(text: string): Steps<unknown> {
  const read = yield* readJson(text)
  return read.ok ? read.value : null
}

/** Returns null for a value that is nested too deep to be written. */
export function* formatAll(value: Json): Steps<string | null> {
  try {
    if (!isLongJson(value, LONG_JSON)) return formatJson(value) || null
    return decodeUtf8(concatenated(yield* writeJson(value)))
  } catch {
    return null
  }
}
