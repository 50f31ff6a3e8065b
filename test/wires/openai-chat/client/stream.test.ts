import { expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import { clientAnswersOf } from '../../client-answer-cases.ts'
import type { Loose } from '../../client-stream.ts'
import {
  called,
  cited,
  customCalled,
  FINISH,
  failedWith,
  hosted,
  reasoning,
  refused,
  START,
  summary,
  text,
  USAGE,
  usageOf,
} from '../../deltas.ts'

const choicesOf = (frames: readonly Loose[]): readonly Loose[] => frames.flatMap(({ choices = [] }) => choices)
const answers = clientAnswersOf({
  client,
  views: {
    frames: ({ frames }) => frames,
    models: ({ frames, body }) => [...new Set([...frames.slice(0, -1), body].map(({ model }) => model))],
    usages: ({ frames, body }) => [...frames.slice(0, -1).map(({ usage }) => usage), ['whole', body.usage]],
    /** The deltas, with the first, which has the role, and the last, which is empty. */
    all: ({ frames }) => choicesOf(frames).map(({ delta }) => delta),
    deltas: ({ frames }) =>
      choicesOf(frames)
        .map(({ delta }) => delta)
        .slice(1, -1),
    finish: ({ frames, body }) => [choicesOf(frames).at(-1)?.finish_reason, body.choices[0].finish_reason],
    logprobs: ({ frames, body }) =>
      [...choicesOf(frames), ...body.choices].map(({ logprobs }) => logprobs).filter((found) => found !== null),
    message: ({ body }) => body.choices[0].message,
  },
})

const ROLE = { role: 'assistant', content: '' }
const ROLE_ALONE = { role: 'assistant', content: null }
const WHOLE = { role: 'assistant', content: null, refusal: null }
const choice = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_800_000_000,
  model: 'm-1',
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
})
const LOGPROBS = [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] }]
const likely: Delta = { kind: 'text', key: 'text', part: '', text: 'Hi', logprobs: LOGPROBS }
const counts = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
const COUNTS = {
  ...counts,
  prompt_tokens_details: { cached_tokens: 2 },
  completion_tokens_details: { reasoning_tokens: 3 },
}

// biome-ignore format: a row a case
answers('a chunk of a stream for chat clients', '', {
  'repeats the head of the response, and [DONE] ends the stream': {
    answer: [START, text('Hi'), FINISH], frames: [choice(ROLE), choice({ content: 'Hi' }), choice({}, 'stop'), '[DONE]'] },
  'names the requested model until the upstream names another': [
    { answer: [text('Hi'), FINISH], models: ['acme/m-1'], raw: true },
    { answer: [START, text('Hi'), FINISH], models: ['m-1'] },
  ],
  'has usage if the client requests it: null, and the counts in a last chunk without choices': [
    { answer: [START, text('Hi'), USAGE, FINISH], settings: { usage: true }, usages: [null, null, null, COUNTS, ['whole', COUNTS]],
      frames: expect.arrayContaining([{ ...choice({}), choices: [], usage: COUNTS }]) },
    { answer: [START, text('Hi'), USAGE, FINISH], usages: [undefined, undefined, undefined, ['whole', COUNTS]] },
  ],
  'has 0 for token counts that the upstream omits, and no details': [
    { answer: [START, usageOf({ input_tokens: 4 }), FINISH],
      usages: [undefined, undefined, ['whole', { prompt_tokens: 4, completion_tokens: 0, total_tokens: 4 }]] },
    { answer: [START, FINISH], usages: [undefined, undefined, ['whole', undefined]] },
  ],
  'has the log probabilities of its text': { answer: [START, likely, likely, FINISH],
    logprobs: [[LOGPROBS], [LOGPROBS], [LOGPROBS, LOGPROBS]].map((all) => ({ content: all.flat(), refusal: null })) },
})

