import { describe, expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import type { Loose } from '../../client-stream.ts'
import {
  called,
  cited,
  customCalled,
  encodeContext,
  FINISH,
  framesOf,
  inOrder,
  reasoning,
  refused,
  START,
  summary,
  text,
  USAGE,
} from '../../deltas.ts'

const chunksOf = (deltas: readonly Delta[], settings: JsonObject = {}): readonly Loose[] =>
  framesOf(client, inOrder(deltas), encodeContext(settings))
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data))

const deltasOf = (deltas: readonly Delta[], settings: JsonObject = {}): readonly Loose[] =>
  chunksOf(deltas, settings).flatMap(({ choices }) => choices.map((choice: Loose) => choice.delta))

const bodyOf = (deltas: readonly Delta[], settings: JsonObject = {}): Loose =>
  client.encodeBody(inOrder(deltas), encodeContext(settings))

const ROLE = { role: 'assistant', content: '' }
const ROLE_ALONE = { role: 'assistant', content: null }

describe('a chunk of a stream for chat clients', () => {
  it('repeats the head of the response, and [DONE] ends the stream', () => {
    const frames = framesOf(client, inOrder([START, text('Hi'), FINISH]))
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_800_000_000, model: 'm-1' }
    const choice = (delta: object, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    })
    expect(frames.map(({ event }) => event)).toEqual(['', '', '', ''])
    expect(frames.slice(0, 3).map(({ data }) => JSON.parse(data))).toEqual([
      choice(ROLE),
      choice({ content: 'Hi' }),
      choice({}, 'stop'),
    ])
    expect(frames[3]?.data).toBe('[DONE]')
  })

  it('names the requested model until the upstream names another', () => {
    expect(JSON.parse(framesOf(client, [text('Hi')])[0]?.data ?? '').model).toBe('acme/m-1')
    expect(client.encodeBody([], encodeContext()).model).toBe('acme/m-1')
  })

  it('has usage if the client requests it: null, and the counts in a last chunk without choices', () => {
    const chunks = chunksOf([START, text('Hi'), USAGE, FINISH], { usage: true })
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 7, total_tokens: 12 } })
    expect(chunksOf([START, USAGE, FINISH]).some((chunk) => 'usage' in chunk)).toBe(false)
  })

  it('has 0 for token counts that the upstream omits, and no details', () => {
    const usage = {
      input_tokens: 4,
      output_tokens: null,
      total_tokens: null,
      cached_tokens: null,
      reasoning_tokens: null,
    }
    const { usage: written } = bodyOf([START, text('Hi'), { kind: 'usage', usage }, FINISH])
    expect(written).toEqual({ prompt_tokens: 4, completion_tokens: 0, total_tokens: 4 })
    expect(bodyOf([START, text('Hi'), FINISH])).not.toHaveProperty('usage')
  })

  it('has the log probabilities of its text', () => {
    const logprobs = [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] }]
    const delta: Delta = { kind: 'text', key: 'text', part: '', text: 'Hi', logprobs }
    const expected = { content: logprobs, refusal: null }
    expect(chunksOf([START, delta, FINISH])[1].choices[0].logprobs).toEqual(expected)
    expect(bodyOf([START, delta, delta, FINISH]).choices[0].logprobs.content).toHaveLength(2)
  })
})

describe('the first chunk of a stream for chat clients', () => {
  it.each([
    ['a text', text('Hi'), ROLE],
    ['a refusal', refused('No.'), ROLE_ALONE],
    ['reasoning', reasoning('Hm.'), ROLE_ALONE],
    ['a call', called('f', '{}'), ROLE_ALONE],
    ['the end', FINISH, ROLE],
  ])('has the role and precedes %s', (_, delta, role) => {
    expect(deltasOf([START, delta, FINISH])[0]).toEqual(role)
  })

  it('is the error alone if the upstream fails first, so that the host can still answer with a status', () => {
    const error = upstreamError('server_error', 'It broke.')
    expect(framesOf(client, inOrder([START, { kind: 'error', error }])).map(({ data }) => JSON.parse(data))).toEqual([
      { error: { message: 'It broke.', type: 'server_error', param: null, code: 'server_error' } },
    ])
  })
})

