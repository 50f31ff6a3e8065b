import { describe, expect, it } from 'vitest'
import { decodeStream } from '../../../../src/wires/gemini-generate/upstream/stream.ts'
import {
  bodyDeltas,
  call,
  chunk,
  code,
  deltasOf,
  deltasOfData,
  end,
  eventsFor,
  output,
  reasoningPart,
  responseTo,
  responseToBody,
  result,
  signed,
  stop,
  text,
} from '../answers.ts'

const typesOf = (chunks: readonly unknown[]) => output(chunks).map(({ type }) => type)
const textOf = (chunks: readonly unknown[]) =>
  output(chunks)
    .filter(({ type }) => type === 'message')
    .map(({ content }) => content[0].text)

describe('text and reasoning of a gemini-generate stream', () => {
  it('are one item as long as their kind is the same, and another item for another kind', () => {
    const chunks = [
      chunk([reasoningPart('A'), reasoningPart('B')]),
      chunk([text('1')]),
      chunk([text('2'), reasoningPart('C')]),
      chunk([text('3')], stop),
    ]
    expect(output(chunks).map(({ type, summary, content }) => [type, (summary ?? content)[0].text])).toEqual([
      ['reasoning', 'AB'],
      ['message', '12'],
      ['reasoning', 'C'],
      ['message', '3'],
    ])
  })

  it('continue after the first finish reason (edge case 32)', () => {
    const response = responseTo([chunk([text('One ')], stop), chunk([text('two 🙂')], stop)])
    expect(response.status).toBe('completed')
    expect(response.output[0].content[0].text).toBe('One two 🙂')
    expect(deltasOf([chunk([text('x')], stop), end]).filter(({ kind }) => kind === 'finish')).toHaveLength(1)
  })

  it('are not made from empty candidates, contents and parts', () => {
    const empty = [
      {},
      { candidates: [] },
      { candidates: [{}] },
      { candidates: [{ content: {} }] },
      { candidates: [{ content: { role: 'model' } }] },
      chunk([]),
      chunk([{}]),
      chunk([text('')]),
    ]
    expect(deltasOf(empty)).toEqual([])
    expect(textOf([...empty, chunk([text('Hi')]), ...empty, end])).toEqual(['Hi'])
  })

  it('are not separated by empty parts', () => {
    expect(textOf([chunk([text('A'), text(''), {}]), { usageMetadata: {} }, chunk([text('B')], stop)])).toEqual(['AB'])
  })

  it('are those of the first candidate, and others are recorded once as a loss', () => {
    const two = { candidates: [...chunk([text('A')], stop).candidates, { content: { parts: [text('B')] }, index: 1 }] }
    expect(textOf([two])).toEqual(['A'])
    expect(deltasOf([two])).toContainEqual({ kind: 'loss', feature: 'candidates' })
  })

  it('are read beside an unknown part, which is a recorded loss', () => {
    const deltas = deltasOf([chunk([{ hologram: {} }, text('A')], stop)])
    expect(deltas).toContainEqual({ kind: 'loss', feature: 'part hologram' })
    expect(textOf([chunk([{ hologram: {} }, text('A')], stop)])).toEqual(['A'])
  })

  it('leave the rarely changing part of the decoder state as it is', () => {
    const machine = decodeStream()
    const frame = (content: string) => ({ event: '', data: JSON.stringify(chunk([text(content)])) })
    const first = machine.step(machine.initial, frame('A')).state
    const second = machine.step(first, frame('B')).state
    expect(second.progress).toBe(first.progress)
    expect(second.runText).toBe('AB')
  })

  it('have log probabilities beside the text', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'Hi', tokenId: 5, logProbability: -0.25 }],
      topCandidates: [
        {
          candidates: [
            { token: 'Hi', logProbability: -0.25 },
            { token: 'Yo', logProbability: -2 },
          ],
        },
      ],
    }
    const [message] = output([chunk([text('Hi')], { ...stop, logprobsResult })])
    expect(message.content[0].logprobs).toMatchObject([
      { token: 'Hi', logprob: -0.25, top_logprobs: [{ token: 'Hi' }, { token: 'Yo', logprob: -2 }] },
    ])
  })
})

