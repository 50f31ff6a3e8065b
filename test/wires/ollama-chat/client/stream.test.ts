import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { ollamaChatClient as client } from '../../../../src/wires/ollama-chat/client/index.ts'
import { encodeRequest } from '../../../../src/wires/ollama-chat/upstream/request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import type { Loose } from '../../client-stream.ts'
import {
  called,
  cited,
  customCalled,
  decodeContext,
  encodeContext,
  encrypted,
  FINISH,
  framesOf,
  inOrder,
  reasoning,
  refusal,
  refused,
  requestWith,
  START,
  text,
  USAGE,
} from '../../deltas.ts'
import { serve } from '../../served-requests.ts'

const HI = { role: 'user', content: 'Hi' }
const read = (fields: JsonObject) =>
  requestWith(runSteps(client.decodeRequest({ model: 'acme/m-1', messages: [HI], ...fields }, decodeContext())))

function inputOf(...messages: readonly Json[]): Json {
  const { body, losses } = read({ messages })
  expect(losses).toEqual([])
  expect(validateRequest(body, 'strict')).toMatchObject({ ok: true })
  return body.input ?? null
}

const linesOf = (deltas: readonly Delta[]): readonly Loose[] =>
  framesOf(client, inOrder(deltas)).map(({ data }) => JSON.parse(data))
const bodyOf = (deltas: readonly Delta[]): Loose => client.encodeBody(inOrder(deltas), encodeContext())

