import { describe, expect, it } from 'vitest'
import { ollamaChat } from '../../../../src/wires/ollama-chat/index.ts'
import { callsOf, type Loose, reasoningOf, textOf } from '../../client-stream.ts'
import { call, DONE, decodedDeltas, deltasOf, messageLine, outcomeOf, responseOfBody, text } from '../decoded.ts'

describe('text and reasoning of an ollama-chat stream', () => {
  it('are items of their own', () => {
    const response = decodedDeltas([
      messageLine({ content: '', thinking: 'a' }),
      messageLine({ thinking: 'b' }),
      text('c'),
      text('d'),
      DONE,
    ])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['reasoning', 'message'])
    expect([reasoningOf(response), textOf(response)]).toEqual(['ab', 'cd'])
  })

  it('may end in the line that is done', () => {
    expect(textOf(decodedDeltas([text('a'), { ...DONE, message: { content: 'b' } }]))).toBe('ab')
  })

  it('are read from one line with both', () => {
    const response = decodedDeltas([messageLine({ thinking: 'a', content: 'b' }), DONE])
    expect([reasoningOf(response), textOf(response)]).toEqual(['a', 'b'])
  })

  it('continue after a call as another message', () => {
    const response = decodedDeltas([messageLine({ content: 'a', tool_calls: [call('f', {})] }), text('b'), DONE])
    expect(response.output.map(({ type }: Loose) => type)).toEqual(['message', 'function_call', 'message'])
    expect(textOf(response)).toBe('a|b')
  })

  it('end with a line that is done', () => {
    const response = decodedDeltas([text('a'), DONE, text('late'), { ...DONE, done_reason: 'length' }])
    expect([textOf(response), response.status]).toEqual(['a', 'completed'])
  })

  it('are separated by tags if the quirk thinkTags is set', () => {
    const lines = [text('<thi'), text('nk>a</th'), text('ink>\n\nb'), DONE]
    expect(reasoningOf(decodedDeltas(lines, { thinkTags: true }))).toBe('a')
    expect(textOf(decodedDeltas(lines, { thinkTags: true }))).toBe('b')
    expect(textOf(decodedDeltas(lines))).toBe('<think>a</think>\n\nb')
  })

  it('begin with reasoning if the opening tag is in the prompt', () => {
    const quirks = { thinkTags: 'unopened' } as const
    const response = decodedDeltas(
      [text('Okay'), text(', so'), text('</think>'), text('\n\n'), text('Yes.'), DONE],
      quirks,
    )
    expect([reasoningOf(response), textOf(response)]).toEqual(['Okay, so', 'Yes.'])
    const cut = decodedDeltas([text('Okay'), { ...DONE, done_reason: 'length' }], quirks)
    expect([reasoningOf(cut), textOf(cut), cut.status]).toEqual(['Okay', '', 'incomplete'])
    const apart = decodedDeltas([messageLine({ thinking: 'Okay' }), text('Yes.'), DONE], quirks)
    expect([reasoningOf(apart), textOf(apart)]).toEqual(['Okay', 'Yes.'])
  })

  it('keep an unexpected closing tag in the text', () => {
    expect(textOf(decodedDeltas([text('a</think>b'), DONE], { thinkTags: true }))).toBe('a</think>b')
  })

  it('have log probabilities beside the text', () => {
    const token = { token: 'a', logprob: -0.25, bytes: [97] }
    const response = decodedDeltas([{ ...text('a'), logprobs: [{ ...token, top_logprobs: [token] }] }, DONE])
    expect(response.output[0].content[0].logprobs).toEqual([{ ...token, top_logprobs: [token] }])
  })

  it('may be accompanied by images, which are items', () => {
    const response = decodedDeltas([
      messageLine({ content: '', images: ['iVBORw0KGgo='] }),
      messageLine({ images: ['AAAA', ''] }),
      DONE,
    ])
    expect(response.output).toMatchObject([
      { type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' },
      { type: 'image_generation_call', status: 'completed', result: 'AAAA' },
    ])
  })

  it('leave the state of the decoder as it is', () => {
    const machine = ollamaChat.decodeStream({ thinkTags: true })
    const frame = (line: unknown) => ({ event: '', data: JSON.stringify(line) })
    const reasoning = machine.step(machine.initial, frame(messageLine({ thinking: 'hm' }))).state
    expect(machine.step(reasoning, frame(messageLine({ thinking: 'so' }))).state).toBe(reasoning)
    const { state } = machine.step(reasoning, frame(text('Hello')))
    expect(machine.step(state, frame(text(' there'))).state).toBe(state)
    const again = machine.step(state, frame(messageLine({ thinking: 'hm' }))).state as Loose
    expect(again.inner).toBe((state as Loose).inner)
  })
})

