import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

/**
 * Answers of HTTP/1 as raw bytes. `node:http` writes one framing of them, and ends no connection in the middle of its
 * own framing.
 */

/** How the end of a body is marked, and what becomes of its connection (RFC 9112, 6.3 and 9.3). */
export interface HttpFraming {
  readonly name: string
  readonly version: '1.0' | '1.1'
  readonly body: 'chunked' | 'length' | 'until the end'
  /** The value of `Connection`; null: the header is left out. */
  readonly connection: 'keep-alive' | 'close' | null
}

export const HTTP_FRAMINGS: readonly HttpFraming[] = [
  { name: 'chunked, keep-alive', version: '1.1', body: 'chunked', connection: 'keep-alive' },
  { name: 'chunked, close', version: '1.1', body: 'chunked', connection: 'close' },
  { name: 'length, keep-alive', version: '1.1', body: 'length', connection: 'keep-alive' },
  { name: 'length, close', version: '1.1', body: 'length', connection: 'close' },
  { name: 'until the end', version: '1.1', body: 'until the end', connection: null },
  { name: 'until the end, close', version: '1.1', body: 'until the end', connection: 'close' },
  { name: 'until the end, HTTP/1.0', version: '1.0', body: 'until the end', connection: null },
]

/** How a connection ends: by a FIN, by a reset, or not at all. */
export type HttpEnding = 'fin' | 'rst' | 'stays'

export const HTTP_ENDINGS: readonly HttpEnding[] = ['fin', 'rst', 'stays']

/** The ending that a correct server gives to a complete answer. */
export const properEnding = ({ body, connection }: HttpFraming): HttpEnding =>
  body === 'until the end' || connection === 'close' ? 'fin' : 'stays'

export interface RawAnswer {
  readonly framing: HttpFraming
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Bytes of the body in each piece, which is one write and one chunk; a list has the size of each. */
  readonly piece: number | readonly number[]
  /** Bytes of the body after which the answer is cut; null: it is complete. */
  readonly cut: number | null
  readonly ending: HttpEnding
}

/** What the writer of an answer waits for between two pieces. */
export type Pacing = () => Promise<void>

const headOf = ({ framing, status, headers, body }: RawAnswer): string => {
  const framed: Record<string, string> = { ...headers }
  if (framing.connection !== null) framed.connection = framing.connection
  if (framing.body === 'chunked') framed['transfer-encoding'] = 'chunked'
  if (framing.body === 'length') framed['content-length'] = String(body.length)
  const lines = Object.entries(framed).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/${framing.version} ${status} Mock\r\n${lines.join('')}\r\n`
}

const chunkOf = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

/** Statuses without a body (RFC 9110, 6.4.1). */
const isBodyless = (status: number): boolean => status === 204 || status === 304

/** The bytes of an answer, in its pieces. The first piece of the body goes with the head. */
export function* piecesOf(answer: RawAnswer): Iterable<Uint8Array> {
  const { framing, body, piece, cut, status } = answer
  let head: Uint8Array = Buffer.from(headOf(answer), 'latin1')
  if (isBodyless(status)) {
    yield head
    return
  }
  const end = Math.min(cut ?? body.length, body.length)
  let at = 0
  for (let count = 0; at < end; count += 1) {
    const size = typeof piece === 'number' ? piece : (piece[count] ?? end)
    const bytes = body.subarray(at, Math.min(at + size, end))
    at += size
    const framed = framing.body === 'chunked' ? chunkOf(bytes) : bytes
    yield Buffer.concat([head, framed])
    head = new Uint8Array(0)
  }
  const last = framing.body === 'chunked' && cut === null ? '0\r\n\r\n' : ''
  if (head.length + last.length > 0) yield Buffer.concat([head, Buffer.from(last)])
}

/** Writes until the peer takes no more; resolves when it has taken the bytes, or is gone. */
async function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return
  const waiting = new AbortController()
  const options = { signal: waiting.signal }
  await Promise.race([once(socket, 'drain', options), once(socket, 'close', options)]).catch(() => undefined)
  waiting.abort()
}

export function endConnection(socket: Socket, ending: HttpEnding): void {
  if (ending === 'fin') socket.end()
  if (ending === 'rst') socket.resetAndDestroy()
}

/** Writes an answer, and ends its connection as it says. */
export async function writeAnswer(socket: Socket, answer: RawAnswer, pacing: Pacing | null = null): Promise<void> {
  for (const bytes of piecesOf(answer)) {
    if (socket.destroyed) return
    await write(socket, bytes)
    await pacing?.()
  }
  endConnection(socket, answer.ending)
}

/** A request as it came. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  /** The lines of the head. */
  readonly head: string
  readonly body: string
  readonly socket: Socket
}

type Answering = (request: RawRequest) => void | Promise<void>

/** Reads the requests of a connection, one after another. The clients send their bodies with a length. */
function readRequests(socket: Socket, answer: Answering): void {
  let bytes: Buffer = Buffer.alloc(0)
  let arrived: Buffer[] = []
  let size = 0
  /** Bytes without which the request is not complete; a long body is joined once. */
  let needed = 0
  let isBusy = false
  const next = async (): Promise<void> => {
    if (isBusy || size < needed) return
    bytes = Buffer.concat([bytes, ...arrived])
    arrived = []
    needed = 0
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = bytes.toString('latin1', 0, end)
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    needed = end + 4 + length
    if (size < needed) return
    const body = bytes.toString('utf8', end + 4, end + 4 + length)
    bytes = bytes.subarray(needed)
    size = bytes.length
    needed = 0
    const [method = '', path = ''] = head.split(' ', 2)
    isBusy = true
    await answer({ method, path, head, body, socket })
    isBusy = false
    await next()
  }
  const fail = (): void => void socket.destroy()
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    arrived.push(chunk)
    size += chunk.length
    next().catch(fail)
  })
}

export interface RawUpstream {
  readonly url: string
  readonly port: number
  readonly sockets: ReadonlySet<Socket>
  close(): Promise<void>
}

export interface RawListening {
  /** Certificate and key; undefined: without TLS. */
  readonly tls?: TlsOptions
  readonly backlog?: number
}

/** Opens an upstream on loopback that answers every request with raw bytes. */
export async function startRawUpstream(answer: Answering, { tls, backlog }: RawListening = {}): Promise<RawUpstream> {
  const sockets = new Set<Socket>()
  const onConnection = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    readRequests(socket, answer)
  }
  const options = { noDelay: true }
  const server: Server =
    tls === undefined ? createServer(options, onConnection) : createTlsServer({ ...options, ...tls }, onConnection)
  if (backlog === undefined) server.listen(0, '127.0.0.1')
  else server.listen(0, '127.0.0.1', backlog)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
