import { expect, it } from 'vitest'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { openaiChat } from '../../../../src/wires/openai-chat/index.ts'
import {
  initialThinkTags,
  splitThinkTags,
  type ThinkTagState,
} from '../../../../src/wires/shared/upstream/think-tags.ts'
import { collected, eventsOf, optionsOf, toBytes, translated } from '../../../engine/run-engine.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import {
  answers,
  CALLED,
  call,
  chunk,
  content,
  counted,
  DONE,
  END,
  first,
  piece,
  stop,
  think,
  usage,
} from '../answers.ts'

/**
 * Failures of other translators with chat streams, by their numbers in the list of field failures. Each row shows the
 * correct result.
 */

const of = (stream: readonly unknown[], items: AnswerCase['items'], more: AnswerCase = {}): AnswerCase => ({
  stream,
  items,
  ...more,
})
const f = first('{}', 'f', { id: 'a' })
const options = optionsOf(DIALECTS.openai, {}, 'x', openaiChat)
const bytesOf = (chunks: readonly object[]) => [toBytes(chunks.map((it) => `data: ${JSON.stringify(it)}\n\n`).join(''))]

// biome-ignore format: a row a case
answers('A. the order of events from a chat stream', '', {
  '1, 18, 19: numbers text and call, completes them in order, and lists them so in the output': of(
    [content('I look.'), f, ...CALLED], ['I look.', 'a f({})']),
  '2, 5: ends the reasoning item and adds the message item before the first text': of(
    [think('Hm.'), content('Yes.'), ...END], ['reasoning: Hm.', 'Yes.']),
  '3: is not changed by a first chunk with a role': of(
    [chunk({ role: 'assistant', content: '' }), think('Hm.'), content('Yes.'), ...END], ['reasoning: Hm.', 'Yes.']),
  '4, 7: has reasoning fragments in one item and one part with the index 0': of(
    [think('H'), think('m'), think('.'), ...END], [{ summary: [{ text: 'Hm.' }] }]),
  '10: has no item for empty reasoning': of([think(''), content('Yes.'), think(''), ...END], ['Yes.']),
  '15: numbers every event from 0 in steps of 1': of(
    [think('Hm.'), content('Yes.'), f, ...CALLED], ['reasoning: Hm.', 'Yes.', 'a f({})']),
})

it('8, 9, 11: a chat stream has every event of a text item that it does not announce', () => {
  const events = eventsOf(translated(options, bytesOf([content('Yes.'), stop()])))
  expect(events.map(({ type }) => `${type}`.replace('response.', '')).join(' ')).toBe(
    'created in_progress output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done completed',
  )
})

const both = (a: string, b: string) => ({
  choices: [
    { index: 1, delta: { content: b } },
    { index: 0, delta: { content: a } },
  ],
})

// biome-ignore format: a row a case
answers('B. indices and the terminal response of a chat stream', '', {
  '17: give reasoning after a text an item of its own': of(
    [content('First.'), think('Hm.'), content('Second.'), ...END], ['First.', 'reasoning: Hm.', 'Second.']),
  '21, 22, 23, 24: repeat the finished items with their ids in the terminal event': of(
    [think('Hm.'), content('Yes.'), first('{"x":1}', 'f', { id: 'a' }), ...CALLED],
    ['reasoning: Hm.', 'Yes.', 'a f({"x":1})'], { model: 'm-1' }),
  '25: keep white space between reasoning and call once and unchanged': of(
    [think('Hm.'), content('\n\n'), f, ...CALLED], ['reasoning: Hm.', '\n\n', 'a f({})']),
  '26: take choice 0 at any position as the answer and record another choice as a loss': of(
    [both('A', 'x'), { choices: [{ index: 1, delta: { content: 'y' } }] }, both('B', 'z'), ...END], ['AB'],
    { losses: ['choices'] }),
})

const A = 'a f({"x":1})'
const AB = [A, 'b f({"x":2})']
const calls = (items: AnswerCase['items'], ...pieces: readonly object[]) => of([...pieces, ...CALLED], items)
const signature = { extra_content: { google: { thought_signature: 'c2ln' } } }
const whole = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] }
const a = { id: 'a' }
const b = { id: 'b' }
const read = (args: string) => first(args, 'read', { ...a, type: 'function' })

