import { describe, expect, it } from 'vitest'
import { inPieces, streamOf } from '../../../mock-upstreams/server.ts'
import { lineOf, startTestServer } from '../../test-server.ts'
import { openSocket } from './socket-client.ts'

const ASK = { model: 'acme/mock-1', input: 'Hello' }

describe('a response over a socket', () => {
  it('has the events of a stream, one message each', async () => {
    const { url, lines, upstream } = await startTestServer(inPieces(streamOf('Hel', 'lo'), 60))
    const client = await openSocket(url)
    const events = await client.ask(ASK)
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    expect(events.at(-1).response.output[0].content[0].text).toBe('Hello')
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
    expect(upstream.received).toHaveLength(1)
    expect(await lineOf(lines)).toMatchObject({ method: 'WS', status: 200 })
  })
})
