import { Anthropic } from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { ASSISTANT_REQUESTS, NORTH, PARAMETERS, QUESTION, SOUTH, TEXTS } from '../host/conversation.ts'
import { json, KEY, post, readSlowly, sha256, typesOf, UPSTREAM_KEY } from '../host/test-server.ts'
import {
  type Behaviour,
  beginning,
  doneFrame,
  type MockUpstream,
  nextTurn,
  roleChunk,
  startMockUpstream,
  stopChunk,
  textChunk,
  withBody,
} from '../mock-upstreams/server.ts'
import type { WireUpstream } from '../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { RUNTIMES } from './runtimes.ts'
import { type ServedWorker, serveWorker } from './serve-fetch.ts'

/** Serves the fetch gateway with each runtime, between vendors' own clients and mock upstreams on loopback. */

const PIECE_BYTES = 23
const WIRE_LIST: readonly WireUpstream[] = Object.values(WIRE_UPSTREAMS)

const scriptedTurn =
  ({ encodeTurn, contentType }: WireUpstream): Behaviour =>
  async (response) => {
    const bytes = encodeTurn(ASSISTANT_REQUESTS)
    response.writeHead(200, { 'content-type': contentType })
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      response.write(bytes.subarray(at, at + PIECE_BYTES))
      await nextTurn()
    }
    response.end()
  }

/** The upstream of the vendor `acme`: what it does depends on the model. */
const acting: Behaviour = (response, request) => {
  if (request.body.model === 'failing')
    return withBody('{"error":{"message":"Slow down."}}', 429, { 'retry-after': '900' })(response, request)
  if (request.body.model === 'lost') return void response.destroy()
  return beginning(roleChunk, textChunk('Half'))(response, request)
}

const FUNCTION = { name: 'get_weather', description: 'The weather in a city, now.', parameters: PARAMETERS }
const CALLED = [NORTH, SOUTH]

/** Each client requests a stream, and returns the text and the arguments of the calls. */
const CLIENTS: Readonly<Record<string, (url: string, model: string) => Promise<readonly [unknown, unknown]>>> = {
  async 'the Responses API'(url, model) {
    const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: KEY, maxRetries: 0 })
    const tools = [{ type: 'function' as const, ...FUNCTION, strict: false }]
    const input = [{ role: 'user' as const, content: QUESTION }]
    const response = await client.responses
      .stream({ model, input, tools, reasoning: { effort: 'low' } })
      .finalResponse()
    const calls = response.output.flatMap((item) => (item.type === 'function_call' ? [JSON.parse(item.arguments)] : []))
    return [response.output_text, calls]
  },
  async 'Anthropic Messages'(url, model) {
    const client = new Anthropic({ baseURL: `${url}/api`, apiKey: KEY, maxRetries: 0 })
    const { parameters, ...rest } = FUNCTION
    const tools = [{ ...rest, input_schema: parameters }]
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const { content } = await client.messages.stream({ model, max_tokens: 900, messages, tools }).finalMessage()
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
    return [texts.join(''), content.flatMap((block) => (block.type === 'tool_use' ? [block.input] : []))]
  },
  async 'chat completions'(url, model) {
    const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: KEY, maxRetries: 0 })
    const tools = [{ type: 'function' as const, function: FUNCTION }]
    const messages = [{ role: 'user' as const, content: QUESTION }]
    const stream = client.chat.completions.stream({ model, messages, tools })
    const { choices } = await stream.finalChatCompletion()
    const message = choices[0]?.message
    const calls = message?.tool_calls?.map((call) => call.type === 'function' && JSON.parse(call.function.arguments))
    return [message?.content, calls]
  },
}