describe('a request of an Ollama client', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['no fields: a stream', {}, { stream: true }],
    ['no stream', { stream: false }, { stream: false }],
    [
      'options',
      { options: { temperature: 0.5, top_p: 0.9, presence_penalty: 1, frequency_penalty: -1, num_predict: 9 } },
      { stream: true, temperature: 0.5, top_p: 0.9, presence_penalty: 1, frequency_penalty: -1, max_output_tokens: 9 },
    ],
    ['an unlimited number of tokens', { options: { num_predict: -1 } }, { stream: true }],
    ['JSON', { format: 'json' }, { stream: true, text: { format: { type: 'json_object' } } }],
    [
      'a schema',
      { format: { type: 'object' } },
      { stream: true, text: { format: { type: 'json_schema', name: 'answer', schema: { type: 'object' } } } },
    ],
    ['no format', { format: '' }, { stream: true }],
    ['reasoning', { think: true }, { stream: true, reasoning: { effort: 'medium' } }],
    ['no reasoning', { think: false }, { stream: true, reasoning: { effort: 'none' } }],
    ['an effort', { think: 'high' }, { stream: true, reasoning: { effort: 'high' } }],
    [
      'tools',
      { tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }] },
      { stream: true, tools: [{ type: 'function', name: 'f', description: 'd', parameters: { type: 'object' } }] },
    ],
    [
      'log probabilities',
      { logprobs: true, top_logprobs: 2 },
      { stream: true, include: ['message.output_text.logprobs'], top_logprobs: 2 },
    ],
  ])('is decoded without a loss with %s', (_, fields, expected) => {
    const { body, losses } = read(fields)
    const { model, input, ...rest } = body
    expect(rest).toEqual(expected)
    expect(losses).toEqual([])
    expect(validateRequest(body)).toMatchObject({ ok: true })
  })

  it('has its stop sequences returned apart', () => {
    expect(read({ options: { stop: ['a', 'b'] } }).stop).toEqual(['a', 'b'])
    expect(read({ options: { stop: 'a' } }).stop).toEqual(['a'])
    expect(read({}).stop).toBeNull()
  })

  it('records fields without a counterpart as losses', () => {
    const { losses } = read({ keep_alive: '10m', options: { seed: 1, num_ctx: 8192, temperature: 0, mirostat: 1 } })
    expect(losses.map(({ path, action }) => `${path} ${action}`)).toEqual([
      'keep_alive dropped',
      'options.seed dropped',
      'options.num_ctx dropped',
      'options.mirostat dropped',
    ])
    expect(read({ keep_alive: '5m', options: { mirostat: 0 } }).losses).toEqual([])
  })

  it.each([[[]], [null]])('is rejected if it only loads a model: messages %j', (messages) => {
    const decoded = runSteps(client.decodeRequest({ model: 'acme/m-1', messages }, decodeContext()))
    expect(refusal(decoded)).toEqual({
      param: 'messages',
      message: expect.stringContaining('this service cannot load models'),
    })
  })

  it('has images whose type is recognised by their first characters', () => {
    const images = ['iVBORw0KGgo=', '/9j/4AA=', 'R0lGODlh', 'UklGRg==', 'data:image/avif;base64,AA==']
    expect(inputOf({ role: 'user', content: 'What?', images })).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What?' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
          { type: 'input_image', image_url: 'data:image/jpeg;base64,/9j/4AA=' },
          { type: 'input_image', image_url: 'data:image/gif;base64,R0lGODlh' },
          { type: 'input_image', image_url: 'data:image/webp;base64,UklGRg==' },
          { type: 'input_image', image_url: 'data:image/avif;base64,AA==' },
        ],
      },
    ])
  })

  const call = (name: string, args: Json, id?: string) => ({
    ...(id === undefined ? {} : { id }),
    function: { name, arguments: args },
  })
  const ids = (input: Json) => (input as Loose).flatMap((it: Loose) => (it.call_id ? [[it.call_id, it.output]] : []))

  it('has reasoning, text and calls of the assistant as items in this order', () => {
    const message = { role: 'assistant', thinking: 'Hm.', content: 'I look.', tool_calls: [call('f', { a: 1 }, 'c1')] }
    expect(inputOf(HI, message)).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }], encrypted_content: null },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
    ])
  })

  it('has outputs that are matched with calls by id, by name or by order', () => {
    const calls = (...names: string[]) => ({
      role: 'assistant',
      content: '',
      tool_calls: names.map((it) => call(it, {})),
    })
    const output = (content: string, fields: JsonObject = {}) => ({ role: 'tool', content, ...fields })
    const byId = { role: 'assistant', content: '', tool_calls: [call('f', {}, 'x'), call('f', {}, 'y')] }
    expect(ids(inputOf(byId, output('1', { tool_call_id: 'y' }), output('2', { tool_call_id: 'x' })))).toEqual([
      ['x', undefined],
      ['y', undefined],
      ['y', '1'],
      ['x', '2'],
    ])
    expect(
      ids(inputOf(calls('f', 'g'), output('1', { tool_name: 'g' }), output('2', { tool_name: 'f' }))).slice(2),
    ).toEqual([
      ['call_0_1', '1'],
      ['call_0_0', '2'],
    ])
    expect(ids(inputOf(calls('f', 'f'), output('1'), output('2', { name: 'f' }))).slice(2)).toEqual([
      ['call_0_0', '1'],
      ['call_0_1', '2'],
    ])
    expect(ids(inputOf(output('1')))).toEqual([['call_0', '1']])
    const named = { role: 'assistant', content: '', tool_calls: [call('g', {}, 'call_0_0')] }
    expect(ids(inputOf(calls('f'), output('1'), named, output('2', { tool_call_id: 'call_0_0' })))).toEqual([
      ['call_0_0_', undefined],
      ['call_0_0_', '1'],
      ['call_0_0', undefined],
      ['call_0_0', '2'],
    ])
  })

  it.each<[string, JsonObject]>([
    ['model', { model: null }],
    ['messages', { messages: 'Hi' }],
    ['messages[0].role', { messages: [{ role: 'human' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: [] }] }],
    ['messages[0].images[0]', { messages: [{ ...HI, images: [7] }] }],
    ['messages[0].tool_calls[0].function', { messages: [{ role: 'assistant', tool_calls: [{}] }] }],
    ['stream', { stream: 'yes' }],
    ['options', { options: [] }],
    ['options.num_predict', { options: { num_predict: 0 } }],
    ['options.stop', { options: { stop: 7 } }],
    ['format', { format: 'xml' }],
    ['think', { think: 7 }],
    ['tools[0].function.name', { tools: [{ type: 'function', function: {} }] }],
  ])('is rejected with the path if a value is wrong at %s', (param, fields) => {
    const { param: place, message } = refusal(
      runSteps(client.decodeRequest({ model: 'acme/m-1', messages: [HI], ...fields }, decodeContext())),
    )
    expect(place).toBe(param)
    expect(message.startsWith(`${param}: expected `)).toBe(true)
  })

  it('is the same for an Ollama upstream, apart from the effort', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What?', images: ['iVBORw0KGgo='] },
      {
        role: 'assistant',
        content: 'I look.',
        thinking: 'Hm.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: { a: 1 } } }],
      },
      { role: 'tool', content: '7', tool_call_id: 'c1', tool_name: 'f' },
    ]
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
    const options = { num_predict: 9, temperature: 0.5, stop: ['x'] }
    const given = { messages, tools, options, format: 'json', think: true, stream: false }
    const { body, stop, losses } = read(given)
    const encoded = runSteps(encodeRequest({ ...requestOf(body), stop }, targetOf('ollama-chat')))
    expect(losses).toEqual([])
    // The effort is a word of the gateway: `think` has none.
    expect(encoded).toMatchObject({ ok: true, losses: [{ path: 'reasoning.effort' }] })
    expect(encoded).toMatchObject({ body: { model: 'some-model', ...given } })
  })
})