// biome-ignore format: a row a case
answers('C. calls of a chat stream', '', {
  '28: are joined from fragments whose index is missing': calls([A], call(a, 'f', '{"x"'), call({}, null, ':1}')),
  '29: are joined from fragments whose index is null': calls([A],
    call({ index: null, ...a }, 'f', '{"x"'), call({ index: null }, null, ':1}')),
  '30: are joined without an index from fragments, a signature alone and the finish reason stop': of(
    [call(a, 'f', '{"x"'), call({}, null, ':1}'), piece(signature), ...END], [A, 'sealed reasoning']),
  '31, 34, 36: stay apart and complete if they have one name and are all at index 0': calls(AB,
    first('{"x":1}', 'f', a), first('{"x":2}', 'f', b)),
  '32: stay apart if their index counts anew in each chunk, in fragments': calls(AB,
    first('{"x"', 'f', a), first(':1}'), first('{"x"', 'f', b), first(':2}')),
  '33: stay apart without an index over several chunks': calls(AB,
    call(a, 'f', '{"x"'), call({}, null, ':1}'), call(b, 'f', ''), call(b, 'f', '{"x":2}')),
  '37, 38, 39: have id, type and name once if a vendor repeats them in each fragment': [
    calls(['a read({"x":1})'], read('{"x"'), read(':'), read('1}')),
    calls(['a read({})'], read(''), read(''), read('{}')),
  ],
  '40: are not multiplied by an id that changes in each fragment': calls(['a0 f({"x":1})'],
    ...['{"x"', ':', '1}'].map((json, i) => first(json, i === 0 ? 'f' : null, { id: `a${i}` }))),
  '41: have a name that is joined from fragments before the arguments': calls(['a get_weather({})'],
    first('', 'get_', a), first('', 'weather'), first('{}')),
  '42: keep arguments that arrive before id and name': calls([A], first('{"x"'), first('', 'f', a), first(':1}')),
  '43, 44: are emitted with {} if their arguments are none, null or empty': [undefined, null, ''].map((args) =>
    calls(['a f({})'], call({ index: 0, ...a }, 'f', args))),
  '45: have no text before the first fragment of their arguments': calls([A], first('', 'f', a), first('{"x":1}')),
  '46: have arguments that are an object encoded as JSON once, streamed or whole': {
    ...calls([A], call({ index: 0, ...a }, 'f', { x: 1 })),
    body: { choices: [{ message: whole, finish_reason: 'tool_calls' }] } },
  '49: are emitted with an id if the vendor sends neither id nor finish reason': of(
    [first('{"x":1}', 'f'), DONE], [{ call_id: expect.stringMatching(/./), name: 'f', arguments: '{"x":1}' }]),
  '50: have their arguments emitted as they arrive': {
    stream: [first('{"x"', 'f', a)], emits: [{ kind: 'call', arguments: '{"x"' }], end: 'failed' },
})

const nothing = [{ choices: [] }, { choices: null }, {}]

// biome-ignore format: a row a case
answers('D. empty and mixed deltas of a chat stream', '', {
  '51: add no item for empty texts between fragments of a call': calls([A], first('', 'f', a),
    ...['{"x"', ':', '1}'].map((json) => content('', { tool_calls: [{ index: 0, function: { arguments: json } }] }))),
  '52: keep the text beside an empty list of calls': of(
    [content('A', { tool_calls: [] }), content('B', { tool_calls: null }), ...END], ['AB']),
  '53: give both the text and the call of one delta': calls(['A', 'a f({})'],
    content('A', { tool_calls: [{ index: 0, ...a, function: { name: 'f', arguments: '{}' } }] })),
  '54: give no answer from chunks without choices': of([...nothing, content('A'), ...nothing, ...END], ['A']),
  '56b: give a text after a call as an item of its own': calls(['a f({})', 'Meanwhile.'], f, content('Meanwhile.')),
  '57: give the reasoning of the fields reasoning and reasoning_content': ['reasoning', 'reasoning_content'].map((field) =>
    of([think('H', field), think('m', field), content('A'), ...END], ['reasoning: Hm', 'A'])),
})

