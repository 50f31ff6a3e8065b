import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createHttpContext } from '../../../src/host/server/http-context.ts'
import { SilenceCheck, silenceCheck } from '../../../src/host/silence-check.ts'
import { whenDone } from '../test-server.ts'

const FORMAT = { format: 'sse' as const, keepAlive: ': keep-alive\n\n' }
const OPTIONS = { keepAliveMs: 10_000, onFull: () => {}, onDrain: () => {} }
const EVENTS = ['close', 'drain', 'error', 'timeout'] as const

it('open streams share the listeners of their responses, and have no list of headers', async () => {
  const responses: ServerResponse[] = []
  const server = createServer((request, response) => {
    responses.push(response)
    const context = createHttpContext(request, response, 'id', 10_000)
    context.reply.onClose({ onClose: () => undefined })
    context.reply.openStream(context.journal, FORMAT, OPTIONS)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = [0, 1].map(() => connect((server.address() as AddressInfo).port, '127.0.0.1'))
  whenDone(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  for (const socket of sockets) {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    const [head] = (await once(socket, 'data')) as [Buffer]
    expect(head.toString()).toContain('x-request-id: id\r\n')
  }
  await nextTurn()
  for (const { socket } of responses) expect(socket?.timeout ?? 0).toBe(0)
  const [one, other] = responses as [ServerResponse, ServerResponse]
  for (const event of EVENTS) {
    expect(one.listeners(event)).toHaveLength(1)
    expect(one.listeners(event)).toEqual(other.listeners(event))
  }
  const last = one.socket?.listeners('end').at(-1)
  expect(last).toBeTypeOf('function')
  expect(last).toBe(other.socket?.listeners('end').at(-1))
  expect(one.getHeaderNames()).toEqual([])
})

it('a check of silence forgets the streams that have ended, in any order', () => {
  const check = new SilenceCheck(10_000)
  const create = () => ({ place: -1, checkSilence: () => undefined })
  const [first, second, third, last] = [create(), create(), create(), create()]
  for (const stream of [first, second, third, last]) check.add(stream)
  check.remove(second)
  expect(last.place).toBe(1)
  check.remove(third)
  check.remove(first)
  expect(last.place).toBe(0)
  check.remove(last)
  const again = create()
  check.add(again)
  expect(again.place).toBe(0)
  check.remove(again)
})

it('a check of silence gets no stream whose client has left before its head is sent', async () => {
  const options = { ...OPTIONS, keepAliveMs: 54_321 }
  const server = createServer((request, response) => {
    const context = createHttpContext(request, response, 'id', 10_000)
    context.closed.then(() => {
      context.reply.openStream(context.journal, FORMAT, options)
      server.emit('opened')
    })
    response.destroy()
  }).listen(0, '127.0.0.1')
  whenDone(async () => void server.close())
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(server, 'opened')
  const check = silenceCheck(options.keepAliveMs)
  const stream = { place: -1, checkSilence: () => undefined }
  check.add(stream)
  expect(stream.place).toBe(0)
  check.remove(stream)
})

it('a check of silence makes one timer for streams that follow one another', () => {
  const made: string[] = []
  const hook = createHook({ init: (_, type) => void made.push(type) }).enable()
  const check = new SilenceCheck(10_000)
  const stream = { place: -1, checkSilence: () => undefined }
  for (let n = 0; n < 5; n += 1) {
    check.add(stream)
    check.remove(stream)
  }
  hook.disable()
  expect(made.filter((type) => type === 'Timeout')).toHaveLength(1)
})