describe('calls of a gemini-generate stream', () => {
  const calls = (chunks: readonly unknown[]) =>
    output(chunks)
      .filter(({ type }) => type === 'function_call')
      .map((it) => [it.name, it.arguments, it.status])
  const partial = (partialArgs: readonly object[], willContinue = true) =>
    chunk([{ functionCall: { partialArgs, willContinue } }])
  const begin = (name = 'f') => chunk([{ functionCall: { name, willContinue: true } }])
  const close = chunk([{ functionCall: {} }])
  const piece = (jsonPath: string, value: object) => ({ jsonPath, ...value })

  it('stay apart in one chunk and in several, even calls of one function (field failures 31 to 34)', () => {
    const chunks = [chunk([call('f', { a: 1 }), call('f', { a: 1 })]), chunk([call('g', { b: [] })], stop)]
    expect(calls(chunks)).toEqual([
      ['f', '{"a":1}', 'completed'],
      ['f', '{"a":1}', 'completed'],
      ['g', '{"b":[]}', 'completed'],
    ])
    const ids = output(chunks).map(({ call_id }) => call_id)
    expect(new Set(ids).size).toBe(3)
  })

  it.each([
    ['no args', call('f')],
    ['empty args', call('f', {})],
    ['null for args', { functionCall: { name: 'f', args: null } }],
  ])('have {} as arguments for %s (field failures 43 and 44)', (_, part) => {
    expect(calls([chunk([part], stop)])).toEqual([['f', '{}', 'completed']])
  })

  it('have the id of the upstream if it sends one', () => {
    const [item] = output([chunk([{ functionCall: { name: 'f', id: 'a1b2', args: {} } }], stop)])
    expect(item.call_id).toBe('a1b2')
  })

  it('are not repeated if a call comes again with its signature (field failure 35)', () => {
    const same = { functionCall: { name: 'f', id: 'a1', args: { x: 1 } } }
    const chunks = [chunk([same]), chunk([{ ...same, ...signed('s') }], stop)]
    expect(calls(chunks)).toEqual([['f', '{"x":1}', 'completed']])
    expect(deltasOf(chunks)).toContainEqual(
      expect.objectContaining({ kind: 'opaque', payload: { on: 'call', id: 'a1', signature: 's' } }),
    )
  })

  it('may be followed by text, which is emitted (field failure 56b)', () => {
    expect(typesOf([chunk([text('A'), call('f')]), chunk([text('B')], stop)])).toEqual([
      'message',
      'function_call',
      'message',
    ])
  })

  it('have arguments assembled by their paths (edge case 34)', () => {
    const chunks = [
      begin(),
      partial([piece('$.list[0].name', { stringValue: 'Zü', willContinue: true })]),
      partial([piece('$.list[0].name', { stringValue: 'rich "HB"', willContinue: true })]),
      partial([piece('$.list[0].name', { stringValue: '' }), piece('$.list[0].n', { numberValue: 1.5 })]),
      partial([piece('$.list[1].name', { stringValue: 'Chur' }), piece("$['a b']", { boolValue: false })]),
      partial([piece('$.nothing', { nullValue: 'NULL_VALUE' }), piece('$.list[0].late', { numberValue: 0 })]),
      close,
      end,
    ]
    const args = { list: [{ name: 'Zürich "HB"', n: 1.5, late: 0 }, { name: 'Chur' }], 'a b': false, nothing: null }
    expect(calls(chunks)).toEqual([['f', JSON.stringify(args), 'completed']])
  })

  it('end with their last piece, with the next part, or with the stream', () => {
    const whole = [['f', '{"a":"x"}', 'completed']]
    const a = piece('$.a', { stringValue: 'x' })
    expect(calls([begin(), partial([a], false), end])).toEqual(whole)
    expect(calls([begin(), partial([a]), end])).toEqual(whole)
    expect(calls([begin(), partial([a]), chunk([text('done')], stop)])).toEqual(whole)
    expect(calls([begin(), partial([a]), begin('g'), close, end])).toEqual([...whole, ['g', '{}', 'completed']])
    expect(calls([chunk([{ functionCall: { name: 'f', partialArgs: [a] } }]), end])).toEqual(whole)
  })

  it('continue if a piece repeats their name with their id', () => {
    const more = (functionCall: object) => chunk([{ functionCall: { name: 'f', id: 'i1', ...functionCall } }])
    const chunks = [
      more({ willContinue: true }),
      more({ partialArgs: [piece('$.a', { numberValue: 1 })], willContinue: true }),
      more({}),
      end,
    ]
    expect(calls(chunks)).toEqual([['f', '{"a":1}', 'completed']])
  })

  it('are complete without arguments before a call with streamed arguments', () => {
    expect(calls([chunk([call('f')]), begin('g'), partial([piece('$.id', { numberValue: 1 })]), close, end])).toEqual([
      ['f', '{}', 'completed'],
      ['g', '{"id":1}', 'completed'],
    ])
  })

  it.each([
    ['by length', chunk([], { finishReason: 'MAX_TOKENS' }), 'incomplete'],
    ['by the connection', {}, 'failed'],
  ])('are incomplete if their arguments were cut %s', (_, last, status) => {
    const chunks = [begin(), partial([piece('$.a', { stringValue: 'x' })]), last]
    expect(calls(chunks)).toEqual([['f', '{"a":"x"', 'incomplete']])
    expect(responseTo(chunks).status).toBe(status)
  })

  it.each(['a', '$', '$.', '$[x]', '$.a[', `$${'.a'.repeat(200)}`, ''])(
    'drop an unreadable piece of arguments with the path %j as a loss',
    (path) => {
      const chunks = [begin(), partial([piece(path, { numberValue: 1 })]), close, end]
      expect(calls(chunks)).toEqual([['f', '{}', 'completed']])
      expect(deltasOf(chunks)).toContainEqual({ kind: 'loss', feature: 'an unreadable piece of arguments' })
    },
  )

  it('are safe from paths that would damage an object or a list', () => {
    const chunks = [
      begin(),
      partial([piece('$.__proto__.x', { numberValue: 1 }), piece('$.l[4000000000]', { numberValue: 2 })]),
      close,
      end,
    ]
    expect(calls(chunks)).toEqual([['f', '{"__proto__":{"x":1},"l":[2]}', 'completed']])
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('record arguments without a call as a loss', () => {
    expect(deltasOf([partial([piece('$.a', { numberValue: 1 })])])).toEqual([
      { kind: 'loss', feature: 'arguments without a call' },
    ])
  })

  it('complete the response if the finish reason is an ordinary one', () => {
    expect(
      responseTo([chunk([call('f')], { ...stop, finishMessage: 'Model generated function call(s).' })]).status,
    ).toBe('completed')
  })
})

describe('hosted tools of a gemini-generate stream', () => {
  it('are one item for code and its result, never a call of the client', () => {
    const chunks = [chunk([text('A')]), chunk([code, text('')]), chunk([result]), chunk([text('B')], stop)]
    expect(typesOf(chunks)).toEqual(['message', 'code_interpreter_call', 'message'])
    expect(output(chunks)[1]).toMatchObject({
      status: 'completed',
      code: 'print(1)',
      outputs: [{ type: 'logs', logs: '1\n' }],
    })
  })

  it('may be code that failed, or code without a result', () => {
    const failed = { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'no' } }
    expect(output([chunk([code, failed], stop)])[0].status).toBe('failed')
    expect(output([chunk([code], stop)])[0]).toMatchObject({ type: 'code_interpreter_call', outputs: null })
  })

  it.each([
    [
      'GOOGLE_SEARCH_WEB',
      { queries: ['a', 'b'] },
      { type: 'web_search_call', action: { query: 'a', queries: ['a', 'b'] } },
    ],
    [
      'URL_CONTEXT',
      { urls: ['https://a.example/'] },
      { type: 'web_search_call', action: { type: 'open_page', url: 'https://a.example/' } },
    ],
    ['FILE_SEARCH', { queries: ['a'] }, { type: 'file_search_call', queries: ['a'] }],
    ['NEW_TOOL', { x: 1 }, { type: 'mcp_call', name: 'NEW_TOOL', arguments: '{"x":1}', output: '{"y":2}' }],
    ['constructor', {}, { type: 'mcp_call', name: 'constructor' }],
  ])('are decoded from the tool type %s', (toolType, args, item) => {
    const chunks = [
      chunk([{ toolCall: { toolType, args, id: 't1' } }]),
      chunk([{ toolResponse: { toolType, response: { y: 2 }, id: 't1' } }]),
      chunk([text('A')], stop),
    ]
    expect(output(chunks)[0]).toMatchObject({ ...item, status: 'completed' })
    expect(typesOf(chunks)).not.toContain('function_call')
  })

  it('are matched with their own results', () => {
    const tool = (id: string, queries: string[]) => ({ toolCall: { toolType: 'NEW', args: { queries }, id } })
    const answer = (id: string, n: number) => ({ toolResponse: { toolType: 'NEW', response: { n }, id } })
    const items = output([chunk([tool('1', ['a']), tool('2', ['b'])]), chunk([answer('2', 2), answer('1', 1)], stop)])
    expect(items.map((it) => it.output)).toEqual(['{"n":1}', '{"n":2}'])
  })

  it('record a result without a step as a loss', () => {
    expect(deltasOf([chunk([result])])).toContainEqual({ kind: 'loss', feature: 'a result without its step' })
  })

  it('are an item of image generation for inline image data', () => {
    const [item] = output([chunk([{ inlineData: { mimeType: 'image/jpeg', data: '/9j/AA==' } }], stop)])
    expect(item).toMatchObject({ type: 'image_generation_call', result: '/9j/AA==', output_format: 'jpeg' })
  })

  it.each([
    [{ inlineData: { mimeType: 'audio/wav', data: 'AA==' } }, 'data of type audio/wav'],
    [{ inlineData: { mimeType: 'image/png', data: 'AA==' }, thought: true }, 'a draft of an image'],
    [{ fileData: { fileUri: 'gs://x' } }, 'part fileData'],
  ])('record other data as a loss: %j', (part, feature) => {
    expect(deltasOf([chunk([part])])).toEqual([{ kind: 'loss', feature }])
  })

  it('include pages that were read, before the answer or after it', () => {
    const urlContextMetadata = {
      urlMetadata: [{ retrievedUrl: 'https://a.example/', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' }],
    }
    const first = [chunk([text('A')], { urlContextMetadata }), chunk([text('B')], { ...stop, urlContextMetadata })]
    expect(typesOf(first)).toEqual(['web_search_call', 'message'])
    expect(output(first)[0]).toMatchObject({
      status: 'failed',
      action: { type: 'open_page', url: 'https://a.example/' },
    })
    const last = [chunk([text('A')]), chunk([text('B')], { ...stop, urlContextMetadata })]
    expect(typesOf(last)).toEqual(['message', 'web_search_call'])
    expect(textOf(last)).toEqual(['AB'])
  })
})

describe('the end of a gemini-generate answer', () => {
  const partial = chunk([text('A')])
  const ends = (word: unknown, before: readonly unknown[] = [partial]) => {
    const { status, incomplete_details } = responseTo([...before, { candidates: [{ finishReason: word }] }])
    return incomplete_details === null ? status : incomplete_details.reason
  }

  const FILTERED = [
    'SAFETY',
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'LANGUAGE',
    'MODEL_ARMOR',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
  ]
  const FAILED = [
    'MALFORMED_FUNCTION_CALL',
    'MALFORMED_RESPONSE',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MISSING_THOUGHT_SIGNATURE',
    'NO_IMAGE',
    'IMAGE_OTHER',
    'FINISH_REASON_UNSPECIFIED',
  ]
  it.each<[word: string | number, status: string]>([
    ['STOP', 'completed'],
    [1, 'completed'],
    ['MAX_TOKENS', 'max_output_tokens'],
    [2, 'max_output_tokens'],
    ...FILTERED.map((word): [string, string] => [word, 'content_filter']),
    ...FAILED.map((word): [string, string] => [word, 'failed']),
    ['OTHER', 'completed'],
    ['CONTINUATION', 'max_output_tokens'],
    ['A_WORD_OF_TOMORROW', 'completed'],
    ['toString', 'completed'],
  ])('has for the finish reason %s the status %s', (word, status) => {
    expect(ends(word)).toBe(status)
  })

  it.each(['OTHER', 'A_WORD_OF_TOMORROW', 'constructor'])('is a failure for %s without content', (word) => {
    expect(ends(word, [])).toBe('failed')
  })

  it('has the last of several finish reasons', () => {
    expect(responseTo([chunk([text('A')], { finishReason: 'MALFORMED_FUNCTION_CALL' }), end]).status).toBe('completed')
    expect(
      responseTo([chunk([text('A')], stop), chunk([], { finishReason: 'RECITATION' })]).incomplete_details,
    ).toEqual({
      reason: 'content_filter',
    })
  })

  it('has the error message of the upstream', () => {
    const finishMessage = 'Malformed function call: print('
    const chunks = [{ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }] }]
    expect(responseTo(chunks).error.message).toBe(finishMessage)
    expect(responseTo([chunk([], { finishReason: 'NO_IMAGE' })]).error.message).toContain('NO_IMAGE')
  })

  it.each(['SAFETY', 'OTHER', 'A_REASON_OF_TOMORROW', 3])(
    'is filtered if the prompt is blocked for %j (field failure 67)',
    (blockReason) => {
      const response = responseTo([
        { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } },
      ])
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'content_filter' },
        output: [],
      })
    },
  )

  it('is not changed by feedback without a reason', () => {
    expect(responseTo([{ ...end, promptFeedback: { safetyRatings: [] } }]).status).toBe('completed')
  })

  it('is a failure without any reason', () => {
    expect(responseTo([partial]).status).toBe('failed')
    expect(responseTo([{ usageMetadata: { promptTokenCount: 1 } }]).status).toBe('failed')
  })

  it('needs no reason if a last chunk has the usage (field failure 66)', () => {
    expect(
      responseTo([partial, { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }])
        .status,
    ).toBe('completed')
    expect(responseTo([{ usageMetadata: { totalTokenCount: 2 } }, partial]).status).toBe('failed')
    expect(deltasOf([partial]).at(-1)?.kind).toBe('text')
  })

  it.each([
    ['the usage', [partial, { usageMetadata: { totalTokenCount: 2 } }], ['text', 'usage', 'finish']],
    ['the content', [partial], ['text', 'finish']],
  ])('needs no reason if the terminator [DONE] follows %s (field failure 66)', (_, chunks, kinds) => {
    const deltas = deltasOfData([...chunks.map((one) => JSON.stringify(one)), '[DONE]'])
    expect(deltas.map(({ kind }) => kind)).toEqual(kinds)
    expect(deltas.at(-1)).toEqual({ kind: 'finish', reason: 'stop' })
  })

  it('is unknown if the terminator [DONE] follows no content', () => {
    expect(deltasOfData(['[DONE]'])).toEqual([])
  })

  it('needs no reason in a whole body', () => {
    expect(responseToBody(partial).status).toBe('completed')
    expect(responseToBody([partial, partial]).output[0].content[0].text).toBe('AA')
  })

  it.each([
    ['alone', { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }],
    ['in a list', [{ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }]],
  ])('is a failure after an error inside a 200, %s, and after any content (field failure 73)', (_, error) => {
    for (const chunks of [[error], [chunk([text('A')], stop), error]]) {
      expect(responseTo(chunks)).toMatchObject({ status: 'failed', error: { message: 'Overloaded.' } })
    }
    expect(responseToBody(error)).toMatchObject({ status: 'failed', error: { code: 'server_is_overloaded' } })
    expect(bodyDeltas(error)).toHaveLength(1)
  })

  it('has one terminal event for any order of chunks', () => {
    const events = eventsFor([chunk([text('A')], stop), { error: { message: 'x' } }, end])
    expect(events.filter(({ type }) => /^response\.(completed|failed|incomplete)$/.test(String(type)))).toHaveLength(1)
  })
})

