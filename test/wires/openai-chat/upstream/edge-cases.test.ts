import type { AnswerCase } from '../../answer-cases.ts'
import { answers, CALLED, call, chunk, content, counted, DONE, END, first, piece, stop, usage } from '../answers.ts'

/** The behaviour of vendors of chat streams, in the order of the list of edge cases (1 to 19). */

const opening = {
  ...{ choices: [], created: 0, id: '', model: '', object: '' },
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
}
const routed = chunk({ content: 'Moin' }, null, { model: 'router-mini' })
const filtered = { choices: [{ index: 0, finish_reason: null, content_filter_offsets: { start_offset: 0 } }] }
const tide = (index: number, id: string, args: string) => call({ index, id, type: 'function' }, 'tide', args)
const whole = (id: string, at: number) => ({ id, function: { name: 'tide', arguments: `{"at":${at}}` } })
const [ONE, TWO] = ['a tide({"at":1})', 'b tide({"at":2})']

// biome-ignore format: a row a case
answers('the start of a chat stream', '', {
  '1: is skipped if the first chunk has no id, model and choices': [
    { stream: [opening, chunk({ role: 'assistant', content: '' }, null, { model: '' }), routed, ...END],
      items: ['Moin'], model: 'm-1', emits: [{ kind: 'start', model: 'router-mini' }] },
    { stream: [opening, routed, DONE], items: ['Moin'], model: 'router-mini' },
  ],
  '2: may have a choice without a delta, which is skipped': {
    stream: [content('So'), filtered, content(' ist es.'), ...END], items: ['So ist es.'] },
})

/** The counts so far, as in each chunk of some servers. */
const counting = (text: string, tokens: number) => chunk({ content: text }, null, { usage: usage(10, tokens) })

// biome-ignore format: a row a case
answers('the end of a chat stream without a finish reason', '', {
  'is its last chunk, if that has usage and no choice': [
    { stream: [content('So.'), { ...chunk({}), choices: [], usage: usage(10, 1) }], items: ['So.'] },
    { stream: [counting('So', 1), counting('.', 2), { ...chunk({}), choices: [], usage: usage(10, 2) }], items: ['So.'] },
  ],
  'is missing after usage in each chunk, in the first one, or before further text': [
    [counting('', 0), counting('So', 1), counting(' is', 2)],
    [counting('', 0), content('So'), content(' is')],
    [content('So'), { ...chunk({}), choices: [], usage: usage(10, 1) }, content(' is')],
  ].map((stream): AnswerCase => ({ stream, items: ['So is (incomplete)'], end: 'failed: ended before' })),
})

// biome-ignore format: a row a case
answers('calls of a chat stream', '', {
  '3: are emitted after the first finish reason, and a second finish reason may follow': {
    stream: [tide(0, 'a', '{"at":1}'), stop('tool_calls'), tide(1, 'b', '{"at":2}'), ...CALLED], items: [ONE, TWO] },
  '4: keep their id and name if these are null, empty or left out in later fragments':
    [[{ id: null }, { name: null }], [{ id: '' }, { name: '' }], [{}, {}]].map(([at, fn]): AnswerCase => ({
      stream: [first('', 'tide', { id: 'c' }),
        ...['{"port":', '"Brest"}'].map((json) => piece({ index: 0, ...at }, { ...fn, arguments: json })), ...CALLED],
      items: ['c tide({"port":"Brest"})'],
    })),
  '5: are emitted whole without an index from the chunk with finish reason and usage': {
    stream: [content(''), chunk({ content: '', tool_calls: [whole('a', 1), whole('b', 2)] }, 'tool_calls',
      { usage: usage(20, 9, { total_tokens: 29 }) }), DONE], items: [ONE, TWO], usage: [20, 9, 29] },
  'have the arguments that stand in `parameters`, as an object or as text': [{ at: 1 }, '{"at":1}'].map((parameters): AnswerCase => ({
    stream: [chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'tide', parameters } }] }), ...CALLED],
    items: [ONE], losses: [] })),
  'have no schema that stands in `parameters` (TGI)': {
    stream: [chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'tide', parameters: { type: 'object', properties: {} } } }] }),
      call({ index: 0 }, null, '{"at":1}'), ...CALLED], items: [ONE] },
  '6: begin at output_index 0 if their first index is 1': { stream: [tide(1, 'a', '{}'), ...CALLED], items: ['a tide({})'] },
  '7: are complete before a cut by the length, and the cut call keeps its received arguments': {
    stream: [tide(0, 'a', '{"at":1}'), tide(1, 'b', '{"at'), stop('length'), DONE],
    items: [ONE, 'b tide({"at) (incomplete)'], end: 'incomplete: max_output_tokens' },
})

const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Half of 86?' }], closed: true }

// biome-ignore format: a row a case
answers('text and reasoning of a chat stream', '', {
  '8: are read from a list of both, then from strings, the last of them with the finish reason': {
    stream: [content([thinking, { type: 'text', text: 'It is ' }]), content('43'), chunk({ content: '.' }, 'stop'), DONE],
    items: ['reasoning: Half of 86?', 'It is 43.'] },
  '8: keep a blank line that is a piece of its own, also beside details without text':
    [{}, { reasoning_details: [] }, { reasoning_details: [{ type: 'reasoning.text', text: '', index: 1 }] }].map((beside): AnswerCase => ({
      stream: [...['Half?', '\n\n', 'Yes.'].map((text) => content('', { reasoning_content: text, ...beside })), content('43'), ...END],
      items: ['reasoning: Half?\n\nYes.', '43'] })),
})

