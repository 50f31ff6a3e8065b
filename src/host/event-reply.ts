import type { ServerResponse } from 'node:http'
import { putBytes } from '../text/put-bytes.ts'
import type { Exchange } from './exchange.ts'
import type { Voice } from './voice.ts'

const HEADERS = {
  'cache-control': 'no-cache',
  // Asks nginx and its kin not to hold the stream back.
  'x-accel-buffering': 'no',
}

export interface EventReplyOptions {
  /** Silence after which it is told that the stream still lives; 0: never. */
  readonly keepAliveMs: number
  /** The client is behind: nothing more should be written until `onDrain`. */
  readonly onFull: () => void
  readonly onDrain: () => void
}

/** A stream to one client. */
export interface EventReply {
  /** Whole frames: between two writes something may be said in silence. They are the caller's again when it returns. */
  write(frames: Uint8Array): void
  end(frames: Uint8Array): void
}

/** Sends the head in this tick, so that the client knows its request was taken: with its first words, if there are any. */
export function openEventReply(
  exchange: Exchange,
  { mediaType, keepAlive }: Pick<Voice, 'mediaType' | 'keepAlive'>,
  options: EventReplyOptions,
): EventReply {
  const { response, entry } = exchange
  entry.status = 200
  response.writeHead(200, { 'content-type': mediaType, ...HEADERS })
  const { socket } = response
  socket?.cork()
  response.flushHeaders()
  process.nextTick(() => socket?.uncork())
  return new Reply(exchange, keepAlive, options)
}

/** A class, as everything that each chunk of a stream goes through: see `Hearing` in `upstream.ts`. */
class Reply implements EventReply {
  private readonly response: ServerResponse
  private readonly exchange: Exchange
  private readonly options: EventReplyOptions
  /** When something was last said, as `performance.now()` has it. */
  private said = performance.now()
  private begun = false
  private keepingAlive: NodeJS.Timeout | undefined

  constructor(exchange: Exchange, keepAlive: string | null, options: EventReplyOptions) {
    const { response } = exchange
    this.response = response
    this.exchange = exchange
    this.options = options
    if (keepAlive !== null && options.keepAliveMs > 0) this.watchSilence(keepAlive, options.keepAliveMs)
    response.on('drain', options.onDrain)
    response.on('close', () => clearTimeout(this.keepingAlive))
  }

  write(frames: Uint8Array): void {
    const { response } = this
    if (frames.length === 0 || response.destroyed) return
    if (!this.begun) this.begin()
    this.said = performance.now()
    if (!writeNow(response, frames)) this.options.onFull()
  }

  end(frames: Uint8Array): void {
    const { response } = this
    clearTimeout(this.keepingAlive)
    if (response.destroyed) return
    if (!this.begun) this.begin()
    // They are only lent, and the end may have to wait.
    response.end(Buffer.from(frames))
  }

  private begin(): void {
    this.begun = true
    this.exchange.entry.first_byte_ms ??= this.exchange.elapsed()
  }

  /** The timer is not set anew by each write: it looks at the clock when its time has come. */
  private watchSilence(comment: string, ms: number): void {
    const left = Math.ceil(this.said + ms - performance.now())
    this.keepingAlive = setTimeout(() => {
      const { response } = this
      if (performance.now() - this.said >= ms) {
        if (!response.writableNeedDrain) response.write(comment)
        this.said = performance.now()
      }
      this.watchSilence(comment, ms)
    }, left)
  }
}

/**
 * Writes in one piece and at once; tells whether nothing waits. Left to itself, node hands over the size of the chunk, its
 * bytes and two line ends, each by itself and not before the next tick.
 */
function writeNow(response: ServerResponse, frames: Uint8Array): boolean {
  const { socket, chunkedEncoding } = response
  const bytes = chunkedEncoding ? toChunk(frames) : Buffer.from(frames)
  socket?.cork()
  response.chunkedEncoding = false
  const room = response.write(bytes)
  response.chunkedEncoding = chunkedEncoding
  socket?.uncork()
  const isSent = response.writableLength === 0
  if (!isSent && bytes.buffer === desk.buffer) desk = openDesk()
  return room || isSent
}

const CR = 13
const LF = 10

/** Shorter chunks come out of node's own pool. */
const SHORT = 4 * 1024

const openDesk = (): Buffer => Buffer.allocUnsafeSlow(64 * 1024)

/** Where long chunks are put together, one after another: for as long as each of them is sent at once. */
let desk = openDesk()

function allocate(size: number): Buffer {
  return size < SHORT || size > desk.length ? Buffer.allocUnsafe(size) : desk.subarray(0, size)
}

/** The bytes as a chunk of HTTP (RFC 9112, 7.1). */
function toChunk(bytes: Uint8Array): Buffer {
  const size = bytes.length.toString(16)
  const chunk = allocate(size.length + bytes.length + 4)
  const start = chunk.write(size, 'latin1') + 2
  const end = start + bytes.length
  chunk[start - 2] = CR
  chunk[start - 1] = LF
  putBytes(chunk, bytes, start)
  chunk[end] = CR
  chunk[end + 1] = LF
  return chunk
}
