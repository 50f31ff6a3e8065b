import type { OutgoingHttpHeaders } from 'node:http'
import type { Journal } from '../../../gateway/exchange/journal.ts'
import { KeepAliveEvents } from '../../../gateway/exchange/keep-alive-events.ts'
import type {
  CloseListener,
  Reply,
  StreamReply,
  StreamReplyOptions,
  WritePieces,
} from '../../../gateway/exchange/reply.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import { type SilenceCheck, type SilentStream, silenceCheck } from '../../silence-check.ts'
import { type CutEvent, EventCutter, type EventSink } from './event-cutter.ts'
import { endsResponse, readLifecycleEvent, typeOfEvent } from './lifecycle-event.ts'

/** The part of a connection that sends messages. */
export interface Outlet {
  /** Sends one message. Returns false if the client is behind. The caller may not reuse the bytes. */
  send(message: Uint8Array | string): boolean
  /**
   * Copies a message, which is the prefix and these bytes from `start` to `end`. It is sent by `flush` or by the next
   * `send`, together with the others.
   */
  add(prefix: Uint8Array, bytes: Uint8Array, start: number, end: number): void
  /** Sends the messages that were added, in one write. Returns false if the client is behind. */
  flush(): boolean
  /** Calls the listener at the next time when the client is no longer behind. */
  whenDrained(listener: () => void): void
  /** Calls the listener once, when the connection has closed. Returns a function that removes the listener. */
  whenClosed(listener: () => void): () => void
  isClosed(): boolean
}

/** The end of one answer. `response`: the response object of its last event. */
export type SocketEnd = { readonly status: 'completed'; readonly response: JsonObject } | { readonly status: 'failed' }

/** The members that each message of an answer begins with. */
interface Envelope {
  readonly stream_id?: string
  readonly headers?: Readonly<Record<string, string | number>>
}

const FAILED: SocketEnd = { status: 'failed' }

interface SocketRequest {
  /** The lane of the request; null for the lane without a name. */
  readonly streamId: string | null
  /** The id of the response that it continues; null if it continues none. */
  readonly previousId: string | null
  /** Silence in milliseconds after which its client needs an event; 0: never. */
  readonly keepAliveMs: number
  /** Called when the last event of its answer is sent. */
  readonly onEnd: (end: SocketEnd) => void
}

/**
 * The answer to one message of a client, as messages. Headers have no place on a socket: they are the member `headers`
 * of the first message, which clients ignore in a response and read in an error.
 */
export class SocketReply implements Reply, SilentStream {
  readonly hasHead = false
  place = -1
  private started = false
  private ended = false
  private cut = false
  /**
   * The error of a stream, which the end of its response repeats. Clients of a socket take an error for the end of the
   * answer, and what follows it for the next one: it is sent only where nothing follows.
   */
  private error: Uint8Array | null = null
  private readonly headers: Record<string, string | number> = {}
  private listeners: readonly CloseListener[] = []
  private readonly outlet: Outlet
  private readonly request: SocketRequest
  private readonly forget: () => void
  private readonly keepAlive = new KeepAliveEvents()
  private silence: SilenceCheck | null = null
  private lastWrite = performance.now()

  constructor(outlet: Outlet, request: SocketRequest) {
    this.outlet = outlet
    this.request = request
    this.forget = outlet.whenClosed(() => {
      this.cut = !this.ended
      this.close()
    })
    if (request.keepAliveMs <= 0 || outlet.isClosed()) return
    this.silence = silenceCheck(request.keepAliveMs)
    this.silence.add(this)
  }

  /** The silence begins with the request: Codex waits for the first event no longer than for a later one. */
  checkSilence(ms: number): void {
    const now = performance.now()
    if (this.ended || now - this.lastWrite < ms) return
    const json = Buffer.from(this.keepAlive.json())
    const prefix = toPrefix(this.envelope())
    this.outlet.add(prefix, json, prefix.length === 0 ? 0 : 1, json.length)
    this.outlet.flush()
    this.lastWrite = now
  }

  hasStarted(): boolean {
    return this.started
  }

  isGone(): boolean {
    return this.outlet.isClosed()
  }

  /** True if the connection has closed before the end of the exchange. */
  isCut(): boolean {
    return this.cut
  }

  isOpen(): boolean {
    return this.started && !this.ended
  }

  setHeader(name: string, value: string | number): void {
    this.headers[name] = value
  }

  removeHeaders(beginning: string): void {
    for (const name of Object.keys(this.headers)) if (name.startsWith(beginning)) delete this.headers[name]
  }

