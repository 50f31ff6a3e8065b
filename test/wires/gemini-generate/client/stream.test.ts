import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../../src/framing/frame.ts'
import { run } from '../../../../src/machine/run.ts'
import type { CitationDelta, Delta } from '../../../../src/protocol/delta.ts'
import { clientError, type GatewayError, upstreamError } from '../../../../src/protocol/error.ts'
import { wrapEnvelope } from '../../../../src/responses/encrypted-content.ts'
import type { EncodeContext } from '../../../../src/wires/client-contract.ts'
import { geminiGenerateClient as client } from '../../../../src/wires/gemini-generate/client/index.ts'
import { geminiGenerate } from '../../../../src/wires/gemini-generate/index.ts'
import { clientAnswersOf } from '../../client-answer-cases.ts'
import type { Loose } from '../../client-stream.ts'
import {
  called,
  cited,
  customCalled,
  encrypted,
  FINISH,
  failedWith,
  finished,
  framesOf,
  hosted,
  inOrder,
  refused,
  START,
  stopped,
  summary,
  text,
  usageOf,
} from '../../deltas.ts'
import { encodeContext, responseOf, sealForeign, sealOwn } from '../clients.ts'

const partsOf = (chunk: Loose): readonly Loose[] => chunk.candidates?.[0]?.content.parts ?? []
const frameOf = (payload: unknown): Frame => ({ event: '', data: JSON.stringify(payload) })
const answers = clientAnswersOf({
  client,
  context: encodeContext,
  seal: sealOwn,
  views: {
    frames: ({ frames }) => frames,
    body: ({ body }) => body,
    model: ({ frames, body }) => [...new Set([...frames, body].map(({ modelVersion }) => modelVersion))],
    /** The parts of all chunks, without the empty one of the last. */
    parts({ frames }) {
      const parts = frames.flatMap(partsOf)
      return parts.length > 1 && parts.at(-1)?.text === '' ? parts.slice(0, -1) : parts
    },
    whole: ({ body }) => partsOf(body),
    /** How the stream and the body end, without their content. */
    end: ({ frames, body }) =>
      [frames.at(-1), body].map((answer) => {
        const { content, index, groundingMetadata, urlContextMetadata, ...end } = answer.candidates[0]
        return end
      }),
    /** What the stream and the body say about their sources. */
    grounding: ({ frames, body }) =>
      [frames.at(-1), body].map(({ candidates: [{ groundingMetadata, urlContextMetadata }] }) => ({
        ...groundingMetadata,
        ...urlContextMetadata,
      })),
    /** The announcements of sources before the last chunk. */
    hints: ({ frames }) => frames.slice(0, -1).map(({ candidates }) => candidates[0].groundingMetadata),
    logprobs: ({ frames, body }) => [...frames, body].map(({ candidates }) => candidates[0].logprobsResult),
    /** What the upstream side reads from the stream and from the body. */
    readBack: ({ frames, body }) => [
      responseOf(run(geminiGenerate.decodeStream({}), frames.map(frameOf))),
      responseOf(geminiGenerate.decodeBody(body, {})),
    ],
  },
})
const both = (one: unknown): readonly unknown[] => [one, one]
const ending = (finishReason: string, finishMessage?: string) =>
  both({ finishReason, ...(finishMessage === undefined ? {} : { finishMessage }) })

const USAGE = usageOf({ input_tokens: 20, output_tokens: 9, total_tokens: 29, cached_tokens: 4, reasoning_tokens: 5 })
const usageMetadata = {
  promptTokenCount: 20,
  cachedContentTokenCount: 4,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 5,
  totalTokenCount: 29,
}
const served = { modelVersion: 'm-1', responseId: '1' }
const chunk = (part: object, end: object = {}, more: object = {}) => ({
  candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...end }],
  ...served,
  ...more,
})
const FILTERED = finished('content_filter')
const CUT = finished('max_output_tokens')
const search = (query: string, key = 'h') =>
  hosted('web_search_call', { action: { type: 'search', query } }, 'completed', key)
