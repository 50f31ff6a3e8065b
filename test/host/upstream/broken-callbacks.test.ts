import type { Socket } from 'node:net'
import { buildConnector } from 'undici/index.js'
import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import type { BodyReader } from '../../../src/gateway/upstream/transport.ts'
import { httpTransport } from '../../../src/host/upstream/http-transport.ts'
import { UpstreamAgent } from '../../../src/host/upstream/upstream-agent.ts'
import { HTTP_FRAMINGS, type HttpEnding, startRawUpstream, writeAnswer } from '../../mock-upstreams/raw-http.ts'
import { nextTurn } from '../../mock-upstreams/server.ts'
import { waitUntil, whenDone } from '../test-server.ts'

const BODY = Buffer.alloc(5000, 'x')

const fault = (): never => {
  throw new TypeError('a fault of the test')
}

/**
 * An upstream, and an agent to it. `prepare` is applied to the socket of the first connection. The first answer has the
 * ending; the others are complete and have a length.
 */
async function openAgent(prepare: (socket: Socket) => void, ending: HttpEnding) {
  let answers = 0
  const upstream = await startRawUpstream(({ socket }) => {
    answers += 1
    const isFirst = answers === 1
    const framing = HTTP_FRAMINGS.find(({ name }) => name === (isFirst ? 'until the end' : 'length, keep-alive'))
    if (framing === undefined) return
    return writeAnswer(
      socket,
      {
        framing,
        status: 200,
        headers: {},
        body: BODY,
        piece: 1000,
        cut: null,
        ending: isFirst ? ending : 'stays',
      },
      nextTurn,
    )
  })
  const bugs: unknown[] = []
  const connector = buildConnector({ timeout: 600_000 })
  let connections = 0
  const connect: buildConnector.connector = (options, callback) =>
    connector(options, (...result) => {
      connections += 1
      if (result[1] !== null && connections === 1) prepare(result[1])
      callback(...result)
    })
  const agent = new UpstreamAgent({ connect }, (error) => void bugs.push(error))
  whenDone(upstream.close)
  whenDone(() => agent.destroy())
  const open = () => {
    const call = { url: new URL(upstream.url), headers: {}, body: '{}', model: 'm', stream: true }
    return httpTransport(agent)(call, new Cancellation())
  }
  /** Resolves with `end` or the code of the failure. */
  const read = async (more: Partial<BodyReader> = {}): Promise<string> => {
    const opened = await open()
    if (!opened.ok) return opened.error.code
    const answer = opened.value
    return new Promise<string>((resolve) => {
      // The first bytes may have come with the head. Then the caller of `read` receives the exception of its reader.
      answer.read({
        bytes: (chunk) => more.bytes?.(chunk),
        end: () => {
          resolve('end')
          more.end?.()
        },
        fail: (error) => {
          resolve(error.code)
          more.fail?.(error)
        },
      })
    }).catch((error: unknown) => {
      answer.abort()
      return error instanceof TypeError ? 'thrown' : Promise.reject(error)
    })
  }
  return { bugs, read, open }
}

describe('an exception in a listener of the socket of an upstream', () => {
  it.each([
    ['readable', 'fin'],
    ['data', 'fin'],
    ['end', 'fin'],
    ['close', 'fin'],
    ['error', 'rst'],
    ['close', 'rst'],
  ] as const)('of the event %s ends its exchange alone, and is reported (%s)', async (event, ending) => {
    const { bugs, read } = await openAgent((socket) => void socket.prependListener(event, fault), ending)
    expect(['upstream_disconnected', 'end']).toContain(await read())
    await waitUntil(() => bugs.length > 0, 'the report')
    expect(bugs).toEqual([new TypeError('a fault of the test')])
    expect(await read()).toBe('end')
    expect(await read()).toBe('end')
    expect(bugs).toHaveLength(1)
  })

  it.each(['read', 'write', 'cork', 'ref', 'unref', 'setTimeout'] as const)(
    'of its method %s ends its exchange alone',
    async (method) => {
      const { read } = await openAgent((socket) => void Object.assign(socket, { [method]: fault }), 'fin')
      expect(['upstream_disconnected', 'end']).toContain(await read())
      expect(await read()).toBe('end')
      expect(await read()).toBe('end')
    },
  )
})

describe('an exception in a reader', () => {
  it.each([
    ['bytes', 'fin'],
    ['end', 'fin'],
    ['bytes', 'rst'],
    ['end', 'rst'],
    ['fail', 'rst'],
  ] as const)('of its method %s ends its exchange alone (%s)', async (method, ending) => {
    const { read } = await openAgent(() => undefined, ending)
    expect(['upstream_disconnected', 'end', 'thrown']).toContain(await read({ [method]: fault }))
    expect(await read()).toBe('end')
    expect(await read()).toBe('end')
  })

  it('of the method fail of an aborted call ends its exchange alone', async () => {
    const { read, open } = await openAgent(() => undefined, 'stays')
    const opened = await open()
    if (!opened.ok) throw new Error(opened.error.code)
    opened.value.read({ bytes: () => undefined, end: fault, fail: fault })
    expect(await read()).toBe('end')
    opened.value.abort()
    expect(await read()).toBe('end')
  })
})
