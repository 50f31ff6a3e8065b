import { describe, expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import type { CitationDelta, Delta, HostedDelta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { wrapEnvelope } from '../../../../src/responses/encrypted-content.ts'
import { encodeStream } from '../../../../src/wires/gemini-generate/client/stream.ts'
import { encodeError } from '../../../../src/wires/gemini-generate/errors.ts'
import { geminiGenerate } from '../../../../src/wires/gemini-generate/index.ts'
import { toUsageMetadata } from '../../../../src/wires/gemini-generate/usage.ts'
import {
  bodyFor,
  calls,
  chunksFor,
  cites,
  encodeContext,
  partsFor,
  responseOf,
  sealForeign,
  seals,
  stops,
  summaryDelta,
  textChunk,
  throughHub,
} from '../clients.ts'

const usage = {
  input_tokens: 20,
  output_tokens: 9,
  total_tokens: 29,
  cached_tokens: 4,
  reasoning_tokens: 5,
}
const finish = (reason: 'max_output_tokens' | 'content_filter'): Delta => ({ kind: 'finish', reason })
const hosted = (type: HostedDelta['item']['type'], fields: JsonObject, status = 'completed', key = 'h'): Delta => ({
  kind: 'hosted',
  key,
  item: { type, id: '', status, fields },
  done: true,
})
const search = (query: string, key = 'h') =>
  hosted('web_search_call', { action: { type: 'search', query } }, 'completed', key)
const last = (deltas: readonly Delta[]) => chunksFor(throughHub(deltas)).at(-1).candidates[0]

describe('a stream for Gemini clients', () => {
  it('has responses with increments, the last of them with finish reason and usage', () => {
    const start: Delta = { kind: 'start', model: 'gemini-x' }
    const deltas = throughHub([
      start,
      summaryDelta('Hm'),
      textChunk('Hel'),
      textChunk('lo'),
      { kind: 'usage', usage },
      stops,
    ])
    const chunk = (part: object) => ({
      candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }],
      modelVersion: 'gemini-x',
      responseId: 'abc123',
    })
    const end = chunk({ text: '' })
    expect(chunksFor(deltas)).toEqual([
      chunk({ text: 'Hm', thought: true }),
      chunk({ text: 'Hel' }),
      chunk({ text: 'lo' }),
      {
        ...end,
        candidates: [{ ...end.candidates[0], finishReason: 'STOP' }],
        usageMetadata: {
          promptTokenCount: 20,
          cachedContentTokenCount: 4,
          candidatesTokenCount: 4,
          thoughtsTokenCount: 5,
          totalTokenCount: 29,
        },
      },
    ])
    expect(bodyFor(deltas).candidates[0].content.parts).toEqual([{ text: 'Hm', thought: true }, { text: 'Hello' }])
  })

  it('has no event names and no end marker', () => {
    const frames = run(encodeStream(encodeContext), throughHub([textChunk('A'), stops]))
    expect(frames.map(({ event }) => event)).toEqual(['', ''])
    expect(run(encodeStream(encodeContext), [textChunk('A')]).length).toBe(1)
    expect(run(encodeStream(encodeContext), [])).toEqual([])
  })

  it('is one JSON array if the client did not request SSE', () => {
    const array = { ...encodeContext, settings: { array: true } }
    const text = (deltas: readonly Delta[]) =>
      run(encodeStream(array), deltas)
        .map(({ data }) => data)
        .join('')
    const deltas = throughHub([textChunk('A'), textChunk('B'), stops])
    expect(JSON.parse(text(deltas))).toEqual(chunksFor(deltas))
    expect(JSON.parse(text([]))).toEqual([])
    const failed: Delta = { kind: 'error', error: upstreamError('server_error', 'Broken.') }
    expect(JSON.parse(text([textChunk('A'), failed])).at(-1).error.message).toBe('Broken.')
  })

  it('names the requested model if the upstream names none', () => {
    expect(chunksFor([textChunk('A')])[0].modelVersion).toBe('acme/gemini')
  })

  it('has one empty part for an empty answer and no part for an empty text', () => {
    expect(partsFor(throughHub([finish('max_output_tokens')]))).toEqual([{ text: '' }])
    expect(bodyFor(throughHub([finish('max_output_tokens')])).candidates[0].content.parts).toEqual([{ text: '' }])
    expect(partsFor([textChunk(''), textChunk('A')])).toEqual([{ text: 'A' }])
  })

  it('has promptFeedback for a blocked prompt, which the upstream side reads back', () => {
    const start: Delta = { kind: 'start', model: 'gemini-x' }
    const deltas = throughHub([start, { kind: 'usage', usage }, finish('content_filter')])
    const blocked = {
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: toUsageMetadata(usage),
      modelVersion: 'gemini-x',
      responseId: 'abc123',
    }
    expect(chunksFor(deltas)).toEqual([blocked])
    expect(bodyFor(deltas)).toEqual(blocked)
    for (const list of [
      geminiGenerate.decodeBody(bodyFor(deltas), {}),
      run(geminiGenerate.decodeStream({}), run(encodeStream(encodeContext), deltas)),
    ]) {
      expect(responseOf(list)).toEqual(responseOf(deltas))
      expect(responseOf(list)).toMatchObject({ status: 'incomplete', output: [] })
    }
  })

  it('has no promptFeedback if the prompt was answered, even with hidden reasoning', () => {
    const [reasoning, word, searched] = [summaryDelta('Hm'), textChunk('A'), search('tides')]
    for (const delta of [reasoning, word, searched]) {
      expect(last([delta, finish('content_filter')])).toMatchObject({ finishReason: 'SAFETY' })
    }
    const hidden = { ...encodeContext, settings: { reasoning: false } }
    const chunks = chunksFor(throughHub([reasoning, finish('content_filter')]), hidden)
    expect(chunks).toMatchObject([{ candidates: [{ finishReason: 'SAFETY' }] }])
  })

  it('has the text of a refusal as text', () => {
    const refusal: Delta = { kind: 'refusal', key: 'm', part: '', text: 'No.', logprobs: null }
    expect(partsFor(throughHub([refusal, stops]))[0]).toEqual({ text: 'No.' })
  })

  it('has no reasoning for clients that exclude it, but keeps its sealed content', () => {
    const envelope = wrapEnvelope(sealForeign('x'))
    const deltas = throughHub([summaryDelta('Hm'), seals('x'), textChunk('A'), stops], sealForeign)
    const silent = { ...encodeContext, settings: { reasoning: false } }
    expect(partsFor(deltas, silent)[0]).toEqual({ text: 'A', thoughtSignature: envelope })
  })

  it('has log probabilities beside their text', () => {
    const token = { token: 'A', logprob: -0.5, bytes: [65] }
    const logprobs = [{ ...token, top_logprobs: [{ token: 'B', logprob: -1, bytes: null }] }]
    const deltas: Delta[] = ['A', 'A'].map((text) => ({ kind: 'text', key: 'm', part: '', text, logprobs }))
    const one = { token: 'A', logProbability: -0.5 }
    const top = { candidates: [{ token: 'B', logProbability: -1 }] }
    const found = chunksFor(throughHub([...deltas, stops])).map(({ candidates }) => candidates[0].logprobsResult)
    expect(found).toEqual([
      { chosenCandidates: [one], topCandidates: [top] },
      { chosenCandidates: [one], topCandidates: [top] },
      undefined,
    ])
    expect(bodyFor(throughHub([...deltas, stops])).candidates[0].logprobsResult).toEqual({
      chosenCandidates: [one, one],
      topCandidates: [top, top],
    })
  })
})

