import type { JsonObject } from '../../protocol/json.ts'
import { concatenated, copied } from '../../text/bytes.ts'
import { formatJson, isObject, parseJson } from '../../text/json.ts'
import { parseLenientJson } from '../../text/lenient-json.ts'
import type { Steps } from '../../text/steps.ts'
import { decodeUtf8 } from '../../text/utf8.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { AnswerOptions, AnswerProgress, BodyCollector, UpstreamInput } from '../answer.ts'
import { createBodyCollector } from '../body-collector.ts'
import type { Outcome } from '../outcome.ts'
import { type AnswerEditor, createEditor } from './answer-editor.ts'
import { silentTarget } from './silent-target.ts'

/** The number of steps of editing that one slice runs. */
const EDITS = 8

/**
 * Passes a whole body to a client of the same protocol, with the declared edits. An upstream that streams in its place
 * is translated.
 */
export class PassedBody implements BodyCollector {
  private readonly options: AnswerOptions
  private readonly editor: AnswerEditor
  private reader: BodyCollector
  private source: string | null = null
  private lines: Uint8Array[] = []
  private editing: Steps<string> | null = null

  constructor(options: AnswerOptions, answers: AnswerPassthrough) {
    this.options = options
    this.editor = createEditor(options, answers)
    this.reader = createBodyCollector(options)
  }

  get progress(): AnswerProgress {
    return this.reader.progress
  }

  push(input: UpstreamInput): void {
    const { options } = this
    if (ArrayBuffer.isView(input)) {
      if (options.wire.framing.format === 'ndjson' && !this.progress.over()) this.lines.push(copied(input))
    } else if (input === 'end') this.passLine()
    else if ('body' in input) {
      this.reader = createBodyCollector({ ...options, target: silentTarget(options.target) })
      this.pass(input.body)
    }
    this.reader.push(input)
  }

  /** Parsers of JSON refuse a byte order mark. */
  private pass(body: string): void {
    this.source = body.startsWith('\uFEFF') ? body.slice(1) : body
    if (this.editor.concerns(this.source)) this.editing = this.edit(this.source)
  }

  /** A stream of one line is a body. Two objects on one line, which the reader takes apart, are none. */
  private passLine(): void {
    const text = decodeUtf8(concatenated(this.lines))
    this.lines = []
    if (!text.trim().includes('\n') && isObject(parseLenientJson(text.replace(/^\ufeff/, '')))) this.pass(text)
  }

  discard(): void {
    this.reader.discard()
  }

  busy(): boolean {
    return this.reader.busy() || (this.editing !== null && this.options.slice !== undefined)
  }

  resume(): void {
    if (this.reader.busy()) this.reader.resume()
    else for (let i = 0; i < EDITS && this.editing !== null; i += 1) this.goOn(this.editing)
  }

  kept(): number {
    return this.reader.kept() + (this.source?.length ?? 0)
  }

  outcome(): Outcome {
    const outcome = this.reader.outcome()
    if (this.source === null) return outcome
    // Members that the machines do not model reach the client all the same, but for those of a failure.
    const losses = outcome.error === null ? [] : outcome.losses
    return { ...outcome, losses, edits: this.editor.edits() }
  }

  body(): JsonObject {
    const { error } = this.reader.outcome()
    if (this.source === null) return this.reader.body()
    if (error !== null) return this.options.target.errorBody(error, this.options.head.id).body
    this.editAll()
    return parseLenientJson(this.source) as JsonObject
  }

  text(): string | null {
    this.editAll()
    if (this.source === null || this.reader.outcome().error !== null) return null
    // A body that strict readers refuse is written as the gateway has read it.
    return parseJson(this.source) === undefined ? formatJson(parseLenientJson(this.source)) : this.source
  }

  private editAll(): void {
    while (this.editing !== null) this.goOn(this.editing)
  }

  private goOn(steps: Steps<string>): void {
    const { done, value } = steps.next()
    if (done !== true) return
    this.editing = null
    this.source = value
  }

  /** A body is never removed. */
  private *edit(body: string): Steps<string> {
    return (yield* this.editor.editText(body)) ?? (yield* this.editor.hide(body))
  }
}