  sendText(status: number, text: string, _type: string, headers: OutgoingHttpHeaders): void {
    this.started = true
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.setHeader(name, String(value))
    const parsed = parseJson(text)
    const body = isObject(parsed) ? (parsed as JsonObject) : {}
    const envelope = this.envelope(this.headers)
    if (status >= 400) {
      const error = { ...(isObject(body.error) ? body.error : {}), headers: this.headers }
      this.outlet.send(JSON.stringify({ type: 'error', status, ...envelope, error }))
      this.request.onEnd(FAILED)
      return
    }
    this.outlet.send(JSON.stringify({ type: 'response.completed', ...envelope, response: body }))
    this.request.onEnd({ status: 'completed', response: body })
  }

  pieceWriter(): WritePieces | null {
    return null
  }

  openStream(journal: Journal, _: unknown, options: StreamReplyOptions): StreamReply {
    journal.mark('streaming')
    this.started = true
    const { outlet } = this
    const cutter = new EventCutter()
    let isHeld = false
    let hasStarted = false
    let prefix = toPrefix(this.envelope(this.headers))
    const later = toPrefix(this.envelope())
    const add = (bytes: Uint8Array, start: number, end: number): void => {
      outlet.add(prefix, bytes, prefix.length === 0 ? start : start + 1, end)
      prefix = later
    }
    const send = (json: Uint8Array): void => {
      if (this.silence !== null) this.keepAlive.note(json)
      add(json, 0, json.length)
    }
    const sink: EventSink = {
      event: (event) => {
        const json = this.note(event)
        if (json !== null) send(json)
      },
      delta: (bytes, start, end) => {
        if (this.silence !== null) this.keepAlive.note(bytes.subarray(start, end))
        add(bytes, start, end)
      },
    }
    const write = (frames: Uint8Array): void => {
      if (frames.length === 0 || outlet.isClosed()) return
      if (!hasStarted) journal.mark('first byte')
      hasStarted = true
      this.lastWrite = performance.now()
      cutter.cut(frames, sink)
      if (outlet.flush() || isHeld) return
      isHeld = true
      options.onFull()
      outlet.whenDrained(() => {
        isHeld = false
        if (!this.ended) options.onDrain()
      })
    }
    const end = (frames: Uint8Array): void => {
      write(frames)
      if (this.error === null) return
      send(this.error)
      outlet.flush()
      this.request.onEnd(FAILED)
    }
    return { write, end }
  }

  onClose(listener: CloseListener): void {
    this.listeners = [...this.listeners, listener]
  }

  offClose(listener: CloseListener): void {
    this.listeners = this.listeners.filter((one) => one !== listener)
  }

  destroy(): void {
    this.outlet.send(JSON.stringify({ type: 'error', status: 500, ...this.envelope(), error: BROKEN_OFF }))
    this.request.onEnd(FAILED)
  }

  /** The exchange is over, or the connection has closed. */
  close(): void {
    if (this.ended) return
    this.ended = true
    this.silence?.remove(this)
    this.silence = null
    this.forget()
    for (const listener of this.listeners) listener.onClose()
    this.listeners = []
  }

  /** Returns the event as it is sent; null if it is not sent now. */
  private note(event: CutEvent): Uint8Array | null {
    const type = typeOfEvent(event)
    if (type === 'error') {
      this.error = Buffer.from(event.json)
      return null
    }
    const replacements = { previousId: this.request.previousId, unsent: this.error === null ? 0 : 1 }
    if (endsResponse(type)) this.error = null
    const found = readLifecycleEvent(type, event.json, replacements)
    if (found === null) return event.json
    const { json, response } = found
    if (type === 'response.failed') this.request.onEnd(FAILED)
    else if (endsResponse(type)) this.request.onEnd({ status: 'completed', response })
    return json
  }

  private envelope(headers?: Envelope['headers']): Envelope {
    const { streamId } = this.request
    return { ...(streamId === null ? {} : { stream_id: streamId }), ...(headers === undefined ? {} : { headers }) }
  }
}

const BROKEN_OFF = {
  type: 'server_error',
  code: 'server_error',
  message: 'The gateway failed. Its log describes the failure.',
  param: null,
}

/** The text of these members after the opening brace of an object; empty if there are none. */
function toPrefix(envelope: Envelope): Uint8Array {
  const text = JSON.stringify(envelope)
  return Buffer.from(text === '{}' ? '' : `${text.slice(0, -1)},`)
}