describe('calls of an ollama-chat stream', () => {
  it('have arguments that arrive as an object and are encoded as JSON once', () => {
    const args = { city: 'Bern', deep: { list: [1, null, 'é'] } }
    const response = decodedDeltas([messageLine({ tool_calls: [call('f', args, { id: 'c1' })] }), DONE])
    expect(callsOf(response)).toEqual([['c1', 'f', JSON.stringify(args), 'completed']])
    expect(response.status).toBe('completed')
  })

  it.each([
    ['a string', '{"a":1}', '{"a":1}'],
    ['an empty string', '', '{}'],
    ['an empty object', {}, '{}'],
    ['nothing', undefined, '{}'],
    ['null', null, '{}'],
  ])('have the right arguments for %s', (_, args, expected) => {
    expect(callsOf(decodedDeltas([messageLine({ tool_calls: [call('f', args, { id: 'c1' })] }), DONE]))).toEqual([
      ['c1', 'f', expected, 'completed'],
    ])
  })

  it('stay apart in one line, in several lines, at one index, and in the last line', () => {
    const response = decodedDeltas([
      messageLine({
        tool_calls: [call('f', { n: 1 }, { id: 'a' }, { index: 0 }), call('f', { n: 2 }, { id: 'b' }, { index: 1 })],
      }),
      messageLine({ tool_calls: [call('f', { n: 3 }, { id: 'c' }, { index: 0 })] }),
      { ...DONE, message: { tool_calls: [call('g', {}, { id: 'd' }, { index: 0 })] } },
    ])
    expect(callsOf(response)).toEqual([
      ['a', 'f', '{"n":1}', 'completed'],
      ['b', 'f', '{"n":2}', 'completed'],
      ['c', 'f', '{"n":3}', 'completed'],
      ['d', 'g', '{}', 'completed'],
    ])
  })

  it('have ids of their own if the upstream sends none', () => {
    const ids = callsOf(
      decodedDeltas([messageLine({ tool_calls: [call('f', { n: 1 }), call('f', { n: 1 })] }), DONE]),
    ).map(([id]: string[]) => id)
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^call_/)
  })

  it('have the id inside of the function if it is there', () => {
    expect(callsOf(decodedDeltas([messageLine({ tool_calls: [call('f', {}, {}, { id: 'c9' })] }), DONE]))[0][0]).toBe(
      'c9',
    )
  })

  it('are a loss if they have no name', () => {
    const body = { ...DONE, message: { tool_calls: [{ function: { arguments: {} } }] } }
    expect(outcomeOf(body).losses).toEqual(['a call without a name'])
  })
})

describe('the end of an ollama-chat answer', () => {
  it.each([
    ['stop', 'completed', null],
    ['load', 'completed', null],
    ['unload', 'completed', null],
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['a word of tomorrow', 'completed', null],
    ['toString', 'completed', null],
    [undefined, 'completed', null],
    [{}, 'completed', null],
  ])('has the right status for the done_reason %j', (done_reason, status, incomplete_details) => {
    expect(decodedDeltas([text('a'), { ...DONE, done_reason }])).toMatchObject({ status, incomplete_details })
  })

  it('has no output and no usage if a model was only loaded', () => {
    expect(decodedDeltas([{ ...DONE, done_reason: 'load' }])).toMatchObject({
      status: 'completed',
      output: [],
      usage: null,
    })
  })

  it.each([
    ['after text', [text('a')]],
    ['after reasoning', [messageLine({ thinking: 'a' })]],
    ['in the middle of a line', [text('a'), '{"model":"m:1b","message":{"content":" b']],
    ['with a last line with done: false', [text('a'), { ...DONE, done: false }]],
    ['with done as a string', [text('a'), { ...DONE, done: 'true' }]],
  ])('is missing, and the response fails, if the stream is cut %s', (_, lines) => {
    expect(decodedDeltas(lines)).toMatchObject({ status: 'failed', error: { code: 'upstream_truncated' } })
  })

  it.each([
    ['a text', 'model runner has stopped', 'model runner has stopped'],
    ['an object', { message: 'out of memory' }, 'out of memory'],
  ])('is a failure if the error is %s, even after good lines', (_, error, message) => {
    const response = decodedDeltas([text('a'), { error }])
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', message } })
    expect(textOf(response)).toBe('a')
  })

  it('has the code of the status that an error contains', () => {
    expect(decodedDeltas([{ error: 'slow down', status_code: 429 }]).error).toEqual({
      code: 'rate_limit_exceeded',
      message: 'slow down',
    })
  })

  it('is a failure even if a line that is done follows', () => {
    expect(decodedDeltas([{ error: 'x' }, DONE]).status).toBe('failed')
  })

  it('is a failure if a whole body is an error', () => {
    expect(responseOfBody({ error: 'model not loaded' })).toMatchObject({
      status: 'failed',
      error: { message: 'model not loaded' },
    })
  })
})

