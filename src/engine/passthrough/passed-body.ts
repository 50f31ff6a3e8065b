import type { Frame } from '../../framing/frame.ts'
import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { parseLenientJson } from '../../text/lenient-json.ts'
import type { Steps } from '../../text/steps.ts'
import { type AnswerPassthrough, UNREADABLE_EDIT } from '../../wires/passthrough-contract.ts'
import type { AnswerOptions, DecodedFrame, FrameOutput } from '../answer.ts'
import { BodyAnswer } from '../body-collector.ts'
import { IN_SLICES } from '../in-slices.ts'
import type { Outcome } from '../outcome.ts'
import { readWholeBody, type WholeBody } from '../whole-body.ts'
import { type AnswerEditor, createEditor, formatAll } from './answer-editor.ts'
import { SILENT_WRITER } from './silent-writer.ts'

/**
 * Passes a whole body to a client of the same protocol, with the declared edits. An upstream that streams in its place
 * is translated, and so is a body that its clients could not read.
 */
export class PassedBody extends BodyAnswer {
  private readonly frame: OneFrame
  private readonly editor: AnswerEditor
  private shown: string | null = null

  constructor(options: AnswerOptions, answers: AnswerPassthrough) {
    const sliced: AnswerOptions = { inSlices: IN_SLICES, ...options }
    const frame = new OneFrame(options, answers, () => this.progress.writeWith(SILENT_WRITER))
    super(sliced, undefined, frame)
    this.frame = frame
    this.editor = createEditor(sliced, answers)
  }

  protected override make(error: GatewayError | null): Steps<JsonObject> {
    const { body } = this.frame
    return body === null ? this.hideIn(super.make(error)) : this.edit(body, error)
  }

  /** Members that only the upstream and its clients know are a part of a translated body, too. */
  private *hideIn(making: Steps<JsonObject>): Steps<JsonObject> {
    const made = yield* making
    const text = yield* formatAll(made)
    if (text === null) return made
    const shown = yield* this.editor.hide(text)
    return shown === text ? made : (parseLenientJson(shown) as JsonObject)
  }

  private *edit(body: WholeBody, error: GatewayError | null): Steps<JsonObject> {
    const { target, head } = this.options
    if (error !== null) return target.errorBody(error, head.id).body
    if (!body.isStrict) this.editor.note(UNREADABLE_EDIT)
    const shown = yield* this.editor.editBody(body)
    this.shown = shown
    return (shown === body.text ? body.value : parseLenientJson(shown)) as JsonObject
  }

  override text(): string | null {
    this.body()
    return this.shown
  }

  override kept(): number {
    return super.kept() + (this.frame.body?.text.length ?? 0)
  }

  override outcome(): Outcome {
    const outcome = super.outcome()
    if (this.frame.body === null) return outcome
    // Members that the machines do not model reach the client all the same, but for those of a failure.
    const losses = outcome.error === null ? this.editor.losses() : outcome.losses
    return { ...outcome, losses, edits: this.editor.edits() }
  }
}

/** The body of an answer, which is its only frame: one without a framing, or the only line of a stream of lines. */
class OneFrame implements FrameOutput {
  body: WholeBody | null = null
  readonly splitsLists = false
  private isFirst = true
  private isStrict = true
  private readonly options: AnswerOptions
  private readonly isLine: boolean
  private readonly answers: AnswerPassthrough
  private readonly onBody: () => void

  /** `onBody`: a body has arrived, behind which nothing follows. */
  constructor(options: AnswerOptions, answers: AnswerPassthrough, onBody: () => void) {
    this.options = options
    this.isLine = options.wire.framing.format === 'ndjson'
    this.answers = answers
    this.onBody = onBody
  }

  sendBody(body: WholeBody): void {
    if (!isObject(body.value) || this.answers.isReadable?.(body.value as JsonObject) === false) return
    this.body = body
    this.onBody()
  }

  step(decoder: Machine<unknown, Frame, Delta>, state: unknown, frame: Frame): Step<unknown, Delta> {
    if (frame.isBlank === true) return { state, events: NOTHING }
    const line = this.isLine && this.isFirst ? readWholeBody(this.options, frame.data) : null
    this.keep(line)
    return decoder.step(state, isObject(line?.value) ? { ...frame, value: line.value } : frame)
  }

  sendLong(_: Machine<unknown, Frame, Delta>, { frame, value }: DecodedFrame): null {
    this.keep(this.isLine && this.isFirst ? { text: frame.data, value, isStrict: this.isStrict } : null)
    return null
  }

  rewrites(): void {
    this.isStrict = false
  }

  private keep(line: WholeBody | null): void {
    this.isFirst = false
    this.body = isObject(line?.value) ? line : null
  }

  isFull(): boolean {
    return false
  }
}
