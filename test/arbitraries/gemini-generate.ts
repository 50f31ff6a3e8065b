import fc from 'fast-check'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { lines, toSse } from './sse.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'candidates', 'content', 'parts', 'text', 'thought', 'thoughtSignature', 'functionCall', 'name', 'args', 'id', 'partialArgs',
  'jsonPath', 'stringValue', 'numberValue', 'boolValue', 'nullValue', 'willContinue', 'executableCode', 'code', 'language',
  'codeExecutionResult', 'outcome', 'output', 'toolCall', 'toolResponse', 'toolType', 'response', 'inlineData', 'mimeType', 'data',
  'fileData', 'finishReason', 'finishMessage', 'index', 'groundingMetadata', 'groundingChunks', 'groundingSupports', 'segment',
  'startIndex', 'endIndex', 'groundingChunkIndices', 'web', 'uri', 'title', 'webSearchQueries', 'citationMetadata',
  'citationSources', 'citations', 'urlContextMetadata', 'urlMetadata', 'retrievedUrl', 'logprobsResult', 'chosenCandidates',
  'usageMetadata', 'promptTokenCount', 'totalTokenCount', 'modelVersion', 'promptFeedback', 'blockReason', 'error', 'message',
] as const

const anyJson = jsonOf(FIELDS, ['STOP', '$.a', 'image/png'])
const fields = fieldsOr(anyJson)

const signature = fc.constantFrom('c2ln', 'bmF0dXJl', '')
const callId = fc.constantFrom('id1', 'id2', '')

const piece = fields({
  jsonPath: fc.constantFrom('$.a', '$.b[0].c', '$.b[1].c', "$['d e']", '$.__proto__.x', '$', '$.a[4000000000]', 'a..b'),
  stringValue: hostile,
  numberValue: fc.constantFrom(0, 1.5),
  boolValue: fc.boolean(),
  nullValue: fc.constant(null),
  willContinue: fc.boolean(),
})

const functionCall = fields({
  id: callId,
  name: fc.constantFrom('look', 'up', ''),
  args: fc.constantFrom({}, { city: 'Bern' }, { a: 1, b: ['x'] }),
  partialArgs: fc.array(piece, { maxLength: 2 }),
  willContinue: fc.boolean(),
})

const tool = { toolType: fc.constantFrom('GOOGLE_SEARCH_WEB', 'FILE_SEARCH', 'URL_CONTEXT', 'NEW_TOOL'), id: callId }
const signed = { thoughtSignature: signature }

const part: fc.Arbitrary<object> = fc.oneof(
  { weight: 8, arbitrary: fields({ text: hostile }) },
  { weight: 3, arbitrary: fields({ text: hostile, ...signed }) },
  { weight: 3, arbitrary: fields({ text: hostile, thought: fc.constant(true) }) },
  { weight: 4, arbitrary: fields({ functionCall, ...signed }) },
  { weight: 1, arbitrary: fields({ executableCode: fields({ code: hostile, id: callId }), ...signed }) },
  {
    weight: 1,
    arbitrary: fields({
      codeExecutionResult: fields({ outcome: fc.constantFrom('OUTCOME_OK', 'OUTCOME_FAILED'), output: hostile }),
    }),
  },
  {
    weight: 1,
    arbitrary: fields({
      toolCall: fields({ ...tool, args: fields({ queries: fc.array(hostile, { maxLength: 2 }), url: hostile }) }),
      ...signed,
    }),
  },
  { weight: 1, arbitrary: fields({ toolResponse: fields({ ...tool, response: anyJson }), ...signed }) },
  {
    weight: 1,
    arbitrary: fields({
      inlineData: fields({ mimeType: fc.constantFrom('image/png', 'audio/wav'), data: fc.constant('AA==') }),
      ...signed,
    }),
  },
  { weight: 1, arbitrary: fields({ text: fc.constant(''), ...signed }) },
)

const uri = fc.constantFrom('https://a.example/1', 'https://b.example/', '')
const source = fields({ uri, title: hostile, text: hostile, documentName: hostile })
const offset = fc.integer({ min: -1, max: 30 })

