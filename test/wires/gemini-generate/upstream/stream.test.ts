import { expect, it } from 'vitest'
import { decodeStream } from '../../../../src/wires/gemini-generate/upstream/stream.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import { answers, call, chunk, code, end, eventsFor, reasoningPart, result, signed, stop, text } from '../answers.ts'

const lost = (feature: string) => ({ kind: 'loss', feature })
/** An answer of one chunk. */
const of = (parts: readonly unknown[], items: AnswerCase['items'], more: AnswerCase = {}): AnswerCase => ({
  stream: [chunk(parts, stop)],
  items,
  ...more,
})
const hi = chunk([text('A')])
const CUT = 'A (incomplete)'
const usageOf = (...found: readonly object[]) => found.map((usageMetadata) => ({ usageMetadata }))
const EMPTY = [
  ...[{}, { candidates: [] }, { candidates: [{}] }, { candidates: [{ content: {} }] }],
  ...[{ candidates: [{ content: { role: 'model' } }] }, chunk([]), chunk([{}]), chunk([text('')])],
]
const two = {
  candidates: [...chunk([text('A')], stop).candidates, { content: { parts: [text('B')] }, index: 1, ...stop }],
}
const [HI, YO] = [
  { token: 'Hi', logProbability: -0.25 },
  { token: 'Yo', logProbability: -2 },
]
const logprobsResult = { chosenCandidates: [{ ...HI, tokenId: 5 }], topCandidates: [{ candidates: [HI, YO] }] }

// biome-ignore format: a row a case
answers('text and reasoning of a gemini-generate stream', '', {
  'are one item as long as their kind is the same, and another item for another kind': {
    stream: [chunk([reasoningPart('A'), reasoningPart('B')]), chunk([text('1')]), chunk([text('2'), reasoningPart('C')]),
      chunk([text('3')], stop)],
    items: ['reasoning: AB', '12', 'reasoning: C', '3'] },
  'continue after the first finish reason (edge case 32)': [
    { stream: [chunk([text('One ')], stop), chunk([text('two 🙂')], stop)], items: ['One two 🙂'] },
    { stream: [chunk([text('x')], stop), end], items: ['x'],
      deltas: [expect.objectContaining({ kind: 'text' }), { kind: 'finish', reason: 'stop' }] },
  ],
  'are not made from empty candidates, contents and parts': [
    { stream: EMPTY, deltas: [], body: null },
    { stream: [...EMPTY, chunk([text('Hi')]), ...EMPTY, end], items: ['Hi'] },
  ],
  'are not separated by empty parts': {
    stream: [chunk([text('A'), text(''), {}]), { usageMetadata: {} }, chunk([text('B')], stop)], items: ['AB'] },
  'are those of the first candidate, and others are recorded once as a loss': {
    stream: [two], items: ['A'], losses: ['candidates'] },
  'are read beside an unknown part, which is a recorded loss': of([{ hologram: {} }, text('A')], ['A'],
    { losses: ['part hologram'] }),
  'have log probabilities beside the text': { stream: [chunk([text('Hi')], { ...stop, logprobsResult })],
    items: [{ content: [{ logprobs: [
      { token: 'Hi', logprob: -0.25, top_logprobs: [{ token: 'Hi' }, { token: 'Yo', logprob: -2 }] },
    ] }] }] },
})

it('text of a gemini-generate stream leaves the rarely changing part of the decoder state as it is', () => {
  const machine = decodeStream()
  const frame = (content: string) => ({ event: '', data: JSON.stringify(chunk([text(content)])) })
  const first = machine.step(machine.initial, frame('A')).state
  const second = machine.step(first, frame('B')).state
  expect(second.progress).toBe(first.progress)
  expect(second.runText).toBe('AB')
})

const partial = (partialArgs: readonly object[], willContinue = true) =>
  chunk([{ functionCall: { partialArgs, willContinue } }])
const begin = (name = 'f') => chunk([{ functionCall: { name, willContinue: true } }])
const close = chunk([{ functionCall: {} }])
const piece = (jsonPath: string, value: object) => ({ jsonPath, ...value })
const a = piece('$.a', { stringValue: 'x' })
const same = { functionCall: { name: 'f', id: 'a1', args: { x: 1 } } }
const more = (functionCall: object) => chunk([{ functionCall: { name: 'f', id: 'i1', ...functionCall } }])
const args = { list: [{ name: 'Zürich "HB"', n: 1.5, late: 0 }, { name: 'Chur' }], 'a b': false, nothing: null }
const named = (path: string, ...more: readonly object[]) =>
  partial([piece('$.list[0].name', { stringValue: path }), ...more])

