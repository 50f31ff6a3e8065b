import { describe, expect, it } from 'vitest'
import { checkStream } from '../../../src/dialects/check-stream.ts'
import { openai } from '../../../src/dialects/openai.ts'
import {
  type Behaviour,
  beginning,
  bodyOf,
  inPieces,
  streamOf,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { eventsOf, json, type Loose, lineOf, post, REQUEST, readSlowly, startTestServer } from '../test-server.ts'
import { openResponse } from './open-responses.ts'

const PATH = { path: '/openai/v1/responses' }
const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

const chunk = (choice: object): string =>
  `data: ${JSON.stringify({ model: 'mock-1', choices: [{ index: 0, ...choice }] })}\n\n`
const USAGE =
  'data: {"model":"mock-1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}\n\n'

/** Answers with a call of this function; a streamed call has its arguments in two fragments. */
const calling =
  (name: string): Behaviour =>
  (response, request) => {
    const call = (args: string) => ({ index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } })
    if (request.body.stream === true) {
      const rest = { index: 0, function: { arguments: '"Oslo"}' } }
      const stream =
        chunk({ delta: { role: 'assistant', tool_calls: [call('{"city":')] } }) +
        chunk({ delta: { tool_calls: [rest] } }) +
        chunk({ delta: {}, finish_reason: 'tool_calls' })
      return inPieces(`${stream}${USAGE}data: [DONE]\n\n`, 60)(response, request)
    }
    const message = { role: 'assistant', content: null, tool_calls: [call('{"city":"Oslo"}')] }
    const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 }
    const body = { model: 'mock-1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }
    return withBody(JSON.stringify(body))(response, request)
  }

const hello: Behaviour = (response, request) =>
  (request.body.stream === true ? inPieces(streamOf('Hello', ' there'), 90) : withBody(bodyOf('Hello there')))(
    response,
    request,
  )

/**
 * Sends a request unstreamed and streamed, and checks both answers against the standard. Returns them with the body
 * that the upstream received and the events of the stream.
 */
async function ask(request: object, behave = hello): Promise<{ answers: Loose[]; sent: Loose; events: Loose[] }> {
  const { url, upstream } = await startTestServer(behave)
  const body = { model: REQUEST.model, ...request }
  const whole = await post(url, body, PATH)
  expect(whole.status).toBe(200)
  const streamed = await post(url, { ...body, stream: true }, PATH)
  expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const text = await streamed.text()
  expect(checkStream(text, openai)).toEqual([])
  const events = eventsOf(text)
  const last = events.at(-2)
  expect(last.type).toBe('response.completed')
  const answers = [await json(whole), last.response]
  for (const answer of answers) {
    expect(openResponse.safeParse(answer).error?.issues).toBeUndefined()
    expect(answer).toMatchObject({ status: 'completed', error: null, store: false })
    expect(answer.output.length).toBeGreaterThan(0)
  }
  return { answers, sent: upstream.received[0]?.body, events }
}

const user = (content: unknown) => ({ type: 'message', role: 'user', content })

