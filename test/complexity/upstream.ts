import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf, streamOf } from '../host/mock-upstream.ts'

/**
 * An upstream in a process of its own. The first segment of the path names its behaviour, so that a vendor of a
 * configuration picks one by its base URL: `http://127.0.0.1:PORT/text`.
 */
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const BODY = bodyOf('Hello.')
const STREAM = streamOf('Hel', 'lo.')

/** Reads the body to its end, then answers as an openai-chat upstream does: streamed if the body asks so. */
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

/** Answers with the body that another process has sent to `/answer`. */
const answers = new Map<string, readonly [type: string, body: Buffer]>()

const answer: Behaviour = (request, response) => {
  request.resume()
  request.on('end', () => {
    const [type, body] = answers.get(request.url?.split('/')[2] ?? '') ?? ['application/json', Buffer.from(BODY)]
    response.writeHead(200, { 'content-type': type })
    response.end(body)
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

/** Takes the request and never answers. */
const silent: Behaviour = (request) => void request.resume()

const BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map(Object.entries({ text, answer, keep, silent }))

const server = createServer((request, response) => {
  response.on('error', () => undefined)
  const behave = BEHAVIOURS.get(request.url?.split('/')[1] ?? '')
  if (behave === undefined) response.writeHead(404).end()
  else behave(request, response)
})
server.requestTimeout = 0
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
