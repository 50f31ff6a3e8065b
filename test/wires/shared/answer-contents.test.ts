import { bedrockConverse } from '../../../src/wires/bedrock-converse/index.ts'
import { ollamaChat } from '../../../src/wires/ollama-chat/index.ts'
import { openaiResponses } from '../../../src/wires/openai-responses/index.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { type AnswerCase, answersOf } from '../answer-cases.ts'
import * as messages from '../anthropic-messages/events.ts'
import { bodyOf as converseBody, frameOf } from '../bedrock-converse/converses.ts'
import * as cohere from '../cohere-chat/decoded.ts'
import * as gemini from '../gemini-generate/answers.ts'
import { call as lineCall, messageLine, DONE as OLLAMA_DONE } from '../ollama-chat/decoded.ts'
import {
  CALLED,
  answers as chat,
  chunk,
  content,
  DONE,
  END,
  first,
  piece,
  think,
  usage,
} from '../openai-chat/answers.ts'
import { chatCall } from '../openai-chat/chats.ts'
import * as responses from '../openai-responses/answers.ts'

/** Answers of vendors that differ from the document of their wire. */

const chunkOf = (...choices: readonly object[]) => ({ id: 'c-1', model: 'm-1', choices })
const completed = (message: unknown, finish_reason: unknown = 'stop', more: object = {}) => ({
  ...chunkOf({ index: 0, message, finish_reason }),
  object: 'chat.completion',
  ...more,
})
const calls = (...tool_calls: readonly object[]) => ({ tool_calls })
const f = chatCall('a')
const [g, h] = [chatCall('b', '{}', 'g'), chatCall('c', '{}', 'h')]
const [F, G] = ['a f({})', 'b g({})']
const failed = { items: ['Ok. (incomplete)'], end: 'failed' }

// biome-ignore format: a row a case
chat('choices of a chat answer', '', {
  'have text and calls without an index': { items: ['Ok.', F, G, 'c h({})'],
    body: chunkOf({ message: { content: 'Ok.' }, finish_reason: 'tool_calls' },
      { message: calls(f), finish_reason: 'tool_calls' }, { message: calls(g, h), finish_reason: 'tool_calls' }) },
  'have calls alone, numbered, at a vendor that splits answers': { quirks: { splitsAnswers: true }, items: [F, G],
    stream: [chunkOf({ index: 1, delta: calls({ index: 0, ...g }) }, { index: 0, delta: calls({ index: 0, ...f }) }), ...CALLED] },
  'have a call before the text': { items: ['Ok.', 'a f({"x":1})'],
    stream: [chunkOf({ index: 1, delta: calls({ index: 0, ...chatCall('a', '{"x":') }) }), content('Ok.'),
      chunkOf({ index: 1, delta: calls({ index: 0, function: { arguments: '1}' } }) }), ...CALLED] },
  'are alternatives whose chunks alternate': { items: ['Yes!'], losses: ['choices'],
    stream: [chunkOf({ index: 1, delta: { content: 'No' } }), content('Yes'),
      chunkOf({ index: 1, delta: { content: 'pe' } }, { index: 0, delta: { content: '!' } }), ...END] },
  'are alternatives with calls': { items: ['a f({"q":1})'], losses: ['choices'],
    body: chunkOf({ index: 1, message: calls(chatCall('b', '{"q":2}')), finish_reason: 'tool_calls' },
      { index: 0, message: calls(chatCall('a', '{"q":1}')), finish_reason: 'tool_calls' }) },
  'are a single one that is counted from 1': { items: ['Hey'],
    stream: [chunkOf({ index: 1, delta: { content: 'He' } }), chunkOf({ index: 1, delta: { content: 'y' }, finish_reason: 'stop' }), DONE],
    body: chunkOf({ index: 1, message: { content: 'Hey' }, finish_reason: 'stop' }) },
  'fail with the vendor’s own word for a failure, beside another reason': ['network_error', 'ERROR'].map((native_finish_reason) => ({
    name: native_finish_reason, items: ['Ok. (incomplete)'], end: `failed: The upstream stopped with "${native_finish_reason}".`,
    losses: null, stream: [content('Ok.'), chunkOf({ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason })] })),
  'fail with the finish reason of calls without a call': { ...failed, items: ['  (incomplete)'],
    stream: [content(' '), ...CALLED], body: completed({ content: ' ' }, 'tool_calls') },
})

