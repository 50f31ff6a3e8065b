import { describe, expect, it } from 'vitest'
import { checkStream } from '../../../src/dialects/check-stream.ts'
import { openai } from '../../../src/dialects/openai.ts'
import { lookup } from '../../../src/text/lookup.ts'
import { RESPONSES_VENDORS } from '../../../src/vendors/rows.ts'
import { type MockUpstream, type ReceivedRequest, startMockUpstream } from '../../mock-upstreams/server.ts'
import { scripted } from '../../mock-upstreams/wire-bodies.ts'
import type { ScriptedTurn, WireUpstream } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { eventsOf, json, type Loose, post, startGateway, whenDone } from '../test-server.ts'
import { connectWebSocket, type WebSocketClient } from '../websocket-client.ts'
import { EVENT_TYPES, openCompaction, openItem, openResponse } from './open-responses.ts'

/**
 * The seventeen checks of the compliance suite of Open Responses, written from its specification, for an upstream of
 * each wire. Their titles begin with the names that the suite has for them.
 */

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const THOUGHT = { text: 'A greeting.', seal: 'c2VhbA==' }
const GREETS: ScriptedTurn = { reasoning: THOUGHT, text: ['Hello', ' there ☀'], calls: [] }
const CALLS: ScriptedTurn = {
  reasoning: THOUGHT,
  text: [],
  calls: [{ id: 'call_1', name: WEATHER.name, args: { city: 'Oslo' } }],
}

/** The whole body that an upstream received, as text without the escapes of JSON. */
const textOf = ({ body }: ReceivedRequest): string => JSON.stringify(body)

interface Endpoint {
  readonly url: string
  readonly model: string
  readonly upstream: MockUpstream
}

/** The upstream calls a tool if it has one, as a model would. */
async function startEndpoint(wireUpstream: WireUpstream): Promise<Endpoint> {
  const upstream = await startMockUpstream(
    scripted(wireUpstream, (request) => (textOf(request).includes(WEATHER.name) ? CALLS : GREETS)),
  )
  whenDone(upstream.close)
  const { wire, quirks, model } = wireUpstream
  const ofVendor = wire === 'openai-responses' ? RESPONSES_VENDORS.openai?.quirks : quirks
  const acme = { wire, base_url: upstream.url, key: { env: 'ACME_KEY' }, quirks: ofVendor }
  const { url } = await startGateway({ vendors: { acme } })
  // Their usual models read no images.
  const seeing = { 'ollama-chat': 'gemma4:12b', 'cohere-chat': 'command-a-plus-05-2026' }
  return { url, upstream, model: `acme/${lookup(seeing, wire) ?? model}` }
}

const user = (content: unknown) => ({ type: 'message', role: 'user', content })

function expectCompleted(response: Loose): void {
  expect(openResponse.safeParse(response).error?.issues).toBeUndefined()
  expect(response).toMatchObject({ object: 'response', status: 'completed', error: null, incomplete_details: null })
  expect(response.usage).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 })
  expect(response.output.length).toBeGreaterThan(0)
}

/** Checks the events of a response by the rules of the dialect, and returns the response. */
function responseIn(events: readonly Loose[], stream: string): Loose {
  expect(checkStream(stream, openai)).toEqual([])
  for (const { type } of events) expect(EVENT_TYPES).toContain(type)
  const { type, response } = events.at(-1)
  expect(type).toBe('response.completed')
  expectCompleted(response)
  return response
}

const messagesOf = ({ output }: Loose): string =>
  output.map((item: Loose) => (item.type === 'message' ? item.content[0].text : '')).join('')

/** Sends a request over HTTP, and checks its answer. */
async function answerOf({ url, model }: Endpoint, request: object): Promise<Loose> {
  const answer = await post(url, { model, ...request }, { path: '/openai/v1/responses' })
  expect(answer.status).toBe(200)
  const response = await json(answer)
  expectCompleted(response)
  return response
}

const compact = ({ url }: Endpoint, request: object): Promise<Response> =>
  post(url, request, { path: '/openai/v1/responses/compact' })

/** Sends a request over a WebSocket connection, and checks its events. */
async function turnOf(socket: WebSocketClient, request: object): Promise<Loose> {
  const events = await socket.turn({ type: 'response.create', ...request })
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  return responseIn(events, `${frames.join('')}data: [DONE]\n\n`)
}

