import { GoogleGenAI } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../src/vendors/registry.ts'
import { type MockUpstream, startMockUpstream } from '../../mock-upstreams/server.ts'
import { scripted } from '../../mock-upstreams/wire-bodies.ts'
import type { ScriptedTurn, WireUpstream } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { collectSteps } from '../../wires/gemini-interactions/collect-steps.ts'
import { json, KEY, type Loose, startGateway, waitUntil, whenDone } from '../test-server.ts'

/** The official client of the Interactions API, and its requests as they are, with an upstream of every wire. */

const open = (url: string, apiKey = KEY) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: `${url}/api`, retryOptions: { attempts: 1 } } })

interface Opened {
  readonly url: string
  readonly model: string
  readonly upstream: MockUpstream
}

async function openFor(own: WireUpstream, ...turns: readonly ScriptedTurn[]): Promise<Opened> {
  const waiting = [...turns]
  const upstream = await startMockUpstream(scripted(own, () => waiting.shift() ?? { text: ['No more.'], calls: [] }))
  whenDone(upstream.close)
  const acme = { wire: own.wire, base_url: upstream.url, key: 'x', quirks: own.quirks }
  const { url } = await startGateway({ vendors: { acme }, retry: { attempts: 1 } })
  return { url, model: `acme/${own.model}`, upstream }
}

const HELLO: ScriptedTurn = { text: ['Hel', 'lo.'], calls: [] }
const called = (id: string, city: string): ScriptedTurn => ({
  reasoning: { text: 'Hm.', seal: 'c2VhbA==' },
  text: [],
  calls: [{ id, name: 'look', args: { city } }],
})
const TOOL = { type: 'function' as const, name: 'look', parameters: { type: 'object', properties: { city: {} } } }

describe.each(Object.values(WIRE_UPSTREAMS))('the client of interactions with an upstream of $wire', (own) => {
  it('receives a text, whole and streamed', async () => {
    const { url, model } = await openFor(own, HELLO, HELLO)
    const whole: Loose = await open(url).interactions.create({ model, input: 'Hi' })
    expect([whole.status, whole.output_text, whole.usage.total_tokens]).toEqual(['completed', 'Hello.', 18])
    const { steps, end } = await collectSteps(
      (await open(url).interactions.create({ model, input: 'Hi', stream: true })) as AsyncIterable<Loose>,
    )
    expect(steps).toMatchObject([{ type: 'model_output', content: [{ type: 'text', text: 'Hello.' }] }])
    expect(end.status).toBe('completed')
  })

  it('completes three turns of calls without stored state', async () => {
    const { url, model, upstream } = await openFor(own, called('c1', 'Rome'), called('c2', 'Oslo'), HELLO)
    const input: Loose[] = [{ type: 'user_input', content: 'Where is it warm?' }]
    for (const [at, city] of ['Rome', 'Oslo'].entries()) {
      const { status, steps }: Loose = await open(url).interactions.create({ model, input, tools: [TOOL] })
      const call = steps.find(({ type }: Loose) => type === 'function_call')
      expect([status, call.arguments]).toEqual(['requires_action', { city }])
      input.push(...steps, { type: 'function_result', call_id: call.id, name: call.name, result: `${at} °C` })
    }
    const last: Loose = await open(url).interactions.create({ model, input, tools: [TOOL] })
    expect(last.output_text).toBe('Hello.')
    const sent = JSON.stringify(upstream.received[2]?.body)
    for (const word of ['Rome', 'Oslo', '0 °C', '1 °C']) expect(sent).toContain(word)
  })

  it('requests a format of its upstream', async () => {
    const { url, model, upstream } = await openFor(own, { text: ['{"a":1}'], calls: [] })
    const schema = { type: 'object', properties: { a: { type: 'number' } } }
    const answer: Loose = await open(url).interactions.create({
      model,
      input: 'Hi',
      response_format: { type: 'text', mime_type: 'application/json', schema },
    })
    expect(JSON.parse(answer.output_text)).toEqual({ a: 1 })
    expect(JSON.stringify(upstream.received[0]?.body)).toMatch(/"a\\?":/)
  })

  it('receives a failure before the first byte with its status and message', async () => {
    const upstream = await startMockUpstream((response) => {
      response.writeHead(503, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 503, message: 'Busy today.', type: 'x' } }))
    })
    whenDone(upstream.close)
    const acme = { wire: own.wire, base_url: upstream.url, key: 'x', quirks: own.quirks }
    const { url } = await startGateway({ vendors: { acme }, retry: { attempts: 1 } })
    const response = await post(url, { model: `acme/${own.model}`, input: 'Hi' })
    expect(response.status).toBe(503)
    expect((await json(response)).error).toMatchObject({ code: 'service_unavailable', message: expect.any(String) })
  })
})

const post = (url: string, body: object, path = '/api/v1beta/interactions', key = KEY): Promise<Response> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    body: JSON.stringify(body),
  })

