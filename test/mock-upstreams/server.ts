import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isObject, parseJson } from '../../src/text/json.ts'

/** One request that the upstream received. */
export interface ReceivedRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The body as it came. */
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
  readonly response: ServerResponse
  /** Resolves when the answer is complete or its connection is lost. */
  readonly closed: Promise<void>
}

export interface MockUpstream {
  readonly url: string
  readonly received: ReceivedRequest[]
  /** Resolves with the last request, or with the next one if there was none yet. */
  next(): Promise<ReceivedRequest>
  close(): Promise<void>
}

export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>

/** Opens a real HTTP server on loopback that answers with the given behaviour. */
export async function startMockUpstream(behave: Behaviour): Promise<MockUpstream> {
  const received: ReceivedRequest[] = []
  const waiting: ((one: ReceivedRequest) => void)[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const closed = new Promise<void>((resolve) => response.once('close', () => resolve()))
    const sent = await text(request)
    const body = parseJson(sent)
    const one = {
      url: request.url ?? '',
      headers: request.headers,
      text: sent,
      body: isObject(body) ? body : {},
      response,
      closed,
    }
    received.push(one)
    for (const resolve of waiting.splice(0)) resolve(one)
    await behave(response, one)
  })
  keepConnections(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    received,
    next: () => {
      const last = received.at(-1)
      return last === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(last)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** An upstream that sends nothing for a while. */
export const silence = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Node closes a connection that was idle for five seconds. On a busy machine that happens between two requests of a test,
 * and the next one may be written to the connection that closes.
 */
export function keepConnections(server: Server): void {
  server.keepAliveTimeout = 0
}

/** Resolves when the response accepts more data or is closed. */
export async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController()
  const options = { signal: waiting.signal }
  await Promise.race([once(response, 'drain', options), once(response, 'close', options)])
  waiting.abort()
}

/** Writes pieces with a pause of so many milliseconds after each, until the connection is lost. */
export async function writePaced(response: ServerResponse, pieces: Iterable<string>, pauseMs: number): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return
    if (!response.write(piece)) await drained(response)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Writes a piece again and again, with pauses, until the connection is lost or the function returns true. */
export const drip = (response: ServerResponse, piece: string, isOver = (): boolean => false): Promise<void> =>
  writePaced(response, repeated(piece, isOver), 20)

function* repeated(piece: string, isOver: () => boolean): Generator<string> {
  while (!isOver()) yield piece
}

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model: 'mock-1',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

export const roleChunk = chunk({ role: 'assistant', content: '' })
export const textChunk = (content: string): string => chunk({ content })
export const stopChunk = chunk({}, 'stop')
export const usageChunk = `data: ${JSON.stringify({
  id: 'chatcmpl-mock',
  object: 'chat.completion.chunk',
  created: 1_764_000_000,
  model: 'mock-1',
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
})}\n\n`
export const doneFrame = 'data: [DONE]\n\n'

/** Returns the stream of an answer with this text, one chunk for each argument. */
export const streamOf = (...words: readonly string[]): string =>
  [roleChunk, ...words.map(textChunk), stopChunk, usageChunk, doneFrame].join('')

/** Returns the same answer as one body. */
export const bodyOf = (content: string): string =>
  JSON.stringify({
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    created: 1_764_000_000,
    model: 'mock-1',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  })

/** Answers with a stream in pieces of `size` bytes. */
export const inPieces =
  (stream: string, size: number): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const bytes = Buffer.from(stream)
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size))
      await nextTurn()
    }
    response.end()
  }

/** Answers at once with this body. */
export const withBody =
  (body: string, status = 200, headers: Record<string, string> = { 'content-type': 'application/json' }): Behaviour =>
  (response) => {
    response.writeHead(status, headers)
    response.end(body)
  }

/** Sends the head and these frames of a stream, and leaves the rest to the test. */
export const beginning =
  (...frames: readonly string[]): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(frames.join(''))
  }
