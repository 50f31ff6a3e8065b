import type { PassedChunks } from '../../fast-path/options.ts'
import { FORMATS, type Format } from '../../framing/format.ts'
import { type Frame, isDone, jsonOf } from '../../framing/frame.ts'
import { createObjectReader } from '../../framing/json-array.ts'
import { type Machine, NOTHING, type Step } from '../../machine/machine.ts'
import { innerState } from '../../machine/pipe.ts'
import { createPrinter, type Printer } from '../../output/frame-printer.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { formatJson, isObject, parseJson } from '../../text/json.ts'
import { LONG_JSON } from '../../text/json-long.ts'
import { runSteps, type Steps } from '../../text/steps.ts'
import { decoderOf } from '../../wires/decoder-of.ts'
import {
  type AnswerEnd,
  type AnswerPassthrough,
  NAMES_EDIT,
  type StreamEvent,
  UNREADABLE_EDIT,
} from '../../wires/passthrough-contract.ts'
import type { DecodedFrame, FrameOutput } from '../answer.ts'
import { partsOf } from '../decode-long.ts'
import { type PipelineOptions, targetContextOf } from '../reducer.ts'
import { type AnswerEditor, createEditor, formatAll } from './answer-editor.ts'

type States = Pick<StreamEvent<unknown>, 'before' | 'after'>

type Decoder = Machine<unknown, Frame, Delta>

const isComment = (line: string): boolean => line.trim() === '' || line.startsWith(':')

/** A line without an event. Clients do not dispatch a name without data, but some libraries do, and fail. */
const isField = (line: string): boolean => isComment(line) || /^(?:id|retry)[:\r\n]/.test(line)

/** Lines with their ends. */
const linesOf = (text: string): readonly string[] => text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []

/** The characters behind the data of a frame of one line. */
const ONE_LINE_END = /^\r?\n(?:\r?\n)?$/

/** Whether the text of a frame is one line, which has its data. */
const isOneLine = (text: string, data: string): boolean => {
  const at = text.startsWith('data: ') ? 6 : text.startsWith('data:') ? 5 : -1
  return at > 0 && text.startsWith(data, at) && ONE_LINE_END.test(text.slice(at + data.length))
}

const DONE = '[DONE]'

/** The characters before the beginning of an answer that are kept: they are heartbeats, and an upstream may send no end of them. */
const MOST_EARLY = 64 * 1024

const isSafe = (number: unknown): number is number => Number.isSafeInteger(number)

const hasFailed = (deltas: readonly Delta[]): boolean => {
  for (let i = 0; i < deltas.length; i += 1) if (deltas[i]?.kind === 'error') return true
  return false
}

const isContent = ({ kind }: Delta): boolean => kind !== 'loss'

/** The upstream's last frame, which is sent at the end of the answer. */
interface LastFrame {
  readonly frame: Frame
  readonly text: string
  readonly fails: boolean
}

/** An event after its edits. */
interface EditedEvent {
  readonly value: JsonObject
  readonly name: string
  readonly isLast: boolean
  readonly fails: boolean
}

/**
 * Sends the upstream's own frames, with the declared edits, to a client of the same protocol. An answer with content
 * before the event with which clients begin is translated, and so is one that ends before any event.
 */
export class PassedFrames implements FrameOutput, PassedChunks {
  readonly editor: AnswerEditor
  /** Whether the last frame was sent as it came. */
  isSame = true
  private mode: 'undecided' | 'passed' | 'translated' = 'undecided'
  private readonly options: PipelineOptions
  private readonly table: AnswerPassthrough
  private printer: Printer = createPrinter()
  private onPass: () => void = () => {}
  private readonly write: Format['write']
  private written: boolean
  /** Whether frames are sent in the format in which they came. */
  private readonly keepsText: boolean
  /** The texts of frames before the answer has begun, and the room that is left for more. */
  private early: string[] = []
  private room = MOST_EARLY
  private last: LastFrame | null = null
  private isReported = false
  private sequence = -1

