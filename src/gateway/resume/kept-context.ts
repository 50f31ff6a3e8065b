import type { AnswerHeaders } from '../exchange/http-types.ts'
import type { Journal } from '../exchange/journal.ts'
import type { StreamForm } from '../exchange/keep-alive-events.ts'
import type { CloseListener, Reply, StreamReply, StreamReplyOptions, WritePieces } from '../exchange/reply.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { KeptStream } from './kept-stream.ts'

/** The header by which a client opts in, and by which the answer tells it how many seconds it has to come back. */
export const RESUME_HEADER = 'x-millrace-resume'

/** The reply of an exchange whose stream outlives the connection of its client. */
class KeptReply implements Reply {
  /** Null before it is opened, and if the server has no room for it. */
  stream: KeptStream | null = null
  private readonly inner: Reply
  private readonly begin: () => KeptStream | null

  constructor(inner: Reply, begin: () => KeptStream | null) {
    this.inner = inner
    this.begin = begin
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
    const stream = this.begin()
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
    if (this.stream === null) this.inner.destroy()
    else this.stream.destroy()
  }
}

/** An exchange whose stream outlives the connection of its client: the exchange of the connection with another reply. */
export class KeptContext implements RequestContext {
  readonly reply: KeptReply
  private readonly outer: RequestContext

  /** `begin`: null if there is no room for the stream. */
  constructor(outer: RequestContext, begin: () => KeptStream | null) {
    const reply = new KeptReply(outer.reply, begin)
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
