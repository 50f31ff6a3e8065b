import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FIXTURES } from '../../../src/host/recording/recordings.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { breakpointsIn, withoutBreakpoints } from '../../without-breakpoints.ts'
import { eventsOf, json, post, startGateway, startTestServer, UPSTREAM_KEY, whenDone } from '../test-server.ts'

/** Two turns of a conversation over HTTP: the second request to the upstream repeats its first answer. */

const fixture = (name: string): string => readFileSync(new URL(`anthropic-messages/${name}`, FIXTURES), 'utf8')

async function startAnthropic(stream: string, quirks: object = {}) {
  const upstream = await startMockUpstream((response, { body }) => {
    const streamed = body.stream === true
    response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' })
    response.end(fixture(`${stream}.${streamed ? 'stream.sse' : 'body.json'}`))
  })
  whenDone(upstream.close)
  const acme = { wire: 'anthropic-messages', base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks }
  return { upstream, ...(await startGateway({ vendors: { acme } })) }
}

const MODEL = 'acme/claude-sonnet-4-6'
const CASES = ['openai', 'beta'].flatMap((dialect) => [true, false].map((stream) => ({ dialect, stream })))

it.each(CASES)('reasoning and calls return unchanged, in $dialect, stream $stream', async ({ dialect, stream }) => {
  const { url, upstream } = await startAnthropic('parallel-tools')
  const headers = { 'x-responses-dialect': dialect }
  const first = await post(url, { model: MODEL, input: 'Compare.', stream }, { headers })
  const response = stream
    ? eventsOf(await first.text()).find(({ type }) => type === 'response.completed').response
    : await json(first)
  const ids = ['toolu_tide_1', 'toolu_tide_2', 'toolu_time']
  const outputs = ids.map((call_id) => ({ type: 'function_call_output', call_id, output: `of ${call_id}` }))
  await post(url, {
    model: MODEL,
    input: [{ role: 'user', content: 'Compare.' }, ...response.output, ...outputs],
    stream,
  })

  expect(upstream.received[1]?.url).toBe('/v1/messages')
  expect(upstream.received[1]?.headers).toMatchObject({ 'x-api-key': UPSTREAM_KEY, 'anthropic-version': '2023-06-01' })
  expect(upstream.received[1]?.headers.authorization).toBeUndefined()
  const { content } = JSON.parse(fixture('parallel-tools.body.json'))
  const { messages } = (upstream.received[1]?.body ?? {}) as JsonObject
  // The policy `auto` adds breakpoints, and nothing else.
  expect(breakpointsIn(messages ?? [])).toBe(2)
  expect(withoutBreakpoints(messages ?? [])).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Compare.' }] },
    { role: 'assistant', content },
    { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` })) },
  ])
})

it('a search returns to the upstream with all its results', async () => {
  const { url, upstream } = await startAnthropic('search')
  const tools = [{ type: 'web_search' }]
  const asOpenai = { headers: { 'x-responses-dialect': 'openai' } }
  const response = await json(await post(url, { model: MODEL, input: 'Which?', stream: false, tools }, asOpenai))
  const input = [{ role: 'user', content: 'Which?' }, ...response.output, { role: 'user', content: 'Sure?' }]
  await post(url, { model: MODEL, input, stream: false, tools })
  const messages = upstream.received[1]?.body.messages as readonly { content: readonly { type: string }[] }[]
  const { content } = JSON.parse(fixture('search.body.json')) as { content: { type: string }[] }
  const ran = (blocks: readonly { type: string }[]) => blocks.filter(({ type }) => type !== 'text')
  expect(ran(messages[1]?.content ?? [])).toEqual(ran(content))
  expect(ran(content)).toHaveLength(2)
})

it('a request for Vertex has the model in its path and a bearer token as its key', async () => {
  const { url, upstream } = await startAnthropic('hello', { rawPredict: true })
  await post(url, { model: 'acme/claude-3-7-sonnet@20250219', input: 'Hi', stream: true })
  const [request] = upstream.received
  expect(request?.url).toBe('/v1/claude-3-7-sonnet@20250219:streamRawPredict')
  expect(request?.headers).toMatchObject({ authorization: `Bearer ${UPSTREAM_KEY}` })
  expect(request?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true })
})

describe('the path at which Claude Code looks for its server', () => {
  it.each(['/api/hello', '/openai/api/hello', '/api/api/hello'])('answers at %s, without a key', async (path) => {
    const { url } = await startTestServer(withBody(''))
    for (const method of ['HEAD', 'GET']) expect((await fetch(url + path, { method })).status).toBe(200)
    expect((await fetch(url + path, { method: 'POST' })).status).toBe(405)
  })
})
