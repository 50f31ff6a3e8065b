import { Agent, type Dispatcher } from 'undici'
import { expect, it } from 'vitest'
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
