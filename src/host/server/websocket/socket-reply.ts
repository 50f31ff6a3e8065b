import type { OutgoingHttpHeaders } from 'node:http'
import type { JsonObject } from '../../../protocol/json.ts'
import { isObject, parseJson } from '../../../text/json.ts'
import type { Reply, StreamReply, StreamReplyOptions, TimedEntry, WritePieces } from '../reply.ts'
import { type CutEvent, EventCutter } from './event-cutter.ts'

/** The part of a connection that sends messages. */
export interface Outlet {
  /** Sends one message. Returns false if the client is behind. The caller may not reuse the bytes. */
  send(message: Uint8Array | string): boolean
  /** Sends the messages of `act` together. */
  together(act: () => void): void
  /** Calls the listener at the next time when the client is no longer behind. */
  whenDrained(listener: () => void): void
  /** Calls the listener once, when the connection has closed. */
  whenClosed(listener: () => void): void
  isClosed(): boolean
}

/** The end of one answer. `response`: the response object of its last event, in `bytes` bytes of JSON. */
export type SocketEnd =
  | { readonly status: 'completed'; readonly response: JsonObject; readonly bytes: number }
  | { readonly status: 'failed' }

/** The members that each message of an answer begins with. */
interface Envelope {
  readonly stream_id?: string
  readonly headers?: Readonly<Record<string, string | number>>
}

const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])
const FAILED: SocketEnd = { status: 'failed' }

/**
 * The answer to one message of a client, as messages. Headers have no place on a socket: they are the member `headers`
 * of the first message, which clients ignore in a response and read in an error.
 */
export class SocketReply implements Reply {
  private started = false
  private ended = false
  private readonly headers: Record<string, string | number> = {}
  private readonly listeners: (() => void)[] = []
  private readonly outlet: Outlet
  private readonly streamId: string | null
  private readonly onEnd: (end: SocketEnd) => void

  constructor(outlet: Outlet, streamId: string | null, onEnd: (end: SocketEnd) => void) {
    this.outlet = outlet
    this.streamId = streamId
    this.onEnd = onEnd
    outlet.whenClosed(() => this.close())
  }

  hasStarted(): boolean {
    return this.started
  }

  isGone(): boolean {
    return this.outlet.isClosed()
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
    const body = parseJson(text)
    const plain = isObject(body) ? (body as JsonObject) : {}
    const envelope = this.envelope(this.headers)
    if (status >= 400) this.outlet.send(JSON.stringify({ type: 'error', status, ...envelope, ...plain }))
    else this.outlet.send(JSON.stringify({ type: 'response.completed', ...envelope, response: plain }))
    this.onEnd(status >= 400 ? FAILED : { status: 'completed', response: plain, bytes: text.length })
  }

  pieceWriter(): WritePieces | null {
    return null
  }

  openStream({ entry, elapsed }: TimedEntry, _: unknown, options: StreamReplyOptions): StreamReply {
    entry.status = 200
    this.started = true
    const { outlet } = this
    const cutter = new EventCutter()
    let prefix = toPrefix(this.envelope(this.headers))
    const later = toPrefix(this.envelope())
    const write = (frames: Uint8Array): void => {
      if (frames.length === 0 || outlet.isClosed()) return
      entry.first_byte_ms ??= elapsed()
      let hasRoom = true
      outlet.together(() => {
        for (const event of cutter.cut(frames)) {
          hasRoom = outlet.send(withPrefix(event.json, prefix)) && hasRoom
          prefix = later
          this.note(event)
        }
      })
      if (hasRoom) return
      options.onFull()
      outlet.whenDrained(options.onDrain)
    }
    return { write, end: write }
  }

  onClose(listener: () => void): void {
    this.listeners.push(listener)
  }

  destroy(): void {
    this.outlet.send(JSON.stringify({ type: 'error', status: 500, ...this.envelope(), error: BROKEN_OFF }))
    this.onEnd(FAILED)
  }

  /** The exchange is over, or the connection has closed. */
  close(): void {
    if (this.ended) return
    this.ended = true
    for (const listener of this.listeners.splice(0)) listener()
  }

  private note({ name, json }: CutEvent): void {
    const type = name === '' ? nameIn(json) : name
    if (type === 'response.failed') this.onEnd(FAILED)
    if (!ENDS.has(type)) return
    const event = parseJson(Buffer.from(json).toString())
    if (!isObject(event) || !isObject(event.response)) return
    this.onEnd({ status: 'completed', response: event.response as JsonObject, bytes: json.length })
  }

  private envelope(headers?: Envelope['headers']): Envelope {
    const { streamId } = this
    return { ...(streamId === null ? {} : { stream_id: streamId }), ...(headers === undefined ? {} : { headers }) }
  }
}

const BROKEN_OFF = {
  type: 'server_error',
  code: 'server_error',
  message: 'The gateway failed. Its log describes the failure.',
  param: null,
}

/** The longest beginning of an event, in bytes, that is searched for its type. */
const LONGEST_TYPE = 256
const TYPE = /^\{\s*"type"\s*:\s*"([\w.-]+)"/

/** The type of an event that its stream does not name. Members before the type are unusual, and are parsed. */
function nameIn(json: Uint8Array): string {
  const [, name] = TYPE.exec(Buffer.from(json.subarray(0, LONGEST_TYPE)).toString('latin1')) ?? []
  if (name !== undefined) return name
  const event = parseJson(Buffer.from(json).toString())
  return isObject(event) && typeof event.type === 'string' ? event.type : ''
}

/** The text of these members after the opening brace of an object; empty if there are none. */
function toPrefix(envelope: Envelope): Uint8Array {
  const text = JSON.stringify(envelope)
  return Buffer.from(text === '{}' ? '' : `${text.slice(0, -1)},`)
}

/** Copies an event, because its bytes may be borrowed, and puts the members before its own. */
function withPrefix(json: Uint8Array, prefix: Uint8Array): Uint8Array {
  return prefix.length === 0 ? Buffer.from(json) : Buffer.concat([prefix, json.subarray(1)])
}