// biome-ignore format: a row a case
answers('calls of a gemini-generate stream', '', {
  'stay apart in one chunk and in several, even calls of one function (field failures 31 to 34)': {
    stream: [chunk([call('f', { a: 1 }), call('f', { a: 1 })]), chunk([call('g', { b: [] })], stop)],
    items: ['f({"a":1})', 'f({"a":1})', 'g({"b":[]})'] },
  'have {} as arguments for no args, empty args and null (field failures 43 and 44)': [
    of([call('f')], ['f({})']), of([call('f', {})], ['f({})']),
    of([{ functionCall: { name: 'f', args: null } }], ['f({})']),
  ],
  'have the id of the upstream if it sends one': of([{ functionCall: { name: 'f', id: 'a1b2', args: {} } }], ['a1b2 f({})']),
  'are not repeated if a call comes again with its signature (field failure 35)': {
    stream: [chunk([same]), chunk([{ ...same, ...signed('s') }], stop)], items: ['a1 f({"x":1})', 'sealed reasoning'],
    emits: [{ kind: 'opaque', payload: { on: 'call', id: 'a1', signature: 's' } }] },
  'may be followed by text, which is emitted (field failure 56b)': {
    stream: [chunk([text('A'), call('f')]), chunk([text('B')], stop)], items: ['A', 'f({})', 'B'] },
  'have arguments assembled by their paths (edge case 34)': {
    stream: [begin(),
      partial([piece('$.list[0].name', { stringValue: 'Zü', willContinue: true })]),
      partial([piece('$.list[0].name', { stringValue: 'rich "HB"', willContinue: true })]),
      named('', piece('$.list[0].n', { numberValue: 1.5 })),
      partial([piece('$.list[1].name', { stringValue: 'Chur' }), piece("$['a b']", { boolValue: false })]),
      partial([piece('$.nothing', { nullValue: 'NULL_VALUE' }), piece('$.list[0].late', { numberValue: 0 })]), close, end],
    items: [`f(${JSON.stringify(args)})`] },
  'end with their last piece, with the next part, or with the stream': [
    { stream: [begin(), partial([a], false), end], items: ['f({"a":"x"})'] },
    { stream: [begin(), partial([a]), end], items: ['f({"a":"x"})'] },
    { stream: [begin(), partial([a]), chunk([text('done')], stop)], items: ['f({"a":"x"})', 'done'] },
    { stream: [begin(), partial([a]), begin('g'), close, end], items: ['f({"a":"x"})', 'g({})'] },
    { stream: [chunk([{ functionCall: { name: 'f', partialArgs: [a] } }]), end], items: ['f({"a":"x"})'] },
  ],
  'continue if a piece repeats their name with their id': {
    stream: [more({ willContinue: true }),
      more({ partialArgs: [piece('$.a', { numberValue: 1 })], willContinue: true }), more({}), end],
    items: ['i1 f({"a":1})'] },
  'are complete without arguments before a call with streamed arguments': {
    stream: [chunk([call('f')]), begin('g'), partial([piece('$.id', { numberValue: 1 })]), close, end],
    items: ['f({})', 'g({"id":1})'] },
  'are incomplete if their arguments were cut by length': {
    stream: [begin(), partial([a]), chunk([], { finishReason: 'MAX_TOKENS' })],
    items: ['f({"a":"x") (incomplete)'], end: 'incomplete: max_output_tokens' },
  'are incomplete if their arguments were cut by the connection': {
    stream: [begin(), partial([a]), {}], items: ['f({"a":"x") (incomplete)'], end: 'failed', body: null },
  'are safe from paths that would damage an object or a list': {
    stream: [begin(), partial([piece('$.__proto__.x', { numberValue: 1 }), piece('$.l[4000000000]', { numberValue: 2 })]),
      close, end],
    items: ['f({"__proto__":{"x":1},"l":[2]})'] },
  'record arguments without a call as a loss': {
    stream: [partial([piece('$.a', { numberValue: 1 })])], deltas: [lost('arguments without a call')],
    losses: ['arguments without a call'], body: null },
  'complete the response if the finish reason is an ordinary one': {
    stream: [chunk([call('f')], { ...stop, finishMessage: 'Model generated function call(s).' })], items: ['f({})'],
    losses: ['finishMessage'] },
})

