import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Cancellation } from '../gateway/cancellation.ts'
import { sleep } from '../gateway/upstream/retry.ts'
import type { UpstreamResponse } from '../gateway/upstream/transport.ts'
import { clientError } from '../protocol/error.ts'
import type { Result } from '../protocol/result.ts'
import { parseJson } from '../text/json.ts'
import type { Faults } from './mock-answer.ts'

/** A request that a server of a test received. */
export interface MockRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The value of a JSON body, another body as text; null: no body. */
  readonly body: unknown
}

/** A request with the bytes of its body. */
export interface ReceivedCall extends MockRequest {
  readonly bytes: Uint8Array
}

/** An answer, and the faults that it has in addition. */
export interface FaultyAnswer {
  readonly opened: Result<UpstreamResponse>
  readonly faults: Faults & { readonly headers?: Readonly<Record<string, string>> }
}

export interface LoopbackServer {
  readonly url: string
  close(): Promise<void>
}

const LEFT = clientError('client_gone', 'The client closed the connection before the end of its response.')

const headersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value = '']) => [
      [name, typeof value === 'string' ? value : value.join(', ')],
    ]),
  )

async function receive(request: IncomingMessage): Promise<ReceivedCall> {
  const bytes = await buffer(request)
  const text = bytes.toString()
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: headersOf(request),
    body: bytes.length === 0 ? null : (parseJson(text) ?? text),
    bytes,
  }
}

/** Where a server of a test listens. Default: a free port of the loopback interface. */
export interface LoopbackAddress {
  readonly host?: string
  readonly port?: number
  /** The process runs until the server is closed. Default: a test that does not close its server ends nevertheless. */
  readonly holdsProcess?: boolean
}

/** Opens a real HTTP server. `answer` never rejects. */
export async function openLoopbackServer(
  answer: (call: ReceivedCall, signal: Cancellation) => Promise<FaultyAnswer>,
  { host = '127.0.0.1', port: asked = 0, holdsProcess = false }: LoopbackAddress = {},
): Promise<LoopbackServer> {
  const open = new Set<Cancellation>()
  const server = createServer((request, response) => {
    const signal = new Cancellation()
    open.add(signal)
    response.once('close', () => {
      open.delete(signal)
      signal.abort(LEFT)
    })
    receive(request)
      .then((call) => answer(call, signal))
      .then((opened) => send(opened, response, signal))
      // A request that breaks off has no answer.
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(asked, host, resolve)
  })
  if (!holdsProcess) server.unref()
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        // The callback of a second call has an error, which is no failure.
        server.close(() => resolve())
        for (const signal of open) signal.abort(LEFT)
        server.closeAllConnections()
      }),
  }
}

/** Ends the connection after the bytes before, without the end of the answer. */
const breakOff = ({ socket }: ServerResponse): void => socket?.destroySoon()

const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

async function send({ opened, faults }: FaultyAnswer, response: ServerResponse, signal: Cancellation): Promise<void> {
  if (faults.delayMs !== undefined) await sleep(faults.delayMs, signal)
  // An upstream that could not be reached is a connection without an answer.
  if (!opened.ok) return void response.destroy()
  const upstream = opened.value
  if (signal.aborted) return upstream.abort()
  const headers = Object.entries({ ...upstream.headers, ...faults.headers }).flatMap(([name, value]) =>
    value === undefined || OF_THE_CONNECTION.has(name) ? [] : [[name, value] as const],
  )
  response.writeHead(faults.status ?? upstream.status, Object.fromEntries(headers))
  response.flushHeaders()
  let left = faults.cutAfterBytes ?? Number.POSITIVE_INFINITY
  response.on('drain', () => upstream.resume())
  upstream.read({
    bytes(chunk) {
      const shown = chunk.subarray(0, left)
      left -= shown.length
      if (shown.length > 0 && !response.write(Buffer.from(shown))) upstream.pause()
      if (left > 0) return
      upstream.abort()
      breakOff(response)
    },
    end(trailers = {}) {
      const named = Object.entries(trailers).flatMap(([name, value = '']) => [[name, value] as const])
      if (named.length > 0) response.addTrailers(Object.fromEntries(named))
      response.end()
    },
    fail: () => breakOff(response),
  })
}