describe('the standard beside its suite', () => {
  it('tool-calling-streaming: answers with the call of a function', async () => {
    const { answers, events } = await ask(
      { input: [user('Weather in Oslo?')], tools: [WEATHER] },
      calling('get_weather'),
    )
    for (const { output, tools, tool_choice } of answers) {
      expect(output).toMatchObject([{ type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}' }])
      expect(tools).toEqual([{ ...WEATHER, strict: null }])
      expect(tool_choice).toBe('auto')
    }
    const types = events.map(({ type }) => type)
    expect(types.filter((type) => type === 'response.function_call_arguments.delta')).toHaveLength(2)
    expect(types).toContain('response.function_call_arguments.done')
  })

  it('function-call-roundtrip: sends an inline call and its output to the upstream', async () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' }
    const output = { type: 'function_call_output', call_id: 'c1', output: '7 °C' }
    const { sent } = await ask({ input: [user('Weather?'), call, output], tools: [WEATHER] })
    expect(sent.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c1', content: '7 °C' },
    ])
  })

  it('file-input: sends a file with its name to the upstream', async () => {
    const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }
    const { sent } = await ask({ input: [user([{ type: 'input_text', text: 'Read' }, file])] })
    expect(sent.messages[0].content[1]).toMatchObject({ type: 'file', file: { filename: 'a.pdf' } })
  })

  it('echoes every echoed parameter of a request with its value', async () => {
    const asked = {
      instructions: 'Be short',
      max_output_tokens: 99,
      max_tool_calls: 3,
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 0.1,
      frequency_penalty: -0.1,
      top_logprobs: 2,
      parallel_tool_calls: false,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
      truncation: 'auto',
      service_tier: 'flex',
      metadata: { a: 'b' },
      safety_identifier: 's',
      prompt_cache_key: 'k',
      tools: [WEATHER],
      tool_choice: { type: 'function', name: 'get_weather' },
    }
    const more = {
      include: ['reasoning.encrypted_content'],
      stream_options: { include_obfuscation: false },
      store: false,
    }
    const { answers } = await ask({ input: 'Hi', ...asked, ...more }, calling('get_weather'))
    for (const answer of answers) {
      expect(answer).toMatchObject({ ...asked, tools: [{ ...WEATHER, strict: null }] })
    }
  })

  it.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_not_found', 'previous_response_id'],
    [{ store: true }, 'invalid_prompt', 'store'],
    [{ background: true }, 'invalid_prompt', 'background'],
    [{ conversation: 'conv_1' }, 'invalid_prompt', 'conversation'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'invalid_prompt', 'input[0]'],
  ])('rejects a field that needs stored responses: %j', async (more, code, param) => {
    const { url, upstream } = await startTestServer(hello)
    const response = await post(url, { model: REQUEST.model, input: 'Hi', ...more }, PATH)
    expect(response.status).toBe(400)
    expect(await json(response)).toMatchObject({
      error: { code, param, type: 'invalid_request_error' },
      metadata: null,
    })
    expect(upstream.received).toHaveLength(0)
  })
})

describe('a compaction', () => {
  const path = '/openai/v1/responses/compact'
  const input = [user('I am Ann'), { role: 'assistant', content: 'Hello, Ann.' }]

  it.each([
    ['a body', withBody(bodyOf('The user is Ann. 👋'))],
    ['a stream', inPieces(streamOf('The user', ' is Ann. 👋'), 90)],
  ])('is made of %s, follows the messages of the user, and replaces the rest', async (_, behave) => {
    const { url, upstream } = await startTestServer(behave)
    const response = await post(url, { model: REQUEST.model, input, stream: true, tools: [WEATHER] }, { path })
    const compact = await json(response)
    expect(response.status).toBe(200)
    expect(compact).toMatchObject({
      object: 'response.compaction',
      created_at: expect.any(Number),
      output: [
        { type: 'message', id: expect.stringMatching(/^msg_/), role: 'user', content: [{ type: 'input_text' }] },
        { type: 'compaction', id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) },
      ],
      usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
    })
    const asked: Loose = upstream.received[0]?.body
    expect(asked).toMatchObject({
      tool_choice: 'none',
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
    })
    expect(asked.stream).toBeUndefined()
    await post(url, { model: REQUEST.model, input: [...compact.output, user('Who am I?')] }, PATH)
    const next: Loose = upstream.received[1]?.body
    expect(next.messages.map(({ content }: Loose) => content)).toEqual([
      'I am Ann',
      'This is a summary of the conversation so far:\n\nThe user is Ann. 👋',
      'Who am I?',
    ])
  })

  it.each(['', 'cut'])('fails as upstream_truncated if its text is empty or cut off: %j', async (text) => {
    const message = { role: 'assistant', content: text }
    const body = { model: 'm', choices: [{ index: 0, message, finish_reason: text === '' ? 'stop' : 'length' }] }
    const { url } = await startTestServer(withBody(JSON.stringify(body)))
    const response = await post(url, { model: REQUEST.model, input }, { path })
    expect([response.status, (await json(response)).error.code]).toEqual([502, 'upstream_truncated'])
  })

  it.each(['/openai/v1', '/api/v1'])('keeps a text of the user, and its summary, on %s', async (mount) => {
    const { url } = await startTestServer(hello)
    const asked = { model: REQUEST.model, input: 'I am Ann' }
    const compact = await json(await post(url, asked, { path: `${mount}/responses/compact` }))
    expect(compact.output).toMatchObject([{ content: [{ text: 'I am Ann' }] }, { type: 'compaction' }])
    const next = await post(url, { ...asked, input: [...compact.output, user('Who?')] }, { path: `${mount}/responses` })
    expect(next.status).toBe(200)
  })

  it('that the last item requests begins a stream before the upstream has written its summary', async () => {
    const { url, upstream } = await startTestServer(beginning(textChunk('The user ')))
    const asked = { model: REQUEST.model, input: [...input, { type: 'compaction_trigger' }], stream: true }
    const reading = readSlowly(await post(url, asked, PATH))
    const begun = await reading.until((text) => text.includes('response.in_progress'))
    expect(begun).not.toContain('output_item')
    const [request] = upstream.received
    request?.response.end(streamOf('is Ann.'))
    const events = eventsOf(await reading.rest())
    expect(events.filter(({ item }) => item?.type === 'compaction')).toHaveLength(2)
    expect(events.at(-2).response).toMatchObject({ status: 'completed', output: [{ type: 'compaction' }] })
  })

  it('of another service, or a damaged one, is dropped as a loss', async () => {
    const { url, upstream, lines } = await startTestServer(hello)
    const foreign = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAx' }
    const damaged = { ...foreign, encrypted_content: 'mrc1.%%%' }
    await post(url, { model: REQUEST.model, input: [foreign, damaged, user('Hi')] }, PATH)
    expect(upstream.received[0]?.body.messages).toHaveLength(1)
    expect((await lineOf(lines)).losses).toHaveLength(2)
  })
})

