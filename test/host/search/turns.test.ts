import { describe, expect, it } from 'vitest'
import { checkStream } from '../../../src/dialects/check-stream.ts'
import { openai } from '../../../src/dialects/openai.ts'
import { type Behaviour, bodyOf, doneFrame, streamOf, usageChunk, withBody } from '../../mock-upstreams/server.ts'
import { eventsOf, json, lineOf, post, REQUEST, startTestServer, typesOf, waitUntil } from '../test-server.ts'
import { answerJson, startMockEngine } from './mock-engine.ts'

const ASKS = { ...REQUEST, tools: [{ type: 'service:web_search' }] }
const OPENAI = { path: '/openai/v1/responses' }
const QUICK = { retry: { attempts: 2, first_delay_ms: 1 } }
const EVENT_STREAM = { 'content-type': 'text/event-stream' }

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'mock-1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

const CALL = { id: 'call_0', type: 'function', function: { name: 'web_search', arguments: '{"query":"Eiger"}' } }
const SEARCHING =
  chunk({ content: 'Let me look.' }) +
  chunk({ tool_calls: [{ index: 0, ...CALL }] }, 'tool_calls') +
  usageChunk +
  doneFrame
const SEARCHING_BODY = JSON.stringify({
  ...JSON.parse(bodyOf('Let me look.')),
  choices: [{ index: 0, message: { role: 'assistant', tool_calls: [CALL] }, finish_reason: 'tool_calls' }],
})

const stream = (text: string): Behaviour => withBody(text, 200, EVENT_STREAM)
const breaking: Behaviour = (response) => {
  response.writeHead(200, EVENT_STREAM)
  response.flushHeaders()
  response.destroy()
}

/** Answers each request with the next behaviour, and repeats the last one. */
const openTurns = (...behaviours: readonly Behaviour[]) => openLimited({}, '3,967 m', behaviours)

/** `page`: the text that the search finds. */
async function openLimited(limits: object, page: string, behaviours: readonly Behaviour[]) {
  const engine = await startMockEngine((response) =>
    answerJson(response, { results: [{ url: 'https://eiger.example/', title: 'Eiger', text: page }] }),
  )
  let next = 0
  const behave: Behaviour = (response, request) => {
    const behaviour = behaviours[Math.min(next, behaviours.length - 1)] as Behaviour
    next += 1
    return behaviour(response, request)
  }
  const search = { engine: 'exa', base_url: engine.url, key: 'engine-key-of-nobody' }
  return { ...(await startTestServer(behave, { ...QUICK, search, limits })), engine }
}

describe('a request with server-side search', () => {
  it('is retried if its first upstream answer breaks before any output', async () => {
    const { url, upstream, lines } = await openTurns(breaking, stream(streamOf('Hi')))
    expect(typesOf(await (await post(url, ASKS, OPENAI)).text())).toContain('response.completed')
    expect(upstream.received).toHaveLength(2)
    expect(await lineOf(lines)).toMatchObject({ status: 200, retries: 1 })
  })

  it('fails with a status of its own if every first upstream answer breaks before any output', async () => {
    const { url, upstream } = await openTurns(breaking)
    const response = await post(url, ASKS, OPENAI)
    expect([response.status, (await json(response)).error.code]).toEqual([502, 'upstream_disconnected'])
    expect(upstream.received).toHaveLength(2)
  })

  it('fails with a status of its own if a whole body reports a failure after output', async () => {
    const body = JSON.stringify({ ...JSON.parse(bodyOf('Half')), error: { message: 'It broke.', code: 500 } })
    const { url } = await openTurns(withBody(body))
    const response = await post(url, ASKS, OPENAI)
    expect([response.status, (await json(response)).error.message]).toEqual([502, 'It broke.'])
  })

  it.each([
    ['refused', withBody('{"error":{"message":"Not now."}}', 503)],
    ['broken', breaking],
  ] as const)('makes no search again if its second upstream answer is %s', async (_, fail) => {
    const whole = await openTurns(withBody(SEARCHING_BODY), fail)
    expect((await post(whole.url, { ...ASKS, stream: false }, OPENAI)).status).toBeGreaterThanOrEqual(502)
    const streamed = await openTurns(stream(SEARCHING), fail)
    const text = await (await post(streamed.url, ASKS, OPENAI)).text()
    expect(checkStream(text, openai)).toEqual([])
    expect(eventsOf(text).at(-2).type).toBe('response.failed')
    for (const { upstream, engine } of [whole, streamed]) {
      expect([upstream.received.length, engine.asked.length]).toEqual([2, 1])
    }
  })

  it('ends without another turn if the results of its search exceed a limit of the answer', async () => {
    const behaviours = [stream(SEARCHING), stream(streamOf('Hi'))]
    const { url, upstream, engine } = await openLimited({ answer_bytes: 1024 }, 'x'.repeat(6000), behaviours)
    const text = await (await post(url, { ...ASKS, include: ['web_search_call.results'] }, OPENAI)).text()
    expect(checkStream(text, openai)).toEqual([])
    const { response } = eventsOf(text).find(({ type }) => type === 'response.failed')
    expect(response.error.code).toBe('upstream_too_large')
    expect([upstream.received.length, engine.asked.length]).toEqual([1, 1])
  })

  it('ends its answer as failed, with all output so far, if the server stops in the second turn', async () => {
    const { url, running, upstream } = await openTurns(stream(SEARCHING), (response) => {
      response.writeHead(200, EVENT_STREAM)
      response.write(chunk({ content: 'It is 3' }))
    })
    const answer = post(url, ASKS, OPENAI).then((response) => response.text())
    await waitUntil(() => upstream.received.length === 2, 'the second turn')
    await running.close()
    const text = await answer
    expect(checkStream(text, openai)).toEqual([])
    const { response } = eventsOf(text).find(({ type }) => type === 'response.failed')
    expect(response).toMatchObject({ error: { code: 'server_stopping' } })
    expect(response.output.slice(0, 2)).toMatchObject([{ type: 'message' }, { type: 'web_search_call' }])
  })
})
