import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { FORMATS } from '../../framing/format.ts'
import { STREAM_HEADERS } from '../../gateway/exchange/http-types.ts'
import type { Journal } from '../../gateway/exchange/journal.ts'
import type { StreamForm } from '../../gateway/exchange/keep-alive-events.ts'
import type {
  CloseListener,
  Reply,
  StreamReply,
  StreamReplyOptions,
  WritePieces,
} from '../../gateway/exchange/reply.ts'
import { SLICE_MS, yieldToLoop } from '../../gateway/run-in-slices.ts'
import { endAfterBody, mayGoOn } from './request-body-end.ts'
import { createSseResponse, type SseReply } from './sse-response.ts'

const NO_LISTENERS: readonly CloseListener[] = []
const NO_HEADERS: OutgoingHttpHeaders = {}

const COMMENT = ': probe\n\n'

/** White space between two JSON texts, or two elements of an array, is insignificant (RFC 8259, 2). */
const SPACE = ' '

export class HttpReply implements Reply {
  readonly hasHead = true
  /** The source of the rest of the request: the connection itself if the request is not valid HTTP. */
  rest: Readable
  /** Text without a meaning that may be written into the answer; null if there is none. */
  filler: string | null = null
  /** The headers until the head is sent. Node would keep its own list of them for as long as the answer lasts. */
  private headers: OutgoingHttpHeaders = NO_HEADERS
  private stream: SseReply | null = null
  private listeners: readonly CloseListener[] = NO_LISTENERS
  private readonly request: IncomingMessage
  private readonly response: ServerResponse

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.request = request
    this.response = response
    this.rest = request
  }

  hasStarted(): boolean {
    return this.response.headersSent
  }

  isGone(): boolean {
    return this.response.destroyed
  }

  isOpen(): boolean {
    return this.response.headersSent && !this.response.writableFinished
  }

  setHeader(name: string, value: string | number): void {
    if (this.headers === NO_HEADERS) this.headers = {}
    this.headers[name.toLowerCase()] = value
  }

  removeHeaders(beginning: string): void {
    for (const name of Object.keys(this.headers)) if (name.startsWith(beginning)) delete this.headers[name]
  }

  sendText(status: number, text: string, type: string, headers: OutgoingHttpHeaders): void {
    this.sendBytes(status, Buffer.from(text), { 'content-type': type, ...headers })
  }

  /** Sends a whole answer of bytes. `bytes`: null if the status allows no body. */
  sendBytes(status: number, bytes: Uint8Array | null, headers: OutgoingHttpHeaders): void {
    const { request, response, rest } = this
    if (mayGoOn(request)) response.shouldKeepAlive = false
    const { 'content-type': type, ...others } = headers
    const length = bytes === null ? {} : { 'content-length': bytes.length }
    response.writeHead(status, this.takeHeaders({ 'content-type': type, ...length, ...others }))
    endAfterBody({ request, response, rest }, request.method === 'HEAD' ? null : bytes)
  }

  pieceWriter(): WritePieces | null {
    const { request, response } = this
    if (!request.complete) return null
    return async (size, pieces) => {
      response.writeHead(200, this.takeHeaders({ 'content-type': 'application/json', 'content-length': size }))
      await endWithPieces(response, pieces)
    }
  }

  openStream(journal: Journal, form: StreamForm, options: StreamReplyOptions): StreamReply {
    const { mediaType } = FORMATS[form.format]
    this.filler = mediaType.startsWith('text/event-stream') ? COMMENT : SPACE
    this.response.writeHead(200, this.takeHeaders({ 'content-type': mediaType, ...STREAM_HEADERS }))
    this.stream = createSseResponse({ response: this.response, journal }, form, options)
    return this.stream
  }

  onClose(listener: CloseListener): void {
    this.listeners = this.listeners.concat([listener])
  }

  offClose(listener: CloseListener): void {
    this.listeners = this.listeners.filter((one) => one !== listener)
  }

  noteClose(): void {
    for (const listener of this.listeners) listener.onClose()
    this.listeners = NO_LISTENERS
    this.stream?.stop()
  }

  noteDrain(): void {
    this.stream?.drained()
  }

  destroy(): void {
    this.response.destroy()
  }

  /** All headers of the answer, whose head is sent now. */
  private takeHeaders(own: OutgoingHttpHeaders): OutgoingHttpHeaders {
    const all = this.headers === NO_HEADERS ? {} : this.headers
    this.headers = NO_HEADERS
    for (const name of Object.keys(own)) {
      if (own[name] === undefined) delete all[name]
      else all[name] = own[name]
    }
    return all
  }
}

/**
 * Writes the pieces, each after the client has taken the ones before it, and ends the answer. Other requests run in
 * between. Resolves when all pieces are written or the client has left.
 */
export async function endWithPieces(response: ServerResponse, pieces: Iterable<Uint8Array>): Promise<void> {
  let startedAt = performance.now()
  for (const piece of pieces) {
    if (!response.write(piece)) await drained(response)
    if (response.destroyed) return
    if (performance.now() - startedAt < SLICE_MS) continue
    await yieldToLoop()
    startedAt = performance.now()
  }
  response.end()
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const onWritable = (): void => {
      response.off('drain', onWritable)
      response.off('close', onWritable)
      resolve()
    }
    response.on('drain', onWritable)
    response.on('close', onWritable)
  })