describe('an answer for Ollama clients', () => {
  const head = { model: 'm-1', created_at: '2027-01-15T08:00:00.000Z' }
  const line = (message: object, more: object = {}) => ({
    ...head,
    message: { role: 'assistant', content: '', ...message },
    done: false,
    ...more,
  })

  it('has lines, the last of them with the reason and the counts', () => {
    const deltas = [START, reasoning('Hm.'), text('Hi'), text(' there'), called('f', '{"a":1}'), USAGE, FINISH]
    const tool_calls = [{ id: 'call_1', function: { index: 0, name: 'f', arguments: { a: 1 } } }]
    const end = { done: true, done_reason: 'stop', prompt_eval_count: 7, eval_count: 5 }
    expect(linesOf(deltas)).toEqual([
      line({ thinking: 'Hm.' }),
      line({ content: 'Hi' }),
      line({ content: ' there' }),
      line({ tool_calls }),
      line({}, end),
    ])
    expect(bodyOf(deltas)).toEqual(line({ content: 'Hi there', thinking: 'Hm.', tool_calls }, end))
  })

  it.each([
    ['stop', 'stop'],
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ] as const)('has for the finish reason %s the done_reason %s', (reason, word) => {
    expect(linesOf([START, text('x'), { kind: 'finish', reason }]).at(-1)).toMatchObject({ done_reason: word })
  })

  it.each([
    ['{}', {}],
    ['null', {}],
  ])('has args as an object for the arguments %s', (args, expected) => {
    expect(bodyOf([START, called('f', args), FINISH]).message.tool_calls[0].function.arguments).toEqual(expected)
  })

  it('has no truncated call, and the done_reason length instead of stop', () => {
    const deltas: readonly Delta[] = [START, called('f', '{"a":'), FINISH]
    expect(bodyOf(deltas)).toMatchObject({ message: { content: '' }, done_reason: 'length' })
    expect(linesOf(deltas).at(-1)).toMatchObject({ done_reason: 'length' })
  })

  it('has no truncated call after a cut by the limit, so that no client runs half of it', () => {
    const deltas: readonly Delta[] = [START, called('f', '{"a":'), { kind: 'finish', reason: 'max_output_tokens' }]
    expect(bodyOf(deltas).message).not.toHaveProperty('tool_calls')
    expect(linesOf(deltas)).toHaveLength(1)
  })

  it('has the text of a custom tool in the argument input', () => {
    const { tool_calls } = bodyOf([START, customCalled('grep', 'a*'), FINISH]).message
    expect(tool_calls).toEqual([{ id: 'call_1', function: { index: 0, name: 'grep', arguments: { input: 'a*' } } }])
  })

  it('has a refusal as text, and neither sealed content nor citations', () => {
    const deltas = [START, encrypted('x'), text('a'), cited(0, 1), refused('No.'), FINISH]
    expect(bodyOf(deltas).message).toEqual({ role: 'assistant', content: 'aNo.' })
  })

  it('has log probabilities, streamed and whole', () => {
    const logprobs = [{ token: 'a', logprob: -0.5, bytes: null, top_logprobs: [] }]
    const deltas: readonly Delta[] = [START, { kind: 'text', key: 'm', part: '', text: 'a', logprobs }, FINISH]
    expect(linesOf(deltas)[0].logprobs).toEqual(logprobs)
    expect(bodyOf(deltas).logprobs).toEqual(logprobs)
  })

  it('ends with an error line after a failure, and has no last line if the stream is cut off', () => {
    const error = upstreamError('server_error', 'It broke.')
    expect(linesOf([START, text('a'), { kind: 'error', error }])).toEqual([
      line({ content: 'a' }),
      { error: 'It broke.' },
    ])
    expect(
      framesOf(client, inOrder([START, text('a')]).slice(0, 2)).some(({ data }) => data.includes('"done":true')),
    ).toBe(false)
  })

  it('is a text with a status if the failure precedes the first byte', () => {
    expect(client.encodeError(clientError('model_not_found', 'No such model.', 'model', 404), 'r')).toEqual({
      status: 404,
      body: { error: 'No such model.' },
    })
  })

  it('has one JSON value on each line over HTTP', async () => {
    const served = await serve(client, () => [START, text('Grüß '), text('Gott 🙂'), USAGE, FINISH])
    const post = (body: object) => fetch(served.url, { method: 'POST', body: JSON.stringify(body) })
    const streamed = await (await post({ model: 'acme/m-1', messages: [HI] })).text()
    const lines = streamed
      .trimEnd()
      .split('\n')
      .map((one) => JSON.parse(one))
    expect(lines.map(({ message }) => message.content).join('')).toBe('Grüß Gott 🙂')
    const whole: Loose = await (await post({ model: 'acme/m-1', messages: [HI], stream: false })).json()
    expect(whole).toMatchObject({ message: { content: 'Grüß Gott 🙂' }, done: true, eval_count: 5 })
    const wrong = await post({ model: 'acme/m-1', messages: 'Hi' })
    expect([wrong.status, await wrong.json()]).toEqual([400, { error: 'messages: expected a list, got "Hi"' }])
  })
})
