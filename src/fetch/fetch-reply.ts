import { FORMATS } from '../framing/format.ts'
import { type AnswerHeaders, STREAM_HEADERS } from '../gateway/exchange/http-types.ts'
import type { Journal } from '../gateway/exchange/journal.ts'
import type { StreamForm } from '../gateway/exchange/keep-alive-events.ts'
import type { CloseListener, Reply, StreamReply, StreamReplyOptions, WritePieces } from '../gateway/exchange/reply.ts'
import { SLICE_MS, yieldToLoop } from '../gateway/run-in-slices.ts'
import { AnswerStream } from './answer-stream.ts'
import { KeepAlive } from './keep-alive.ts'

/** The end of an answer: the client has taken all of it, has left before, or has stopped reading. */
type ReplyEnd = 'sent' | 'gone' | 'stalled'

const encoder = new TextEncoder()

export class FetchReply implements Reply {
  readonly hasHead = true
  /** Resolves when the head of the answer is known. */
  readonly response: Promise<Response>
  private respond: (response: Response) => void = () => undefined
  private readonly headers = new Headers()
  private listeners: readonly CloseListener[] = []
  private readonly isHead: boolean
  private readonly stalledMs: number
  private stream: AnswerStream | null = null
  private started = false
  private isBroken = false
  private ending: ReplyEnd | null = null

  /** `isHead`: the request has the method HEAD. `stalledMs`: the longest time in which the client may read nothing. */
  constructor(isHead: boolean, stalledMs: number) {
    this.isHead = isHead
    this.stalledMs = stalledMs
    this.response = new Promise((resolve) => {
      this.respond = resolve
    })
  }

  /** Null while the answer is open. */
  get end(): ReplyEnd | null {
    return this.ending
  }

  hasStarted(): boolean {
    return this.started
  }

  isGone(): boolean {
    return this.ending === 'gone' || this.ending === 'stalled'
  }

  isOpen(): boolean {
    return this.started && this.ending === null
  }

  setHeader(name: string, value: string | number): void {
    this.headers.set(name, String(value))
  }

  removeHeaders(beginning: string): void {
    for (const name of [...this.headers.keys()]) if (name.startsWith(beginning)) this.headers.delete(name)
  }

  sendText(status: number, text: string, type: string, headers: AnswerHeaders): void {
    const bytes = encoder.encode(text)
    this.start(status, this.isHead ? null : bytes, {
      'content-type': type,
      'content-length': bytes.length,
      ...headers,
      // The connection belongs to the platform.
      connection: undefined,
    })
    this.close('sent')
  }

  pieceWriter(): WritePieces {
    return async (_, pieces) => {
      let drained: () => void = () => undefined
      const stream = this.open(
        { 'content-type': 'application/json' },
        () => undefined,
        () => drained(),
      )
      this.onClose({ onClose: () => drained() })
      let startedAt = performance.now()
      for (const piece of pieces) {
        stream.write(piece)
        if (stream.behind) await new Promise<void>((resolve) => (drained = resolve))
        if (stream.over) return
        if (performance.now() - startedAt < SLICE_MS) continue
        await yieldToLoop()
        startedAt = performance.now()
      }
      stream.end()
    }
  }

  openStream(journal: Journal, form: StreamForm, options: StreamReplyOptions): StreamReply {
    journal.mark('streaming')
    let hasStarted = false
    // The answer must not stay in memory until the client has read its end.
    let owner: StreamReplyOptions | null = options
    const stream = this.open(
      { 'content-type': FORMATS[form.format].mediaType, ...STREAM_HEADERS },
      () => owner?.onFull(),
      () => owner?.onDrain(),
    )
    const silence = new KeepAlive(stream, form, options.keepAliveMs)
    this.onClose({ onClose: () => silence.stop() })
    const begin = (frames: Uint8Array): void => {
      if (!hasStarted) journal.mark('first byte')
      hasStarted = true
      silence.note(frames)
    }
    return {
      write(frames) {
        if (frames.length === 0 || stream.over) return
        begin(frames)
        stream.write(frames)
      },
      end(frames) {
        silence.stop()
        if (stream.over) return
        begin(frames)
        stream.write(frames)
        stream.end()
        owner = null
      },
    }
  }

  onClose(listener: CloseListener): void {
    this.listeners = [...this.listeners, listener]
  }

  offClose(listener: CloseListener): void {
    this.listeners = this.listeners.filter((one) => one !== listener)
  }

  /** The exchange ends in this turn with the reason of the caller, which is not that the client has left. */
  destroy(): void {
    this.isBroken = true
    this.stream?.destroy()
    queueMicrotask(() => this.close('gone'))
  }

  /** The client has left. */
  leave(): void {
    this.stream?.destroy()
    this.close('gone')
    // The platform discards it, but waits for it.
    if (!this.started) this.start(GONE_STATUS, null, {})
  }

  private open(headers: AnswerHeaders, onFull: () => void, onDrain: () => void): AnswerStream {
    const onOver = (reason: keyof typeof ENDS): void => {
      if (!this.isBroken) this.close(ENDS[reason])
    }
    const stream = new AnswerStream({ onFull, onDrain, onOver }, this.stalledMs)
    this.stream = stream
    this.start(200, stream.readable, headers)
    return stream
  }

  private start(status: number, body: Uint8Array | ReadableStream<Uint8Array> | null, headers: AnswerHeaders): void {
    this.started = true
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.headers.set(name, String(value))
    this.respond(new Response(body as BodyInit | null, { status, headers: this.headers }))
  }

  private close(end: ReplyEnd): void {
    if (this.ending !== null) return
    this.ending = end
    for (const listener of this.listeners) listener.onClose()
    this.listeners = []
  }
}

/** The status of an exchange whose client did not wait. */
const GONE_STATUS = 499

const ENDS = { read: 'sent', cancelled: 'gone', stalled: 'stalled' } as const