describe('calls for chat clients', () => {
  it('begin with id and name and then have their arguments', () => {
    const deltas = [START, called('f', '{"a"'), { ...called('', ':1}', 'call_1'), name: null, callId: null } as Delta]
    expect(deltasOf([...deltas, called('g', '{}', 'call_2'), FINISH]).slice(1, -1)).toEqual([
      { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      { tool_calls: [{ index: 1, id: 'call_2', type: 'function', function: { name: 'g', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    ])
  })

  it('have {} as arguments if the upstream sent none', () => {
    expect(bodyOf([START, called('f', ''), FINISH]).choices[0].message.tool_calls[0].function.arguments).toBe('{}')
  })

  it('have the input of a custom tool in custom.input', () => {
    expect(deltasOf([START, customCalled('grep', 'a*'), FINISH]).slice(1, -1)).toEqual([
      { tool_calls: [{ index: 0, id: 'call_1', type: 'custom', custom: { name: 'grep', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'a*' } }] },
    ])
  })

  it('are a single function_call for clients that declare functions instead of tools', () => {
    const deltas = [START, called('f', '{"a":1}'), called('g', '{}', 'call_2'), FINISH]
    const choices = chunksOf(deltas, { legacy: true }).map(({ choices: [choice] }) => choice)
    expect(choices.map(({ delta }) => delta).slice(1, -1)).toEqual([
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{"a":1}' } },
    ])
    expect(choices.at(-1).finish_reason).toBe('function_call')
    const { message } = bodyOf(deltas, { legacy: true }).choices[0]
    expect(message.function_call).toEqual({ name: 'f', arguments: '{"a":1}' })
    expect(message).not.toHaveProperty('tool_calls')
  })
})

describe('citations for chat clients', () => {
  const place = (it: Loose) => [it.url_citation.start_index, it.url_citation.end_index]

  it('count offsets from the start of the message and follow the end of their text', () => {
    const deltas = [
      START,
      text('One. '),
      cited(0, 3),
      called('f', '{}'),
      text('Two.', 'b'),
      cited(0, 3, null, 'b'),
      FINISH,
    ]
    const chunks = deltasOf(deltas)
    expect(chunks.filter(({ annotations }) => annotations).map(({ annotations }) => annotations.map(place))).toEqual([
      [[0, 3]],
      [[5, 8]],
    ])
    expect(chunks.findIndex(({ annotations }) => annotations)).toBeLessThan(chunks.findIndex((it) => it.tool_calls))
    expect(bodyOf(deltas).choices[0].message.annotations.map(place)).toEqual([
      [0, 3],
      [5, 8],
    ])
  })

  it('have an empty title if the upstream sent none', () => {
    const { annotations } = bodyOf([START, text('One.'), cited(0, 3, null), FINISH]).choices[0].message
    const url_citation = { url: 'https://example.org/a', title: '', start_index: 0, end_index: 3 }
    expect(annotations).toEqual([{ type: 'url_citation', url_citation }])
  })

  it('are left out if they cite a file', () => {
    const file: Delta = {
      kind: 'citation',
      key: 'text',
      part: '',
      citation: {
        url: '',
        title: null,
        content: null,
        span: { start: 0, end: 3, unit: 'utf16' },
        marker: null,
        file: { file_id: 'f1', filename: 'a.pdf' },
      },
    }
    expect(bodyOf([START, text('One.'), file, FINISH]).choices[0].message).not.toHaveProperty('annotations')
  })
})

describe('reasoning for chat clients', () => {
  it('is written as reasoning_content and as a fragment of an entry of reasoning_details', () => {
    const entry = { type: 'reasoning.text', index: 0 }
    expect(deltasOf([START, reasoning('a'), reasoning('b'), FINISH]).slice(1, -1)).toEqual([
      { reasoning_content: 'a', reasoning_details: [{ ...entry, text: 'a' }] },
      { reasoning_content: 'b', reasoning_details: [{ ...entry, text: 'b' }] },
      { reasoning_details: [{ ...entry, id: 'rs_1_0', format: 'unknown', text: '' }] },
    ])
  })

  it('has an entry of its own for each part and kind', () => {
    const deltas = [START, summary('a', 's', '0'), summary('b', 's', '1'), reasoning('c', 's'), FINISH]
    const { message } = bodyOf(deltas).choices[0]
    expect(message.reasoning_content).toBe('abc')
    expect(message.reasoning_details.map((it: Loose) => [it.type, it.index, it.summary ?? it.text])).toEqual([
      ['reasoning.summary', 0, 'a'],
      ['reasoning.summary', 1, 'b'],
      ['reasoning.text', 2, 'c'],
    ])
  })

  it('is left out for clients that exclude it', () => {
    const deltas = [START, reasoning('a'), text('b'), FINISH]
    expect(JSON.stringify(deltasOf(deltas, { hidden: true }))).not.toContain('reasoning')
  })
})

describe('items of hosted tools for chat clients', () => {
  it('are written as OpenRouter writes them if they are generated images', () => {
    const item = { type: 'image_generation_call', id: '', status: 'completed' } as const
    const hostedItem = (fields: JsonObject): Delta => ({
      kind: 'hosted',
      key: 'i',
      item: { ...item, fields },
      done: true,
    })
    const picture = (url: string, index = 0) => ({ type: 'image_url', index, image_url: { url } })
    expect(deltasOf([START, hostedItem({ result: 'AA==', output_format: 'webp' }), FINISH])[1]).toEqual({
      images: [picture('data:image/webp;base64,AA==')],
    })
    expect(bodyOf([START, hostedItem({ result: 'AA==' }), text('x'), FINISH]).choices[0].message.images).toEqual([
      picture('data:image/png;base64,AA=='),
    ])
    expect(deltasOf([START, hostedItem({}), FINISH])).toEqual([ROLE, {}])
  })

  it('are left out if they are searches', () => {
    const search: Delta = {
      kind: 'hosted',
      key: 's',
      item: {
        type: 'web_search_call',
        id: '',
        status: 'completed',
        fields: { action: { type: 'search', query: 'q' } },
      },
      done: true,
    }
    expect(deltasOf([START, search, text('x'), FINISH])).toEqual([ROLE, { content: 'x' }, {}])
  })
})

describe('the content of a whole message for chat clients', () => {
  it.each([
    ['with a call alone', [called('f', '{}')], null],
    ['with a refusal alone', [refused('No.')], null],
    ['without content', [], ''],
    ['with a text and a call', [text('x'), called('f', '{}')], 'x'],
  ] as const)('is a string or null in a message %s', (_, input, content) => {
    expect(bodyOf([START, ...input, FINISH]).choices[0].message.content).toBe(content)
  })
})

describe('an error before the first byte for chat clients', () => {
  it('has the status and the body that OpenAI sends', () => {
    const error = clientError('invalid_prompt', 'n: expected 1, got 2', 'n')
    expect(client.encodeError(error, 'req_1')).toEqual({
      status: 400,
      body: {
        error: { message: 'n: expected 1, got 2', type: 'invalid_request_error', param: 'n', code: 'invalid_prompt' },
      },
    })
  })
})