const turn = (message: object) => [{ role: 'user' }, { role: 'assistant', ...message }, { role: 'user' }]
const SIGNATURES = {
  google: { extra_content: { google: { thought_signature: 's-1' } } },
  vertex: { extra_content: { vertex: { thought_signature: 's-1' } } },
  litellm: { provider_specific_fields: { thought_signature: 's-1' } },
}
const signed = (of: (members: object) => AnswerCase): readonly AnswerCase[] => Object.values(SIGNATURES).map(of)
const SEALED = 'sealed reasoning'

// biome-ignore format: a row a case
chat('the signature of Google in a chat answer', 'returns with ', {
  'its call': signed((members) => ({ items: [SEALED, F], back: turn(calls({ id: 'a', ...members })),
    stream: [piece({ ...f, ...members }), ...CALLED], body: completed(calls({ ...f, ...members }), 'tool_calls') })),
  'its call, after the beginning of that': signed((members) => ({ items: [F, SEALED], back: turn(calls({ id: 'a', ...members })),
    stream: [first('', 'f', { id: 'a' }), piece({ index: 0, ...members }, { arguments: '{}' }), piece({ index: 0, ...members }), ...CALLED] })),
  'its message': signed((members) => ({ items: ['Hey', SEALED], back: turn({ content: 'Hey', ...members }),
    stream: [content('He'), content('y', members), ...END], body: completed({ content: 'Hey', ...members }) })),
})

const THOUGHT = { type: 'thinking', thinking: 'Hm, so.', signature: 's-1' }
const REDACTED = { type: 'redacted_thinking', data: 'd-1' }
const HM = ['reasoning: Hm, so.', 'Hey']
const KEPT = ['sealed reasoning: Hm, so.', 'Hey']
const blocks = (...thinking_blocks: readonly unknown[]) => ({ thinking_blocks })
const block = (index: number, delta: object, more: object = {}) =>
  chunk({ ...more, content_blocks: [{ index, delta }] })
const summed = (summary: unknown) => ({ type: 'reasoning', summary })
const HEY = { type: 'text', text: 'Hey' }

