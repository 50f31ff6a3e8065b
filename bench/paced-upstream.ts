import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The answers of an upstream, by the number that the name of the model is. */
export interface PacedAnswers {
  /** The name in its chunks. */
  readonly name: string
  /** The most connections that wait to be accepted. */
  readonly backlog: number
  /** The number of chunks of an answer. */
  countOf(number: number): number
  textOf(number: number, at: number): string
}

/**
 * Serves chat streams, one chunk each `chunkMs` milliseconds, in a forked process: sends its URL to the parent, and ends
 * with it.
 */
export function servePacedAnswers({ name, backlog, countOf, textOf }: PacedAnswers, chunkMs: number): void {
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({
      id: `chatcmpl-${name}`,
      object: 'chat.completion.chunk',
      created: 1_764_000_000,
      model: name,
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`
  const end = `${chunk({}, 'stop')}data: [DONE]\n\n`

  const answer = (number: number, response: ServerResponse): void => {
    const count = countOf(number)
    let at = 0
    const write = (): void => {
      response.write(chunk({ content: textOf(number, at) }))
      at += 1
      if (at < count) return
      clearInterval(timer)
      response.end(end)
    }
    const timer = setInterval(write, chunkMs)
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
  server.listen({ port: 0, host: '127.0.0.1', backlog }, () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  process.on('disconnect', () => process.exit())
}