const words = [content('Let me'), content(' see')]
const error = { message: 'Tool call was no JSON', type: 'invalid_request_error', code: 'tool_use_failed' }
const failing = (...frames: readonly unknown[]): AnswerCase => ({
  stream: [...words, ...frames],
  items: ['Let me see (incomplete)'],
  end: 'failed: Tool call was no JSON',
})

// biome-ignore format: a row a case
answers('a failure in a chat stream', '', {
  '9: is an event named error after good chunks at the end of the stream': failing(
    `event: error\ndata: ${JSON.stringify({ error })}\n\n`),
  '10: is an SSE field named error': failing(`error: ${JSON.stringify({ error })}\n\n`),
  '11: is a chunk with an error and usage but without a finish reason': failing(
    chunk({ content: '' }, null, { error: { code: 502, message: error.message }, usage: usage(8, 2) }), DONE),
})

const role = { role: 'assistant' }
const [link, excerpt, neither] = ['https://tides.example/a', 'https://b.example/', 'https://c.example/']
const cite = (url: string, words: string) =>
  content('', {
    annotations: [{ type: 'url_citation', url_citation: { url, content: words, start_index: 0, end_index: 0 } }],
  })
const text = `High at nine ([tides](${link})). The moon pulls the sea.`
const details = [{ type: 'reasoning.encrypted', data: 'c2VjcmV0', id: 't1', format: 'google-gemini-v1', index: 0 }]
const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
const reasoned = (text: string) => content('', { reasoning: text, reasoning_details: [{ ...detail, text }] })

// biome-ignore format: a row a case
answers('chat chunks that contain several kinds of data', '', {
  '12: complete once after two finish reasons, the second beside the usage, with repeated roles': {
    stream: [content('Ja', role), content('.', role), chunk({ ...role, content: '' }, 'stop'),
      chunk({ ...role, content: '' }, 'stop', { usage: usage(7, 3, { total_tokens: 10, cost: 0.001 }) }), DONE],
    items: ['Ja.'], usage: [7, 3, 10] },
  '13: place citations sent before their text at 0..0 at link or excerpt, or keep them unchanged': {
    stream: [cite(link, 'High water: 09:00'), cite(excerpt, 'The moon pulls the sea.'), cite(neither, 'Not in it.'),
      content(text.slice(0, 20)), content(text.slice(20)), ...END],
    items: [`${text} [${link} "[tides](${link})"] [${excerpt} "The moon pulls the sea."] [${neither} ""]`] },
  '14: return encrypted reasoning, sent before the call that it is bound to, together with that call': {
    stream: [content('', { reasoning: null, reasoning_details: details }), first('{}', 'tide', { id: 't1' }), ...CALLED],
    items: ['sealed reasoning', 't1 tide({})'], emits: [{ kind: 'opaque', payload: details }] },
  '15: have a signature in a fragment without text, and the same text in two fields, which is emitted once': {
    stream: [reasoned('Two '), reasoned('ports.'), content('', { reasoning_details: [{ ...detail, signature: 'c2ln' }] }),
      content('Brest.'), ...END],
    items: ['sealed reasoning: Two ports.', 'Brest.'],
    emits: [{ kind: 'opaque', payload: [{ ...detail, text: 'Two ports.', signature: 'c2ln' }] }] },
})

const reasoning = { total_tokens: 354, completion_tokens_details: { reasoning_tokens: 340 } }
const using = (delta: object, reason: string | null, ...counts: Parameters<typeof usage>) =>
  chunk(delta, reason, { usage: usage(...counts) })

// biome-ignore format: a row a case
answers('usage of a chat stream', '', {
  '16: includes reasoning tokens outside of completion_tokens if the total counts them': [2, 342].map(
    (output): AnswerCase => ({ stream: [content('x'), stop(), counted(12, output, reasoning), DONE],
      usage: [12, 342, 354, 0, 340], passed: { usage: null } })),
  '17: is read from every chunk, null until the end, beside a call whose arguments stay empty': {
    stream: [using({ content: '' }, null, null, null, { total_tokens: null }),
      using({ tool_calls: [{ index: 0, id: 'a', function: { name: 'tide', arguments: '' } }] }, null, 30, null,
        { total_tokens: null }),
      using({ content: '' }, 'tool_calls', 30, 6, { total_tokens: 36 }), DONE],
    items: ['a tide({})'], usage: [30, 6, 36] },
})

const citations = ['https://tides.example/a', 'https://moon.example/b']
const texts = ['Tides', ' [1] follow', ' the moon [2].']
const repeating = texts.map((content, i) => {
  const message = { role: 'assistant', content: texts.slice(0, i + 1).join('') }
  const [object, finish_reason] = i === 2 ? ['chat.completion.done', 'stop'] : ['chat.completion.chunk', null]
  const choices = [{ index: 0, delta: { role: 'assistant', content }, message, finish_reason }]
  return { id: `id-${i}`, object, model: 'sonar', citations, usage: usage(4, i + 1, { total_tokens: i + 5 }), choices }
})
const flood = [content('Flut', { refusal: '' }), content(' um neun.', { refusal: '' })]

// biome-ignore format: a row a case
answers('the end of a chat stream', '', {
  '18: is the end of the connection, after a message that repeats all, repeated citations and changing ids': {
    stream: repeating, usage: [4, 3, 7],
    items: [`Tides [1] follow the moon [2]. [${citations[0]} "[1]"] [${citations[1]} "[2]"]`] },
  '19: is [DONE] or usage if there is no finish reason, and an empty refusal is ignored': [
    ...[DONE, counted(3, 4)].map((last) => ({ stream: [...flood, last], items: ['Flut um neun.'] })),
    { stream: flood, items: ['Flut um neun. (incomplete)'], end: 'failed', code: 'upstream_truncated' },
  ],
})