answers(
  'calls of a gemini-generate stream',
  'drop an unreadable piece of arguments as a loss, with the path ',
  ['a', '$', '$.', '$[x]', '$.a[', `$${'.a'.repeat(200)}`, ''].map((path) => ({
    name: JSON.stringify(path),
    stream: [begin(), partial([piece(path, { numberValue: 1 })]), close, end],
    items: ['f({})'],
    losses: ['an unreadable piece of arguments'],
  })),
)

it('paths of arguments leave the prototype of objects as it is', () => {
  eventsFor([begin(), partial([piece('$.__proto__.x', { numberValue: 1 })]), close, end])
  expect(({} as { x?: unknown }).x).toBeUndefined()
})

const hosted = (toolType: string, args: object, item: object): AnswerCase => ({
  name: toolType,
  stream: [
    chunk([{ toolCall: { toolType, args, id: 't1' } }]),
    chunk([{ toolResponse: { toolType, response: { y: 2 }, id: 't1' } }]),
    chunk([text('A')], stop),
  ],
  items: [{ ...item, status: 'completed' }, 'A'],
})
const tool = (id: string, queries: string[]) => ({ toolCall: { toolType: 'NEW', args: { queries }, id } })
const answer = (id: string, n: number) => ({ toolResponse: { toolType: 'NEW', response: { n }, id } })
const failed = { codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'no' } }
const inline = (mimeType: string, data: string, more: object = {}) => ({ inlineData: { mimeType, data }, ...more })
const other = (part: object, feature: string): AnswerCase => ({
  stream: [chunk([part])],
  deltas: [lost(feature)],
  losses: [feature],
  body: null,
})
const urlContextMetadata = {
  urlMetadata: [{ retrievedUrl: 'https://a.example/', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' }],
}
const PAGE = { type: 'web_search_call', action: { type: 'open_page', url: 'https://a.example/' } }

// biome-ignore format: a row a case
answers('hosted tools of a gemini-generate stream', '', {
  'are one item for code and its result, never a call of the client': {
    stream: [chunk([text('A')]), chunk([code, text('')]), chunk([result]), chunk([text('B')], stop)],
    items: ['A', { type: 'code_interpreter_call', status: 'completed', code: 'print(1)',
      outputs: [{ type: 'logs', logs: '1\n' }] }, 'B'] },
  'may be code that failed, or code without a result': [
    of([code, failed], ['code_interpreter_call (failed)']),
    of([code], [{ type: 'code_interpreter_call', outputs: null }]),
  ],
  'are matched with their own results': {
    stream: [chunk([tool('1', ['a']), tool('2', ['b'])]), chunk([answer('2', 2), answer('1', 1)], stop)],
    items: [{ output: '{"n":1}' }, { output: '{"n":2}' }] },
  'record a result without a step as a loss': {
    stream: [chunk([result])], losses: ['a result without its step'], body: null },
  'are an item of image generation for inline image data': of([inline('image/jpeg', '/9j/AA==')],
    [{ type: 'image_generation_call', result: '/9j/AA==', output_format: 'jpeg' }]),
  'record other data as a loss': [
    other(inline('audio/wav', 'AA=='), 'data of type audio/wav'),
    other(inline('image/png', 'AA==', { thought: true }), 'a draft of an image'),
    other({ fileData: { fileUri: 'gs://x' } }, 'part fileData'),
  ],
  'include pages that were read, before the answer or after it': [
    { stream: [chunk([text('A')], { urlContextMetadata }), chunk([text('B')], { ...stop, urlContextMetadata })],
      items: [{ ...PAGE, status: 'failed' }, 'AB'] },
    { stream: [hi, chunk([text('B')], { ...stop, urlContextMetadata })], items: ['AB', PAGE] },
  ],
})

// biome-ignore format: a row a case
answers('hosted tools of a gemini-generate stream', 'are decoded from the tool type ', [
  hosted('GOOGLE_SEARCH_WEB', { queries: ['a', 'b'] },
    { type: 'web_search_call', action: { query: 'a', queries: ['a', 'b'] } }),
  hosted('GOOGLE_SEARCH_IMAGE', { queries: ['a'] }, { type: 'web_search_call', action: { query: 'a' } }),
  hosted('URL_CONTEXT', { urls: ['https://a.example/'] }, PAGE),
  hosted('FILE_SEARCH', { queries: ['a'] }, { type: 'file_search_call', queries: ['a'] }),
  hosted('NEW_TOOL', { x: 1 }, { type: 'mcp_call', name: 'NEW_TOOL', arguments: '{"x":1}', output: '{"y":2}' }),
  hosted('constructor', {}, { type: 'mcp_call', name: 'constructor' }),
])

const finished = (word: unknown) => ({ candidates: [{ finishReason: word }] })
/** Words of one status, after a text. */
const words = (end: string, list: readonly unknown[], losses?: (word: unknown) => readonly string[]) =>
  list.map((word) => ({
    name: `${word}`,
    stream: [hi, finished(word)],
    items: [end === 'completed' ? 'A' : CUT],
    end,
    losses: losses?.(word) ?? [],
  }))
const unusual = (word: unknown) => [`finishReason ${word}`]
const FILTERED = ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE', 'MODEL_ARMOR']
const FAILED = ['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']

const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED'

answers('the end of a gemini-generate answer', 'has the right status for the finish reason ', [
  ...words('completed', ['STOP', 1]),
  ...words('completed', ['OTHER', 'A_WORD_OF_TOMORROW', 'toString'], unusual),
  ...words('incomplete: max_output_tokens', ['MAX_TOKENS', 2]),
  ...words('incomplete: max_output_tokens', ['CONTINUATION'], () => ['continuation_token']),
  ...words('incomplete: content_filter', FILTERED),
  ...words('incomplete: content_filter', ['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION']),
  ...words('failed', FAILED),
  ...words('failed', ['MISSING_THOUGHT_SIGNATURE', 'NO_IMAGE', 'IMAGE_OTHER']),
  { name: UNSPECIFIED, stream: [hi, finished(UNSPECIFIED)], items: [CUT], end: 'failed' },
  { name: `${UNSPECIFIED} in a body`, body: chunk([text('A')], { finishReason: UNSPECIFIED }), items: ['A'] },
])

const finishMessage = 'Malformed function call: print('
const blocked = (blockReason: unknown): AnswerCase => ({
  name: `${blockReason}`,
  stream: [{ promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } }],
  items: [],
  end: 'incomplete: content_filter',
  losses: ['promptFeedback.blockReason'],
})
const busy = { error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }
const FINISH = { kind: 'finish', reason: 'stop' }
const A = { kind: 'text', text: 'A' }
const DONE = 'data: [DONE]\r\n\r\n'

// biome-ignore format: a row a case
answers('the end of a gemini-generate answer', '', {
  'is a failure for an unusual finish reason without content': ['OTHER', 'A_WORD_OF_TOMORROW', 'constructor'].map(
    (word) => ({ stream: [finished(word)], items: [], end: 'failed', losses: unusual(word) })),
  'has the last of several finish reasons': [
    { stream: [chunk([text('A')], { finishReason: 'MALFORMED_FUNCTION_CALL' }), end], items: ['A'] },
    { stream: [chunk([text('A')], stop), chunk([], { finishReason: 'RECITATION' })], items: [CUT],
      end: 'incomplete: content_filter' },
  ],
  'has the error message of the upstream': [
    { stream: [{ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }] }], end: `failed: ${finishMessage}` },
    { stream: [chunk([], { finishReason: 'NO_IMAGE' })], end: 'failed: NO_IMAGE' },
  ],
  'is filtered if the prompt is blocked (field failure 67)':
    ['SAFETY', 'OTHER', 'A_REASON_OF_TOMORROW', 3].map(blocked),
  'is not changed by feedback without a reason': {
    stream: [{ ...end, promptFeedback: { safetyRatings: [] } }], items: [] },
  'is a failure without any reason': [
    { stream: [hi], items: [CUT], end: 'failed' },
    { stream: [hi, hi], items: ['AA (incomplete)'], end: 'failed' },
    { stream: usageOf({ promptTokenCount: 1 }), items: [], end: 'failed' },
  ],
  'needs no reason if a last chunk has the usage (field failure 66)': [
    { stream: [hi, ...usageOf({ promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 })], items: ['A'] },
    { stream: [...usageOf({ totalTokenCount: 2 }), hi], items: [CUT], end: 'failed' },
  ],
  'needs no reason if the terminator [DONE] follows the usage (field failure 66)': {
    stream: [hi, ...usageOf({ totalTokenCount: 2 }), DONE], body: null, items: ['A'],
    deltas: [expect.objectContaining(A), expect.objectContaining({ kind: 'usage' }), FINISH] },
  'needs no reason if the terminator [DONE] follows the content (field failure 66)': {
    stream: [hi, DONE], body: null, items: ['A'], deltas: [expect.objectContaining(A), FINISH],
    passed: { items: [CUT], end: 'failed' } },
  'is unknown if the terminator [DONE] follows no content': { stream: [DONE], body: null, deltas: [], end: 'failed' },
  'ends not at a [DONE] before the content': {
    stream: [DONE, hi, DONE], body: null, items: ['A'], deltas: [expect.objectContaining(A), FINISH],
    passed: { items: [CUT], end: 'failed' } },
  'ends at a [DONE] behind a bare finish reason, or a block': [
    { stream: [end, DONE, hi], body: null, items: [] },
    { stream: [...(blocked('SAFETY').stream ?? []), DONE, hi], body: null, items: [], end: 'incomplete: content_filter',
      losses: ['promptFeedback.blockReason'] },
  ],
  'needs no reason in a whole body': { body: hi, items: ['A'] },
  'is a failure after an error inside a 200, alone or in a list, and after any content (field failure 73)':
    [busy, [busy]].flatMap((error): AnswerCase[] => [
      { stream: [error], items: [], end: 'failed: Overloaded.', body: null },
      { stream: [chunk([text('A')], stop), error], items: [CUT], end: 'failed: Overloaded.', body: null },
      { body: error, items: [], end: 'failed: Overloaded.', code: 'server_is_overloaded',
        deltas: [expect.objectContaining({ kind: 'error' })] },
    ]),
  'has one terminal event for any order of chunks': {
    stream: [chunk([text('A')], stop), { error: { message: 'x' } }, end], items: [CUT], end: 'failed: x', body: null },
})

