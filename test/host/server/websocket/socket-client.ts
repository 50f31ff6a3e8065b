import { once } from 'node:events'
import { WebSocket } from 'ws'
import { KEY, type Loose, whenDone } from '../../test-server.ts'

export interface SocketClientOptions {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of the WebSocket transport, which keeps every message that it receives. */
export interface SocketClient {
  readonly socket: WebSocket
  readonly messages: Loose[]
  /** Sends a message: an object as JSON. */
  send(message: object | string | Buffer): void
  /** Resolves with the messages so far once one of them satisfies the condition. Fails if the connection closes. */
  until(fits: (message: Loose) => boolean): Promise<Loose[]>
  /** Sends a request, and resolves with the messages of its answer, up to the terminal one. */
  ask(request: object): Promise<Loose[]>
  /** The code and reason of the close. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

export const TERMINALS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
])

/** `url`: the address of the gateway. Rejects if the handshake is refused. */
export async function openSocket(url: string, options: SocketClientOptions = {}): Promise<SocketClient> {
  const { path = '/openai/v1/responses', headers = { authorization: `Bearer ${KEY}` } } = options
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
  whenDone(async () => socket.terminate())
  const messages: Loose[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const check of [...waiting]) check()
  }
  socket.on('message', (bytes) => {
    messages.push(JSON.parse(String(bytes)))
    wake()
  })
  let isClosed = false
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      isClosed = true
      wake()
      resolve({ code, reason: String(reason) })
    })
  })
  await once(socket, 'open')
  socket.on('error', () => undefined)
  const until = (fits: (message: Loose) => boolean, from = 0): Promise<Loose[]> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const at = messages.findIndex((message, index) => index >= from && fits(message))
        if (at < 0 && !isClosed) return
        waiting.delete(check)
        if (at < 0) reject(new Error(`closed before: ${JSON.stringify(messages)}`))
        else resolve(messages.slice(from, at + 1))
      }
      waiting.add(check)
      check()
    })
  const send = (message: object | string | Buffer): void =>
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
  return {
    socket,
    messages,
    send,
    until,
    ask(request) {
      const from = messages.length
      send({ type: 'response.create', ...request })
      return until(({ type }) => TERMINALS.has(type), from)
    },
    closed,
  }
}