  constructor(options: PipelineOptions, table: AnswerPassthrough) {
    const { target, wire } = options
    this.options = options
    this.table = table
    this.editor = createEditor(options, table)
    this.keepsText = target.format === wire.framing.format
    this.write = FORMATS[target.format].write
    this.written = this.write.initial
  }

  /** `printer`: that of the answer. `onPass`: the answer is passed from now on. */
  attach(printer: Printer, onPass: () => void): void {
    this.printer = printer
    this.onPass = onPass
  }

  get isPassed(): boolean {
    return this.mode === 'passed'
  }

  get isNumbered(): boolean {
    return this.sequence >= 0
  }

  isFull(): boolean {
    return this.printer.waits()
  }

  quotes(chunk: string): boolean {
    return this.editor.quotes(chunk)
  }

  sendBody(): void {
    // A body in place of a stream is translated.
  }

  step(decoder: Decoder, state: unknown, frame: Frame): Step<unknown, Delta> {
    if (frame.isBlank === true) {
      this.sendBlank(frame.text ?? '')
      return { state, events: NOTHING }
    }
    const strict = frame.value === undefined ? parseJson(frame.data) : frame.value
    const value = strict === undefined || typeof strict === 'string' ? jsonOf(frame) : strict
    const isList = Array.isArray(value)
    if (value === undefined || isList) {
      const parts = partsOf(decoder, state, isList ? { ...frame, value } : frame, this.splitsLists)
      if (parts.length > 0) return this.stepAll(decoder, state, parts)
    }
    if (value === undefined || value === null) return this.decode(decoder, state, frame, value)
    const { event, data, text } = frame
    if (value !== strict) {
      this.editor.noteRewritten(value)
      return this.decode(decoder, state, { event, data: formatJson(value) || data, value }, value)
    }
    const read = text === undefined ? { event, data, value } : { event, data, value, text }
    return this.decode(decoder, state, read, value)
  }

  get splitsLists(): boolean {
    return this.table.readsLists !== true
  }

  rewrites(parts: readonly Frame[]): void {
    this.editor.noteRewritten(parts.map(({ value }) => value))
  }

  /** Decodes the frames that a proxy joined in one. */
  private stepAll(decoder: Decoder, state: unknown, frames: readonly Frame[]): Step<unknown, Delta> {
    const events: Delta[] = []
    let now = state
    for (const frame of frames) {
      if (decoder.remainder?.(now) === 'nothing') break
      const step = this.step(decoder, now, frame)
      now = step.state
      for (const event of step.events) events.push(event)
    }
    this.rewrites(frames)
    return { state: now, events }
  }

  private decode(decoder: Decoder, before: unknown, frame: Frame, value: unknown): Step<unknown, Delta> {
    const step = decoder.step(before, frame)
    const steps = this.sendLong(decoder, { frame, value, before, step })
    if (steps !== null) runSteps(steps)
    return step
  }

  sendLong(decoder: Decoder, decoded: DecodedFrame): Steps<void> | null {
    const { frame, value, step } = decoded
    this.isSame = false
    const states = { before: innerState(decoder, decoded.before), after: innerState(decoder, step.state) }
    if (this.mode === 'undecided') this.decide(states, step.events, this.hasEvent(value))
    // A decoder reads nothing behind its last frame.
    if (this.mode === 'translated' || this.last !== null) return null
    const isLast = decoder.remainder?.(step.state) === 'nothing'
    // Only the last event follows a failure.
    if (this.isReported && !isLast) return null
    if (!isObject(value)) return this.sendOther(frame, value, isLast)
    return this.sendObject(value as JsonObject, decoded, states, isLast)
  }

