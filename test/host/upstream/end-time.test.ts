import { describe, expect, it } from 'vitest'
import { doneFrame, streamOf, usageChunk, withBody } from '../../mock-upstreams/server.ts'
import { answerJson, startMockEngine } from '../search/mock-engine.ts'
import { eventsOf, type Loose, post, REQUEST, startTestServer } from '../test-server.ts'
import { connectWebSocket } from '../websocket-client.ts'

/** The time of the end in completed answers, by every way to the client. */

const OPENAI = { path: '/openai/v1/responses' }
const EVENT_STREAM = { 'content-type': 'text/event-stream' }
const CALL = { id: 'call_0', type: 'function', function: { name: 'web_search', arguments: '{"query":"Eiger"}' } }
const SEARCHING =
  `data: ${JSON.stringify({ model: 'mock-1', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...CALL }] }, finish_reason: 'tool_calls' }] })}\n\n` +
  usageChunk +
  doneFrame

const answering = withBody(streamOf('Hi'), 200, EVENT_STREAM)

function expectEndTime(response: Loose): void {
  expect(response.status).toBe('completed')
  expect(Number.isSafeInteger(response.completed_at)).toBe(true)
  expect(response.completed_at).toBeGreaterThanOrEqual(response.created_at)
}

const lastIn = (text: string): Loose =>
  eventsOf(text).findLast(({ response }: Loose) => response !== undefined)?.response

describe('a completed answer has the time of its end', () => {
  it('in a stream', async () => {
    const { url } = await startTestServer(answering)
    expectEndTime(lastIn(await (await post(url, REQUEST, OPENAI)).text()))
  })

  it('in a whole answer', async () => {
    const { url } = await startTestServer(answering)
    expectEndTime(await (await post(url, { ...REQUEST, stream: false }, OPENAI)).json())
  })

  it('after turns of a search', async () => {
    const engine = await startMockEngine((response) =>
      answerJson(response, { results: [{ url: 'https://eiger.example/', title: 'Eiger', text: '3,967 m' }] }),
    )
    const search = { engine: 'exa', base_url: engine.url, key: 'engine-key-of-nobody' }
    const turns = [withBody(SEARCHING, 200, EVENT_STREAM), answering]
    const { url, upstream } = await startTestServer(
      (response, request) => (turns.shift() ?? answering)(response, request),
      { search },
    )
    const asks = { ...REQUEST, tools: [{ type: 'service:web_search' }] }
    expectEndTime(lastIn(await (await post(url, asks, OPENAI)).text()))
    expect(upstream.received).toHaveLength(2)
  })

  it('over a WebSocket', async () => {
    const { url } = await startTestServer(answering)
    const client = await connectWebSocket(url)
    const events = await client.turn({
      type: 'response.create',
      model: 'acme/mock-1',
      input: [{ type: 'message', role: 'user', content: 'Hi' }],
    })
    expectEndTime(events.at(-1)?.response)
    client.close()
  })
})