describe('the end of an answer for Gemini clients', () => {
  it.each([
    [stops, 'STOP'],
    [finish('max_output_tokens'), 'MAX_TOKENS'],
    [finish('content_filter'), 'SAFETY'],
  ])('has the right finish reason for %j', (delta, reason) => {
    expect(last([textChunk('A'), delta]).finishReason).toBe(reason)
  })

  it('is an error in the format of Google after the usage if the upstream fails in the middle', () => {
    const error = upstreamError('server_is_overloaded', 'Busy.', 503)
    const chunks = chunksFor(throughHub([textChunk('A'), { kind: 'usage', usage }, { kind: 'error', error }]))
    expect(chunks.slice(1)).toEqual([
      {
        usageMetadata: expect.objectContaining({ promptTokenCount: 20 }),
        modelVersion: 'unknown',
        responseId: 'abc123',
      },
      { error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE', details: [expect.anything()] } },
    ])
    expect(responseOf(geminiGenerate.decodeBody(chunks, {}))).toMatchObject({
      status: 'failed',
      error: { code: 'server_is_overloaded', message: 'Busy.' },
    })
  })

  it('has the calls that were complete before a failure', () => {
    const error = upstreamError('server_error', 'Broken.')
    const parts = partsFor(throughHub([calls('f', '{"a":1}', 'c'), calls('g', '{"b'), { kind: 'error', error }]))
    expect(parts).toEqual([{ functionCall: { id: 'c', name: 'f', args: { a: 1 } } }])
  })
})

describe('calls for Gemini clients', () => {
  it('are written with their ids when they are complete', () => {
    const deltas = [calls('f', '{"a":', 'c1'), calls('f', '1}', null), calls('g', '{}', 'c2'), stops]
    const parts = [
      { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } },
      { functionCall: { id: 'c2', name: 'g', args: {} } },
    ]
    expect(last(deltas)).toMatchObject({ content: { parts }, finishReason: 'STOP' })
  })

  it('precede the text that follows them', () => {
    const parts = partsFor(throughHub([textChunk('A', '1'), calls('f', '{}', 'c'), textChunk('B', '2'), stops]))
    expect(parts.map((part) => part.text ?? part.functionCall.name)).toEqual(['A', 'f', 'B', ''])
  })

  it('are written in the order in which they began if they overlap', () => {
    const piece = (key: string, args: string, name: string | null = null): Delta => ({
      kind: 'call',
      key,
      type: 'function_call',
      callId: name,
      name,
      arguments: args,
    })
    const ends = (key: string): Delta => ({ kind: 'stop', key })
    const deltas = [
      piece('1', '', 'f'),
      piece('1', '{"a"'),
      piece('2', '', 'g'),
      piece('2', '{"b"'),
      piece('1', ':1}'),
      piece('2', ':2}'),
      ends('2'),
      ends('1'),
      stops,
    ]
    expect(partsFor(deltas).map(({ functionCall }) => [functionCall.name, functionCall.args])).toEqual([
      ['f', { a: 1 }],
      ['g', { b: 2 }],
    ])
  })

  it.each([['null'], ['']])('have empty args instead of the arguments %j', (args) => {
    expect(partsFor(throughHub([calls('f', args, 'c'), stops]))[0].functionCall.args).toEqual({})
  })

  it.each([['[1]'], ['"x"'], ['7']])('are dropped with MALFORMED_FUNCTION_CALL if their arguments are %j', (args) => {
    const { content, finishReason, finishMessage } = last([calls('f', args, 'c'), stops])
    expect(content.parts).toEqual([{ text: '' }])
    expect([finishReason, finishMessage]).toEqual(['MALFORMED_FUNCTION_CALL', `Malformed function call: f(${args}`])
  })

  it('have the text of a custom tool in the argument "input"', () => {
    const custom: Delta = {
      kind: 'call',
      key: 'c',
      type: 'custom_tool_call',
      callId: 'c',
      name: 'sh',
      arguments: 'ls {',
    }
    expect(partsFor(throughHub([custom, stops]))[0].functionCall).toEqual({
      id: 'c',
      name: 'sh',
      args: { input: 'ls {' },
    })
  })

  it('are not written if they were cut, so that no client runs them', () => {
    const cut = last([calls('f', '{"city":"Be', 'c'), finish('max_output_tokens')])
    expect(cut).toEqual({
      content: { parts: [{ text: '' }], role: 'model' },
      index: 0,
      finishReason: 'MAX_TOKENS',
      finishMessage: 'Malformed function call: f({"city":"Be',
    })
    expect(last([calls('f', '{"city":"Be', 'c'), stops]).finishReason).toBe('MALFORMED_FUNCTION_CALL')
  })

  it('are written beside another call that was cut', () => {
    const { content, finishReason, finishMessage } = last([calls('f', '{"a', 'c'), calls('g', '{}', 'd'), stops])
    expect(content.parts).toEqual([{ functionCall: { id: 'd', name: 'g', args: {} } }])
    expect([finishReason, finishMessage]).toEqual(['MAX_TOKENS', 'Malformed function call: f({"a'])
  })
})

