import type { ServerResponse } from 'node:http'
import type { Journal } from '../../gateway/exchange/journal.ts'
import type { KeepAliveEvents, StreamForm } from '../../gateway/exchange/keep-alive-events.ts'
import type { StreamReply, StreamReplyOptions } from '../../gateway/exchange/reply.ts'
import { putBytes } from '../../text/bytes.ts'
import { type SilenceCheck, type SilentStream, silenceCheck } from '../silence-check.ts'

/** A response, and the journal of its exchange. */
interface Answering {
  readonly response: ServerResponse
  readonly journal: Journal
}

/**
 * Sends the head, which is complete, in this tick, so that the client sees that its request was accepted; the first
 * frames go with it if they are ready.
 */
export function createSseResponse(
  { response, journal }: Answering,
  form: StreamForm,
  options: StreamReplyOptions,
): SseReply {
  journal.mark('streaming')
  const { socket } = response
  socket?.cork()
  response.flushHeaders()
  process.nextTick(() => socket?.uncork())
  return new SseReply({ response, journal }, form, options)
}

/** A class, as every object on the path of a chunk: see `DispatchHandler` in `host/upstream/http-transport.ts`. */
export class SseReply implements StreamReply, SilentStream {
  place = -1
  private readonly response: ServerResponse
  private readonly journal: Journal
  private options: StreamReplyOptions
  /** Whether something was written since the last check, and the time of the last check that found so. */
  private hasWritten = false
  private lastWrite = performance.now()
  private started = false
  private silence: SilenceCheck | null = null
  private comment = ''
  /** Null: silence is filled with comments. */
  private events: KeepAliveEvents | null = null

  constructor({ response, journal }: Answering, { keepAlive, events = null }: StreamForm, options: StreamReplyOptions) {
    this.response = response
    this.journal = journal
    this.options = options
    // A response that has closed already emits no event that would end the check.
    if (keepAlive === null || options.keepAliveMs <= 0 || response.destroyed) return
    this.comment = keepAlive
    this.events = events
    this.silence = silenceCheck(options.keepAliveMs)
    this.silence.add(this)
  }

  write(frames: Uint8Array): void {
    const { response } = this
    if (frames.length === 0 || response.destroyed) return
    if (!this.started) this.begin()
    this.hasWritten = true
    this.events?.note(frames)
    if (!writeNow(response, frames)) this.options.onFull()
  }

  end(frames: Uint8Array): void {
    const { response } = this
    this.stop()
    if (response.destroyed) return
    if (!this.started) this.begin()
    if (frames.length > 0) writeNow(response, frames, LAST)
    response.end()
    // The answer must not stay in memory until the client has read its end.
    this.options = ENDED
  }

  drained(): void {
    this.options.onDrain()
  }

  /** The answer has ended, or its client has left. */
  stop(): void {
    this.silence?.remove(this)
    this.silence = null
  }

  /** Writes a keep-alive if nothing was written for `ms` milliseconds, and the answer goes on. */
  checkSilence(ms: number): void {
    const now = performance.now()
    if (this.hasWritten) this.lastWrite = now
    this.hasWritten = false
    if (this.silence === null || now - this.lastWrite < ms) return
    if (!this.response.writableNeedDrain) this.response.write(this.events?.frame() ?? this.comment)
    this.lastWrite = now
  }

  private begin(): void {
    this.started = true
    this.journal.mark('first byte')
    this.journal.trim()
  }
}

/**
 * Writes the frames as one piece, at once. Returns false if the client is behind. By default, Node writes the size of
 * the chunk, its bytes and two line ends separately, and not before the next tick.
 */
function writeNow(response: ServerResponse, frames: Uint8Array, end = NEXT): boolean {
  const { socket, chunkedEncoding } = response
  const bytes = chunkedEncoding ? toChunk(frames, end) : Buffer.from(frames)
  socket?.cork()
  response.chunkedEncoding = false
  const room = response.write(bytes)
  response.chunkedEncoding = chunkedEncoding && end === NEXT
  socket?.uncork()
  const isSent = response.writableLength === 0
  if (!isSent && chunkedEncoding) scratchAt += bytes.length
  return room || isSent
}

const ENDED: StreamReplyOptions = { keepAliveMs: 0, onFull: () => undefined, onDrain: () => undefined }

const CR = 13
const LF = 10

/** The end of a chunk, and of the last one with the end of the body. */
const NEXT = Buffer.from('\r\n')
const LAST = Buffer.from('\r\n0\r\n\r\n')

/**
 * Scratch memory in which chunks are assembled, up to whole reads that are passed through (`batch-reads.ts`). A chunk
 * that was sent at once leaves its place to the next one.
 */
const SCRATCH = 144 * 1024
let scratch = Buffer.allocUnsafeSlow(SCRATCH)
let scratchAt = 0

function place(size: number): void {
  if (scratch.length === SCRATCH && scratchAt + size <= SCRATCH) return
  scratch = Buffer.allocUnsafeSlow(Math.max(SCRATCH, size))
  scratchAt = 0
}

/** Formats the bytes as an HTTP chunk (RFC 9112, 7.1), in `scratch` from `scratchAt` on. */
function toChunk(bytes: Uint8Array, after: Uint8Array): Buffer {
  const { length } = bytes
  const digits = hexDigits(length)
  const size = digits + 2 + length + after.length
  place(size)
  const from = scratchAt
  for (let at = from + digits - 1, rest = length; at >= from; at -= 1, rest >>= 4) scratch[at] = hexDigit(rest & 15)
  const start = from + digits + 2
  const end = start + length
  scratch[start - 2] = CR
  scratch[start - 1] = LF
  putBytes(scratch, bytes, start)
  putBytes(scratch, after, end)
  return scratch.subarray(from, from + size)
}

const hexDigits = (value: number): number => (35 - Math.clz32(value)) >> 2

const hexDigit = (value: number): number => value + (value < 10 ? 48 : 87)
