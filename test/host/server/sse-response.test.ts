import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import type { StreamReply } from '../../../src/gateway/exchange/reply.ts'
import { createHttpContext } from '../../../src/host/server/http-context.ts'
import { whenDone } from '../test-server.ts'

const FORMAT = { format: 'sse' as const, keepAlive: null }
const UNTROUBLED = { keepAliveMs: 0, onFull: () => {}, onDrain: () => {} }

/** Returns the bytes that a client of the given HTTP version receives when `write` writes to its reply. */
async function sentOver(version: string, write: (reply: StreamReply) => void): Promise<string> {
  const server = createServer((request, response) => {
    response.shouldKeepAlive = false
    const exchange = createHttpContext(request, response, 'id', 10_000)
    write(exchange.reply.openStream(exchange.journal, FORMAT, UNTROUBLED))
  })
  server.listen(0, '127.0.0.1')
  whenDone(async () => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(`GET / HTTP/${version}\r\nhost: x\r\nconnection: close\r\n\r\n`)
  return text(socket)
}

/** Written bytes wait until the tick ends; of the last write, 8 MB is more than a socket accepts at once. */
it.each(['1.0', '1.1'])('an event reply copies borrowed bytes that must wait: HTTP/%s', async (version) => {
  for (const size of [10, 10_000, 8_000_000]) {
    const sent = await sentOver(version, (reply) => {
      const lent = new Uint8Array(size).fill(97)
      reply.write(lent)
      reply.write(lent.fill(98))
      reply.end(lent.fill(99))
      lent.fill(100)
    })
    const body = sent.slice(sent.indexOf('\r\n\r\n') + 4)
    for (const letter of ['a', 'b', 'c']) expect(body.includes(letter.repeat(size))).toBe(true)
    expect(body.includes('dddddddddd')).toBe(false)
  }
})

it('an event reply writes its last frames and the end of its body together', async () => {
  const writes: string[] = []
  const server = createServer((request, response) => {
    const { socket } = response
    const exchange = createHttpContext(request, response, 'id', 10_000)
    const reply = exchange.reply.openStream(exchange.journal, FORMAT, UNTROUBLED)
    reply.write(Buffer.from('first'))
    setImmediate(() => {
      if (socket === null) return
      const write = socket.write.bind(socket) as (...words: readonly unknown[]) => boolean
      Object.assign(socket, {
        write: (chunk: string | Uint8Array, ...words: readonly unknown[]) => {
          writes.push(chunk.toString())
          return write(chunk, ...words)
        },
      })
      reply.end(Buffer.from('last'))
    })
  })
  server.listen(0, '127.0.0.1')
  whenDone(async () => void server.close())
  await once(server, 'listening')
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(await answer.text()).toBe('firstlast')
  expect(writes).toEqual(['4\r\nlast\r\n0\r\n\r\n'])
})
