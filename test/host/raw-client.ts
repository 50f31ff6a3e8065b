import { connect, type Socket } from 'node:net'
import { KEY, REQUEST, whenDone } from './test-server.ts'

/** A client that writes raw bytes on one connection. */
export interface RawClient {
  readonly socket: Socket
  /** Everything received so far. */
  readonly text: () => string
  /** The final status of each answer so far, without interim answers (1xx). */
  readonly statuses: () => number[]
  /** Resolves when the server has closed or reset the connection. */
  readonly closed: Promise<void>
}

export function connectRawClient({ url }: { readonly url: string }): RawClient {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  whenDone(async () => void socket.destroy())
  let text = ''
  const closed = new Promise<void>((resolve) => {
    for (const event of ['end', 'close'] as const) socket.on(event, () => resolve())
  })
  socket.on('data', (bytes) => (text += bytes.toString('latin1'))).on('error', () => undefined)
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status))
  return { socket, text: () => text, statuses, closed }
}

/** Writes a piece again and again, until the end of the test: the server receives something all the time. */
export function dripInto({ socket }: RawClient, piece: string): void {
  const drip = setInterval(() => socket.write(piece), 50)
  whenDone(async () => clearInterval(drip))
}

export interface RawRequest {
  readonly body?: object | string
  readonly version?: '1.0' | '1.1'
  readonly method?: string
  readonly path?: string
  readonly key?: string
  readonly headers?: readonly string[]
  /** If omitted, the length of the body; if null, the request has no content-length. */
  readonly length?: number | null
}

/** Returns the bytes of one request. */
export function toBytes({ body = REQUEST, version = '1.1', method = 'POST', ...rest }: RawRequest = {}): string {
  const { path = '/api/v1/responses', key = KEY, headers = [] } = rest
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { length = Buffer.byteLength(text) } = rest
  const lines = [
    `${method} ${path} HTTP/${version}`,
    ...(version === '1.1' ? ['host: localhost'] : []),
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    ...(length === null ? [] : [`content-length: ${length}`]),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}
