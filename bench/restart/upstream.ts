/** The upstream of the restart simulation: one chunk at a time, each with its number and the time. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chunkText, now } from './answer.ts'

const CHUNK_MS = Number(process.argv[2])

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-restart',
    object: 'chat.completion.chunk',
    created: 1_764_000_000,
    model: 'restart',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

const END = `${chunk({}, 'stop')}data: [DONE]\n\n`

function answer(count: number, response: ServerResponse): void {
  let at = 0
  const write = (): void => {
    response.write(chunk({ content: chunkText(at, now()) }))
    at += 1
    if (at < count) return
    clearInterval(timer)
    response.end(END)
  }
  const timer = setInterval(write, CHUNK_MS)
  response.on('close', () => clearInterval(timer))
  write()
}

const server = createServer((request, response) => {
  let body = ''
  request.on('data', (bytes: Buffer) => {
    body += bytes.toString('latin1')
  })
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    answer(Number((JSON.parse(body) as { readonly model: string }).model), response)
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('disconnect', () => process.exit())
