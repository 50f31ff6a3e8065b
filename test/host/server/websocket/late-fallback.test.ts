import { expect, it } from 'vitest'
import { sleep, startMockUpstream, streamOf, withBody } from '../../../mock-upstreams/server.ts'
import { startGateway, whenDone } from '../../test-server.ts'
import { openSocket } from './socket-client.ts'

const STREAM = { 'content-type': 'text/event-stream' }

/** Longer than the time after which a client of HTTP receives the head of its answer. */
const SILENCE_MS = 1200

it('a request over a socket goes on to the next route after a long silence, because nothing was sent', async () => {
  const silent = await startMockUpstream(async (response) => {
    response.writeHead(200, STREAM).write(': ping\n\n')
    await sleep(SILENCE_MS)
    response.destroy()
  })
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
  const events = await client.ask({ type: 'response.create', model: 'fast', input: 'Hello' })
  expect(events.at(-1)?.type).toBe('response.completed')
  expect(events[0]?.headers['x-responses-attempts']).toBe('silent/fast upstream_disconnected, next/fast')
})