const before = { promptTokenCount: 198, candidatesTokenCount: 90, thoughtsTokenCount: 50, totalTokenCount: 338 }
const after = { promptTokenCount: 46, candidatesTokenCount: 22, totalTokenCount: 68 }
const counted = { promptTokenCount: 10, cachedContentTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 7 }
const counts = (usage: AnswerCase['usage'], ...found: readonly object[]): AnswerCase => ({
  stream: [...usageOf(...found), end],
  usage,
})

// biome-ignore format: a row a case
answers('usage of a gemini-generate stream', '', {
  'counts reasoning as output and prompts of tools as input': counts([30, 12, 42, 4, 7],
    { ...counted, toolUsePromptTokenCount: 20, totalTokenCount: 42 }),
  'is that of the last chunk, even if it is less (edge case 33)': counts([46, 22, 68], before, after),
  'is not changed by metadata without counts': counts([3, 0, 3], { promptTokenCount: 3, totalTokenCount: 3 },
    { trafficType: 'ON_DEMAND' }),
  'is not read from invalid counts': [{ promptTokenCount: 'three' }, { promptTokenCount: -1 }, { totalTokenCount: {} }].map(
    (found) => ({ stream: usageOf(found), deltas: [], body: null })),
  'has a total that is added up if the upstream omits it': counts([3, 4, 7], { promptTokenCount: 3, candidatesTokenCount: 4 }),
})

