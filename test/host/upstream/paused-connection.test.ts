import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import type { UpstreamResponse } from '../../../src/gateway/upstream/transport.ts'
import { createAgent, httpTransport } from '../../../src/host/upstream/http-transport.ts'
import {
  HTTP_ENDINGS,
  HTTP_FRAMINGS,
  type HttpEnding,
  type HttpFraming,
  type RawAnswer,
  startRawUpstream,
  writeAnswer,
} from '../../mock-upstreams/raw-http.ts'
import { nextTurn } from '../../mock-upstreams/server.ts'
import { waitUntil, whenDone, withEnoughTime } from '../test-server.ts'

const TIMEOUTS = { connect_seconds: 600, first_byte_seconds: 600, idle_seconds: 600 }
const PIECE = 500

interface Received {
  size: number
  /** `end`, or the code of the failure; null while the answer goes on. */
  ended: string | null
}

function readInto(received: Received, answer: UpstreamResponse, onBytes: () => void): void {
  answer.read({
    bytes: ({ length }) => {
      received.size += length
      onBytes()
    },
    end: () => {
      received.ended = 'end'
    },
    fail: ({ code }) => {
      received.ended = code
    },
  })
}

/** Calls an upstream. Its answer stops after the first piece, until `goOn`. */
async function callUpstream(answer: Omit<RawAnswer, 'status' | 'headers' | 'piece'>, timeouts: object = TIMEOUTS) {
  let goOn: () => void = () => undefined
  const going = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let isWritten = false
  const upstream = await startRawUpstream(async ({ socket }) => {
    await writeAnswer(socket, { status: 200, headers: {}, piece: PIECE, ...answer }, () => going)
    isWritten = true
  })
  const agent = createAgent(timeouts as never)
  whenDone(upstream.close)
  whenDone(() => agent.destroy())
  const call = { url: new URL(upstream.url), headers: {}, body: '{}', model: 'm', stream: true }
  const opened = await httpTransport(agent)(call, new Cancellation())
  if (!opened.ok) throw new Error(opened.error.code)
  return { response: opened.value, upstream, goOn, isWritten: () => isWritten }
}

/** Lets everything happen on loopback that can. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 2000; turns += 1) await nextTurn()
}

/** The ends that an answer may have for its reader, by its framing. */
function endsOf({ body }: HttpFraming, isCut: boolean, ending: HttpEnding): readonly string[] {
  // Such a body has no other end than that of its connection.
  if (body === 'until the end') return ending === 'fin' ? ['end'] : ['end', 'upstream_disconnected']
  return [isCut ? 'upstream_disconnected' : 'end']
}

const CASES = HTTP_FRAMINGS.flatMap((framing) =>
  HTTP_ENDINGS.flatMap((ending) => [false, true].map((isCut) => ({ framing, ending, isCut }))),
).filter(({ framing, ending, isCut }) => ending !== 'stays' || (framing.body !== 'until the end' && !isCut))

describe('a connection that ends while its reading is paused', () => {
  it.each(CASES)('ends its exchange alone: $framing.name, $ending, cut: $isCut', async ({ framing, ending, isCut }) => {
    const body = Buffer.alloc(10 * PIECE, 'x')
    const cut = isCut ? 5 * PIECE : null
    const { response, goOn } = await callUpstream({ framing, body, cut, ending })
    const received: Received = { size: 0, ended: null }
    readInto(received, response, () => response.pause())
    await waitUntil(() => received.size > 0, 'the first bytes')
    goOn()
    await settle()
    // Bytes that arrive go on in their order, and each read pauses again.
    await waitUntil(() => {
      response.resume()
      return received.ended !== null
    }, 'the end')
    expect(endsOf(framing, isCut, ending)).toContain(received.ended)
    expect(received.size).toBe(cut ?? body.length)
  })

  it.each(HTTP_FRAMINGS)('ends an exchange that no reader has yet: $name', async (framing) => {
    const body = Buffer.alloc(300_000, 'x')
    const { response, goOn } = await callUpstream({ framing, body, cut: null, ending: 'fin' })
    goOn()
    await settle()
    const received: Received = { size: 0, ended: null }
    readInto(received, response, () => undefined)
    await waitUntil(() => received.ended !== null, 'the end')
    expect(received).toEqual({ size: body.length, ended: 'end' })
  })
})

describe('a paused connection', () => {
  const [CHUNKED] = HTTP_FRAMINGS as [HttpFraming]

  it.each(HTTP_FRAMINGS)('holds back its upstream, whatever its framing: $name', async (framing) => {
    const body = Buffer.alloc(40_000_000, 'x')
    const { response, goOn, isWritten } = await callUpstream({ framing, body, cut: null, ending: 'fin' })
    const received: Received = { size: 0, ended: null }
    readInto(received, response, () => undefined)
    await waitUntil(() => received.size > 0, 'the first bytes')
    response.pause()
    const before = received.size
    goOn()
    await settle()
    expect(isWritten()).toBe(false)
    // One read and the buffer of the socket.
    expect(received.size - before).toBeLessThan(200_000)
    response.abort()
  })

  it('is not idle while it is paused, and is when it is not', async () => {
    const body = Buffer.alloc(10 * PIECE, 'x')
    const answer = { framing: CHUNKED, body, cut: null, ending: 'stays' as const }
    const pauseBeside = async (idle_seconds: number) => {
      const timeouts = { ...TIMEOUTS, idle_seconds }
      const { response } = await callUpstream(answer, timeouts)
      const received: Received = { size: 0, ended: null }
      readInto(received, response, () => undefined)
      // Too late on a machine that stood still for that time since the head.
      response.pause()
      const { response: other } = await callUpstream(answer, timeouts)
      const late: Received = { size: 0, ended: null }
      readInto(late, other, () => undefined)
      await waitUntil(() => late.ended !== null, 'the end of the time of another exchange')
      return { response, received, ends: [late.ended, received.ended] }
    }
    const { response, received, ends } = await withEnoughTime(pauseBeside, (one) => one.received.ended !== null)
    expect(ends).toEqual(['upstream_timeout', null])
    response.resume()
    await waitUntil(() => received.ended !== null, 'the end of the time')
    expect(received.ended).toBe('upstream_timeout')
  })

  it('carries a further exchange after its end', async () => {
    const body = Buffer.alloc(3 * PIECE, 'x')
    const connections = new Set<object>()
    const upstream = await startRawUpstream(({ socket }) => {
      connections.add(socket)
      return writeAnswer(socket, {
        framing: CHUNKED,
        status: 200,
        headers: {},
        body,
        piece: PIECE,
        cut: null,
        ending: 'stays',
      })
    })
    const agent = createAgent(TIMEOUTS as never)
    whenDone(upstream.close)
    whenDone(() => agent.destroy())
    for (let turns = 0; turns < 3; turns += 1) {
      const call = { url: new URL(upstream.url), headers: {}, body: '{}', model: 'm', stream: true }
      const opened = await httpTransport(agent)(call, new Cancellation())
      if (!opened.ok) throw new Error(opened.error.code)
      const received: Received = { size: 0, ended: null }
      readInto(received, opened.value, () => opened.value.pause())
      await waitUntil(() => {
        opened.value.resume()
        return received.ended !== null
      }, 'the end')
      opened.value.pause()
      expect(received).toEqual({ size: body.length, ended: 'end' })
      await settle()
    }
    expect(connections.size).toBe(1)
  })
})