// biome-ignore format: a row a case
answers('the first chunk of a stream for chat clients', '', {
  'has the role and precedes a text': { answer: [START, text('Hi'), FINISH], all: [ROLE, { content: 'Hi' }, {}] },
  'has the role and precedes a refusal': { answer: [START, refused('No.'), FINISH], all: [ROLE_ALONE, { refusal: 'No.' }, {}] },
  'has the role and precedes reasoning': { answer: [START, reasoning('Hm.'), FINISH],
    all: expect.arrayContaining([ROLE_ALONE, expect.objectContaining({ reasoning_content: 'Hm.' })]) },
  'has the role and precedes a call': { answer: [START, called('f', '{}'), FINISH],
    all: expect.arrayContaining([ROLE_ALONE, { tool_calls: [expect.objectContaining({ id: 'call_1' })] }]) },
  'has the role and precedes the end': { answer: [START, FINISH], all: [ROLE, {}] },
  'is the error alone if the upstream fails first, so that the host can still answer with a status': {
    answer: [START, failedWith(upstreamError('server_error', 'It broke.'))],
    frames: [{ error: { message: 'It broke.', type: 'server_error', param: null, code: 'server_error' } }] },
})

const entry = (index: number, fields: object) => ({ tool_calls: [{ index, ...fields }] })
const begun = (name: string, id: string, index = 0) =>
  entry(index, { id, type: 'function', function: { name, arguments: '' } })
const piece = (args: string, index = 0) => entry(index, { function: { arguments: args } })
const callOf = (name: string, args: string, id = 'call_1') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const more = (args: string): Delta => ({ ...called('', args), name: null, callId: null }) as Delta
const custom = (name: string, input: string) => ({ id: 'call_1', type: 'custom', custom: { name, input } })

// biome-ignore format: a row a case
answers('calls for chat clients', '', {
  'begin with id and name and then have their arguments': {
    answer: [START, called('f', '{"a"'), more(':1}'), called('g', '{}', 'call_2'), FINISH],
    deltas: [begun('f', 'call_1'), piece('{"a"'), piece(':1}'), begun('g', 'call_2', 1), piece('{}', 1)],
    message: { ...WHOLE, tool_calls: [callOf('f', '{"a":1}'), callOf('g', '{}', 'call_2')] } },
  'have {} as arguments if the upstream sent none': {
    answer: [START, called('f', ''), FINISH], message: { ...WHOLE, tool_calls: [callOf('f', '{}')] } },
  'have the input of a custom tool in custom.input': {
    answer: [START, customCalled('grep', 'a*'), FINISH],
    deltas: [entry(0, custom('grep', '')), entry(0, { custom: { input: 'a*' } })],
    message: { ...WHOLE, tool_calls: [custom('grep', 'a*')] } },
  'are a single function_call for clients that declare functions instead of tools': {
    answer: [START, called('f', '{"a":1}'), called('g', '{}', 'call_2'), FINISH], settings: { legacy: true },
    deltas: [{ function_call: { name: 'f', arguments: '' } }, { function_call: { arguments: '{"a":1}' } }],
    finish: ['function_call', 'function_call'],
    message: { ...WHOLE, function_call: { name: 'f', arguments: '{"a":1}' } } },
})

const mark = (start_index: number, end_index: number, title = 'A') => ({
  type: 'url_citation',
  url_citation: { url: 'https://example.org/a', title, start_index, end_index },
})
const cite = cited(0, 3) as Extract<Delta, { kind: 'citation' }>
const file = { url: '', title: null, file: { file_id: 'f1', filename: 'a.pdf' } }

// biome-ignore format: a row a case
answers('citations for chat clients', '', {
  'count offsets from the start of the message and follow the end of their text': {
    answer: [START, text('One. '), cited(0, 3), called('f', '{}'), text('Two.', 'b'), cited(0, 3, null, 'b'), FINISH],
    deltas: [{ content: 'One. ' }, { annotations: [mark(0, 3)] }, begun('f', 'call_1'), piece('{}'), { content: 'Two.' },
      { annotations: [mark(5, 8, '')] }],
    message: { ...WHOLE, content: 'One. Two.', tool_calls: [callOf('f', '{}')], annotations: [mark(0, 3), mark(5, 8, '')] } },
  'have an empty title if the upstream sent none': {
    answer: [START, text('One.'), cited(0, 3, null), FINISH],
    message: { ...WHOLE, content: 'One.', annotations: [mark(0, 3, '')] } },
  'are left out if they cite a file': {
    answer: [START, text('One.'), { ...cite, citation: { ...cite.citation, ...file } }, FINISH],
    message: { ...WHOLE, content: 'One.' } },
})

