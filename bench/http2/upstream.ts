/**
 * The upstream of the comparison: TLS with HTTP/2 and HTTP/1.1, in a process of its own. `/COUNT/MS` answers with so many
 * events, one each MS milliseconds; 0: as fast as the client reads.
 */
import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'

const [, , certFile = '', keyFile = ''] = process.argv
const text = ' lorem ipsum dolor sit amet'.repeat(8)

/** As long as an event of a chat completion, with the time of its write in microseconds. */
const event = (): string => `data: {"at":${process.hrtime.bigint() / 1000n},"text":"${text}"}\n\n`

/** Streams that begin together have different phases, as models have: their chunks do not share a read. */
function paced(response: Http2ServerResponse, count: number, ms: number): void {
  let left = count
  const write = (): void => {
    response.write(event())
    left -= 1
    if (left > 0) timer = setTimeout(write, ms)
    else response.end()
  }
  let timer = setTimeout(write, Math.random() * ms)
  response.on('close', () => clearTimeout(timer))
}

function burst(response: Http2ServerResponse, count: number): void {
  let left = count
  const write = (): void => {
    while (left > 0) {
      left -= 1
      if (!response.write(event())) return
    }
    response.end()
  }
  response.on('drain', write)
  write()
}

let connections = 0
const server = createSecureServer({
  cert: readFileSync(certFile),
  key: readFileSync(keyFile),
  allowHTTP1: true,
  settings: { maxConcurrentStreams: 1000 },
})
// Without these, connections of HTTP/1.1 would wait for acknowledgements, and close between two rounds.
Object.assign(server, { keepAliveTimeout: 60_000 })
server.on('secureConnection', (socket) => {
  socket.setNoDelay(true)
  connections += 1
})
server.on('request', (request, response) => {
  const [, count = '1', ms = '0'] = request.url.split('/')
  request.resume()
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
    if (Number(ms) === 0) burst(response, Number(count))
    else paced(response, Number(count), Number(ms))
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 2000 }, () => {
  process.send?.(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('message', () => {
  process.send?.(connections)
  connections = 0
})
process.on('disconnect', () => process.exit())
