import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { buildConnector, type Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import { CONFIG } from '../../../src/gateway/config/config.ts'
import { createAgent, httpTransport } from '../../../src/host/upstream/http-transport.ts'
import {
  type CarryingOptions,
  UpstreamAgent,
  type UpstreamConnection,
} from '../../../src/host/upstream/upstream-agent.ts'
import { beginning, startMockUpstream, textChunk } from '../../mock-upstreams/server.ts'
import { waitUntil, whenDone } from '../test-server.ts'

/** An agent that records dispatches and sends nothing. */
class Asked extends UpstreamAgent {
  readonly options: Dispatcher.DispatchOptions[] = []

  override dispatch(options: Dispatcher.DispatchOptions): boolean {
    this.options.push(options)
    return true
  }
}

it('httpSource sends the body in bytes that share their memory with no others', () => {
  const agent = new Asked({ connect: buildConnector({}) }, () => undefined)
  const body = '{"model":"é\u{1f642}"}'
  const url = new URL('http://127.0.0.1:9/v1/chat?api-version=2')
  void httpTransport(agent)({ url, headers: { 'x-own': 'yes' }, body, model: 'm', stream: true }, new Cancellation())
  const [options] = agent.options
  const sent = options?.body as Uint8Array
  expect(new TextDecoder().decode(sent)).toBe(body)
  expect(sent.buffer.byteLength).toBe(sent.length)
  expect(options).toMatchObject({ origin: 'http://127.0.0.1:9', path: '/v1/chat?api-version=2', method: 'POST' })
  expect(options?.headers).toEqual({ 'x-own': 'yes' })
})

describe('a long body', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void

  it('is sent with its length, and is not kept while the answer lasts', async () => {
    const upstream = await startMockUpstream(beginning(textChunk('Half')))
    whenDone(upstream.close)
    const agent = createAgent(CONFIG.parse({}).timeouts)
    whenDone(() => agent.destroy())
    const open = () => {
      const body = new TextEncoder().encode(JSON.stringify({ input: 'long '.repeat(1_000_000) }))
      const url = new URL(`${upstream.url}/chat`)
      const call = { url, headers: { 'x-own': 'yes' }, body, model: 'm', stream: true }
      return { bytes: new WeakRef(body), length: body.length, answer: httpTransport(agent)(call, new Cancellation()) }
    }
    const { bytes, length, answer } = open()
    const opened = await answer
    const { headers, text } = await upstream.next()
    expect([headers['content-length'], headers['transfer-encoding'], text.length]).toEqual([
      String(length),
      undefined,
      length,
    ])
    await waitUntil(() => {
      collect()
      return bytes.deref() === undefined
    }, 'the collection of the body')
    expect(opened.ok).toBe(true)
  })

  it('is received as a whole by an upstream that answers before it has read it', async () => {
    const agent = createAgent(CONFIG.parse({}).timeouts)
    whenDone(() => agent.destroy())
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      request.once('close', () => response.end())
      setImmediate(() => request.on('data', ({ length }: Buffer) => response.write(`${length}\n`)))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    whenDone(async () => void server.close())
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const body = new Uint8Array(20_000_000)
    const opened = await httpTransport(agent)({ url, headers: {}, body, model: 'm', stream: true }, new Cancellation())
    if (!opened.ok) throw new Error(opened.error.code)
    const lengths = await new Promise<string>((resolve, reject) => {
      let all = ''
      opened.value.read({
        keepsNone: false,
        bytes: (chunk) => {
          all += Buffer.from(chunk).toString()
        },
        end: () => resolve(all),
        fail: reject,
      })
    })
    expect(lengths.split('\n').reduce((sum, one) => sum + Number(one), 0)).toBe(body.length)
  })
})

describe('an answer that is read after its head', () => {
  /** Answers with a head and these chunks before the caller can read. */
  async function answerAtOnce(sizes: readonly number[], ends = true) {
    const calls: string[] = []
    const connection = { hold: () => calls.push('hold'), release: () => calls.push('release'), leave: () => undefined }
    let handler: Dispatcher.DispatchHandler = {}
    const dispatch = ({ exchange }: CarryingOptions, given: typeof handler): void => {
      handler = given
      exchange.connection = connection as unknown as UpstreamConnection
    }
    const agent = { dispatch, idleMs: 0 } as unknown as UpstreamAgent
    const answer = httpTransport(agent)(
      { url: new URL('http://127.0.0.1:9/v1/chat'), headers: {}, body: '', model: 'm', stream: true },
      new Cancellation(),
    )
    const own = {} as Dispatcher.DispatchController
    handler.onRequestStart?.(own, null)
    handler.onResponseStart?.(own, 200, { 'x-own': 'yes' })
    for (const size of sizes) handler.onResponseData?.(own, Buffer.alloc(size))
    if (ends) handler.onResponseEnd?.(own, {})
    const opened = await answer
    if (!opened.ok) throw new Error(opened.error.code)
    const { headers } = opened.value
    const received: (number | string)[] = []
    opened.value.read({
      bytes: (chunk) => void received.push(chunk.length),
      end: () => void received.push('end'),
      fail: ({ code }) => void received.push(code),
    })
    return { calls, received, headers, kept: opened.value.headers }
  }

  it('has its headers until its body is read', async () => {
    const { headers, kept } = await answerAtOnce([1])
    expect([headers, kept]).toEqual([{ 'x-own': 'yes' }, {}])
  })

  it('receives the bytes of the same read in their order, and its connection is not paused', async () => {
    const { calls, received } = await answerAtOnce([3, 1, 2])
    expect(received).toEqual([3, 1, 2, 'end'])
    expect(calls).not.toContain('hold')
  })

  it('pauses the connection when much has arrived', async () => {
    const { calls, received } = await answerAtOnce([60_000, 60_000, 1], false)
    expect(received).toEqual([60_000, 60_000, 1])
    expect(calls[0]).toBe('hold')
    expect(calls.at(-1)).toBe('release')
  })
})

it('httpSource reports the end of each read, after the chunks of the read', async () => {
  const agent = createAgent(CONFIG.parse({}).timeouts)
  whenDone(() => agent.destroy())
  let writeNext = (): void => undefined
  const server = createServer((_, response) => {
    let written = 0
    writeNext = () => {
      if (written === 3) return
      written += 1
      response.socket?.cork()
      for (const word of ['one', 'two', 'three']) response.write(`${word}${written} `)
      response.socket?.uncork()
    }
    response.flushHeaders()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(async () => void server.close())
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const cancellation = new Cancellation()
  const opened = await httpTransport(agent)({ url, headers: {}, body: '{}', model: 'm', stream: true }, cancellation)
  if (!opened.ok) throw new Error(opened.error.code)
  let waiting = ''
  const reads: string[] = []
  opened.value.read({
    bytes: (chunk) => {
      waiting += Buffer.from(chunk).toString()
    },
    flush: () => {
      if (waiting === '') return
      reads.push(waiting)
      waiting = ''
      setImmediate(writeNext)
    },
    end: () => undefined,
    fail: () => undefined,
  })
  writeNext()
  await waitUntil(() => reads.join('').endsWith('three3 '), 'the last read')
  opened.value.abort()
  expect(waiting).toBe('')
  expect(reads.join('')).toBe([1, 2, 3].map((n) => `one${n} two${n} three${n} `).join(''))
})