const thought = { text: 'Hm', thought: true }
const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata, ...served }
const token = { token: 'A', logprob: -0.5, bytes: [65] }
const logprobs = [{ ...token, top_logprobs: [{ token: 'B', logprob: -1, bytes: null }] }]
const likely: Delta = { kind: 'text', key: 'm', part: '', text: 'A', logprobs }
const likelihood = (count: number) => ({
  chosenCandidates: Array(count).fill({ token: 'A', logProbability: -0.5 }),
  topCandidates: Array(count).fill({ candidates: [{ token: 'B', logProbability: -1 }] }),
})
const overloaded = failedWith(upstreamError('server_is_overloaded', 'Busy.', 503))

// biome-ignore format: a row a case
answers('a stream for Gemini clients', '', {
  'has responses with increments, the last of them with finish reason and usage': {
    answer: [START, summary('Hm'), text('Hel'), text('lo'), USAGE, FINISH],
    frames: [chunk(thought), chunk({ text: 'Hel' }), chunk({ text: 'lo' }),
      chunk({ text: '' }, { finishReason: 'STOP' }, { usageMetadata })],
    whole: [thought, { text: 'Hello' }] },
  'names the requested model if the upstream names none': { answer: [text('A')], raw: true, model: ['acme/m-1'] },
  'has no chunk before any delta': { answer: [], raw: true, frames: [] },
  'has one empty part for an empty answer and no part for an empty text': [
    { answer: [CUT], parts: [{ text: '' }], whole: [{ text: '' }] },
    { answer: [text(''), text('A')], raw: true, parts: [{ text: 'A' }] },
  ],
  'has promptFeedback for a blocked prompt, which the upstream side reads back': {
    answer: [START, USAGE, FILTERED], frames: [blocked], body: blocked,
    readBack: both({ ...responseOf([START, USAGE, FILTERED]), status: 'incomplete', output: [] }) },
  'has no promptFeedback if the prompt was answered, even with hidden reasoning': [
    ...[summary('Hm'), text('A'), search('tides')].map((one) => ({ answer: [one, FILTERED], end: ending('SAFETY') })),
    { answer: [START, summary('Hm'), FILTERED], settings: { reasoning: false },
      frames: [chunk({ text: '' }, { finishReason: 'SAFETY' })] },
  ],
  'has the text of a refusal as text': { answer: [refused('No.'), FINISH], parts: [{ text: 'No.' }] },
  'has no reasoning for clients that exclude it, but keeps its sealed content': {
    answer: [summary('Hm', 't'), encrypted('x', 't'), text('A'), FINISH], settings: { reasoning: false }, seal: sealForeign,
    parts: [{ text: 'A', thoughtSignature: wrapEnvelope(sealForeign('x')) }] },
  'has log probabilities beside their text': { answer: [likely, likely, FINISH],
    logprobs: [likelihood(1), likelihood(1), undefined, likelihood(2)] },
})

it('a stream for Gemini clients is one JSON array if the client did not request SSE', () => {
  const array = { ...encodeContext, settings: { array: true } }
  const joined = (deltas: readonly Delta[], to: EncodeContext = array) =>
    framesOf(client, deltas, to).map(({ data }) => data)
  const deltas = inOrder([text('A'), text('B'), FINISH])
  const chunks = joined(deltas, encodeContext).map((data) => JSON.parse(data))
  expect(JSON.parse(joined(deltas).join(''))).toEqual(chunks)
  expect(JSON.parse(joined([]).join(''))).toEqual([])
  const failed = failedWith(upstreamError('server_error', 'Broken.'))
  expect(JSON.parse(joined([text('A'), failed]).join('')).at(-1).error.message).toBe('Broken.')
})

