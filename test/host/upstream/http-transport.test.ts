import { Agent, type Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import { httpTransport } from '../../../src/host/upstream/http-transport.ts'

/** An agent that records dispatches and sends nothing. */
class Asked extends Agent {
  readonly options: Dispatcher.DispatchOptions[] = []

  override dispatch(options: Dispatcher.DispatchOptions): boolean {
    this.options.push(options)
    return true
  }
}

it('httpSource sends the body in bytes that share their memory with no others', () => {
  const agent = new Asked()
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

describe('an answer that is read after its head', () => {
  /** Answers with a head and these chunks before the caller can read. */
  async function answerAtOnce(sizes: readonly number[]) {
    const calls: string[] = []
    const controller = { pause: () => calls.push('pause'), resume: () => calls.push('resume') }
    let handler: Dispatcher.DispatchHandler = {}
    const dispatch = (_: unknown, given: typeof handler): void => {
      handler = given
    }
    const agent = { dispatch } as unknown as Agent
    const answer = httpTransport(agent)(
      { url: new URL('http://127.0.0.1:9/v1/chat'), headers: {}, body: '', model: 'm', stream: true },
      new Cancellation(),
    )
    const own = controller as unknown as Dispatcher.DispatchController
    handler.onRequestStart?.(own, null)
    handler.onResponseStart?.(own, 200, {})
    for (const size of sizes) handler.onResponseData?.(own, Buffer.alloc(size))
    handler.onResponseEnd?.(own, {})
    const opened = await answer
    if (!opened.ok) throw new Error(opened.error.code)
    const received: (number | string)[] = []
    opened.value.read({
      bytes: (chunk) => void received.push(chunk.length),
      end: () => void received.push('end'),
      fail: ({ code }) => void received.push(code),
    })
    return { calls, received }
  }

  it('receives the bytes of the same read in their order, and its connection is not paused', async () => {
    const { calls, received } = await answerAtOnce([3, 1, 2])
    expect(received).toEqual([3, 1, 2, 'end'])
    expect(calls).not.toContain('pause')
  })

  it('pauses the connection when much has arrived', async () => {
    const { calls, received } = await answerAtOnce([60_000, 60_000, 1])
    expect(received).toEqual([60_000, 60_000, 1, 'end'])
    expect(calls[0]).toBe('pause')
    expect(calls.at(-1)).toBe('resume')
  })
})