describe('hosted items for Gemini clients', () => {
  it('are written as code with its result', () => {
    const fields = { code: 'print(1)', outputs: [{ type: 'logs', logs: '1\n' }, { type: 'image' }] }
    expect(partsFor(throughHub([hosted('code_interpreter_call', fields), textChunk('A'), stops])).slice(0, 3)).toEqual([
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
      { text: 'A' },
    ])
    const failed = partsFor(
      throughHub([hosted('code_interpreter_call', { code: 1, outputs: 2 } as never, 'failed'), stops]),
    )
    expect(failed[1].codeExecutionResult).toEqual({ outcome: 'OUTCOME_FAILED', output: '' })
  })

  it('are written as inline data if they are images', () => {
    const image = (fields: JsonObject) => partsFor(throughHub([hosted('image_generation_call', fields), stops]))[0]
    expect(image({ result: 'QUJD', output_format: 'webp' })).toEqual({
      inlineData: { mimeType: 'image/webp', data: 'QUJD' },
    })
    expect(image({ result: 'QUJD' }).inlineData.mimeType).toBe('image/png')
    expect(image({ result: null })).toEqual({ text: '' })
  })

  it('are written as queries, sources and pages if they are searches', () => {
    const action = { type: 'search', query: 'a', queries: ['a', 'b'], sources: [{ url: 'https://s.example/' }, 3] }
    const page = { action: { type: 'open_page', url: 'https://p.example/' } }
    const found = last([
      hosted('web_search_call', { action } as never),
      hosted('web_search_call', page, 'failed', 'p'),
      search('b', 'again'),
      textChunk('A'),
      stops,
    ])
    expect(found.groundingMetadata).toEqual({
      webSearchQueries: ['a', 'b'],
      groundingChunks: [{ web: { uri: 'https://s.example/' } }],
      groundingSupports: [],
    })
    expect(found.urlContextMetadata).toEqual({
      urlMetadata: [{ retrievedUrl: 'https://p.example/', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' }],
    })
  })

  it('are left out if they are of other kinds, but their sealed content is kept', () => {
    const sealed = { ...hosted('mcp_call', { name: 'x' }), done: false } as Delta
    const deltas = throughHub(
      [
        sealed,
        { kind: 'opaque', key: 'h', of: 'mcp_call', payload: 'p' },
        { kind: 'stop', key: 'h' },
        textChunk('A'),
        stops,
      ],
      sealForeign,
    )
    expect(partsFor(deltas)).toEqual([{ text: 'A', thoughtSignature: wrapEnvelope(sealForeign('p')) }, { text: '' }])
  })
})

describe('citations for Gemini clients', () => {
  it('have spans counted in UTF-8 bytes through all text', () => {
    const deltas = throughHub([
      textChunk('Grüße 🙂 aus ', 'a'),
      cites(0, 5, 'https://a.example/', 'a'),
      calls('f', '{}', 'c'),
      textChunk('Köln.', 'b'),
      cites(0, 4, 'https://b.example/', 'b'),
      cites(0, 4, 'https://a.example/', 'b'),
      stops,
    ])
    const [candidate] = chunksFor(deltas).at(-1).candidates
    expect(candidate.groundingMetadata).toEqual({
      groundingChunks: [
        { web: { uri: 'https://a.example/', title: 'A' } },
        { web: { uri: 'https://b.example/', title: 'A' } },
      ],
      groundingSupports: [
        { segment: { startIndex: 0, endIndex: 7, text: 'Grüße' }, groundingChunkIndices: [0] },
        { segment: { startIndex: 17, endIndex: 22, text: 'Köln' }, groundingChunkIndices: [1, 0] },
      ],
    })
    const text = Buffer.from('Grüße 🙂 aus Köln.')
    for (const { segment } of candidate.groundingMetadata.groundingSupports) {
      expect(text.subarray(segment.startIndex, segment.endIndex).toString()).toBe(segment.text)
    }
  })

  it('are announced by empty groundingMetadata as soon as they are expected, as Google does', () => {
    const hints = (deltas: readonly Delta[]) =>
      chunksFor(throughHub(deltas)).map(({ candidates }) => candidates[0].groundingMetadata)
    expect(hints([search('q'), textChunk('A'), textChunk('B'), stops]).slice(0, 2)).toEqual([{}, undefined])
    expect(hints([textChunk('A'), cites(0, 1), textChunk('B'), textChunk('C'), stops]).slice(0, 3)).toEqual([
      undefined,
      {},
      undefined,
    ])
  })

  it('have an empty segment if they have no position', () => {
    const nowhere: CitationDelta = { ...(cites(0, 0) as CitationDelta) }
    expect(last([textChunk('A'), nowhere, stops]).groundingMetadata.groundingSupports).toEqual([
      { segment: {}, groundingChunkIndices: [0] },
    ])
  })

  it('have a retrievedContext if they cite files', () => {
    const file = { file_id: 'f1', filename: 'a.pdf' }
    const span = { start: 1, end: 2, unit: 'utf16' as const }
    const citation = { url: '', title: null, content: null, marker: null, span, file }
    const [chunk] = last([textChunk('é.'), { kind: 'citation', key: 'm', part: '', citation }, stops]).groundingMetadata
      .groundingChunks
    expect(chunk).toEqual({ retrievedContext: { documentName: 'f1', title: 'a.pdf' } })
  })

  it('have the right span in a text that continues after another text', () => {
    const piece = (key: string, text: string): Delta => ({ kind: 'text', key, part: '0', text, logprobs: null })
    const cite = (key: string, start: number, end: number): Delta => ({
      ...(cites(start, end, 'https://a.example/', key) as CitationDelta),
      part: '0',
    })
    const deltas = [
      piece('a', 'ab'),
      piece('b', 'xy'),
      piece('a', 'cd'),
      cite('a', 2, 4),
      cite('b', 0, 2),
      cite('z', 0, 1),
      stops,
    ]
    const { groundingSupports } = chunksFor(deltas).at(-1).candidates[0].groundingMetadata
    expect(groundingSupports.map((it: { segment: { text?: string } }) => it.segment.text)).toEqual([
      'cd',
      'xy',
      undefined,
    ])
  })
})

describe('usage for Gemini clients', () => {
  const none = {
    input_tokens: null,
    output_tokens: null,
    total_tokens: null,
    cached_tokens: null,
    reasoning_tokens: null,
  }

  it.each([
    [none, null],
    [{ ...none, input_tokens: 0 }, { promptTokenCount: 0 }],
    [{ ...none, output_tokens: 7 }, { candidatesTokenCount: 7 }],
    [{ ...none, reasoning_tokens: 3 }, { thoughtsTokenCount: 3 }],
    [
      { ...none, output_tokens: 7, reasoning_tokens: 7 },
      { candidatesTokenCount: 0, thoughtsTokenCount: 7 },
    ],
    [
      { ...none, output_tokens: 5, reasoning_tokens: 8 },
      { candidatesTokenCount: 0, thoughtsTokenCount: 5 },
    ],
  ])('is written from the counts %j', (found, expected) => {
    expect(toUsageMetadata(found)).toEqual(expected)
  })
})

describe('an error before the first byte for Gemini clients', () => {
  it.each([
    [400, 'INVALID_ARGUMENT'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [413, 'INVALID_ARGUMENT'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [501, 'UNIMPLEMENTED'],
    [502, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
    [504, 'DEADLINE_EXCEEDED'],
  ])('has for HTTP %i the status %s', (status, word) => {
    const { status: answered, body } = encodeError(upstreamError('server_error', 'No.', status), 'req_1')
    expect([answered, body.error]).toEqual([
      status,
      expect.objectContaining({ code: status, message: 'No.', status: word }),
    ])
  })

  it('has the path, the retry delay and the request id in its details', () => {
    const error = { ...clientError('invalid_prompt', 'contents: bad', 'contents'), retryAfter: 36 }
    expect((encodeError(error, 'req_1').body.error as JsonObject).details).toEqual([
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INVALID_PROMPT' },
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'contents', description: 'contents: bad' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36s' },
      { '@type': 'type.googleapis.com/google.rpc.RequestInfo', requestId: 'req_1' },
    ])
  })

  it('is decoded to the same error by the upstream side', () => {
    for (const error of [
      upstreamError('rate_limit_exceeded', 'Slow.', 429, 36),
      upstreamError('model_not_found', 'No x.', 404),
    ]) {
      const { status, body } = encodeError(error, 'r')
      expect(geminiGenerate.decodeError(status, {}, JSON.stringify(body))).toEqual(error)
    }
  })
})