describe('the path of interactions', () => {
  it.each(['/api/v1/interactions', '/api/v1beta/interactions', '/openai/v1/interactions'])(
    'accepts a request at %s',
    async (path) => {
      const { url, model } = await openFor(WIRE_UPSTREAMS['openai-chat'], HELLO)
      expect((await json(await post(url, { model, input: 'Hi' }, path))).steps).toHaveLength(1)
    },
  )

  it('refuses stored state, and everything about a stored interaction, in its own format', async () => {
    const { url, model } = await openFor(WIRE_UPSTREAMS['openai-chat'], HELLO)
    const refused = await post(url, { model, input: 'Hi', previous_interaction_id: 'v1_x' })
    expect(refused.status).toBe(400)
    expect((await json(refused)).error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^previous_interaction_id: /),
    })
    const headers = { 'x-goog-api-key': KEY }
    for (const [method, path] of [
      ['GET', '/v1_x?stream=false'],
      ['DELETE', '/v1_x'],
      ['POST', '/v1_x/cancel'],
    ] as const) {
      const response = await fetch(`${url}/api/v1/interactions${path}`, { method, headers })
      expect([response.status, (await json(response)).error.code]).toEqual([404, 'not_found'])
    }
    const wrong = await post(url, { model, input: 'Hi' }, undefined, 'nonsense')
    expect([wrong.status, (await json(wrong)).error.code]).toEqual([401, 'authentication'])
  })

  it('passes Google’s own answer through, with citations and steps of a search', async () => {
    const { url } = await startGateway({})
    const model = 'replay/gemini-interactions/grounded-search'
    const { steps } = await collectSteps(
      (await open(url).interactions.create({ model, input: 'Hi', stream: true })) as AsyncIterable<Loose>,
    )
    expect(steps.map(({ type }) => type)).toEqual([
      'thought',
      'model_output',
      'google_search_call',
      'google_search_result',
    ])
    const { text, annotations } = steps[1].content[0]
    const bytes = Buffer.from(text)
    const quotes = annotations.map(({ start_index: from, end_index: to }: Loose) => bytes.subarray(from, to).toString())
    expect(quotes).toEqual(['Die Brücke über den Fluss wurde im Mai eröffnet 🌉', 'Sie ist 420 Meter lang'])
  })

  it('is the protocol of models that Google serves with no other, for clients of every protocol', async () => {
    const own = WIRE_UPSTREAMS['gemini-interactions']
    const upstream = await startMockUpstream(scripted(own, () => HELLO))
    whenDone(upstream.close)
    const google = { key: 'x', base_url: 'http://127.0.0.1:9', wires: { 'gemini-interactions': upstream.url } }
    const { url } = await startGateway({ vendors: { google } })
    const chat = { messages: [{ role: 'user', content: 'Hi' }] }
    for (const [path, body] of [
      ['/api/v1/responses', { input: 'Hi' }],
      ['/api/v1/chat/completions', chat],
      ['/api/v1/messages', { ...chat, max_tokens: 99 }],
    ] as const) {
      const answer = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'google/gemini-omni-1', ...body }),
      })
      expect(answer.status).toBe(200)
    }
    expect(upstream.received.map(({ url: path, body }) => [path, body.model])).toEqual(
      Array.from({ length: 3 }, () => ['/v1/interactions', 'gemini-omni-1']),
    )
  })

  it('uses the protocol of its clients at Google, which has it as a second one', async () => {
    expect(Object.keys(findVendor('google')?.wires ?? {})).toEqual(['gemini-interactions'])
    const own = WIRE_UPSTREAMS['gemini-interactions']
    const upstream = await startMockUpstream(scripted(own, () => HELLO))
    whenDone(upstream.close)
    const google = { key: 'x', wires: { 'gemini-interactions': upstream.url } }
    const { url, lines } = await startGateway({ vendors: { google } })
    const body = {
      model: 'google/gemini-3-pro',
      input: [{ type: 'text', text: 'Hi' }],
      safety_settings: [{ type: 'harassment', threshold: 'off' }],
    }
    expect((await json(await post(url, body))).steps).toHaveLength(1)
    expect(upstream.received[0]?.body).toEqual({ ...body, model: 'gemini-3-pro', store: false })
    await waitUntil(() => lines.some((line) => JSON.stringify(line).includes('nothing stored')), 'the log line')
    const settings = { agent_config: { type: 'dynamic' }, webhook_config: { uris: ['https://a.test/hook'] } }
    const answer = await post(url, { ...body, ...settings })
    expect(answer.headers.get('x-responses-losses')).toBe('agent_config dropped, webhook_config dropped')
    expect(upstream.received[1]?.body).toMatchObject({ safety_settings: body.safety_settings })
    for (const name of Object.keys(settings)) expect(upstream.received[1]?.body).not.toHaveProperty(name)
  })
})