describe.each(RUNTIMES.map((runtime) => [runtime.name, runtime] as const))('%s', (_, runtime) => {
  const it = test.skipIf(runtime.version === null)
  const mocks: MockUpstream[] = []
  let acme: MockUpstream
  let worker: ServedWorker

  beforeAll(async () => {
    if (runtime.version === null) return
    acme = await startMockUpstream(acting)
    mocks.push(acme)
    const key = { env: 'ACME_KEY' }
    const vendors: Record<string, object> = { acme: { wire: 'openai-chat', base_url: acme.url, key } }
    vendors.closed = { wire: 'openai-chat', base_url: 'http://127.0.0.1:1/v1', key }
    for (const upstream of WIRE_LIST) {
      const mock = await startMockUpstream(scriptedTurn(upstream))
      mocks.push(mock)
      const { wire, quirks } = upstream
      vendors[`to-${wire}`] = { wire, base_url: mock.url, key, quirks }
    }
    const keys = [{ name: 'tester', sha256: sha256(KEY) }]
    const CONFIG = { keys, vendors, keep_alive_seconds: 0.2, retry: { attempts: 1 } }
    worker = await serveWorker(runtime, inject('room'), { CONFIG, ACME_KEY: UPSTREAM_KEY })
  })

  afterAll(async () => {
    await worker?.close()
    for (const mock of mocks) await mock.close()
  })

  it.for(WIRE_LIST)('serves all clients with an upstream of $wire', async ({ wire, model, keyHeader, path }) => {
    for (const [name, ask] of Object.entries(CLIENTS)) {
      const answer = await ask(worker.url, `to-${wire}/${model}`)
      expect([name, ...answer]).toEqual([name, TEXTS, CALLED])
    }
    const mock = mocks[WIRE_LIST.findIndex((one) => one.wire === wire) + 1]
    expect(mock?.received).toHaveLength(Object.keys(CLIENTS).length)
    for (const received of mock?.received ?? []) {
      expect(received.url).toBe(`/v1${path}`)
      expect(received.headers[keyHeader]).toContain(UPSTREAM_KEY)
    }
  })

  it.for(Object.values(DIALECTS))('writes streams of $name without violations', async (dialect) => {
    const mount = dialect.name === 'beta' ? '/api/v1/responses' : '/openai/v1/responses'
    const model = `to-openai-chat/${WIRE_UPSTREAMS['openai-chat'].model}`
    const answer = await post(worker.url, { model, input: QUESTION, stream: true }, { path: mount })
    expect([answer.status, checkStream(await answer.text(), dialect)]).toEqual([200, []])
  })

  it('continues open streams while others begin and end', async () => {
    const before = acme.received.length
    const asked = { model: 'acme/mock', input: QUESTION, stream: true }
    const first = readSlowly(await post(worker.url, asked))
    await first.until((text) => text.includes('Half'))
    const second = readSlowly(await post(worker.url, asked))
    await second.until((text) => text.includes('Half'))
    const end = (at: number) => acme.received[before + at]?.response.end(textChunk(' done') + stopChunk + doneFrame)
    end(1)
    expect(typesOf(await second.rest()).at(-3)).toBe('response.completed')
    end(0)
    expect(typesOf(await first.rest()).at(-3)).toBe('response.completed')
  })

  it('reports failures of clients and upstreams', async () => {
    const ask = async (model: string, authorization = `Bearer ${KEY}`) => {
      const answer = await post(worker.url, { model, input: QUESTION }, { headers: { authorization } })
      return [answer.status, (await json(answer)).error.message]
    }
    expect(await ask('acme/mock', 'Bearer wrong')).toEqual([401, expect.any(String)])
    expect(await ask('acme/failing')).toEqual([429, 'Slow down.'])
    expect(await ask('acme/lost')).toEqual([502, expect.any(String)])
    expect(await ask('closed/mock')).toEqual([502, expect.any(String)])
    expect((await post(worker.url, '{"model":')).status).toBe(400)
  })

  it('closes the upstream connection after its client disconnects', async () => {
    const before = acme.received.length
    const client = new AbortController()
    const asked = { model: 'acme/mock', input: QUESTION, stream: true }
    const answer = readSlowly(await post(worker.url, asked, { signal: client.signal }))
    await answer.until((text) => text.includes('Half'))
    client.abort()
    await acme.received[before]?.closed
    await answer.rest().catch(() => null)
  })
})