// biome-ignore format: a row a case
answers('the end of an answer for Gemini clients', '', {
  'has the right finish reason': [
    { answer: [text('A'), FINISH], end: ending('STOP') }, { answer: [text('A'), CUT], end: ending('MAX_TOKENS') },
    { answer: [text('A'), FILTERED], end: ending('SAFETY') },
  ],
  'is an error in the format of Google after the usage if the upstream fails in the middle': {
    answer: [START, text('A'), USAGE, overloaded],
    frames: [chunk({ text: 'A' }), { usageMetadata, ...served },
      { error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE', details: [expect.anything()] } }],
    readBack: expect.arrayContaining([expect.objectContaining({
      status: 'failed', error: expect.objectContaining({ code: 'server_is_overloaded', message: 'Busy.' }) })]) },
  'has the calls that were complete before a failure': {
    answer: [called('f', '{"a":1}', 'c'), called('g', '{"b', 'd'), overloaded],
    parts: [{ functionCall: { id: 'c', name: 'f', args: { a: 1 } } }] },
})

const callOf = (id: string, name: string, args: object = {}) => ({ functionCall: { id, name, args } })
const piece = (key: string, args: string): Delta => ({ ...called('', args, key), name: null, callId: null }) as Delta
const malformed = (call: string) => `Malformed function call: ${call}`

// biome-ignore format: a row a case
answers('calls for Gemini clients', '', {
  'are written with their ids when they are complete': {
    answer: [called('f', '{"a":', 'c1'), piece('c1', '1}'), called('g', '{}', 'c2'), FINISH],
    frames: [expect.objectContaining({ candidates: [{ index: 0, finishReason: 'STOP',
      content: { role: 'model', parts: [callOf('c1', 'f', { a: 1 }), callOf('c2', 'g')] } }] })] },
  'precede the text that follows them': { answer: [text('A', '1'), called('f', '{}', 'c'), text('B', '2'), FINISH],
    parts: [{ text: 'A' }, callOf('c', 'f'), { text: 'B' }] },
  'are written in the order in which they began if they overlap': {
    answer: [called('f', '', '1'), piece('1', '{"a"'), called('g', '', '2'), piece('2', '{"b"'), piece('1', ':1}'),
      piece('2', ':2}'), stopped('2'), stopped('1'), FINISH],
    raw: true, parts: [callOf('1', 'f', { a: 1 }), callOf('2', 'g', { b: 2 })] },
  'have empty args instead of the arguments null and of none': ['null', ''].map((args) => (
    { answer: [called('f', args, 'c'), FINISH], parts: [callOf('c', 'f')] })),
  'keep arguments that are not an object as a text': ['[1]', '"x"', '7'].map((args) => (
    { answer: [called('f', args, 'c'), FINISH], parts: [callOf('c', 'f', { INVALID_JSON: args })] })),
  'have the text of a custom tool in the argument "input"': { answer: [customCalled('sh', 'ls {', 'c'), FINISH],
    parts: [callOf('c', 'sh', { input: 'ls {' })] },
  'are not written if they were cut, so that no client runs them': [
    { answer: [called('f', '{"city":"Be', 'c'), CUT], parts: [{ text: '' }],
      end: ending('MAX_TOKENS', malformed('f({"city":"Be')) },
    { answer: [called('f', '{"city":"Be', 'c'), FINISH], parts: [{ text: '' }],
      end: ending('MALFORMED_FUNCTION_CALL', malformed('f({"city":"Be')) },
  ],
  'are written beside another call that was cut': {
    answer: [called('f', '{"a', 'c'), called('g', '{}', 'd'), FINISH],
    parts: [callOf('d', 'g')], end: ending('MAX_TOKENS', malformed('f({"a')) },
})

const ran = (fields: object, status?: string) => hosted('code_interpreter_call', fields as never, status)
const python = (code: string, outcome: string, output: string) => [
  { executableCode: { language: 'PYTHON', code } },
  { codeExecutionResult: { outcome, output } },
]
const picture = (fields: object) => hosted('image_generation_call', fields as never)
const found = { type: 'search', query: 'a', queries: ['a', 'b'], sources: [{ url: 'https://s.example/' }, 3] }
const opened = { type: 'open_page', url: 'https://p.example/' }
const urlRetrievalStatus = 'URL_RETRIEVAL_STATUS_ERROR'

// biome-ignore format: a row a case
answers('hosted items for Gemini clients', '', {
  'are written as code with its result': [
    { answer: [ran({ code: 'print(1)', outputs: [{ type: 'logs', logs: '1\n' }, { type: 'image' }] }), text('A'), FINISH],
      parts: [...python('print(1)', 'OUTCOME_OK', '1\n'), { text: 'A' }] },
    { answer: [ran({ code: 1, outputs: 2 }, 'failed'), FINISH], parts: python('', 'OUTCOME_FAILED', '') },
  ],
  'are written as inline data if they are images': [
    { answer: [picture({ result: 'QUJD', output_format: 'webp' }), FINISH],
      parts: [{ inlineData: { mimeType: 'image/webp', data: 'QUJD' } }] },
    { answer: [picture({ result: 'QUJD' }), FINISH], parts: [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }] },
    { answer: [picture({ result: null }), FINISH], parts: [{ text: '' }] },
  ],
  'are written as queries, sources and pages if they are searches': {
    answer: [hosted('web_search_call', { action: found } as never), hosted('web_search_call', { action: opened }, 'failed', 'p'),
      search('b', 'again'), text('A'), FINISH],
    grounding: both({
      webSearchQueries: ['a', 'b'], groundingChunks: [{ web: { uri: 'https://s.example/' } }], groundingSupports: [],
      urlMetadata: [{ retrievedUrl: 'https://p.example/', urlRetrievalStatus }] }) },
  'are left out if they are of other kinds, but their sealed content is kept': {
    answer: [{ ...hosted('mcp_call', { name: 'x' }), done: false } as Delta,
      { kind: 'opaque', key: 'hosted', of: 'mcp_call', payload: 'p' }, stopped('hosted'), text('A'), FINISH],
    seal: sealForeign, parts: [{ text: 'A', thoughtSignature: wrapEnvelope(sealForeign('p')) }] },
})

const cite = (start: number, end: number, site: string, key = 'text', part = ''): Delta => {
  const delta = cited(start, end, 'A', key) as CitationDelta
  return { ...delta, part, citation: { ...delta.citation, url: `https://${site}.example/` } }
}
const ofFile = cited(1, 2) as CitationDelta
const file = { url: '', title: null, file: { file_id: 'f1', filename: 'a.pdf' } }
const site = (name: string) => ({ web: { uri: `https://${name}.example/`, title: 'A' } })
const support = (startIndex: number, endIndex: number, text: string, ...groundingChunkIndices: readonly number[]) => ({
  segment: { startIndex, endIndex, text },
  groundingChunkIndices,
})
const nowhere = (...groundingChunkIndices: readonly number[]) => ({ segment: {}, groundingChunkIndices })

// biome-ignore format: a row a case
answers('citations for Gemini clients', '', {
  'have spans counted in UTF-8 bytes through all text': {
    answer: [text('Grüße 🙂 aus ', 'a'), cite(0, 5, 'a', 'a'), called('f', '{}'), text('Köln.', 'b'), cite(0, 4, 'b', 'b'),
      cite(0, 4, 'a', 'b'), FINISH],
    grounding: both({ groundingChunks: [site('a'), site('b')],
      groundingSupports: [support(0, 7, 'Grüße', 0), support(17, 22, 'Köln', 1, 0)] }) },
  'are announced by empty groundingMetadata as soon as they are expected, as Google does': [
    { answer: [search('q'), text('A'), text('B'), FINISH], hints: [{}, undefined] },
    { answer: [text('A'), cited(0, 1), text('B'), text('C'), FINISH], hints: [undefined, {}, undefined] },
  ],
  'have an empty segment if they have no position': { answer: [text('A'), cite(0, 0, 'a'), FINISH],
    grounding: both({ groundingChunks: [site('a')], groundingSupports: [nowhere(0)] }) },
  'have a retrievedContext if they cite files': {
    answer: [text('é.'), { ...ofFile, citation: { ...ofFile.citation, ...file } }, FINISH],
    grounding: both({ groundingChunks: [{ retrievedContext: { documentName: 'f1', title: 'a.pdf' } }],
      groundingSupports: [support(2, 3, '.', 0)] }) },
  'have the excerpt of a cited file': {
    answer: [text('é.'), { ...ofFile, citation: { ...ofFile.citation, ...file, content: 'a passage' } }, FINISH],
    grounding: both({ groundingChunks: [{ retrievedContext: { documentName: 'f1', title: 'a.pdf', text: 'a passage' } }],
      groundingSupports: [support(2, 3, '.', 0)] }) },
  'have the right span in a text that continues after another text': {
    answer: [text('ab', 'a', '0'), text('xy', 'b', '0'), text('cd', 'a', '0'), cite(2, 4, 'a', 'a', '0'),
      cite(0, 2, 'a', 'b', '0'), cite(0, 1, 'a', 'z', '0'), FINISH],
    raw: true,
    grounding: both({ groundingChunks: [site('a')],
      groundingSupports: [support(4, 6, 'cd', 0), support(2, 4, 'xy', 0), nowhere(0)] }) },
})

const counted = (usage: object, written: object | undefined) => ({
  name: JSON.stringify(usage),
  answer: [START, text('A'), usageOf(usage), FINISH],
  body: chunk({ text: 'A' }, { finishReason: 'STOP' }, written && { usageMetadata: written }),
})

answers('usage for Gemini clients', 'is written from the counts ', [
  counted({}, undefined),
  counted({ input_tokens: 0 }, { promptTokenCount: 0 }),
  counted({ output_tokens: 7 }, { candidatesTokenCount: 7 }),
  counted({ reasoning_tokens: 3 }, { thoughtsTokenCount: 3 }),
  counted({ output_tokens: 7, reasoning_tokens: 7 }, { candidatesTokenCount: 0, thoughtsTokenCount: 7 }),
  counted({ output_tokens: 5, reasoning_tokens: 8 }, { candidatesTokenCount: 0, thoughtsTokenCount: 5 }),
])

describe('an error before the first byte for Gemini clients', () => {
  const detailsOf = (error: GatewayError): Loose => client.encodeError(error, 'req_1')

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
  ])('has for HTTP %i the status %s', (code, status) => {
    const error = expect.objectContaining({ code, message: 'No.', status })
    expect(detailsOf(upstreamError('server_error', 'No.', code))).toEqual({ status: code, body: { error } })
  })

  it('has the path, the retry delay and the request id in its details', () => {
    const error = { ...clientError('invalid_prompt', 'contents: bad', 'contents'), retryAfter: 36 }
    const google = (type: string, more: object) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...more })
    expect(detailsOf(error).body.error.details).toEqual([
      google('ErrorInfo', { reason: 'INVALID_PROMPT' }),
      google('BadRequest', { fieldViolations: [{ field: 'contents', description: 'contents: bad' }] }),
      google('RetryInfo', { retryDelay: '36s' }),
      google('RequestInfo', { requestId: 'req_1' }),
    ])
  })

  it.each([upstreamError('rate_limit_exceeded', 'Slow.', 429, 36), upstreamError('model_not_found', 'No x.', 404)])(
    'is decoded to the same error by the upstream side: $code',
    (error) => {
      const { status, body } = detailsOf(error)
      expect(geminiGenerate.decodeError(status, {}, JSON.stringify(body))).toEqual(error)
    },
  )
})
