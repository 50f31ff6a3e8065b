import type { AnswerHeaders } from '../exchange/http-types.ts'
import type { Journal } from '../exchange/journal.ts'
import type { StreamForm } from '../exchange/keep-alive-events.ts'
import type { CloseListener, Reply, StreamReply, StreamReplyOptions, WritePieces } from '../exchange/reply.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { KeptStream } from './kept-stream.ts'

/** The header by which a client opts in, and by which the answer tells it how many seconds it has to come back. */
export const RESUME_HEADER = 'x-millrace-resume'

/** Returns null if the stream cannot be resumed. `first`: its first frames; null if they are those of the gateway. */
type BeginStream = (first: Uint8Array | null) => KeptStream | null

const NO_BYTES: Uint8Array = new Uint8Array(0)

/**
 * A stream whose head waits for the first frames of the upstream: only they show whether the stream can be resumed, which
 * the head promises. In silence it is sent without a promise, as a keep-alive would be.
 */
class AwaitedStream implements StreamReply {
  private readonly open: (first: Uint8Array) => StreamReply
  private readonly timer: ReturnType<typeof setTimeout> | undefined
  private stream: StreamReply | null = null

  constructor(open: (first: Uint8Array) => StreamReply, silenceMs: number, isGone: () => boolean) {
    this.open = open
    if (silenceMs > 0) this.timer = setTimeout(() => isGone() || this.opened(NO_BYTES), silenceMs)
  }

  write(frames: Uint8Array): void {
    if (frames.length > 0) this.opened(frames).write(frames)
  }

  end(frames: Uint8Array): void {
    this.opened(frames).end(frames)
  }

  /** The response was broken off. */
  drop(): void {
    clearTimeout(this.timer)
  }

  private opened(first: Uint8Array): StreamReply {
    clearTimeout(this.timer)
    this.stream ??= this.open(first)
    return this.stream
  }
}

/** The reply of an exchange whose stream outlives the connection of its client. */
class KeptReply implements Reply {
  /** Null before it is opened, and if the server has no room for it. */
  stream: KeptStream | null = null
  private awaited: AwaitedStream | null = null
  private readonly inner: Reply
  private readonly begin: BeginStream
  private readonly isPassed: boolean

  constructor(inner: Reply, begin: BeginStream, isPassed: boolean) {
    this.inner = inner
    this.begin = begin
    this.isPassed = isPassed
  }

  get hasHead(): boolean {
    return this.inner.hasHead
  }

  hasStarted(): boolean {
    return this.inner.hasStarted()
  }

  isGone(): boolean {
    return this.stream?.goesOn() !== true && this.inner.isGone()
  }

  isOpen(): boolean {
    return this.stream?.over() === false || this.inner.isOpen()
  }

  setHeader(name: string, value: string | number): void {
    this.inner.setHeader(name, value)
  }

  removeHeaders(beginning: string): void {
    this.inner.removeHeaders(beginning)
  }

  sendText(status: number, text: string, type: string, headers: AnswerHeaders): void {
    this.inner.sendText(status, text, type, headers)
  }

  pieceWriter(): WritePieces | null {
    return this.inner.pieceWriter()
  }

  openStream(journal: Journal, form: StreamForm, options: StreamReplyOptions): StreamReply {
    const open = (first: Uint8Array | null): StreamReply => this.opened(journal, form, options, first)
    if (!this.isPassed) return open(null)
    this.awaited = new AwaitedStream(open, options.keepAliveMs, () => this.inner.isGone())
    return this.awaited
  }

  /** `first`: the first frames of the upstream; null if the gateway writes them. */
  private opened(
    journal: Journal,
    form: StreamForm,
    options: StreamReplyOptions,
    first: Uint8Array | null,
  ): StreamReply {
    const stream = this.begin(first)
    if (stream === null) return this.inner.openStream(journal, form, options)
    this.stream = stream
    stream.open(this.inner, options)
    return stream
  }

  onClose(listener: CloseListener): void {
    this.inner.onClose(listener)
  }

  offClose(listener: CloseListener): void {
    this.inner.offClose(listener)
  }

  destroy(): void {
    this.awaited?.drop()
    if (this.stream === null) this.inner.destroy()
    else this.stream.destroy()
  }
}

/** An exchange whose stream outlives the connection of its client: the exchange of the connection with another reply. */
export class KeptContext implements RequestContext {
  readonly reply: KeptReply
  private readonly outer: RequestContext

  /** `isPassed`: whether the frames are those of the upstream. */
  constructor(outer: RequestContext, begin: BeginStream, isPassed: boolean) {
    const reply = new KeptReply(outer.reply, begin, isPassed)
    this.outer = outer
    this.reply = reply
    outer.keeps = () => reply.stream?.lose(outer.reply) === true
  }

  get request() {
    return this.outer.request
  }

  get body() {
    return this.outer.body
  }

  get id() {
    return this.outer.id
  }

  get journal() {
    return this.outer.journal
  }

  get errorBody() {
    return this.outer.errorBody
  }

  get trace() {
    return this.outer.trace
  }

  get row() {
    return this.outer.row
  }

  get signal() {
    return this.outer.signal
  }

  get keeps() {
    return this.outer.keeps
  }

  abort(error: Parameters<RequestContext['abort']>[0]): void {
    this.outer.abort(error)
  }

  get closed() {
    return this.outer.closed
  }

  get delivery() {
    return this.outer.delivery
  }

  /** However the answer ends, its stream ends with it. */
  set delivery(delivery: Promise<unknown> | null) {
    const { outer, reply } = this
    outer.delivery =
      delivery?.finally(() => {
        outer.keeps = null
        if (outer.reply.isGone()) outer.journal.mark('ended')
        reply.stream?.finish()
      }) ?? null
  }
}