describe('usage of an ollama-chat answer', () => {
  const usage = (counts: object) => deltasOf([{ ...DONE, ...counts }]).find(({ kind }) => kind === 'usage')
  const known = { cached_tokens: null, reasoning_tokens: null }

  it.each([
    ['both', { prompt_eval_count: 7, eval_count: 5 }, { input_tokens: 7, output_tokens: 5, total_tokens: 12 }],
    ['no input: all of it was cached', { eval_count: 5 }, { input_tokens: null, output_tokens: 5, total_tokens: null }],
    ['no output', { prompt_eval_count: 7 }, { input_tokens: 7, output_tokens: null, total_tokens: null }],
    [
      'zero is not unknown',
      { prompt_eval_count: 0, eval_count: 0 },
      { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    ],
    ['invalid counts', { prompt_eval_count: '7', eval_count: 2.5 }, null],
    ['nothing', {}, null],
  ])('has the right counts: %s', (_, counts, expected) => {
    expect(usage(counts)).toEqual(expected === null ? undefined : { kind: 'usage', usage: { ...expected, ...known } })
  })

  it('is read only from the line that is done', () => {
    expect(deltasOf([{ ...text('a'), eval_count: 3 }]).some(({ kind }) => kind === 'usage')).toBe(false)
  })
})

describe('a whole answer over ollama-chat', () => {
  it('gives the same response as its stream', () => {
    const message = { role: 'assistant', thinking: 'a', content: 'b', tool_calls: [call('f', { n: 1 }, { id: 'c1' })] }
    const body = { ...DONE, message, prompt_eval_count: 3, eval_count: 4 }
    const lines = [
      messageLine({ thinking: 'a' }),
      text('b'),
      messageLine({ tool_calls: message.tool_calls }),
      { ...DONE, prompt_eval_count: 3, eval_count: 4 },
    ]
    expect(responseOfBody(body)).toEqual(decodedDeltas(lines))
    expect(decodedDeltas([body])).toEqual(decodedDeltas(lines))
  })
})

describe('hostile lines over ollama-chat', () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const places = [
    '%',
    '{"model":%}',
    '{"message":%}',
    '{"message":{"content":%}}',
    '{"message":{"thinking":%}}',
    '{"message":{"images":%}}',
    '{"message":{"images":[%]}}',
    '{"message":{"tool_calls":%}}',
    '{"message":{"tool_calls":[%]}}',
    '{"message":{"tool_calls":[{"id":%,"function":{"name":%}}]}}',
    '{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":%}}}]}}',
    '{"message":{"content":"a"},"logprobs":%}',
    '{"message":{"content":"a"},"logprobs":[{"token":%,"top_logprobs":%}]}',
    '{"done":%}',
    '{"done":true,"done_reason":%}',
    '{"done":true,"eval_count":%}',
    '{"error":%}',
  ]

  it.each(places)('lead to a terminal status: %s', (place) => {
    for (const value of [deep, '{"toString":1,"valueOf":1}', '[[]]', 'null', '-1', 'true', '""']) {
      const line = place.replaceAll('%', value)
      expect(['completed', 'incomplete', 'failed']).toContain(decodedDeltas([line, DONE], { thinkTags: true }).status)
    }
  })

  it('are a loss if they are not an object, and the others are read', () => {
    for (const line of ['null', '[]', '"x"', '7', '{', '<html>']) {
      expect(deltasOf([line])).toEqual([{ kind: 'loss', feature: 'a payload that is not a JSON object' }])
      expect(textOf(decodedDeltas([text('a'), line, text('b'), DONE]))).toBe('ab')
    }
  })
})

describe('log probabilities of an ollama-chat stream', () => {
  const logprobs = [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] }]

  const decodedWithTags = (line: object): readonly unknown[] => ollamaChat.decodeBody(line, { thinkTags: true })

  it('belong to the line of the text, also to the first one', () => {
    const deltas = decodedWithTags({ ...text('a'), logprobs })
    expect(deltas).toContainEqual(expect.objectContaining({ kind: 'text', text: 'a', logprobs }))
  })

  it('are a loss if the line has a tag', () => {
    const deltas = decodedWithTags({ ...text('<think>a</think>'), logprobs })
    expect(deltas).toContainEqual({ kind: 'loss', feature: 'logprobs' })
  })
})
