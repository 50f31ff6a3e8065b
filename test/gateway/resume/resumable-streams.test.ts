import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openai } from '../../../src/dialects/openai.ts'
import { dialectTarget } from '../../../src/engine/target.ts'
import type { Reply, StreamReplyOptions } from '../../../src/gateway/exchange/reply.ts'
import { type RequestContext, StartedExchange } from '../../../src/gateway/exchange/request-context.ts'
import { EventRing } from '../../../src/gateway/resume/event-ring.ts'
import { KeptContext } from '../../../src/gateway/resume/kept-context.ts'
import type { KeptStream } from '../../../src/gateway/resume/kept-stream.ts'
import { ResumableStreams } from '../../../src/gateway/resume/resumable-streams.ts'
import { check } from '../../property.ts'

const LIMITS = { seconds: 60, upstream_seconds: 30, streams: 3, stream_bytes: 40_000, memory_bytes: 80_000 }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const frame = (number: number, text = ''): string =>
  `event: e\ndata: ${JSON.stringify({ type: 'e', sequence_number: number, response: { id: `resp_${text}` } })}\n\n`

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client that receives into a text. */
function client() {
  const state = { text: '', ended: false, destroyed: false, options: null as StreamReplyOptions | null }
  const reply = {
    openStream: (_: unknown, __: unknown, options: StreamReplyOptions) => {
      state.options = options
      return {
        write: (frames: Uint8Array) => {
          state.text += new TextDecoder().decode(frames)
        },
        end: (frames: Uint8Array) => {
          state.text += new TextDecoder().decode(frames)
          state.ended = true
        },
      }
    },
    onClose: () => undefined,
    destroy: () => {
      state.destroyed = true
    },
  } as unknown as Reply
  const begun = new StartedExchange('req_1', 'POST')
  const context = Object.assign(begun, {
    reply,
    request: { headers: {}, httpVersion: '1.1' },
  }) as unknown as RequestContext
  return { state, reply, context }
}

function open(streams: ResumableStreams, id: string, key = 'a') {
  const first = client()
  const stream = streams.begin(first.context, key, dialectTarget(openai)) as KeptStream
  const flow = { holds: 0, releases: 0 }
  stream?.open(first.reply, {
    keepAliveMs: 0,
    onFull: () => {
      flow.holds += 1
    },
    onDrain: () => {
      flow.releases += 1
    },
  })
  stream?.write(bytesOf(frame(0, id)))
  return { ...first, stream, flow }
}