// biome-ignore format: a row a case
chat('reasoning of a chat answer', 'is read from ', {
  'reasoning_text and reasoning_opaque': { items: KEPT,
    stream: [chunk({ reasoning_opaque: 'o-1', reasoning_text: 'Hm, ' }), think('so.', 'reasoning_text'),
      content('Hey', { reasoning_opaque: 'o-1' }), ...END],
    body: completed({ reasoning_opaque: 'o-1', content: 'Hey', reasoning_text: 'Hm, so.' }),
    back: turn({ content: 'Hey', reasoning_text: 'Hm, so.', reasoning_opaque: 'o-1' }) },
  'thinking_blocks alone, whose last one repeats the text': { items: KEPT, back: turn(blocks(THOUGHT)),
    stream: [chunk(blocks({ type: 'thinking', thinking: 'Hm, ' })), chunk(blocks({ type: 'thinking', thinking: 'so.', signature: null })),
      chunk(blocks(THOUGHT)), content('Hey'), ...END],
    body: completed({ content: 'Hey', ...blocks(THOUGHT) }) },
  'thinking_blocks whose signature comes after the text': { items: [...HM, SEALED], back: turn(blocks(THOUGHT)),
    stream: [chunk({ reasoning_content: 'Hm, so.', thinking_blocks: { type: 'thinking', thinking: 'Hm, so.' } }),
      content('Hey'), chunk(blocks({ type: 'thinking', thinking: '', signature: 's-1' })), ...END] },
  'thinking_blocks in provider_specific_fields, with a redacted one': { items: KEPT, back: turn(blocks(THOUGHT, REDACTED)),
    body: completed({ content: 'Hey', reasoning_content: 'Hm, so.', provider_specific_fields: blocks(THOUGHT, REDACTED) }) },
  content_blocks: { items: KEPT, back: turn({ content_blocks: [THOUGHT] }),
    stream: [block(0, { thinking: 'Hm, ' }), block(0, { thinking: 'so.' }), block(0, { signature: 's-1' }),
      block(1, { text: 'Hey' }, { content: 'Hey' }), ...END],
    body: completed({ content: 'Hey', content_blocks: [THOUGHT, HEY] }) },
  'content_blocks without content': { items: KEPT, back: turn({ content_blocks: [THOUGHT] }),
    stream: [block(0, { thinking: 'Hm, so.', signature: 's-1' }), block(1, { text: 'He' }, { content: '' }),
      block(1, { text: 'y' }, { content: null }), ...END],
    body: completed({ content: null, content_blocks: [THOUGHT, HEY] }) },
  'content parts of type reasoning': { items: KEPT,
    stream: [content([summed([{ type: 'summary_text', text: 'Hm, ' }])]),
      content([summed({ type: 'summary_text', text: 'so.', signature: 's-1' }), HEY]), ...END],
    back: turn({ content: [summed([{ text: 'Hm, so.', signature: 's-1' }]), {}] }) },
  'content parts of type thinking with a signature': { items: KEPT,
    body: completed({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm, so.' }], signature: 's-1' }, HEY] }),
    back: turn({ content: [{ type: 'thinking', signature: 's-1' }, { text: 'Hey' }] }) },
  'objects in place of texts': { items: HM,
    stream: [chunk({ reasoning: { content: 'Hm, ' } }), chunk({ reasoning: [{ text: 'so.' }] }), content('Hey'), ...END],
    body: completed({ content: 'Hey', reasoning_content: { text: 'Hm, so.' } }) },
  reasoning_steps: { items: ['reasoning: Look.\n', 'Hey'], losses: ['reasoning_steps.fetch'],
    stream: [content('', { reasoning_steps: [{ thought: 'Look.', type: 'x', fetch: { url: 'u' } }] }), content('Hey'), ...END] },
  'no field that no table has': { items: ['Hey'], losses: ['reasoning_trace', 'thinking_log'].map((name) => `choices[].message.${name}`),
    stream: [content('', { reasoning_trace: 'Hm.' }), content(null, { thinking_log: ['Hm.'] }), content('Hey'), ...END],
    body: completed({ content: 'Hey', reasoning_trace: 'Hm.', thinking_log: ['Hm.'] }) },
})

const TAGS: readonly Quirks[] = [{ thinkTags: true }, {}]
const ollama = answersOf({ wire: ollamaChat })

// biome-ignore format: a row a case
chat('reasoning of a chat answer', 'is read once from ', {
  'a field and tags, known or unknown': TAGS.map((quirks) => ({ quirks, items: HM,
    stream: [content('<thi', { reasoning: 'Hm, ' }), content('nk>Hm, so.</thi', { reasoning: 'so.' }), content('nk>\n\nHey'), ...END],
    body: completed({ content: '<think>\nHm, so.\n</think>\n\nHey', reasoning: 'Hm, so.' }) })),
  'tags, and then a field': { quirks: { thinkTags: true }, items: HM,
    stream: [content('<think>Hm, '), think('Hm, '), content('so.</think>Hey'), think('so.'), ...END] },
  'a field after a bare tag': { quirks: { thinkTags: true }, items: ['reasoning: \nHm, so.', 'Hey'],
    stream: [content('<think>\n'), think('Hm, so.'), content('Hm, so.</think>Hey'), ...END] },
})

const calling = { id: 7, name: 'f', arguments: { x: 1 } }
const FX = 'f({"x":1})'

// biome-ignore format: a row a case
chat('members of a chat answer', 'may be of another kind: ', {
  'one call in place of the list, without its member function': { items: [`7 ${FX}`],
    body: completed({ tool_calls: calling }, 'tool_calls') },
  'calls that are a text': { items: ['Hey'], losses: ['tool_calls that is a JSON string'],
    stream: [content('Hey', { tool_calls: 'none' }), ...END] },
  'one choice in place of the list, and a finish reason that is a number': { items: ['Hey'],
    losses: ['finish_reason that is a JSON number'],
    body: { model: 'm-1', choices: { message: { content: HEY }, finish_reason: 1 } } },
  'usage that is a list': { items: ['Hey'], losses: ['usage that is a JSON list'],
    stream: [content('Hey'), chunk({}, 'stop', { usage: [1, 2] }), DONE] },
  'counts of 0 in the last chunk': { usage: [90, 3, 93],
    stream: [chunk({ content: 'He' }, null, { usage: usage(90, 1, { total_tokens: 91 }) }),
      chunk({ content: 'y' }, null, { usage: usage(90, 2, { total_tokens: 92 }) }),
      chunk({}, 'stop', { usage: usage(0, 3, { total_tokens: 3 }) }), DONE] },
  'counts under the names of the Responses API': { usage: [4, 2, 6],
    body: completed({ content: 'Hey' }, 'stop', { usage: { input_tokens: 4, output_tokens: 2, prompt_tokens: 0 } }) },
  'a spoken answer': { items: ['Hey'], losses: ['audio'],
    stream: [content(null, { audio: { id: 'a', transcript: 'He' } }), chunk({ audio: { data: 'AAAA' } }),
      chunk({ audio: { transcript: 'y' } }), ...END],
    body: completed({ content: null, audio: { id: 'a', data: 'AAAA', transcript: 'Hey' } }) },
})

const LOSS = 'a final text that differs from its deltas'
const final = (message: object, reason = 'stop') => ({
  ...chunkOf({ index: 0, delta: {}, message: { role: 'assistant', ...message }, finish_reason: reason }),
})
const A1 = chatCall('a', '{"a":1}')

// biome-ignore format: a row a case
chat('the final message of a chat stream', '', {
  'is added if it repeats the text and has one more piece': { items: ['The mill.'],
    stream: [content('The mi'), final({ content: 'The mill.' }), DONE] },
  'may lack the white space around its text': { items: [' Hi '], stream: [content(' Hi '), final({ content: 'Hi' }), DONE] },
  'is a loss in the stream if it has another text': { items: ['Wine'], streamed: ['Water'], losses: [LOSS],
    stream: [content('Wa'), content('ter'), final({ content: 'Wine' }), DONE] },
  'is a loss if it has other arguments': { items: ['a f({"a":2})'], losses: [LOSS],
    stream: [first('{"a":', 'f', { id: 'a' }), first('2}'), final(calls(A1), 'tool_calls'), DONE] },
  'has the calls that the stream lacks': { items: ['Wait.', 'a f({"a":1})', 'd f({"a":2})'],
    stream: [content('Wait.'), final({ content: 'Wait.', ...calls(A1, chatCall('d', '{"a":2}')) }, 'tool_calls'), DONE] },
  'has the arguments that the stream lacks': { items: ['a f({"a":1})'],
    stream: [first('', 'f', { id: 'a' }), final(calls(A1), 'tool_calls'), DONE] },
})
// biome-ignore format: a row a case
chat('a member that is not read', '', {
  'is a loss in a call after the text': { items: ['Water and', F], losses: ['choices[].message.tool_calls[].own'],
    stream: [content('Water'), content(' and'), first('{}', 'f', { id: 'a', own: 1 }), ...CALLED] },
})

const HI = 'Grüezi mitenand.'
const hi = (...bodies: readonly object[]): AnswerCase[] => bodies.map((body) => ({ body, items: [HI] }))
const EMPTY = { role: 'assistant', content: '' }
const said = { role: 'assistant', content: HI }
const choice = (more: object) => ({
  object: 'chat.completion',
  model: 'm-1',
  choices: [{ index: 0, finish_reason: 'stop', ...more }],
})
const words = ['Grüezi ', 'miten', 'and.']
const streams = (...choices: readonly object[]): AnswerCase => ({ stream: [...choices.map(choice), DONE], items: [HI] })
const NAME = { name: 'Emily Wilson', age: 32 }
const json = (value: unknown, ...losses: readonly string[]): AnswerCase[] => [
  { body: completed({ content: value }), losses, end: 'completed' },
  ...[{ body: completed({ content: value }) }, { stream: [content(value), ...END] }].map((one) => ({
    ...one,
    quirks: { jsonAnswer: true },
    items: [JSON.stringify(value)],
  })),
]
const plain = (value: unknown, items: AnswerCase['items']): AnswerCase[] =>
  [{}, { jsonAnswer: true }].map((quirks) => ({ quirks, body: completed({ content: value }), items }))

// biome-ignore format: a row a case
chat('the text of a chat answer', 'is emitted once from ', {
  message: hi(choice({ message: said })),
  'message beside a delta that is empty, the same, or a part of it': hi(choice({ message: said, delta: EMPTY }),
    choice({ delta: {}, message: said }), choice({ delta: said, message: said }), choice({ delta: { content: 'd.' }, message: said })),
  'delta, beside an empty message': hi(choice({ delta: said, message: EMPTY }), choice({ delta: said })),
  'text, beside an empty message': hi(choice({ text: HI }), choice({ text: HI, message: EMPTY })),
  'a list of texts': hi(choice({ message: { content: [HI] } })),
  'a stream whose messages repeat': streams(...words.map((word, n) =>
    ({ finish_reason: null, delta: { content: word }, message: { content: words.slice(0, n + 1).join('') } }))),
  'a stream whose first delta is empty': streams({ delta: EMPTY, message: { content: 'Grüezi ' } }, { delta: { content: 'mitenand.' } }),
  'a stream whose last delta is empty': streams({ delta: { content: HI } }, { delta: EMPTY, message: said }),
  'a stream whose deltas are all empty': streams({ delta: EMPTY }, { delta: EMPTY, message: said }),
})
// biome-ignore format: a row a case
chat('content of a chat answer that is not text', 'is the text if the client requested JSON, and else a loss: ', {
  'an object': json(NAME, 'content that is a JSON object'), 'a number': json(7, 'content that is a JSON number'),
  'a boolean': json(true, 'content that is a JSON boolean'), 'an object with a type': json({ type: 'cat' }, 'content part cat'),
  'objects': json([NAME, NAME], 'content part'), 'numbers': json([7], 'content part'), 'texts': json(['a', 'b']),
})
chat('content of a chat answer that is not text', 'is no loss, with or without a request for JSON: ', {
  ...{ null: plain(null, []), 'an empty text': plain('', []), 'an empty list': plain([], []) },
  ...{ 'JSON as text': plain('{"a":1}', ['{"a":1}']), parts: plain([{ type: 'text', text: 'a' }], ['a']) },
})

const reasoned = (reasoning_content: object, losses: readonly string[] = []): AnswerCase => ({
  items: ['reasoning: Hm.', 'Ok.'],
  losses,
  stream: [chunk({ reasoning_content }), content('Ok.'), ...END],
  body: completed({ reasoning_content, content: 'Ok.' }),
})
const SIGNED = 'the signature of reasoning_content'
const usageCase = (usage: readonly number[], found: object): AnswerCase => ({
  items: ['Ok.'],
  usage,
  // It was not requested.
  passed: { usage: null },
  stream: [content('Ok.'), chunk({}, 'stop'), { choices: [], usage: found }, DONE],
  body: completed({ content: 'Ok.' }, 'stop', { usage: found }),
})
// biome-ignore format: a row a case
chat('a chat answer', '', {
  'may have the reasoning of another protocol as an object': [reasoned({ text: 'Hm.' }), reasoned({ text: 'Hm.', signature: 's' }, [SIGNED]),
    reasoned({ reasoningText: { text: 'Hm.', signature: 's' } }, [SIGNED])],
  'counts the cache into an input that does not have it': [
    usageCase([109, 5, 114, 90, 0], { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14, cache_read_input_tokens: 90, cache_creation_input_tokens: 10 }),
    usageCase([109, 5, 114, 0, 0], { prompt_tokens: 9, completion_tokens: 5, prompt_tokens_details: { cache_write_tokens: 100 } }),
    usageCase([90, 5, 95, 90, 0], { prompt_tokens: 90, completion_tokens: 5, total_tokens: 95, prompt_tokens_details: { cached_tokens: 90 } })],
})

const at = (type: string, output_index: number, item_id: string, more: object) =>
  responses.ev(type, { output_index, content_index: 0, item_id, ...more })
const { added, done, ev, message } = responses
const CALL = { type: 'function_call', id: 'f', call_id: 'c', name: 'get' }
const WHOLE = { ...CALL, arguments: '{"a":1}', status: 'completed' }
const args = (index: number, id: string, ...list: readonly string[]) =>
  list.map((delta) => at('function_call_arguments.delta', index, id, { delta }))
const GET = ['c get({"a":1})']
const text = (words: string, id = 'a') => [
  added(0, message('', { id })),
  at('output_text.delta', 0, id, { delta: words }),
]
const scrambled = (...end: readonly object[]): AnswerCase => ({
  stream: [added(0, CALL), ...args(0, 'x', 'q83v', 'Xz0='), ...end],
  items: GET,
  losses: [LOSS],
})
const END_OF = responses.completed()
const ended = (items: AnswerCase['items'], ...stream: readonly object[]): AnswerCase => ({
  stream: [...stream, END_OF],
  items,
})
const refusal = (delta: string) => ({ type: 'refusal', refusal: delta })
const summary = [{ type: 'summary_text', text: 'Hm.' }]
const SH = { type: 'custom_tool_call', id: 't', call_id: 'c', name: 'sh' }
const spoken = (delta: string) => at('output_audio_transcript.delta', 0, 'i', { delta })
const responsesAnswers = answersOf({ wire: openaiResponses })

// biome-ignore format: a row a case
responsesAnswers('late events of an openai-responses stream', 'are applied to their item: ', {
  'text, part and item that end under the next index': ['a', 'other'].map((id) => ended(['Hi.', 'Bye.'],
    ...text('Hi.'), at('output_text.done', 1, id, { text: 'Hi.' }), at('content_part.done', 1, id, { part: responses.text('Hi.') }),
    done(1, message('Hi.', { id })), added(1, message('', { id: 'b' })), at('output_text.delta', 1, 'b', { delta: 'Bye.' }),
    at('output_text.done', 2, 'b', { text: 'Bye.' }), done(2, message('Bye.', { id: 'b' })))),
  'a refusal that ends under the next index': ended(['refusal: No.'], added(0, { type: 'message', id: 'a', content: [] }),
    at('refusal.delta', 0, 'a', { delta: 'No.' }), at('refusal.done', 1, 'a', { refusal: 'No.' }), at('content_part.done', 1, 'a', { part: refusal('No.') })),
  'a summary and a custom call that end under the next index': ended(['reasoning: Hm.', 'c sh: ls'],
    added(0, { type: 'reasoning', id: 'r', summary: [] }), at('reasoning_summary_text.delta', 0, 'r', { summary_index: 0, delta: 'Hm.' }),
    at('reasoning_summary_text.done', 1, 'r', { summary_index: 0, text: 'Hm.' }),
    at('reasoning_summary_part.done', 1, 'r', { summary_index: 0, part: summary[0] }), done(1, { type: 'reasoning', id: 'r', summary }),
    added(1, SH), at('custom_tool_call_input.delta', 1, 't', { delta: 'ls' }), at('custom_tool_call_input.done', 2, 't', { input: 'ls' }),
    done(2, { ...SH, input: 'ls' })),
  'two calls without any pieces, each of which ends under the next index': ended(['c1 get({"a":1})', 'c2 get({"a":2})'],
    ...[1, 2].flatMap((n) => [added(n - 1, { ...CALL, id: `f${n}`, call_id: `c${n}` }),
      at('function_call_arguments.done', n, `x${n}`, { arguments: `{"a":${n}}` }),
      done(n, { ...CALL, id: `y${n}`, call_id: `c${n}`, arguments: `{"a":${n}}` })])),
  'an annotation under the next index': ended(['Hi. [https://a.example/ "Hi"]'], ...text('Hi.'), at('output_text.annotation.added', 1, 'a',
    { annotation: { type: 'url_citation', url: 'https://a.example/', title: 'A', start_index: 0, end_index: 2 } })),
  'a text without an event at its end before a call': ended(['Wait.', ...GET], ...text('Wait.'), added(1, CALL), done(1, WHOLE)),
  'arguments that begin with white space': ended(['c get({"a":1})'], added(0, CALL), ...args(0, 'f', ' ', '\n{"a"', ':1}'),
    at('function_call_arguments.done', 0, 'f', { arguments: ' \n{"a":1}' })),
  'a second start with the same id of the item': { losses: ['an answer that the upstream restarted'],
    ...ended(['H', 'Hey'], ev('created', { response: { id: 'r-1', model: 'm' } }), ...text('H', 'i'),
      ev('created', { response: { id: 'r-2', model: 'm' } }), ...text('Hey', 'i')) },
  'pieces that are objects': ended(['Hey', ...GET], at('output_text.delta', 0, 'a', { delta: { type: 'output_text', text: 'He' } }),
    at('output_text.delta', 0, 'a', { delta: { text: 'y' } }), added(1, CALL), at('function_call_arguments.delta', 1, 'f', { delta: { a: 1 } })),
  'a spoken answer': { losses: ['audio'], ...ended(['Hey'], ev('created', { response: { id: 'r-1', model: 'm' } }), spoken('He'),
    at('output_audio.delta', 0, 'i', { delta: 'AAAA' }), spoken('y'), at('output_audio_transcript.done', 0, 'i', { transcript: 'Hey' })) },
})
// biome-ignore format: a row a case
responsesAnswers('final values of an openai-responses stream', '', {
  'replace scrambled pieces of arguments': [
    scrambled(at('function_call_arguments.done', 0, 'y', { arguments: '{"a":1}' }), END_OF), scrambled(done(0, WHOLE), END_OF),
    scrambled(responses.completed([WHOLE])),
    { ...ended(GET, added(0, CALL), ...args(0, 'f', '{', 'q83v'), done(0, WHOLE)), losses: [LOSS] },
  ],
  'are not necessary for arguments whose first piece is a brace': ended(GET, added(0, CALL), ...args(0, 'f', '{', '"a"', ':1}')),
  'are missed by scrambled arguments, which stay as they are in a failed answer': { end: 'failed',
    stream: [added(0, CALL), ...args(0, 'f', 'q83v', 'Xz0=')], items: ['c get(q83vXz0=) (incomplete)'] },
  'are a loss in the stream if they differ from its text': { streamed: ['Water'], losses: [LOSS],
    ...ended(['Wine'], ...text('Water'), done(0, message('Wine', { id: 'a' }))) },
  'are a loss if they differ from arguments which are an object': { losses: [LOSS],
    ...ended(['c get({"a":2})'], added(0, CALL), ...args(0, 'f', '{"a"', ':2}'), done(0, WHOLE)) },
})
const output = (output: unknown, more: object = {}) => ({ status: 'completed', output, ...more })
// biome-ignore format: a row a case
responsesAnswers('the body of an openai-responses answer', '', {
  'has its text once': hi(output([], { output_text: HI }), output([{ type: 'reasoning', summary: [] }], { output_text: HI }),
    output([message(HI)], { output_text: HI }), output([{ type: 'message', content: HI }])),
  'may have one item in place of the list': { items: [FX], losses: ['usage that is a JSON list'],
    body: output({ ...CALL, call_id: 'null', name: 'f', arguments: { x: 1 } }, { usage: [] }) },
})

const { open, delta, close, start } = messages
// biome-ignore format: a row a case
messages.answers('an answer of Messages', '', {
  'may have arguments that are an object, and a usage that is a text': { items: [FX], losses: ['usage that is a JSON string'],
    stream: [start(), open(0, { type: 'tool_use', id: 'null', name: 'f', input: {} }),
      delta(0, { type: 'input_json_delta', partial_json: { x: 1 } }), close(0), ...messages.stop('tool_use', {}, 'none' as never)] },
  'keeps its counts if those at the end are 0': { items: ['Hey'], usage: [7, 4, 11],
    stream: [start({ usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 1 } }),
      open(0, { type: 'text', text: 'Hey' }), close(0),
      ...messages.stop('end_turn', {}, { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 4 })] },
  'may have blocks whose start repeats the first delta': { items: ['reasoning: HmHm', 'Hey'],
    stream: [start(), open(0, { type: 'thinking', thinking: 'Hm' }), messages.thinkingBlock(0, 'Hm'), messages.thinkingBlock(0, 'Hm'),
      close(0), open(1, { type: 'text', text: 'He' }), messages.text(1, 'He'), messages.text(1, 'y'), ...messages.stop('end_turn')] },
  'has its text once in a body': hi(...[HI, [HI]].map((content) => ({ type: 'message', content, stop_reason: 'end_turn' }))),
})

const candidate = (content: unknown) => ({ candidates: [{ content, finishReason: 'STOP' }] })
const counts = (promptTokenCount: number, candidatesTokenCount: number, totalTokenCount: number) => ({
  usageMetadata: { promptTokenCount, candidatesTokenCount, totalTokenCount },
})
const partly = (part: object) => gemini.chunk([{ functionCall: part }])
const path = (more: object) => ({ partialArgs: [{ jsonPath: '$.a', ...more }] })
// biome-ignore format: a row a case
gemini.answers('an answer of Gemini', '', {
  'may have one candidate in place of the list': { items: [FX], losses: ['usageMetadata that is a JSON string'],
    stream: [{ candidates: { content: { parts: { functionCall: { id: 'null', name: 'f', args: { x: 1 } } } }, finishReason: 'STOP' },
      usageMetadata: 'none' }] },
  'keeps its counts if those at the end are 0': { usage: [5, 2, 7],
    stream: [{ ...gemini.chunk([{ text: 'Hey' }]), ...counts(5, 1, 6) }, { ...gemini.end, ...counts(0, 2, 2) }] },
  'has the final arguments, which are a loss if they differ from their pieces': { items: ['get({"a":1})'], losses: [LOSS],
    stream: [partly({ name: 'get', willContinue: true, ...path({ numberValue: 2 }) }), partly({ args: { a: 1 } }), gemini.end] },
  'may have final arguments that repeat their pieces': { items: ['get({"a":"xy"})'],
    stream: [partly({ name: 'get', willContinue: true, ...path({ stringValue: 'x', willContinue: true }) }),
      partly({ ...path({ stringValue: 'y' }), args: { a: 'xy' } }), gemini.end] },
  'has its text once in a body': hi(candidate({ parts: { text: HI } }), candidate(HI), candidate({ text: HI })),
})

const converse = answersOf({ wire: bedrockConverse })
const web = { title: 'A', location: { web: { url: 'https://a.example/' } } }
const counted = (inputTokens: number, outputTokens: number) =>
  frameOf.usage({ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens })
const input = (more: object) => ({ toolUseId: 't', name: 'get', ...more })
// biome-ignore format: a row a case
converse('an answer of Bedrock', '', {
  'may have an empty text beside the arguments of a call': { items: ['t get({"a":1})'],
    stream: [frameOf.tool(0, 't', 'get'), frameOf.delta(0, { text: '', toolUse: { input: '{"a":1}' } }), frameOf.stop(0), frameOf.end('tool_use')] },
  'may have a text beside a call in a body': { items: ['Wait.', 't get({"a":1})'],
    body: converseBody([{ text: 'Wait.', toolUse: input({ input: { a: 1 } }) }], 'tool_use') },
  'citations in the form of a whole answer': { items: ['Hey [https://a.example/ "Hey"]'],
    stream: [frameOf.text(0, 'Hey'), frameOf.delta(0, { citationsContent: { citations: [web], content: [] } }), frameOf.stop(0), frameOf.end('end_turn')] },
  'may have the reasoning of a whole answer in a stream': { items: ['sealed reasoning: Hm.', 'Hey'], losses: ['usage that is a JSON list'],
    stream: [frameOf.delta(0, { reasoningContent: { reasoningText: { text: 'Hm.', signature: 's' } } }), frameOf.text(1, 'Hey'),
      frameOf.end('end_turn'), frameOf.usage([])] },
  'keeps its counts in a second report of 0': { items: ['Hey'], usage: [5, 2, 7],
    stream: [frameOf.text(0, 'Hey'), counted(5, 2), frameOf.end('end_turn'), counted(0, 0)] },
  'has its text once in a body': hi({ output: { message: said }, stopReason: 'end_turn' }),
})

const cohereCall = (args: string) => ({ id: 'c', type: 'function', function: { name: 'get', arguments: args } })
const begin = (text: string) => ({ ...cohere.open(0), delta: { message: { content: { type: 'text', text } } } })
const listed = (...tool_calls: readonly object[]) => ({
  type: 'tool-call-start',
  index: 0,
  delta: { message: { tool_calls } },
})
// biome-ignore format: a row a case
cohere.answers('an answer of Cohere', '', {
  'may have a text beside reasoning': { items: ['reasoning: Hm.', 'Yes.'],
    stream: [{ type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Hm.', text: 'Yes.' } } } }, cohere.end()] },
  'may have all calls in one event, with arguments that are objects': { items: [FX, 'g({"y":2})'],
    stream: [listed(...[['f', { x: 1 }], ['g', { y: 2 }]].map(([name, args]) =>
      ({ id: 'null', type: 'function', function: { name, arguments: args } }))), cohere.callEnd(0), cohere.end('TOOL_CALL')] },
  'may have a block whose start repeats the first delta, after a second start': { items: ['Hey'],
    losses: ['an answer that the upstream restarted'],
    stream: [{ type: 'message-start', id: 'a' }, { type: 'message-start', id: 'b' }, begin('He'), cohere.text('He'), cohere.text('y'), cohere.end()] },
  'has the message at the end, which is a loss in the stream if it differs': { losses: [LOSS],
    items: ['Wine', 'c get({"a":2})'], streamed: ['Water', 'c get({"a":2})'],
    stream: [cohere.START, cohere.text('Water'), cohere.call(0, 'c', 'get', '{"a":2}'), cohere.callEnd(0),
      cohere.end('TOOL_CALL', { message: { content: [{ type: 'text', text: 'Wine' }], tool_calls: [cohereCall('{"a":1}')] } })] },
  'has the rest of its text in the message at the end': cohere.of([], ['The mill.'], { stream: [cohere.START, cohere.text('The mi'),
    cohere.end('COMPLETE', { message: { content: [{ type: 'text', text: 'The mill.' }] } })] }),
  'has its text once in a body': hi({ message: said, finish_reason: 'COMPLETE' }),
})

const line = (message: object, more: object = {}) => ({ ...messageLine(message), done: true, ...more })
// biome-ignore format: a row a case
ollama('an answer of Ollama', '', {
  'may have text, reasoning and a call in one line': { items: ['reasoning: Hm.', 'Wait.', 'get({"a":1})'],
    stream: [line({ content: 'Wait.', thinking: 'Hm.', tool_calls: [lineCall('get', { a: 1 })] }, { done_reason: 'stop' })] },
  'has its reasoning once from a field and tags, known or unknown': TAGS.map((quirks) => ({ quirks, items: HM,
    stream: [messageLine({ content: '<think>Hm, ', thinking: 'Hm, ' }), messageLine({ content: 'so.</think>Hey', thinking: 'so.' }),
      OLLAMA_DONE] })),
  'may have one call in place of the list': { items: [FX], stream: [line({ content: '', tool_calls: lineCall('f', { x: 1 }) })] },
  'may have content that is a list of parts': { items: ['reasoning: Hm.', 'Hey'],
    stream: [line({ content: [HEY], thinking: ['Hm.'] })] },
  'has its text once in a body': hi({ message: said, done: true }, { response: HI, done: true }),
})
