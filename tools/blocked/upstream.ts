import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HTTP_FRAMINGS, type HttpFraming, writeAnswer } from '../../test/mock-upstreams/raw-http.ts'
import { bodyOf, roleChunk, streamOf, textChunk } from '../../test/mock-upstreams/server.ts'

/**
 * An upstream in its own process. The first path segment names its behaviour, so that a vendor in the configuration
 * selects it by the base URL: `http://127.0.0.1:PORT/text`.
 */
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const BODY = bodyOf('Hello.')
const STREAM = streamOf('Hel', 'lo.')

/** Reads the whole body, then answers like an openai-chat upstream, streamed if the body requests it. */
const text: Behaviour = (request, response) => {
  let tail = ''
  let streams = false
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => {
    streams ||= (tail + chunk).includes('"stream":true')
    tail = chunk.slice(-16)
  })
  request.on('end', () => {
    response.writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' })
    response.end(streams ? STREAM : BODY)
  })
}

/** Bytes of one write, and of one chunk. */
const PIECE = 64 * 1024

/** Answers with the body that another process has sent to `/keep`. */
const answers = new Map<string, readonly [type: string, body: Buffer]>()

/** The framings of HTTP/1 take turns, in raw bytes on the socket of the request. */
let framings = 0

const answer: Behaviour = (request, response) => {
  request.resume()
  request.on('end', () => {
    const [type, body] = answers.get(request.url?.split('/')[2] ?? '') ?? ['application/json', Buffer.from(BODY)]
    const framing = HTTP_FRAMINGS[framings % HTTP_FRAMINGS.length] as HttpFraming
    framings += 1
    const { socket } = request
    response.detachSocket(socket)
    writeAnswer(socket, {
      framing,
      status: 200,
      headers: { 'content-type': type },
      body,
      piece: PIECE,
      cut: null,
      // The parser of `node:http` has lost this connection.
      ending: 'fin',
    }).finally(() => response.emit('close'))
  })
}

const keep: Behaviour = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const type = request.headers['content-type'] ?? 'application/json'
    answers.set(request.url?.split('/')[2] ?? '', [type, Buffer.concat(chunks)])
    response.end()
  })
}

/** Accepts the request and never answers. */
const silent: Behaviour = (request) => void request.resume()

/** Starts a stream and never continues it. */
const half: Behaviour = (request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(roleChunk + textChunk('Half'))
}

/** Sends an endless stream as fast as it is read, with `size` characters in each event. */
/** Bytes that were poured so far. */
let poured = 0

const pour =
  (size: number): Behaviour =>
  (request, response) => {
    const piece = Buffer.from(textChunk('x'.repeat(size)).repeat(Math.ceil(16_384 / (size + 150))))
    const write = (): void => {
      while (!response.destroyed) {
        poured += piece.length
        if (!response.write(piece)) return void response.once('drain', write)
      }
    }
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write()
  }

/** Sends an error body of one byte at a time. */
const drip: Behaviour = (request, response) => {
  request.resume()
  response.writeHead(400, { 'content-type': 'text/plain' })
  const timer = setInterval(() => response.write('x'), 100)
  response.once('close', () => clearInterval(timer))
}

/** The number of open requests, and its maximum. */
let open = 0
let most = 0

const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(
  Object.entries({
    text,
    answer,
    keep,
    silent,
    half,
    drip,
    'pour-20': pour(20),
    'pour-2000': pour(2000),
  }),
)

const COUNTS: ReadonlyMap<string, () => number> = new Map(
  Object.entries({ open: () => open, most: () => most, poured: () => poured }),
)

const server = createServer((request, response) => {
  response.on('error', () => undefined)
  const [, name = ''] = request.url?.split('/') ?? []
  const count = COUNTS.get(name)
  const behave = BEHAVIOURS.get(name)
  if (count !== undefined) return void response.end(String(count()))
  if (behave === undefined) return void response.writeHead(404).end()
  open += 1
  most = Math.max(most, open)
  response.once('close', () => (open -= 1))
  behave(request, response)
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