// biome-ignore format: a row a case
answers('E. finish reasons of a chat stream', '', {
  '58: are ignored if they are empty': of([chunk({ content: 'A' }, ''), chunk({ content: 'B' }, ''), ...END], ['AB']),
  '59: keep the calls if the second of two is stop': of([f, stop('tool_calls'), ...END], ['a f({})']),
  '62: complete an answer with text and tool_calls but without calls': of([content('A'), ...CALLED], ['A']),
  '63: report length and content_filter although the answer has a call': [
    of([f, stop('length'), DONE], [{ name: 'f' }], { end: 'incomplete: max_output_tokens' }),
    of([f, stop('content_filter'), DONE], [{ name: 'f' }], { end: 'incomplete: content_filter' }),
  ],
})

const late = { error: { message: 'Late' } }
const missing = { error: { message: 'No such model', code: 404 } }

// biome-ignore format: a row a case
answers('F. endings of a chat stream', '', {
  '69: fail a stream that is cut in the middle of a text': { stream: [content('Let me')], end: 'failed' },
  '71: fail a stream that is cut after reasoning': { stream: [think('Hm')], end: 'failed' },
  'fail a stream without content': [[think('')], [think(''), DONE], []].map((stream) => ({ stream, end: 'failed' })),
  '72: fail on an error in a chunk without choices': of(
    [{ choices: [], error: { message: 'Overloaded', code: 529 }, usage: usage(1, 0) }, DONE], [], { end: 'failed: Overloaded' }),
  '74: fail on an error with status 200, as a stream or as a body': of([missing], [],
    { body: missing, end: 'failed: No such model' }),
  '79: ignore all data after [DONE]': of([content('A'), stop(), DONE, content('B'), late], ['A']),
})

const ping = ': ACME PROCESSING\n\n'

answers('G. bytes of a chat stream', '', {
  '83: may contain comments at any position': of(
    [ping, content('A'), ping, ': \n', content('B'), ping, ...END, ping],
    ['AB'],
  ),
})

it('86: a chat stream may contain a line of two million characters', () => {
  const picture = { index: 0, image_url: { url: `data:image/png;base64,${'A'.repeat(2_000_000)}` } }
  const { output } = collected(options, bytesOf([content('', { images: [picture] }), stop()]))
  expect(output).toMatchObject([{ type: 'image_generation_call', result: expect.any(String) }])
  expect(JSON.stringify(output).length).toBeGreaterThan(2_000_000)
})

it('a message at the end of a chat stream has images and citations that no delta had, once', () => {
  const images = [{ image_url: { url: 'data:image/png;base64,QQ==' } }]
  const annotations = [{ type: 'url_citation', url_citation: { url: 'https://a.test', title: 'A' } }]
  const last = (delta: object) => ({
    ...chunk({}),
    choices: [{ index: 0, delta, message: { content: 'Hi', images, annotations }, finish_reason: 'stop' }],
  })
  for (const delta of [{}, { images, annotations }]) {
    const { output } = collected(options, bytesOf([content('Hi'), last(delta)]))
    expect(output).toMatchObject([
      { type: 'message', content: [{ text: 'Hi', annotations: [{ url: 'https://a.test' }] }] },
      { type: 'image_generation_call' },
    ])
  }
})

it('a message at the end of a chat stream has calls that no delta had, and no text twice', () => {
  const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: id, arguments: '{"x":1}' } }))
  const message = { content: 'Hi', audio: { id: 'au', data: 'QQ==', transcript: 'Hi' }, tool_calls: calls }
  const last = { ...chunk({}), choices: [{ index: 0, delta: {}, message, finish_reason: 'tool_calls' }] }
  const { output } = collected(options, bytesOf([content('Hi'), last]))
  expect(output).toMatchObject([
    { type: 'message', content: [{ text: 'Hi' }] },
    { type: 'function_call', call_id: 'a', name: 'a', arguments: '{"x":1}' },
    { type: 'function_call', call_id: 'b', name: 'b', arguments: '{"x":1}' },
  ])
})

it('the transcript of a message at the end of a chat stream comes once', () => {
  const message = { content: null, reasoning_content: 'Hm', audio: { id: 'au', data: 'QQ==', transcript: 'Hi' } }
  const last = { ...chunk({}), choices: [{ index: 0, delta: {}, message, finish_reason: 'stop' }] }
  const { output } = collected(options, bytesOf([chunk({ reasoning_content: 'Hm' }), last]))
  expect(output).toMatchObject([{ type: 'reasoning' }, { content: [{ text: 'Hi' }] }])
})

