import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBodyBudget } from '../../../../src/gateway/body/body-budget.ts'
import { ArrivingMessages, type ArrivingOptions } from '../../../../src/host/server/websocket/arriving-messages.ts'
import { TickQueue } from '../../../../src/host/tick-queue.ts'
import type { GatewayError } from '../../../../src/protocol/error.ts'
import { BODIES } from '../../../../src/protocol/limits.ts'
import { check } from '../../../property.ts'
import { waitUntil } from '../../test-server.ts'
import { CONTINUATION, encodeFrame, PING, TEXT } from '../../websocket-client.ts'

const MiB = 1024 * 1024

const ALONE: Pick<ArrivingOptions, 'transport' | 'queue' | 'onControl'> = {
  transport: { pause: () => undefined, resume: () => undefined },
  queue: new TickQueue(() => 0),
  onControl: () => undefined,
}

function open(limit = 256 * MiB, maxBytes = 32 * MiB, longestMs = 60_000) {
  const bodies = createBodyBudget(limit)
  const delivered: Buffer[] = []
  const refused: GatewayError[] = []
  const state = { isPaused: false }
  const turns: (() => void)[] = []
  let looks = 0
  const arriving = new ArrivingMessages(
    {
      ...ALONE,
      bodies,
      maxBytes,
      longestMs,
      queue: { hasTime: () => looks++ % 3 < 2, run: (act) => void turns.push(act) },
      isPaused: () => state.isPaused,
      onRefused: (error) => void refused.push(error),
    },
    (bytes) => void delivered.push(Buffer.from(bytes)),
  )
  const later = (): void => {
    for (let act = turns.shift(); act !== undefined; act = turns.shift()) act()
  }
  return { arriving, bodies, delivered, refused, state, turns, later, bytes: () => Buffer.concat(delivered) }
}

const text = (payload: string): Buffer => encodeFrame({ opcode: TEXT, payload })
const part = (payload: string): Buffer => encodeFrame({ opcode: TEXT, payload, isLast: false })
const more = (payload: string, isLast = false): Buffer => encodeFrame({ opcode: CONTINUATION, payload, isLast })
const ping = encodeFrame({ opcode: PING, payload: 'x' })

it('delivers every byte in order, wherever the bytes are cut', () => {
  const message = fc.oneof(
    fc.string({ maxLength: 300 }).map((payload) => [text(payload)]),
    fc.tuple(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 })).map(([a, b]) => [part(a), more(b, true)]),
    fc.constant([ping]),
    fc.nat(70_000).map((length) => [text('x'.repeat(length))]),
  )
  check(
    fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.integer({ min: 1, max: 900 })), (all, sizes) => {
      const { arriving, bodies, bytes } = open()
      const sent = Buffer.concat(all.flat())
      for (let at = 0, turn = 0; at < sent.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? sent.length
        arriving.receive(sent.subarray(at, at + size))
        at += size
      }
      expect(bytes().equals(sent)).toBe(true)
      expect(bodies.held()).toBe(0)
    }),
    300,
  )
})

it('delivers many frames of one read in several turns, in order', () => {
  const { arriving, bytes, turns, later } = open()
  const sent = Buffer.concat(Array.from({ length: 500 }, (_, at) => (at % 2 === 0 ? ping : text(`${at}`))))
  arriving.receive(sent)
  expect([turns.length, bytes().length < sent.length]).toEqual([1, true])
  const last = text('the last')
  arriving.receive(last)
  later()
  expect(bytes().equals(Buffer.concat([sent, last]))).toBe(true)
})

it('counts a message in the budget of bodies while it arrives, and delivers none of it before its end', () => {
  const { arriving, bodies, delivered } = open()
  const sent = text('x'.repeat(MiB))
  arriving.receive(sent.subarray(0, MiB / 2))
  expect([delivered.length, bodies.held()]).toEqual([0, (MiB / 2) * BODIES.perByte])
  arriving.stop()
  expect(bodies.held()).toBe(0)
})

it('passes the share of a whole message on to its receiver', () => {
  const bodies = createBodyBudget(256 * MiB)
  const leases: unknown[] = []
  const arriving: ArrivingMessages = new ArrivingMessages(
    { ...ALONE, bodies, maxBytes: MiB, longestMs: 60_000, isPaused: () => false, onRefused: () => undefined },
    () => void leases.push(arriving.takeLease()),
  )
  const sent = text('{}')
  arriving.receive(sent)
  expect([leases.length, bodies.held()]).toEqual([1, sent.length * BODIES.perByte])
})

it('refuses a message without room beside others, discards its rest, and delivers the next one', () => {
  const { arriving, bodies, refused, bytes } = open(MiB)
  const other = bodies.lease()
  other.resize(MiB - 1)
  const sent = text('x'.repeat(200_000))
  arriving.receive(sent.subarray(0, 100_000))
  expect(refused.map(({ code, status }) => [code, status])).toEqual([['server_is_overloaded', 503]])
  expect(bodies.held()).toBe(MiB - 1)
  other.release()
  const next = text('{"type":"response.create"}')
  arriving.receive(Buffer.concat([sent.subarray(100_000, 150_000), ping.subarray(0, 0)]))
  arriving.receive(Buffer.concat([sent.subarray(150_000), next]))
  expect(bytes().equals(next)).toBe(true)
  expect(refused).toHaveLength(1)
})

it('refuses a message of many frames as one of a single frame', () => {
  const { arriving, bodies, refused, bytes } = open(MiB)
  bodies.lease().resize(MiB - 1)
  arriving.receive(part('x'.repeat(2000)))
  arriving.receive(Buffer.concat([ping, more('x'.repeat(2000)), more('x', true)]))
  expect(refused).toHaveLength(1)
  expect(bytes().equals(ping)).toBe(true)
})

it('refuses a message that does not end in time, and waits no longer for it', async () => {
  const { arriving, bodies, refused, delivered } = open(256 * MiB, 32 * MiB, 1)
  arriving.receive(part('x'))
  await waitUntil(() => refused.length > 0, 'a refusal')
  expect([refused[0]?.code, bodies.held()]).toEqual(['request_timeout', 0])
  arriving.receive(more('y', true))
  const next = text('z')
  arriving.receive(next)
  expect([refused.length, Buffer.concat(delivered).equals(next)]).toEqual([1, true])
})

it('leaves a message that is too long to the library, from its head on', () => {
  const { arriving, bodies, bytes } = open(256 * MiB, 1000)
  const sent = text('x'.repeat(MiB))
  arriving.receive(sent.subarray(0, 12))
  arriving.receive(sent.subarray(12, 20))
  expect(bytes().equals(sent.subarray(0, 20))).toBe(true)
  expect(bodies.held()).toBe(0)
})

it('delivers nothing while the connection is paused, and the rest afterwards', () => {
  const { arriving, state, bytes } = open()
  const sent = Buffer.concat([text('a'), text('b')])
  state.isPaused = true
  arriving.receive(sent.subarray(0, 9))
  arriving.receive(sent.subarray(9))
  expect(bytes()).toHaveLength(0)
  state.isPaused = false
  arriving.resume()
  expect(bytes().equals(sent)).toBe(true)
})
