import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { endWithPieces } from '../../src/host/server/http-reply.ts'
import { bodyOf, withBody } from '../mock-upstreams/server.ts'
import { KEY, startTestServer, waitUntil, whenDone } from './test-server.ts'

const PIECE = new Uint8Array(64 * 1024).fill(97)
const PIECES = 1024

/** Opens a client of a server that answers with 64 MiB, and counts the pieces taken from the iterator so far. */
async function openLongAnswer(): Promise<{ client: Socket; taken: () => number; done: () => boolean }> {
  let taken = 0
  let done = false
  function* pieces(): Iterable<Uint8Array> {
    for (; taken < PIECES; taken += 1) yield PIECE
  }
  const answer = async (response: ServerResponse): Promise<void> => {
    await endWithPieces(response, pieces())
    done = true
  }
  const server = createServer((_, response) => void answer(response))
  server.listen(0, '127.0.0.1')
  whenDone(async () => void server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  whenDone(async () => void client.destroy())
  client.write('GET / HTTP/1.0\r\nhost: x\r\n\r\n')
  return { client, taken: () => taken, done: () => done }
}

it('endWithPieces takes no more pieces than the client reads, and all of them in the end', async () => {
  const { client, taken, done } = await openLongAnswer()
  client.pause()
  let before = -1
  await waitUntil(() => {
    const stands = taken() > 0 && taken() === before
    before = taken()
    return stands
  }, 'the pieces to stand still')
  expect(taken()).toBeLessThan(PIECES)
  const answer = await text(client)
  expect(answer.length - answer.indexOf('\r\n\r\n') - 4).toBe(PIECES * PIECE.length)
  await waitUntil(done, 'the end')
})

it('endWithPieces takes no more pieces after its client disconnects', async () => {
  const { client, taken, done } = await openLongAnswer()
  await waitUntil(() => taken() > 0, 'the first piece')
  client.destroy()
  await waitUntil(done, 'the end')
  expect(taken()).toBeLessThan(PIECES)
})

const WORDS = 'λόγος "water"\n'.repeat(60_000)

it.each(['1.0', '1.1'])('a long answer has a content-length and is complete: HTTP/%s', async (version) => {
  const { url } = await startTestServer(withBody(bodyOf(WORDS)))
  const client = connect(Number(new URL(url).port), '127.0.0.1')
  const body = JSON.stringify({ model: 'acme/mock-1', input: 'Hello' })
  const head = `authorization: Bearer ${KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
  client.write(
    `POST /api/v1/responses HTTP/${version}\r\nhost: localhost\r\nconnection: close\r\n${head}\r\n\r\n${body}`,
  )
  const answer = await text(client)
  const sent = answer.slice(answer.indexOf('\r\n\r\n') + 4)
  expect(answer).toContain(`content-length: ${Buffer.byteLength(sent)}\r\n`)
  expect(JSON.parse(sent)).toMatchObject({ status: 'completed', output: [{ content: [{ text: WORDS }] }] })
})