answers('the model of a gemini-generate stream', '', {
  'is emitted when it is known and when it changes': {
    stream: ['a', 'a', '', 'b'].map((modelVersion) => ({ modelVersion })),
    deltas: ['a', 'b'].map((model) => ({ kind: 'start', model })),
    body: null,
  },
})

const lossesOf = (losses: readonly string[], candidate: object, fields: object = {}): AnswerCase => ({
  name: { ...candidate, ...fields },
  body: { candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason: 'STOP', ...candidate }], ...fields },
  losses,
})
const maps = { uri: 'https://m', route: { a: 1 } }
const license = { uri: 'https://a', license: 'mit', endIndex: 1 }

// biome-ignore format: a row a case
answers('members of a gemini-generate answer that no other protocol has', 'are losses unless they are the usual ones: ', [
  lossesOf(['finishReason OTHER'], { finishReason: 'OTHER' }),
  lossesOf(['finishMessage'], { finishReason: 'SAFETY', finishMessage: 'Why' }),
  lossesOf(['safetyRatings'], { finishReason: 'SAFETY', safetyRatings: [{ blocked: true }] }),
  lossesOf([], { safetyRatings: [{ probability: 'NEGLIGIBLE' }], avgLogprobs: -0.1 }, { modelStatus: {} }),
  { name: 'promptFeedback', body: { promptFeedback: { blockReason: 'SAFETY' } }, losses: ['promptFeedback.blockReason'] },
  lossesOf(['retrievalQueries'], { groundingMetadata: { retrievalQueries: ['q'], sourceFlaggingUris: [] } }),
  lossesOf(['groundingChunks maps.route'], { groundingMetadata: { groundingChunks: [{ maps }] } }),
  lossesOf(['citations license'], { citationMetadata: { citations: [license] } }),
])