  private sendObject(
    value: JsonObject,
    { frame, step }: DecodedFrame,
    { before, after }: States,
    isLast: boolean,
  ): Steps<void> | null {
    const event: StreamEvent<unknown> = { name: frame.event, before, after }
    const edited = this.editor.event(value, event)
    if (edited === null) return null
    const omitted = this.editor.omitted(value, event)
    for (const one of omitted) this.sendOmitted(one, frame.event)
    const name = this.editor.nameOf(edited, frame.event)
    const fails = hasFailed(step.events) && this.table.isFailure(edited, name)
    if (this.isReported && !fails) return null
    const { sequence_number: number } = edited
    if (!isLast && isSafe(number) && number > this.sequence) this.sequence = number
    const { text } = frame
    const isOwn = edited === value && omitted.length === 0 && name === frame.event
    const isPlain = isOwn && !isLast && !fails && this.mode === 'passed'
    if (isPlain && text !== undefined && this.isUnchanged(frame, text)) {
      this.isSame = true
      this.printer.emit(text)
      return null
    }
    return this.sendEvent(frame, value, { value: edited, name, isLast, fails })
  }

  /** Sends an event that the upstream has left out, which has none of its own texts. `name`: that of the next event. */
  private sendOmitted(value: JsonObject, name: string): void {
    const event = this.table.eventName?.(value, name) ?? ''
    this.deliver(this.format({ event, data: formatJson(value) }))
  }

  /** Whether the text of a frame can be sent as it is. */
  private isUnchanged({ data }: Frame, text: string): boolean {
    if (!this.keepsText || text.length > LONG_JSON || this.editor.quotes(text)) return false
    return this.table.dataOnly !== true || isOneLine(text, data)
  }

  private hasEvent(value: unknown): boolean {
    return isObject(value) || (!this.splitsLists && Array.isArray(value) && value.some(isObject))
  }

  /**
   * The first event with an effect decides; a heartbeat has none, nor an event of an unknown kind. Without any event,
   * content may be in other frames.
   */
  private decide({ before, after }: States, events: readonly Delta[], isEvent: boolean): void {
    const fails = hasFailed(events)
    if (isEvent && this.table.hasStarted?.(after, fails) !== false) {
      this.mode = 'passed'
      this.onPass()
      if (!fails) for (const text of this.early) this.printer.emit(text)
    } else if (isEvent ? after !== before || events.some(isContent) : fails) this.mode = 'translated'
    else return
    this.early = []
  }

  private *sendEvent(frame: Frame, value: JsonObject, edited: EditedEvent): Steps<void> {
    const formatted = edited.value === value ? frame.data : yield* formatAll(edited.value)
    if (formatted === null) {
      this.editor.note(UNREADABLE_EDIT)
      return
    }
    const text = yield* this.textOf(frame, edited.name, formatted)
    if (!edited.isLast) {
      this.isReported ||= edited.fails
      this.deliver(text)
      return
    }
    this.last = { frame, text, fails: edited.fails }
  }

  /** The text of a frame with this name and this payload, without secrets. */
  private *textOf(frame: Frame, name: string, data: string): Steps<string> {
    const { editor, table, keepsText } = this
    // A line break is white space in JSON.
    const shown = yield* editor.hide(table.dataOnly === true ? data.replace(/[\r\n]/g, ' ') : data)
    const event = name === '' ? '' : yield* editor.hideInText(name)
    const { text } = frame
    const isOwn = keepsText && text !== undefined && shown === frame.data && event === frame.event
    if (isOwn && (table.dataOnly !== true || isOneLine(text, shown))) return yield* editor.hideInText(text)
    if (isOwn) editor.note(NAMES_EDIT)
    return this.format({ event, data: shown })
  }

  private format(frame: Frame): string {
    const { state, events } = this.write.step(this.written, frame)
    this.written = state
    return events.join('')
  }

  private deliver(text: string): void {
    if (this.mode === 'passed') this.printer.emit(text)
    else if (this.keepsText && text.length <= this.room) {
      this.room -= text.length
      this.early.push(text)
    }
  }

