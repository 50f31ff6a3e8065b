import { expect, it } from 'vitest'
import { startMockUpstream, streamOf, withBody } from '../../../mock-upstreams/server.ts'
import { post, startGateway, waitUntil, whenDone } from '../../test-server.ts'
import { openSocket } from './socket-client.ts'

const STREAM = { 'content-type': 'text/event-stream' }

it('a request over a socket goes on to the next route after a long silence, because nothing was sent', async () => {
  const silent = await startMockUpstream((response) => void response.writeHead(200, STREAM).write(': ping\n\n'))
  const next = await startMockUpstream(withBody(streamOf('Hi'), 200, STREAM))
  for (const { close } of [silent, next]) whenDone(close)
  const { url } = await startGateway({
    vendors: {
      silent: { wire: 'openai-chat', base_url: silent.url },
      next: { wire: 'openai-chat', base_url: next.url },
    },
    models: [{ match: 'fast', to: ['silent/*', 'next/*'] }],
  })
  const client = await openSocket(url)
  const asking = client.ask({ type: 'response.create', model: 'fast', input: 'Hello' })
  await waitUntil(() => silent.received.length === 1, 'the request of the socket')
  // A later client of HTTP receives the head of its answer after the same silence.
  const answer = await post(url, { model: 'silent/m', input: 'Hello', stream: true })
  expect(answer.status).toBe(200)
  for (const { response } of silent.received) response.destroy()
  const events = await asking
  expect(events.at(-1)?.type).toBe('response.completed')
  expect(events[0]?.headers['x-responses-attempts']).toBe('silent/fast upstream_disconnected, next/fast')
})