describe('tools in a namespace', () => {
  const crm = { type: 'namespace', name: 'crm', description: 'Customers', tools: [{ ...WEATHER, name: 'find' }] }

  it.each([PATH.path, '/api/v1/responses'])('are called by their own names on %s, streamed or not', async (path) => {
    const { url, upstream } = await startTestServer(calling('crm__find'))
    const body = { model: REQUEST.model, input: 'Find Ann', tools: [crm] }
    const whole = await json(await post(url, body, { path }))
    const events = eventsOf(await (await post(url, { ...body, stream: true }, { path })).text())
    const done = events.find(({ type }) => type === 'response.output_item.done')
    for (const item of [whole.output[0], done.item]) {
      expect(item).toMatchObject({ type: 'function_call', name: 'find', namespace: 'crm', call_id: 'call_1' })
    }
    const tools = upstream.received[0]?.body.tools as Loose[]
    expect(tools[0].function).toMatchObject({ name: 'crm__find', description: 'Customers\n\nThe weather in a city.' })
  })

  it('return to the upstream under their full names in the next turn', async () => {
    const { url, upstream } = await startTestServer(hello)
    const call = { type: 'function_call', call_id: 'c', name: 'find', namespace: 'crm', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'c', output: 'Ann' }
    await (await post(url, { model: REQUEST.model, input: [user('Find'), call, output], tools: [crm] }, PATH)).text()
    const [request] = upstream.received as Loose[]
    expect(request.body.messages[1].tool_calls[0].function.name).toBe('crm__find')
  })
})

describe('a custom tool', () => {
  it('is called through a function if the upstream has only functions', async () => {
    const behave = inPieces(
      chunk({
        delta: {
          tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'note', arguments: '{"in' } }],
        },
      }) +
        chunk({ delta: { tool_calls: [{ index: 0, function: { arguments: 'put":"milk"}' } }] } }) +
        chunk({ delta: {}, finish_reason: 'tool_calls' }) +
        'data: [DONE]\n\n',
      70,
    )
    const { url, lines } = await startTestServer(behave)
    const body = { model: REQUEST.model, input: 'Note milk', tools: [{ type: 'custom', name: 'note' }], stream: true }
    const text = await (await post(url, body, PATH)).text()
    expect(checkStream(text, openai)).toEqual([])
    const events = eventsOf(text)
    expect(events.find(({ type }) => type === 'response.custom_tool_call_input.done')).toMatchObject({ input: 'milk' })
    expect(events.at(-2).response.output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'c1', name: 'note', input: 'milk', status: 'completed' },
    ])
    expect((await lineOf(lines)).losses).toEqual(['tools[0] mapped: sent as a function with the argument "input"'])
  })
})

describe('the history rule', () => {
  it('is configured for each mount separately', async () => {
    const mounts = [
      { path: '/easy', dialect: 'beta' },
      { path: '/exact', dialect: 'beta', history: 'strict' },
    ]
    const { url } = await startTestServer(hello, { mounts })
    const body = { model: REQUEST.model, input: [user('Hi'), { role: 'assistant', content: 'Hello' }, user('So?')] }
    expect((await post(url, body, { path: '/easy/responses' })).status).toBe(200)
    const refused = await post(url, body, { path: '/exact/responses' })
    expect([refused.status, (await json(refused)).error.param]).toEqual([400, 'input[1].id'])
  })
})