/** Sends a request that must fail before a response begins, and returns its error. */
async function errorOf(socket: WebSocketClient, request: object): Promise<Loose> {
  const events = await socket.turn({ type: 'response.create', ...request })
  expect(events).toHaveLength(1)
  const [{ type, status, error }] = events
  expect([type, status]).toEqual(['error', expect.any(Number)])
  expect(error).toMatchObject({ type: expect.any(String), code: expect.any(String), message: expect.any(String) })
  return error
}

describe.each(Object.values(WIRE_UPSTREAMS))('the standard with an upstream of $wire', (wireUpstream) => {
  const start = () => startEndpoint(wireUpstream)

  it('basic-response: answers with the text of the upstream', async () => {
    const response = await answerOf(await start(), { input: [user('Say hello')] })
    expect(messagesOf(response)).toBe('Hello there ☀')
  })

  it('assistant-phase: sends earlier answers of both phases to the upstream', async () => {
    const endpoint = await start()
    const earlier = (phase: string, content: string) => ({ type: 'message', role: 'assistant', phase, content })
    const input = [user('Two and two?'), earlier('commentary', 'I add them'), earlier('final_answer', 'Four')]
    await answerOf(endpoint, { input: [...input, user('Repeat the number')] })
    const sent = textOf(await endpoint.upstream.next())
    for (const words of ['Two and two?', 'I add them', 'Four', 'Repeat the number']) expect(sent).toContain(words)
  })

  it('streaming-response: answers with events of the standard', async () => {
    const { url, model } = await start()
    const request = { model, input: [user('Count')], stream: true }
    const answer = await post(url, request, { path: '/openai/v1/responses' })
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const stream = await answer.text()
    const response = responseIn(eventsOf(stream).slice(0, -1), stream)
    expect(messagesOf(response)).toBe('Hello there ☀')
  })

  it('system-prompt: sends a system message to the upstream', async () => {
    const endpoint = await start()
    await answerOf(endpoint, { input: [{ type: 'message', role: 'system', content: 'Be a pirate' }, user('Hi')] })
    expect(textOf(await endpoint.upstream.next())).toContain('Be a pirate')
  })

  it('tool-calling: answers with the call of a function', async () => {
    const { output, tools } = await answerOf(await start(), { input: [user('Weather in Oslo?')], tools: [WEATHER] })
    const call = output.find(({ type }: Loose) => type === 'function_call')
    expect([call.name, JSON.parse(call.arguments)]).toEqual(['get_weather', { city: 'Oslo' }])
    expect(tools).toMatchObject([{ type: 'function', name: 'get_weather' }])
  })

  it('image-input: accepts an image, and sends it to an upstream that takes images', async () => {
    const endpoint = await start()
    const image = { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }
    await answerOf(endpoint, { input: [user([{ type: 'input_text', text: 'What is it?' }, image])] })
    expect(textOf(await endpoint.upstream.next())).toContain(PIXEL)
  })

  it('multi-turn: sends all earlier messages to the upstream', async () => {
    const endpoint = await start()
    const earlier = { type: 'message', role: 'assistant', content: 'Hello, Ann.' }
    await answerOf(endpoint, { input: [user('I am Ann'), earlier, user('Who am I?')] })
    const sent = textOf(await endpoint.upstream.next())
    for (const words of ['I am Ann', 'Hello, Ann.', 'Who am I?']) expect(sent).toContain(words)
  })

  it('compact-response: answers with one compaction item and the usage', async () => {
    const endpoint = await start()
    const input = [user('The launch is on Tuesday'), { type: 'message', role: 'assistant', content: 'Understood.' }]
    const answer = await compact(endpoint, { model: endpoint.model, input, prompt_cache_key: 'launch' })
    expect(answer.status).toBe(200)
    const compacted = await json(answer)
    expect(openCompaction.safeParse(compacted).error?.issues).toBeUndefined()
    expect(compacted.output.filter(({ type }: Loose) => type === 'compaction')).toHaveLength(1)
  })

  it('compact-missing-model: is rejected', async () => {
    const answer = await compact(await start(), { input: [user('Compact this conversation.')] })
    expect([400, 422]).toContain(answer.status)
    expect((await json(answer)).error.param).toBe('model')
  })

  it('websocket-response: answers a request without `store` with events of the standard', async () => {
    const { url, model } = await start()
    const socket = await connectWebSocket(url)
    const response = await turnOf(socket, { model, input: [user('Count')] })
    expect(messagesOf(response)).toBe('Hello there ☀')
    expect(await socket.close()).toBe(1000)
  })

  it('websocket-sequential-responses: answers one request after the other', async () => {
    const { url, model, upstream } = await start()
    const socket = await connectWebSocket(url)
    const first = await turnOf(socket, { model, store: false, input: 'Say first' })
    const second = await turnOf(socket, { model, store: false, input: 'Say second' })
    expect(first.id).not.toBe(second.id)
    expect(textOf(upstream.received[1] as ReceivedRequest)).not.toContain('Say first')
  })

  it('websocket-continuation: sends the earlier turn to the upstream again', async () => {
    const { url, model, upstream } = await start()
    const socket = await connectWebSocket(url)
    const request = { model, store: false }
    const { id } = await turnOf(socket, { ...request, input: 'The word is cobalt' })
    const second = await turnOf(socket, { ...request, previous_response_id: id, input: 'Which word?' })
    const third = await turnOf(socket, { ...request, previous_response_id: second.id, input: [user('Sure?')] })
    expect([second.previous_response_id, third.previous_response_id]).toEqual([id, second.id])
    const sent = textOf(upstream.received[2] as ReceivedRequest)
    const places = ['The word is cobalt', 'Hello there', 'Which word?', 'Sure?'].map((words) => sent.indexOf(words))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
  })

  it('websocket-reconnect-store-false-recovery: a new connection has no earlier response', async () => {
    const { url, model } = await start()
    const request = { model, store: false, input: 'The word is copper' }
    const before = await connectWebSocket(url)
    const { id } = await turnOf(before, request)
    await before.close()
    const socket = await connectWebSocket(url)
    expect((await errorOf(socket, { ...request, previous_response_id: id })).code).toBe('previous_response_not_found')
    await turnOf(socket, request)
  })

  it('websocket-previous-response-not-found: an unknown response is an error', async () => {
    const { url, model, upstream } = await start()
    const socket = await connectWebSocket(url)
    const request = { model, store: false, previous_response_id: 'resp_unknown', input: 'Go on' }
    const { code, param } = await errorOf(socket, request)
    expect([code, param]).toEqual(['previous_response_not_found', 'previous_response_id'])
    expect(upstream.received).toHaveLength(0)
  })

  it('websocket-failed-continuation-evicts-cache: a failed continuation removes its response', async () => {
    const { url, model } = await start()
    const socket = await connectWebSocket(url)
    const { id } = await turnOf(socket, { model, store: false, input: 'The word is ember' })
    const output = { type: 'function_call_output', call_id: 'call_unknown', output: 'No call has this id.' }
    const request = { model, store: false, previous_response_id: id }
    await errorOf(socket, { ...request, input: [output] })
    expect((await errorOf(socket, { ...request, input: 'Go on' })).code).toBe('previous_response_not_found')
  })

  it('websocket-compact-new-chain: a compaction is the beginning of a new conversation', async () => {
    const endpoint = await start()
    const { url, model, upstream } = endpoint
    const { output } = await json(await compact(endpoint, { model, input: [user('The word is slate'), user('Go')] }))
    const socket = await connectWebSocket(url)
    await turnOf(socket, { model, store: false, input: [...output, user('Continue')], tools: [] })
    // The scripted upstream gives its greeting as the summary.
    expect(textOf(upstream.received.at(-1) as ReceivedRequest)).toContain('Hello there')
  })
})

describe('the standard', () => {
  const message = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [] }

  it.each(['commentary', 'final_answer'])('response-output-phase-schema: has messages of the phase %s', (phase) => {
    expect(openItem.safeParse({ ...message, phase }).success).toBe(true)
  })

  it('response-output-phase-schema: has neither other phases nor null', () => {
    for (const phase of [null, 'other']) expect(openItem.safeParse({ ...message, phase }).success).toBe(false)
  })
})