describe('usage of a gemini-generate stream', () => {
  const usage = (...found: object[]) => responseTo([...found.map((usageMetadata) => ({ usageMetadata })), end]).usage

  it('counts reasoning as output and prompts of tools as input', () => {
    expect(
      usage({
        promptTokenCount: 10,
        cachedContentTokenCount: 4,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 7,
        toolUsePromptTokenCount: 20,
        totalTokenCount: 42,
      }),
    ).toMatchObject({
      input_tokens: 30,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 12,
      output_tokens_details: { reasoning_tokens: 7 },
      total_tokens: 42,
    })
  })

  it('is that of the last chunk, even if it is less (edge case 33)', () => {
    const before = { promptTokenCount: 198, candidatesTokenCount: 90, thoughtsTokenCount: 50, totalTokenCount: 338 }
    const after = { promptTokenCount: 46, candidatesTokenCount: 22, totalTokenCount: 68 }
    expect(usage(before, after)).toMatchObject({ input_tokens: 46, output_tokens: 22, total_tokens: 68 })
  })

  it('is not changed by metadata without counts', () => {
    expect(usage({ promptTokenCount: 3, totalTokenCount: 3 }, { trafficType: 'ON_DEMAND' })).toMatchObject({
      input_tokens: 3,
      total_tokens: 3,
    })
  })

  it.each([[{ promptTokenCount: '3' }], [{ promptTokenCount: -1 }], [{ totalTokenCount: {} }]])(
    'is not read from invalid counts: %j',
    (found) => {
      expect(deltasOf([{ usageMetadata: found }])).toEqual([])
    },
  )

  it('has a total that is added up if the upstream omits it', () => {
    expect(usage({ promptTokenCount: 3, candidatesTokenCount: 4 }).total_tokens).toBe(7)
  })
})