  /** Sends the last frame of a protocol, and the events of a list. Other frames that are no events are removed. */
  private sendOther(frame: Frame, value: unknown, isLast: boolean): Steps<void> | null {
    if (isDone(frame) && isLast) {
      // OpenAI's libraries know it only without spaces.
      if (frame.data === DONE) return this.holdDone(frame)
      this.editor.note(this.table.formName)
      return this.holdDone({ event: frame.event, data: DONE })
    }
    this.editor.note(UNREADABLE_EDIT)
    return Array.isArray(value) && !this.splitsLists ? this.sendList(frame, value) : null
  }

  private *holdDone(frame: Frame): Steps<void> {
    this.last = { frame, text: yield* this.textOf(frame, frame.event, frame.data), fails: false }
  }

  private *sendList({ event, data }: Frame, list: readonly unknown[]): Steps<void> {
    const none = { name: event, before: null, after: null }
    // The upstream's own text, if there is nothing else in the list.
    const texts = list.every(isObject) ? createObjectReader(data.length).read(data) : []
    const objects = list.filter(isObject) as readonly JsonObject[]
    for (const [at, value] of objects.entries()) {
      if (this.isReported) return
      const edited = this.editor.event(value, none)
      const own = texts[at]?.data ?? (yield* formatAll(value))
      if (edited === null || own === null) continue
      const name = this.editor.nameOf(edited, event)
      const fails = this.table.isFailure(edited, name)
      yield* this.sendEvent({ event, data: own }, value, { value: edited, name, isLast: false, fails })
    }
  }

  /** Sends comments and fields without data. Other lines may be a body that is no stream. */
  private sendBlank(text: string): void {
    this.isSame = true
    const { editor, table, keepsText } = this
    if (this.mode === 'translated' || this.last !== null || this.isReported || !keepsText) return
    const lines = linesOf(text)
    const kept = lines.filter(table.dataOnly === true ? isComment : isField)
    if (kept.length < lines.length && table.dataOnly !== true) editor.note(UNREADABLE_EDIT)
    const rest = kept.length < lines.length ? kept.join('') : text
    if (text.length > LONG_JSON || (kept.length < lines.length && rest.trim() === '')) return
    this.deliver(runSteps(editor.hideInText(rest)))
  }

  /** Sends the end of the answer. `lastChunk`: the last chunk that took the fast path. */
  *close(state: unknown, error: GatewayError | null, lastChunk: string): Steps<void> {
    if (this.mode !== 'passed') return
    const { target, head, wire, quirks } = this.options
    const { last } = this
    const end: AnswerEnd = {
      error,
      head,
      last: last?.frame ?? null,
      lastFails: last?.fails === true,
      isReported: this.isReported,
      sequence: Math.max(this.sequence, numberIn(lastChunk)) + 1,
      failure: () => (error === null ? [] : (target.failure?.(targetContextOf(this.options), error) ?? [])),
    }
    for (const frame of this.table.close(innerState(decoderOf(wire, quirks), state), end)) {
      if (frame === last?.frame) this.printer.emit(last.text)
      else yield* this.sendOwn(frame)
      yield
    }
    this.printer.emit(this.write.end(this.written).join(''))
  }

  /** Sends a frame of the gateway, which may repeat the upstream's texts. */
  private *sendOwn(frame: Frame): Steps<void> {
    const edited = isObject(frame.value) ? this.editor.edit(frame.value as JsonObject) : null
    const data = edited === null ? frame.data : yield* formatAll(edited)
    if (data === null) return
    this.printer.emit(this.format({ event: frame.event, data: yield* this.editor.hide(data) }))
  }
}

const NUMBER = /"sequence_number"\s*:\s*(\d+)/

/** The number of an event. In a text, the quotes around its name are escaped. */
function numberIn(chunk: string): number {
  const found = NUMBER.exec(chunk)
  return found === null ? -1 : Number(found[1])
}