const grounding = fields({
  webSearchQueries: fc.array(hostile, { maxLength: 2 }),
  groundingChunks: fc.array(fields({ web: source, retrievedContext: source }), { maxLength: 2 }),
  groundingSupports: fc.array(
    fields({
      segment: fields({ startIndex: offset, endIndex: offset, text: fc.constantFrom('Water ', '日本', 'a', '') }),
      groundingChunkIndices: fc.array(fc.nat({ max: 2 }), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
})

const recited = fc.array(fields({ startIndex: offset, endIndex: offset, uri, title: hostile }), { maxLength: 2 })
const token = { token: hostile, logProbability: fc.constant(-0.5) }

const candidate = fields({
  content: fields({ role: fc.constant('model'), parts: fc.array(part, { maxLength: 3 }) }),
  index: fc.constantFrom(0, 0, 0, 1),
  finishReason: fc.constantFrom(
    'STOP',
    'STOP',
    'MAX_TOKENS',
    'SAFETY',
    'MALFORMED_FUNCTION_CALL',
    'NEW_WORD',
    1,
    2,
    '',
  ),
  groundingMetadata: grounding,
  citationMetadata: fields({ citationSources: recited, citations: recited }),
  urlContextMetadata: fields({ urlMetadata: fc.array(fields({ retrievedUrl: uri }), { maxLength: 2 }) }),
  logprobsResult: fields({
    chosenCandidates: fc.array(fields(token), { maxLength: 1 }),
    topCandidates: fc.array(fields({ candidates: fc.array(fields(token), { maxLength: 1 }) }), { maxLength: 1 }),
  }),
})

const count = fc.nat({ max: 999 })
const usageMetadata = fields({
  promptTokenCount: count,
  candidatesTokenCount: count,
  thoughtsTokenCount: count,
  toolUsePromptTokenCount: count,
  totalTokenCount: count,
})

const chunk = fields({
  candidates: fc.array(candidate, { minLength: 1, maxLength: 2 }),
  usageMetadata,
  modelVersion: fc.constantFrom('gemini-a', 'gemini-b'),
  promptFeedback: fields({ blockReason: fc.constantFrom('SAFETY', 1) }),
})

/** A chunk exactly as the vendor sends it: one or two parts. */
const plain = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 2 }), fc.constantFrom(undefined, undefined, 'STOP'), fc.boolean())
  .map(([parts, finishReason, grounded]) => ({
    candidates: [
      {
        content: { parts, role: 'model' },
        index: 0,
        ...(finishReason === undefined ? {} : { finishReason }),
        ...(grounded ? { groundingMetadata: {} } : {}),
      },
    ],
    modelVersion: 'gemini-a',
  }))

const failure = fields({
  error: fields({
    message: hostile,
    code: fc.constantFrom(429, 503),
    status: fc.constantFrom('UNAVAILABLE', 'toString'),
  }),
})

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: chunk },
  { weight: 6, arbitrary: plain },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: failure },
)

const payload = textOf(value, ['[DONE]', '[]'])
const pretty = value.map((it) => JSON.stringify(it, null, 2) ?? '')

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The JSON array that Gemini sends without `alt=sse`, complete or cut. */
const array = fc
  .tuple(fc.array(pretty, { maxLength: 6 }), fc.constantFrom('\n,\n', ',\r\n', ','), fc.boolean(), fc.boolean())
  .map(([chunks, comma, bom, closed]) => encode(`${bom ? '\ufeff' : ''}[${chunks.join(comma)}${closed ? '\n]\n' : ''}`))

const events = fc
  .tuple(fc.array(payload, { maxLength: 10 }), lines, fc.option(pretty))
  .map(([payloads, how, stray]) => encode(`${toSse(payloads, how)}${stray ?? ''}`))

export const geminiGenerateAnswers: Answers = {
  frame: fc.record({ event: fc.oneof(fc.constantFrom('', '', '', 'error'), hostile), data: payload }),
  stream: fc.oneof({ weight: 2, arbitrary: events }, { weight: 1, arbitrary: array }),
  body: fc.oneof(
    payload,
    fc.array(value, { maxLength: 4 }).map((list) => JSON.stringify(list)),
  ),
  quirks: fc.constant({}),
}