const thought = { type: 'reasoning.text', index: 0 }
const part = (index: number, more: object) => ({ index, format: 'unknown', id: expect.any(String), ...more })

// biome-ignore format: a row a case
answers('reasoning for chat clients', '', {
  'is written as reasoning_content and as a fragment of an entry of reasoning_details': {
    answer: [START, reasoning('a'), reasoning('b'), FINISH],
    deltas: [
      { reasoning_content: 'a', reasoning_details: [{ ...thought, text: 'a' }] },
      { reasoning_content: 'b', reasoning_details: [{ ...thought, text: 'b' }] },
      { reasoning_details: [{ ...thought, id: 'rs_1_0', format: 'unknown', text: '' }] },
    ] },
  'has an entry of its own for each part and kind': {
    answer: [START, summary('a', 's', '0'), summary('b', 's', '1'), reasoning('c', 's'), FINISH],
    message: { ...WHOLE, content: '', reasoning_content: 'a\n\nb\n\nc', reasoning_details: [
      part(0, { type: 'reasoning.summary', summary: 'a' }), part(1, { type: 'reasoning.summary', summary: 'b' }),
      part(2, { type: 'reasoning.text', text: 'c' }),
    ] } },
  'is left out for clients that exclude it': {
    answer: [START, reasoning('a'), text('b'), FINISH], settings: { hidden: true },
    all: [ROLE, { content: 'b' }, {}], message: { ...WHOLE, content: 'b' } },
})

const image = (fields: object) => hosted('image_generation_call', fields as never)
const picture = (url: string) => ({ type: 'image_url', index: 0, image_url: { url } })

// biome-ignore format: a row a case
answers('items of hosted tools for chat clients', '', {
  'are written as OpenRouter writes them if they are generated images': [
    { answer: [START, image({ result: 'AA==', output_format: 'webp' }), FINISH],
      deltas: [{ images: [picture('data:image/webp;base64,AA==')] }] },
    { answer: [START, image({ result: 'AA==' }), text('x'), FINISH],
      message: { ...WHOLE, content: 'x', images: [picture('data:image/png;base64,AA==')] } },
    { answer: [START, image({}), FINISH], all: [ROLE, {}] },
  ],
  'are left out if they are searches': {
    answer: [START, hosted('web_search_call', { action: { type: 'search', query: 'q' } }), text('x'), FINISH],
    all: [ROLE, { content: 'x' }, {}] },
})

// biome-ignore format: a row a case
answers('the content of a whole message for chat clients', 'is a string or null in a message ', {
  'with a call alone': { answer: [START, called('f', '{}'), FINISH],
    message: { ...WHOLE, tool_calls: [callOf('f', '{}')] } },
  'with a refusal alone': { answer: [START, refused('No.'), FINISH], message: { ...WHOLE, refusal: 'No.' } },
  'without content': { answer: [START, FINISH], message: { ...WHOLE, content: '' } },
  'with a text and a call': { answer: [START, text('x'), called('f', '{}'), FINISH],
    message: { ...WHOLE, content: 'x', tool_calls: [callOf('f', '{}')] } },
})

it('an error before the first byte for chat clients has the status and the body that OpenAI sends', () => {
  const error = { message: 'n: expected 1, got 2', type: 'invalid_request_error', param: 'n', code: 'invalid_prompt' }
  const given = clientError('invalid_prompt', 'n: expected 1, got 2', 'n')
  expect(client.encodeError(given, 'req_1')).toEqual({ status: 400, body: { error } })
})