it('a chat stream that repeats its only message has it once', () => {
  const said = (content: string, finish_reason: string | null) => ({
    ...chunk({}),
    choices: [{ index: 0, delta: {}, message: { role: 'assistant', content }, finish_reason }],
  })
  for (const first of ['Hello', 'Hel']) {
    const { output } = collected(options, bytesOf([said(first, null), said('Hello', 'stop')]))
    expect(output).toMatchObject([{ content: [{ text: 'Hello' }] }])
  }
})

it('87: a chat stream is read with a state that does not grow with open reasoning', () => {
  let state: ThinkTagState = initialThinkTags({ thinkTags: true })
  state = splitThinkTags(state, '<think>').state
  for (let i = 0; i < 10_000; i += 1) state = splitThinkTags(state, 'a < b </thin ').state
  expect(JSON.stringify(state).length).toBeLessThan(200)
})

const using = (found: AnswerCase['usage'], ...counts: Parameters<typeof usage>): AnswerCase => ({
  stream: [content('A'), stop(), counted(...counts), DONE],
  body: { choices: [{ message: { content: 'A' }, finish_reason: 'stop' }], usage: usage(...counts) },
  usage: found,
  passed: { usage: null },
})
const cachedOf = (cached_tokens: number | null, more: object = {}): AnswerCase => ({
  stream: [content('A'), stop(), counted(50, 0, more), DONE],
  emits: [{ kind: 'usage', usage: expect.objectContaining({ cached_tokens, output_tokens: 0 }) }],
})
const cite = (n: number, start_index: number, end_index: number) => ({
  type: 'url_citation',
  url_citation: { url: `https://a.example/${n}`, title: `${n}`, start_index, end_index },
})

// biome-ignore format: a row a case
answers('I. usage of a chat stream', '', {
  '99: has the cached tokens that OpenAI, DeepSeek, Moonshot, Mistral and Databricks report': [
    { prompt_tokens_details: { cached_tokens: 40 } }, { prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 10 },
    { cached_tokens: 40 }, { num_cached_tokens: 40 }, { cache_read_input_tokens: 40 },
  ].map((more) => using([50, 2, 52, 40], 50, 2, more)),
  '101: is the same streamed and whole': using([50, 2, 52, 40, 0], 50, 2,
    { total_tokens: 52, prompt_tokens_details: { cached_tokens: 40 } }),
  '104: distinguishes 0 from an unknown count': [
    cachedOf(0, { prompt_tokens_details: { cached_tokens: 0 } }), cachedOf(null)],
  '105: has details for the client even if the vendor sends none': using([5, 2, 7, 0, 0], 5, 2),
  '106: is read from one chunk together with text and finish reason': of(
    [content('A'), chunk({ content: 'B' }, 'stop', { usage: usage(5, 2) }), DONE], ['AB'], { usage: [5, 2] }),
})

// biome-ignore format: a row a case
answers('citations of a chat stream', '', {
  '107: are emitted whichever chunk contains them': of([content('One and', { annotations: [cite(1, 0, 3)] }),
    content(' two.', { annotations: [cite(2, 4, 7), cite(3, 8, 11)] }),
    chunk({ annotations: [cite(4, 8, 11)] }, 'stop'), DONE],
    ['One and two. [https://a.example/1 "One"] [https://a.example/2 "and"] [https://a.example/3 "two"] [https://a.example/4 "two"]']),
  'are the sources of lists without markers, which each chunk repeats (Alibaba, Tencent, Volcengine, Z.ai)': [
    (...urls: readonly string[]) => ({ search_info: { search_results: urls.map((url, i) => ({ index: i + 1, title: 'T', url, site_name: 'S', icon: '' })) } }),
    (...urls: readonly string[]) => ({ references: urls.map((url) => ({ url, title: 'T', summary: 'S', site_name: 'S' })) }),
    (...urls: readonly string[]) => ({ web_search: urls.map((link, i) => ({ link, title: 'T', content: 'S', refer: `ref_${i + 1}` })) }),
  ].map((listed) => of([chunk({ content: 'A' }, null, listed('https://a.example')), chunk({ content: 'B' }, 'stop', listed('https://a.example', 'https://b.example')), DONE],
    [{ content: [{ text: 'AB', annotations: [{ url: 'https://a.example', title: 'T' }, { url: 'https://b.example', title: 'T' }] }] }], { losses: [] })),
})