describe('the last bytes of a stream', () => {
  it('continue after any event, wherever they were cut', () => {
    check(
      fc.property(
        fc.nat(60),
        fc.array(fc.nat(3000), { maxLength: 20 }),
        fc.integer({ min: -1, max: 60 }),
        (count, cuts, after) => {
          const frames = Array.from({ length: count + 1 }, (_, i) => frame(i))
          const bytes = bytesOf(frames.join(''))
          const ring = new EventRing()
          const ends = [...new Set(cuts)].filter((at) => at < bytes.length).sort((one, other) => one - other)
          for (const [i, start] of [0, ...ends].entries()) ring.add(bytes.subarray(start, ends[i] ?? bytes.length))
          const rest = ring.after(after < 0 ? null : after)
          if (after > count) expect(rest).toBe('ahead')
          else expect(new TextDecoder().decode(rest as Uint8Array)).toBe(frames.slice(after + 1).join(''))
        },
      ),
      500,
    )
  })

  it('have numbers wherever the event has them, and line ends of any kind', () => {
    const ring = new EventRing()
    const nested = { type: 'a.b', response: { tools: [{ sequence_number: 9 }] }, sequence_number: 1 }
    ring.add(
      bytesOf(
        `event: a\r\ndata: {"type":"a","sequence_number":0}\r\n\r\ndata: ${JSON.stringify(nested)}\n\n: c\n\ndata: [DONE]\n\n`,
      ),
    )
    expect(new TextDecoder().decode(ring.after(0) as Uint8Array)).toMatch(/^data: \{"type":"a\.b".*\[DONE\]\n\n$/s)
    expect(new TextDecoder().decode(ring.after(1) as Uint8Array)).toBe(': c\n\ndata: [DONE]\n\n')
    expect(ring.after(2)).toBe('ahead')
    const commented = new EventRing()
    commented.add(bytesOf(`data: {"sequence_number":0}\n:\n\n${frame(1)}`))
    expect(new TextDecoder().decode(commented.after(0) as Uint8Array)).toBe(frame(1))
  })

  it('are the last ones, and report those before as dropped', () => {
    const ring = new EventRing()
    for (let i = 0; i < 1000; i += 1) ring.add(bytesOf(frame(i)))
    expect(ring.dropOldest()).toBe(true)
    expect(ring.after(null)).toBe('dropped')
    expect(ring.after(3)).toBe('dropped')
    const last = Array.from({ length: 1000 }, (_, i) => i).findLastIndex((i) => ring.after(i) === 'dropped')
    const held = Array.from({ length: 998 - last }, (_, i) => frame(last + 2 + i))
    expect(new TextDecoder().decode(ring.after(last + 1) as Uint8Array)).toBe(held.join(''))
    expect(new TextDecoder().decode(ring.after(998) as Uint8Array)).toBe(frame(999))
  })
})

describe('streams that may be resumed', () => {
  it('hold nothing when their time is over', () => {
    const streams = new ResumableStreams(LIMITS)
    const { stream, state } = open(streams, 'x')
    stream.end(bytesOf(frame(1)))
    expect(state.ended).toBe(true)
    expect(streams.find('a', 'resp_x')).toBe(stream)
    expect(streams.bytes()).toBeGreaterThan(0)
    vi.advanceTimersByTime(60_000)
    expect([streams.bytes(), streams.count(), streams.find('a', 'resp_x'), vi.getTimerCount()]).toEqual([
      0,
      0,
      undefined,
      0,
    ])
  })

  it('answer no id that two streams of a key have had, and leave both to the clients that read them', () => {
    const streams = new ResumableStreams(LIMITS)
    const first = open(streams, 'same')
    const second = open(streams, 'same')
    const other = open(streams, 'same', 'b')
    expect(streams.find('a', 'resp_same')).toBeUndefined()
    expect(streams.find('b', 'resp_same')).toBe(other.stream)
    expect(streams.isTaken('a', 'resp_same')).toBe(true)
    for (const { stream, state, context } of [first, second]) {
      stream.end(bytesOf(frame(1)))
      expect([state.ended, state.text, context.signal.aborted]).toEqual([true, frame(0, 'same') + frame(1), false])
    }
    vi.advanceTimersByTime(60_000)
    open(streams, 'same')
    expect(streams.find('a', 'resp_same')).toBeUndefined()
  })

  it('abort their upstream when no client has come back, and are then held for their time', () => {
    const streams = new ResumableStreams(LIMITS)
    const { stream, reply, context } = open(streams, 'x')
    expect(stream.lose(reply)).toBe(true)
    vi.advanceTimersByTime(29_000)
    expect([context.signal.aborted, context.journal.last('gone')]).toEqual([false, undefined])
    vi.advanceTimersByTime(1000)
    expect(context.signal.reason?.code).toBe('client_gone')
    expect(context.journal.last('gone')).toEqual({ type: 'gone' })
    stream.end(bytesOf(frame(1)))
    vi.advanceTimersByTime(59_000)
    expect(streams.count()).toBe(1)
    vi.advanceTimersByTime(1000)
    expect([streams.bytes(), streams.count(), vi.getTimerCount()]).toEqual([0, 0, 0])
  })

  it('are written to the client that came last, which holds the upstream back instead of the one before', () => {
    const streams = new ResumableStreams(LIMITS)
    const { stream, state, reply, flow } = open(streams, 'x')
    state.options?.onFull()
    expect(flow).toEqual({ holds: 1, releases: 0 })
    stream.lose(reply)
    expect(flow).toEqual({ holds: 1, releases: 1 })
    stream.write(bytesOf(frame(1)))
    const second = client()
    stream.resume(second.context, stream.after(0) as Uint8Array)
    const third = client()
    stream.resume(third.context, stream.after(null) as Uint8Array)
    expect([second.state.text, second.state.destroyed]).toEqual([frame(1), true])
    second.state.options?.onFull()
    expect(flow).toEqual({ holds: 1, releases: 1 })
    third.state.options?.onFull()
    expect(flow.holds).toBe(2)
    stream.end(bytesOf(frame(2)))
    expect(third.state).toMatchObject({ text: frame(0, 'x') + frame(1) + frame(2), ended: true })
    expect(state.text).toBe(frame(0, 'x'))
  })

  it('are not held back by a client that did not read, and whose stream another one continues', () => {
    const streams = new ResumableStreams(LIMITS)
    const { stream, state, flow } = open(streams, 'x')
    state.options?.onFull()
    const second = client()
    stream.resume(second.context, stream.after(0) as Uint8Array)
    expect(flow).toEqual({ holds: 1, releases: 1 })
    expect(state.destroyed).toBe(true)
  })

  it('hold nothing of events without numbers, which nobody can continue', () => {
    const streams = new ResumableStreams(LIMITS)
    const first = client()
    const stream = streams.begin(first.context, 'a', dialectTarget(openai)) as KeptStream
    stream.open(first.reply, { keepAliveMs: 0, onFull: () => undefined, onDrain: () => undefined })
    const event = 'data: {"type":"response.created","response":{"id":"x"}}\n\n'
    stream.write(bytesOf(event))
    stream.write(bytesOf(event))
    expect([streams.bytes(), streams.count(), streams.find('a', 'x')]).toEqual([0, 0, undefined])
    expect(first.state.text).toBe(event + event)
  })

  it('are at most as many as configured: those that have ended make room', () => {
    const streams = new ResumableStreams(LIMITS)
    const all = ['x', 'y', 'z'].map((id) => open(streams, id))
    expect(open(streams, 'w').stream).toBeNull()
    all[1]?.stream.end(bytesOf(frame(1)))
    expect(open(streams, 'w').stream).not.toBeNull()
    expect(streams.find('a', 'resp_y')).toBeUndefined()
    expect(streams.count()).toBe(3)
  })

  it('share their memory, and drop their oldest events beyond it', () => {
    const streams = new ResumableStreams(LIMITS)
    const all = ['x', 'y', 'z'].map((id) => open(streams, id))
    for (let i = 1; i < 2000; i += 1) for (const { stream } of all) stream.write(bytesOf(frame(i)))
    expect(streams.bytes()).toBeLessThanOrEqual(LIMITS.memory_bytes)
    for (const { stream } of all) {
      expect(stream.after(1)).toBe('dropped')
      expect(new TextDecoder().decode(stream.after(1998) as Uint8Array)).toBe(frame(1999))
      stream.finish()
    }
    streams.close()
    expect([streams.bytes(), streams.count(), vi.getTimerCount()]).toEqual([0, 0, 0])
  })

  it('of another key have the same id without a conflict', () => {
    const streams = new ResumableStreams(LIMITS)
    const [one, other] = [open(streams, 'x', 'a'), open(streams, 'x', 'b')]
    expect([streams.find('a', 'resp_x'), streams.find('b', 'resp_x')]).toEqual([one.stream, other.stream])
    expect(streams.find('c', 'resp_x')).toBeUndefined()
  })

  it('are open until they end, also while no client reads them', () => {
    const streams = new ResumableStreams(LIMITS)
    const { context, reply } = client()
    let isConnected = true
    Object.assign(reply, { isOpen: () => isConnected })
    const target = dialectTarget(openai)
    const kept = new KeptContext(context, () => streams.begin(context, 'a', target), false)
    expect(kept.reply.isOpen()).toBe(true)
    const stream = kept.reply.openStream(context.journal, target, {
      keepAliveMs: 0,
      onFull: () => undefined,
      onDrain: () => undefined,
    })
    stream.write(bytesOf(frame(0, 'x')))
    isConnected = false
    kept.reply.stream?.lose(reply)
    expect(kept.reply.isOpen()).toBe(true)
    stream.end(bytesOf(frame(1)))
    expect(kept.reply.isOpen()).toBe(false)
  })

  it('are not open before they begin if their client has left', () => {
    const { context, reply } = client()
    Object.assign(reply, { isOpen: () => false })
    expect(new KeptContext(context, () => null, false).reply.isOpen()).toBe(false)
  })

  it('end with their client before their first event', () => {
    const streams = new ResumableStreams(LIMITS)
    const { context, reply } = client()
    const stream = streams.begin(context, 'a', dialectTarget(openai)) as KeptStream
    stream.open(reply, { keepAliveMs: 0, onFull: () => undefined, onDrain: () => undefined })
    expect(stream.lose(reply)).toBe(false)
    stream.finish()
    expect([streams.count(), vi.getTimerCount()]).toEqual([0, 0])
  })
})