it('emits the model of a gemini-generate stream when it is known and when it changes', () => {
  const models = deltasOf([{ modelVersion: 'a' }, { modelVersion: 'a' }, { modelVersion: '' }, { modelVersion: 'b' }])
  expect(models).toEqual([
    { kind: 'start', model: 'a' },
    { kind: 'start', model: 'b' },
  ])
})

describe('members of a gemini-generate answer that no other protocol has', () => {
  const lossesIn = (answer: object): readonly unknown[] =>
    bodyDeltas(answer).flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : []))
  const answerWith = (candidate: object, fields: object = {}): object => ({
    candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason: 'STOP', ...candidate }],
    ...fields,
  })

  it.each([
    [answerWith({ finishReason: 'OTHER' }), ['finishReason OTHER']],
    [answerWith({ finishReason: 'SAFETY', finishMessage: 'Why' }), ['finishMessage']],
    [answerWith({ finishReason: 'SAFETY', safetyRatings: [{ blocked: true }] }), ['safetyRatings']],
    [answerWith({ safetyRatings: [{ probability: 'NEGLIGIBLE' }], avgLogprobs: -0.1 }, { modelStatus: {} }), []],
    [{ promptFeedback: { blockReason: 'SAFETY' } }, ['promptFeedback.blockReason']],
    [answerWith({ groundingMetadata: { retrievalQueries: ['q'], sourceFlaggingUris: [] } }), ['retrievalQueries']],
    [
      answerWith({ groundingMetadata: { groundingChunks: [{ maps: { uri: 'https://m', route: { a: 1 } } }] } }),
      ['groundingChunks maps.route'],
    ],
    [
      answerWith({ citationMetadata: { citations: [{ uri: 'https://a', license: 'mit', endIndex: 1 }] } }),
      ['citations license'],
    ],
  ])('are losses unless they are the usual ones: %j', (answer, losses) => {
    expect(lossesIn(answer)).toEqual(losses)
  })
})
