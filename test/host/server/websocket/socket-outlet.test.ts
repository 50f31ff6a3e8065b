import { once } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { SocketOutlet } from '../../../../src/host/server/websocket/socket-outlet.ts'
import { checkAsync } from '../../../property.ts'
import { waitUntil, whenDone } from '../../test-server.ts'

/** Two outlets of one process, which share the memory of their frames, and the messages that their clients receive. */
async function openOutlets() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  whenDone(async () => void server.close())
  await once(server, 'listening')
  const open = async () => {
    const { port } = server.address() as { readonly port: number }
    const client = new WebSocket(`ws://127.0.0.1:${port}`)
    whenDone(async () => client.terminate())
    const received: string[] = []
    client.on('message', (message) => void received.push(String(message)))
    // A client that cannot read a frame closes the connection.
    client.on('error', (error) => void received.push(error.message))
    const [socket, { socket: transport }] = (await once(server, 'connection')) as [WebSocket, { socket: Socket }]
    return { outlet: new SocketOutlet(socket, transport, 60_000), received }
  }
  return [await open(), await open()] as const
}

const size = fc.oneof(fc.nat(300), fc.constantFrom(125, 126, 127, 65_535, 65_536), fc.nat(140_000))
const step = fc.record({
  to: fc.constantFrom(0, 1),
  size,
  prefix: fc.constantFrom('', '{"stream_id":"a",'),
  way: fc.constantFrom('add', 'add', 'add', 'send', 'flush'),
})

it('sends messages of any length in their order, however they are added and sent', async () => {
  const outlets = await openOutlets()
  await checkAsync(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const expected: [string[], string[]] = [[], []]
      for (const { received } of outlets) received.length = 0
      for (const [at, { to, size: length, prefix, way }] of steps.entries()) {
        const { outlet } = outlets[to as 0 | 1]
        const text = `${at}`.padEnd(length, 'ä€x')
        if (way === 'flush') {
          outlet.flush()
          continue
        }
        expected[to as 0 | 1].push(way === 'add' ? prefix + text : text)
        const bytes = Buffer.from(`--${text}--`)
        if (way === 'send') outlet.send(text)
        else outlet.add(Buffer.from(prefix), bytes, 2, bytes.length - 2)
        bytes.fill(0)
      }
      for (const { outlet } of outlets) outlet.flush()
      await waitUntil(
        () => outlets.every(({ received }, at) => received.length >= (expected[at]?.length ?? 0)),
        'all messages',
      )
      expect(outlets.map(({ received }) => received)).toEqual(expected)
      const sent = outlets.map(({ outlet }) => outlet.takeSent())
      expect(sent).toEqual(expected.map(({ length }) => length))
    }),
    100,
  )
})

it.each([125, 126, 65_535, 65_536])('frames a message of %i bytes', async (length) => {
  const [{ outlet, received }] = await openOutlets()
  const messages = ['x'.repeat(length), 'next']
  for (const message of messages) outlet.add(Buffer.alloc(0), Buffer.from(message), 0, message.length)
  outlet.flush()
  await waitUntil(() => received.length >= messages.length, 'both messages')
  expect(received).toEqual(messages)
})
