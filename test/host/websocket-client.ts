import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { KEY, type Loose, whenDone } from './test-server.ts'

/** A WebSocket client that writes frames of any kind (RFC 6455), written without the package of the server. */

export const CONTINUATION = 0x0
export const TEXT = 0x1
export const BINARY = 0x2
const CLOSE = 0x8
export const PING = 0x9
const PONG = 0xa

/** The close code of a connection that ends without a close frame (RFC 6455, 7.1.5). */
export const LOST = 1006
/** The code of a close frame that has none (RFC 6455, 7.1.5). */
const WITHOUT_CODE = 1005

export interface Frame {
  readonly opcode: number
  readonly payload: string | Uint8Array
  /** If false, the message has further frames. */
  readonly isLast?: boolean
  /** The first byte of the frame in place of the one that follows from the other members. */
  readonly firstByte?: number
  readonly isMasked?: boolean
}

export function encodeFrame({ opcode, payload, isLast = true, firstByte, isMasked = true }: Frame): Buffer {
  const bytes = Buffer.from(payload as string)
  const { length } = bytes
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.alloc(2 + size)
  head[0] = firstByte ?? (isLast ? 0x80 : 0) | opcode
  head[1] = (isMasked ? 0x80 : 0) | (size === 0 ? length : size === 2 ? 126 : 127)
  if (size === 2) head.writeUInt16BE(length, 2)
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2)
  if (!isMasked) return Buffer.concat([head, bytes])
  const mask = randomBytes(4)
  for (let at = 0; at < length; at += 1) bytes[at] = (bytes[at] as number) ^ (mask[at & 3] as number)
  return Buffer.concat([head, mask, bytes])
}

/** A handshake that the server has answered with an HTTP response. */
export class RefusedHandshake extends Error {
  readonly status: number
  readonly body: Loose

  constructor(status: number, body: string) {
    super(`the server answered the handshake with ${status}: ${body}`)
    this.status = status
    this.body = body === '' ? null : JSON.parse(body)
  }
}

export interface WebSocketClient {
  readonly socket: Socket
  /** Every event so far. */
  readonly events: Loose[]
  /** Resolves with the code of the close frame, or with 1006. */
  readonly closed: Promise<number>
  /** Sends a message; a value that is not a string as JSON. */
  send(message: unknown): void
  sendFrame(frame: Frame): void
  /** Resolves with the next event; rejects if the connection ends before. */
  next(): Promise<Loose>
  /** Sends a message, and resolves with its events, of which the last one ends the response. */
  turn(message: unknown): Promise<Loose[]>
  /** Sends a close frame, and resolves when the connection has ended. */
  close(code?: number): Promise<number>
}

const ENDINGS: readonly string[] = [
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
  'response.steer.failed',
  'response.inject.failed',
]

/** True for the last event that a message is answered with. */
export const isEnding = ({ type }: Loose): boolean => ENDINGS.includes(type)

export interface ConnectOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Rejects with a `RefusedHandshake` if the server does not switch protocols. */
export async function connectWebSocket(url: string, options: ConnectOptions = {}): Promise<WebSocketClient> {
  const { socket, head } = await upgrade(url, options)
  whenDone(async () => void socket.destroy())
  return createClient(socket, head)
}

function upgrade(
  url: string,
  { path = '/openai/v1/responses', headers = {} }: ConnectOptions,
): Promise<{ socket: Socket; head: Buffer }> {
  const asking = request(url + path, {
    headers: {
      authorization: `Bearer ${KEY}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      ...headers,
    },
  })
  return new Promise((resolve, reject) => {
    asking.on('upgrade', (_, socket, head) => resolve({ socket: socket as Socket, head }))
    asking.on('response', async (answer) => {
      reject(new RefusedHandshake(answer.statusCode ?? 0, await text(answer)))
    })
    asking.on('error', reject)
    asking.end()
  })
}

interface Waiting {
  readonly resolve: (event: Loose) => void
  readonly reject: (error: Error) => void
}

function createClient(socket: Socket, head: Buffer): WebSocketClient {
  const events: Loose[] = []
  const unread: Loose[] = []
  const waiting: Waiting[] = []
  let code = LOST
  let finish = (_: number): void => undefined
  const closed = new Promise<number>((resolve) => {
    finish = resolve
  })
  const sendFrame = (frame: Frame): void => void (socket.writable && socket.write(encodeFrame(frame)))

  const onEvent = (event: Loose): void => {
    events.push(event)
    const next = waiting.shift()
    if (next === undefined) unread.push(event)
    else next.resolve(event)
  }
  const onFrame = (opcode: number, payload: Buffer): void => {
    if (opcode === PING) sendFrame({ opcode: PONG, payload })
    else if (opcode === TEXT) onEvent(JSON.parse(payload.toString('utf8')))
    else if (opcode === CLOSE) {
      code = payload.length < 2 ? WITHOUT_CODE : payload.readUInt16BE(0)
      sendFrame({ opcode: CLOSE, payload: payload.subarray(0, 2) })
      socket.end()
    }
  }

  const read = createFrameReader(onFrame)
  read(head)
  socket.on('data', read)
  socket.on('error', () => undefined)
  socket.on('close', () => {
    finish(code)
    for (const { reject } of waiting.splice(0)) reject(new Error(`the connection has ended with ${code}`))
  })

  const send = (message: unknown): void =>
    sendFrame({ opcode: TEXT, payload: typeof message === 'string' ? message : JSON.stringify(message) })
  const next = (): Promise<Loose> => {
    if (unread.length > 0) return Promise.resolve(unread.shift())
    if (socket.closed) return Promise.reject(new Error(`the connection has ended with ${code}`))
    return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  }
  return {
    socket,
    events,
    closed,
    send,
    sendFrame,
    next,
    async turn(message) {
      send(message)
      const all = [await next()]
      while (!isEnding(all.at(-1))) all.push(await next())
      return all
    },
    close(reason = 1000) {
      const payload = Buffer.alloc(2)
      payload.writeUInt16BE(reason)
      sendFrame({ opcode: CLOSE, payload })
      return closed
    },
  }
}

/** Cuts bytes into the frames of a server, which are not masked. */
function createFrameReader(onFrame: (opcode: number, payload: Buffer) => void): (bytes: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  return (bytes) => {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes])
    while (kept.length >= 2) {
      const short = (kept[1] as number) & 0x7f
      const size = short < 126 ? 0 : short === 126 ? 2 : 8
      if (kept.length < 2 + size) return
      const length = size === 0 ? short : size === 2 ? kept.readUInt16BE(2) : Number(kept.readBigUInt64BE(2))
      const end = 2 + size + length
      if (kept.length < end) return
      const payload = kept.subarray(2 + size, end)
      const opcode = (kept[0] as number) & 0x0f
      kept = kept.subarray(end)
      onFrame(opcode, payload)
    }
  }
}
