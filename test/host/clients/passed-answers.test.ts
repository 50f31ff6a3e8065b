import { describe, expect, it } from 'vitest'
import { WIRES } from '../../../src/wires/registry.ts'
import { type Behaviour, startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { eventsOf, lineOf, post, startGateway, UPSTREAM_KEY, whenDone } from '../test-server.ts'

const HI = [{ role: 'user', content: 'Hi' }]

/** A client of each protocol, with an answer that has events and members of which the gateway knows nothing. */
const FAMILIES = {
  'openai-chat': {
    path: '/api/v1/chat/completions',
    request: { messages: HI, stream_options: { include_usage: true } },
    type: 'text/event-stream',
    stream: [
      ': upstream comment\n\n',
      'data: {"id":"c-1","object":"chat.completion.chunk","model":"m","x_new":9007199254740993,"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}\n\n',
      'data: {"object":"chat.completion.news","choices":[],"news":[1.0]}\n\n',
      'data: {"id":"c-1","model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop","native_finish_reason":"STOP"}]}\n\n',
      'data: {"id":"c-1","model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"cost":0.5}}\n\n',
      'data: [DONE]\n\n',
    ],
    body: '{"id":"c-1","model":"m","x_new":9007199254740993,"choices":[{"index":0,"message":{"role":"assistant","content":"Hello","audio":{"id":"a"}},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"cost":0.5}}',
    failure: '{"error":{"message":"KEY is full","code":"x","detail":{"node":7}}}',
  },
  'anthropic-messages': {
    path: '/api/v1/messages',
    request: { messages: HI, max_tokens: 20 },
    type: 'text/event-stream',
    stream: [
      'event: message_start\r\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"container":{"id":"k"},"usage":{"input_tokens":3,"output_tokens":1,"inference_geo":"eu"}}}\r\n\r\n',
      'event: content_block_start\r\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\r\n\r\n',
      'event: content_block_delta\r\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}\r\n\r\n',
      'event: brand_new\r\ndata: {"type":"brand_new","x":[1,{"y":null}]}\r\n\r\n',
      'event: content_block_stop\r\ndata: {"type":"content_block_stop","index":0}\r\n\r\n',
      'event: message_delta\r\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2},"context_management":{"applied_edits":[]}}\r\n\r\n',
      'event: message_stop\r\ndata: {"type":"message_stop"}\r\n\r\n',
    ],
    body: '{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello"},{"type":"tool_use","id":"t","name":"f","input":{"n":9007199254740993},"toolset_name":"s"}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2,"speed":"fast"}}',
    failure: '{"type":"error","error":{"type":"overloaded_error","message":"KEY is full","detail":{"node":7}}}',
  },
  'gemini-generate': {
    path: '/api/v1/models/acme/m:generateContent',
    request: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    type: 'text/event-stream',
    stream: [
      'data: {"candidates":[{"content":{"parts":[{"text":"Hel"}],"role":"model"},"brandNew":true}],"trafficType":"ON_DEMAND"}\n\n',
      'data: {"candidates":[{"content":{"parts":[{"text":"lo"}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"promptTokensDetails":[{"modality":"TEXT","tokenCount":3}]}}\n\n',
    ],
    body: '{"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"finishReason":"STOP","brandNew":9007199254740993}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}}',
    failure: '{"error":{"code":503,"message":"KEY is full","status":"UNAVAILABLE","details":[{"node":7}]}}',
  },
  'gemini-interactions': {
    path: '/api/v1/interactions',
    request: { input: 'Hi' },
    type: 'text/event-stream',
    stream: [
      'event: interaction.created\ndata: {"interaction":{"id":"v1_a","status":"in_progress","object":"interaction","model":"m","brandNew":9007199254740993},"event_type":"interaction.created"}\n\n',
      'event: step.start\ndata: {"index":0,"step":{"type":"model_output"},"event_type":"step.start"}\n\n',
      'event: step.delta\ndata: {"index":0,"delta":{"text":"Hello","type":"text","news":[1.0]},"event_type":"step.delta"}\n\n',
      'event: step.stop\ndata: {"index":0,"event_type":"step.stop"}\n\n',
      'event: interaction.news\ndata: {"event_type":"interaction.news","x":[1,{"y":null}]}\n\n',
      'event: interaction.completed\ndata: {"interaction":{"id":"v1_a","status":"completed","usage":{"total_tokens":5,"total_input_tokens":3,"total_output_tokens":2,"brandNew":1},"object":"interaction","model":"m"},"event_type":"interaction.completed"}\n\n',
      'event: done\ndata: [DONE]\n\n',
    ],
    body: '{"id":"v1_a","status":"completed","object":"interaction","model":"m","steps":[{"type":"model_output","content":[{"type":"text","text":"Hello","brandNew":9007199254740993}]}],"usage":{"total_tokens":5,"total_input_tokens":3,"total_output_tokens":2}}',
    failure:
      '{"error":{"code":503,"message":"KEY is full","status":"UNAVAILABLE","details":[{"node":7}]},"event_type":"error"}',
  },
  'ollama-chat': {
    path: '/api/v1/api/chat',
    request: { messages: HI },
    type: 'application/x-ndjson',
    stream: [
      '{"model":"m","created_at":"2026-11-01T00:00:00Z","message":{"role":"assistant","content":"Hel"},"done":false,"brand_new":1}\n',
      '{"model":"m","created_at":"2026-11-01T00:00:00Z","message":{"role":"assistant","content":"lo"},"done":false}\n',
      '{"model":"m","created_at":"2026-11-01T00:00:00Z","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":9007199254740993,"prompt_eval_count":3,"eval_count":2}\n',
    ],
    body: '{"model":"m","created_at":"2026-11-01T00:00:00Z","message":{"role":"assistant","content":"Hello"},"done":true,"done_reason":"stop","total_duration":9007199254740993,"prompt_eval_count":3,"eval_count":2}',
    failure: '{"error":"KEY is full"}',
  },
  'openai-responses': {
    path: '/openai/v1/responses',
    request: { input: 'Hi' },
    type: 'text/event-stream',
    stream: [
      'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"resp_up","object":"response","model":"m","status":"in_progress","output":[]}}\n\n',
      'event: response.output_item.added\ndata: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"msg_1","type":"message","role":"assistant","status":"in_progress","content":[],"phase":"commentary"}}\n\n',
      'event: response.content_part.added\ndata: {"type":"response.content_part.added","sequence_number":2,"item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}\n\n',
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":3,"item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello"}\n\n',
      'event: response.brand_new\ndata: {"type":"response.brand_new","sequence_number":4,"x":9007199254740993}\n\n',
      'event: response.completed\ndata: {"type":"response.completed","sequence_number":5,"response":{"id":"resp_up","object":"response","model":"m","status":"completed","service_tier":"priority","output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Hello","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}}\n\n',
      'data: [DONE]\n\n',
    ],
    body: '{"id":"resp_up","object":"response","model":"m","status":"completed","tool_usage":{"x":9007199254740993},"output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"Hello","annotations":[]}]}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}',
    failure: '{"type":"error","code":"x","message":"KEY is full","detail":{"node":7},"sequence_number":1}',
  },
} as const

type Family = keyof typeof FAMILIES

const NAMES = Object.keys(FAMILIES) as Family[]

async function ask(family: Family, behave: Behaviour, stream: boolean, query = '?alt=sse', config = {}) {
  const { path, request } = FAMILIES[family]
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const wire = WIRES[family].name
  const acme = { wire, base_url: upstream.url, key: UPSTREAM_KEY }
  const { url, lines } = await startGateway({ vendors: { acme }, ...config })
  const isGemini = family === 'gemini-generate'
  const asked = isGemini ? request : { model: 'acme/m', ...request, stream }
  const address = isGemini && stream ? `${path.replace(':generate', ':streamGenerate')}${query}` : path
  const answer = await post(url, asked, { path: address })
  // `text()` would drop a byte order mark.
  const text = Buffer.from(await answer.arrayBuffer()).toString()
  return { answer, text, line: await lineOf(lines), upstream }
}

/** Sends the frames one by one, so that each is a read of its own. */
const inPieces =
  (pieces: readonly string[], type: string, breaks = false): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': type })
    for (const piece of pieces) {
      response.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (breaks) response.destroy()
    else response.end()
  }

describe.each(NAMES)('an answer of %s to a client of the same protocol', (family) => {
  const { stream, body, type, failure } = FAMILIES[family]

  it('arrives byte for byte as a stream, with what the gateway does not know', async () => {
    const { text, line } = await ask(family, inPieces(stream, type), true)
    expect(text).toBe(stream.join(''))
    expect(line).toMatchObject({ outcome: 'completed', usage: { input_tokens: 3, output_tokens: 2 } })
    expect(line).not.toHaveProperty('losses')
  })

  it('arrives without the byte order mark at its beginning, which clients take for a part of the first frame', async () => {
    const { text, line } = await ask(family, inPieces(['\ufeff', ...stream], type), true)
    expect(text).toBe(stream.join(''))
    expect(line).toMatchObject({ outcome: 'completed' })
    expect((await ask(family, inPieces(['\ufeff', body], 'application/json'), false)).text).toBe(body)
    // Ollama's bodies may have the type of its streams.
    if (family !== 'ollama-chat') return
    expect((await ask(family, inPieces(['\ufeff', body], type), false)).text).toBe(body)
    // Two objects on one line are no body.
    const glued = await ask(family, inPieces([body, body], type), false)
    expect(JSON.parse(glued.text)).toMatchObject({ done: true })
  })

  it('arrives byte for byte as a body', async () => {
    const { answer, text, line } = await ask(family, withBody(body), false)
    expect(text).toBe(body)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.get('x-responses-losses')).toBeNull()
    expect(line).toMatchObject({ outcome: 'completed', usage: { input_tokens: 3, output_tokens: 2 } })
  })

  it('ends with one failure of the protocol if its connection breaks', async () => {
    const { text, line } = await ask(family, inPieces(stream.slice(0, -1).slice(0, 2), type, true), true)
    expect(text.startsWith(stream[0])).toBe(true)
    const failure = family === 'openai-responses' ? /"type":"response\.failed"/g : /"error"\s*:\s*[{"]/g
    expect(text.match(failure)).toHaveLength(1)
    expect(line).toMatchObject({ outcome: 'failed', error: 'upstream_disconnected' })
  })

  it('ends with the failure of its upstream, without secrets', async () => {
    const quoted = failure.replace('KEY', UPSTREAM_KEY)
    const frame = type === 'text/event-stream' ? `data: ${quoted}\n\n` : `${quoted}\n`
    const before = stream.slice(0, family === 'openai-responses' ? 4 : 2)
    const { text, line } = await ask(family, inPieces([...before, frame], type), true)
    // Anthropic's libraries read no event without its name.
    const name = family === 'anthropic-messages' ? 'event: error\n' : ''
    const received = `${before.join('')}${name}${frame.replace(UPSTREAM_KEY, '[secret]')}`
    // The failures of these two have two events, of which the last has the id that the first had.
    const last: Partial<Record<Family, RegExp>> = {
      'openai-responses': /^event: response\.failed\n.*"id":"resp_up".*\n\ndata: \[DONE\]\n\n$/,
      'gemini-interactions':
        /^event: interaction\.completed\n.*"id":"v1_a".*"status":"failed".*\n\nevent: done\ndata: \[DONE\]\n\n$/,
    }
    expect(text.slice(0, received.length)).toBe(received)
    expect(text.slice(received.length)).toMatch(last[family] ?? /^$/)
    expect(line).toMatchObject({ outcome: 'failed' })
    expect(line.edits).toContain('secrets in failures')
    expect(JSON.stringify(line)).not.toContain(UPSTREAM_KEY)
  })

  it('is an error with a status if the upstream fails before any output', async () => {
    const frame = type === 'text/event-stream' ? `data: ${failure}\n\n` : `${failure}\n`
    const { answer, text } = await ask(family, inPieces([frame], type), true)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers.get('content-type')).toContain('application/json')
    expect(text).toContain('is full')
  })

  it('is translated if the upstream answers in another form', async () => {
    const { text } = await ask(family, withBody(body), true)
    expect(text).toContain('Hello')
    const whole = await ask(family, inPieces(stream, type), false)
    expect(JSON.parse(whole.text)).toBeTypeOf('object')
    expect(whole.text).toContain('Hello')
  })
})

it('a stream of Gemini reaches clients without alt=sse as one array with the same elements', async () => {
  const { stream, type } = FAMILIES['gemini-generate']
  const { answer, text } = await ask('gemini-generate', inPieces(stream, type), true, '')
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(JSON.parse(text)).toEqual(eventsOf(stream.join('')))
})

it('a chat client that did not request the counts does not receive their chunk', async () => {
  const { stream, type } = FAMILIES['openai-chat']
  const upstream = await startMockUpstream(inPieces(stream, type))
  whenDone(upstream.close)
  const { url, lines } = await startGateway({
    vendors: { acme: { wire: 'openai-chat', base_url: upstream.url, key: 'k' } },
  })
  const asked = { model: 'acme/m', messages: HI, stream: true }
  const text = await (await post(url, asked, { path: '/api/v1/chat/completions' })).text()
  expect(text).toBe(stream.filter((frame) => !frame.includes('"usage":{')).join(''))
  const line = await lineOf(lines)
  expect(line).toMatchObject({ usage: { input_tokens: 3, output_tokens: 2 } })
  expect(line.edits).toEqual(['model', 'usage of streams', 'unrequested usage'])
})

it('encrypted reasoning of OpenAI is sealed in events and in the whole response, and opened on its way back', async () => {
  const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'raw-seal', x_new: 1 }
  const response = { id: 'resp_up', object: 'response', model: 'm', status: 'completed', output: [item] }
  const events = [
    { type: 'response.created', sequence_number: 0, response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', sequence_number: 1, output_index: 0, item },
    { type: 'response.completed', sequence_number: 2, response },
  ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
  const { text, line } = await ask('openai-responses', inPieces(events, 'text/event-stream'), true)
  const [, , done, completed] = eventsOf(text)
  expect(text).not.toContain('raw-seal')
  expect(Object.keys(done.item)).toEqual(Object.keys(item))
  expect(completed.response.output).toEqual([done.item])
  expect(line.edits).toContain('sealed reasoning')

  const upstream = await startMockUpstream(withBody(JSON.stringify(response)))
  whenDone(upstream.close)
  const vendors = { acme: { wire: 'openai-responses', base_url: upstream.url, key: 'k' } }
  const { url } = await startGateway({ vendors })
  const path = '/openai/v1/responses'
  const first = await (await post(url, { model: 'acme/m', input: 'Hi' }, { path })).json()
  await (
    await post(url, { model: 'acme/m', input: [...first.output, { role: 'user', content: 'Go on' }] }, { path })
  ).text()
  expect(upstream.received[1]?.body.input).toMatchObject([{ ...item }, {}])
})

it('the log names an edit once, however often the request was sent', async () => {
  const failing = inPieces(['{"error":{"message":"Overloaded","code":503}}\n'], 'application/x-ndjson')
  const { line, upstream } = await ask('ollama-chat', failing, true, '', { retry: { attempts: 2, first_delay_ms: 1 } })
  expect(upstream.received.length).toBe(2)
  expect(line.edits).toEqual(['model', 'form of lines'])
})
