import { expect } from 'vitest'
import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { sealed } from '../../../engine/target.ts'
import * as hub from '../../hub-requests.ts'
import { type Fields, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { image, imageBlock, MODEL, result, textContent, use } from '../bodies.ts'

const { assistant, call, output, system, user } = hub
const text = (words: string) => ({ type: 'input_text', text: words })
const said = (...words: readonly string[]) => user(words.map(textContent))
const answered = (...words: readonly string[]) => assistant(words.map(textContent))
const becomes = (input: unknown, messages: unknown, losses = '', more: Fields = {}) => ({
  request: { input, ...more },
  sent: { messages },
  losses,
})
const taking = { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x' }
const taken = { type: 'custom_tool_call_output', call_id: 'c1', output: '1' }

const file = (fields: Fields) => ({ type: 'input_file', ...fields })
const document = (source: Fields, title?: string) => ({
  type: 'document',
  source,
  ...(title !== undefined && { title }),
})
const imageAt = (image_url: string) => ({ type: 'input_image', image_url })
const PDF = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }
const PLAIN = { type: 'text', media_type: 'text/plain' }
/** A part in a message, and in the output of a tool. */
const part = (sent: Fields, block: Fields, inOutput: unknown = [block]) => ({
  cases: [
    becomes([user([sent])], [user([block])]),
    becomes(
      [user('A'), call('c'), output('c', [sent])],
      [said('A'), assistant([use('c')]), user([result('c', inOutput)])],
    ),
  ],
  name: JSON.stringify(sent),
})
const parts = (...all: readonly ReturnType<typeof part>[]) =>
  Object.fromEntries(all.map(({ name, cases }) => [name, cases]))
const noted = (sent: Fields, kind: string) => {
  const note = `[${kind}: it could not be passed on]`
  const { name, cases } = part(sent, textContent(note), note)
  const places = ['input[0].content[0]', 'input[2].output[0]']
  return { name, cases: cases.map((one, at) => ({ ...one, losses: places[at] ?? '' })) }
}

const seal = (payload: Fields, wire: 'anthropic-messages' | 'openai-chat' = 'anthropic-messages', model = MODEL) =>
  sealed(wire, payload as never, model)
const reasoning = (payload: Fields | null, encrypted_content = payload === null ? null : seal(payload)) => ({
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'hm' }],
  encrypted_content,
})
const thinking = (words: string) => ({ type: 'thinking', thinking: words, signature: `sig of ${words}` })
const REDACTED = { type: 'redacted_thinking', data: 'x' }
const unread = (item: Fields) =>
  becomes([user('A'), item, assistant('B'), user('C')], [said('A'), answered('B'), said('C')], 'input[1]')

const RAN = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'q' } }
const FOUND = { type: 'web_search_tool_result', tool_use_id: 's', content: [{ encrypted_content: 'e' }] }
const search = (...blocks: readonly Fields[]) => ({
  type: 'web_search_call',
  status: 'completed',
  encrypted_content: seal({ type: 'server_tool', blocks }),
})
const SENT_TOOLS = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }
const searched = (input: readonly unknown[], messages: readonly unknown[], losses = '') => ({
  request: { input, tools: [hub.WEB] },
  sent: { messages, ...SENT_TOOLS },
  losses,
})
const lostSearch = (item: Fields) => searched([user('A'), item, user('B')], [said('A', 'B')], 'input[1]')
const compacted = (compaction: Fields) => ({
  name: compaction,
  ...becomes(
    [user('A'), { type: 'compaction', encrypted_content: seal(compaction) }, user('B')],
    [said('A'), assistant([compaction]), said('B')],
  ),
  headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'compact-2026-01-12' },
})

const MOVED = 'mapped: moved to the system prompt'
const LATER = 'mapped: sent after the next user message, because this upstream accepts a system message only there'
const OPUS = 'claude-opus-4-8'
const rules = (...words: readonly string[]) => system(words.map(textContent))
const ruled = (
  model: string,
  input: readonly unknown[],
  messages: unknown,
  top: readonly string[],
  losses: readonly string[] = [],
  quirks: Quirks = {},
) => ({
  model,
  quirks,
  request: { input },
  sent: {
    messages,
    system: top.length === 0 ? undefined : top.map(textContent),
    max_tokens: expect.any(Number),
    ...(quirks.rawPredict === true && { model: undefined, anthropic_version: 'vertex-2023-10-16' }),
  },
  losses,
})

// biome-ignore format: a row a case
const groups = [
upstreamCases('messages for an anthropic-messages upstream', 'are encoded from the input: ', {
  'a string': becomes('Hi', [said('Hi')]),
  parts: becomes([user([text('A'), image])], [user([textContent('A'), imageBlock])]),
  'neighbours are one': becomes([user('A'), user('B'), assistant('C'), assistant('D'), user('E')],
    [said('A', 'B'), answered('C', 'D'), said('E')]),
  'empty texts are dropped': becomes([user(''), user([text(' \n'), image]), assistant(''), user('A')],
    [user([imageBlock, textContent('A')])], 'input[0], input[2]'),
  'a refusal is text': becomes([user('A'), assistant([{ type: 'refusal', refusal: 'No.' }]), user('B')],
    [said('A'), answered('No.'), said('B')]),
  'the user is first': becomes([assistant('A'), user('B')], [said('…'), answered('A'), said('B')], 'input mapped'),
  'an answer to continue ends without white space': becomes([user('A'), assistant('So: \n')],
    [said('A'), answered('So:')]),
  'a call': becomes([user('A'), call('c1', '{"x":1}'), output('c1')],
    [said('A'), assistant([use('c1', { x: 1 })]), user([result('c1')])]),
  'text and calls are one answer': becomes(
    [user('A'), assistant('B'), call('c1'), call('c2'), output('c2', '2'), output('c1', '1'), user('C')],
    [said('A'), assistant([textContent('B'), use('c1'), use('c2')]),
      user([result('c1', '1'), result('c2', '2'), textContent('C')])]),
  'the last calls end the answer': [
    becomes([user('A'), call('c1'), assistant('B'), output('c1')],
      [said('A'), assistant([textContent('B'), use('c1')]), user([result('c1')])], 'input[2] mapped'),
    becomes([user('A'), assistant('B'), call('c1'), call('c2'), assistant('C'), assistant(''), output('c2'), output('c1')],
      [said('A'), assistant([textContent('B'), textContent('C'), use('c1'), use('c2')]), user([result('c1'), result('c2')])],
      'input[4] mapped'),
    becomes([user('A'), call('c1'), assistant('B'), call('c2'), output('c1'), output('c2')],
      [said('A'), assistant([use('c1'), textContent('B'), use('c2')]), user([result('c1'), result('c2')])]),
    becomes([user('A'), call('c1'), reasoning(null), assistant('B'), output('c1')],
      [said('A'), assistant([textContent('B'), use('c1')]), user([result('c1')])], 'input[2], input[3] mapped'),
    becomes([user('A'), call('c1'), reasoning(thinking('1')), assistant('B'), output('c1')],
      [said('A'), assistant([use('c1'), thinking('1'), textContent('B')]), user([result('c1')])]),
  ],
  'results come first, and in the very next message': becomes([user('A'), call('c1'), user('B'), output('c1')],
    [said('A'), assistant([use('c1')]), user([result('c1'), textContent('B')])]),
  'a loop': becomes([user('A'), call('c1'), output('c1'), call('c2'), output('c2')],
    [said('A'), assistant([use('c1')]), user([result('c1')]), assistant([use('c2')]), user([result('c2')])]),
  'empty arguments': becomes([user('A'), call('c1', ''), output('c1', '')],
    [said('A'), assistant([use('c1')]), user([{ type: 'tool_result', tool_use_id: 'c1' }])]),
  'an image in a result': becomes([user('A'), call('c1'), output('c1', [text('B'), image])],
    [said('A'), assistant([use('c1')]), user([result('c1', [textContent('B'), imageBlock])])]),
  'an invalid id is replaced': becomes([user('A'), call('functions.f:0'), output('functions.f:0')],
    [said('A'), assistant([use('functions_2e_f_3a_0')]), user([result('functions_2e_f_3a_0')])]),
  'an id that looks like a replaced one is replaced': becomes([user('A'), call('a_10ffff_b'), output('a_10ffff_b')],
    [said('A'), assistant([use('a_5f_10ffff_5f_b')]), user([result('a_5f_10ffff_5f_b')])]),
  'a call with text as input': becomes([user('A'), taking, taken],
    [said('A'), assistant([use('c1', { input: 'x' }, 'g')]), user([result('c1', '1')])], 'input[1] mapped'),
  'arguments that are not an object': becomes([user('A'), call('c1', '[1'), output('c1')],
    [said('A'), assistant([use('c1', { input: '[1' })]), user([result('c1')])], 'input[1].arguments mapped'),
}),
upstreamCases('messages for an anthropic-messages upstream', '', {
  'leave rules to the field system and record late rules as mapped': {
    request: { input: [{ role: 'developer', content: 'B' }, user('Hi'), system([text('C'), image])],
      instructions: 'A' },
    sent: { system: [textContent('A'), textContent('B'), textContent('C')] },
    losses: 'input[2].content, input[2] mapped' },
  'are rejected if neither user nor assistant has content': [[], '', [system('A')]].map((input) => (
    { request: { input }, error: 'input' })),
}),
upstreamCases('files and images for an anthropic-messages upstream', 'are encoded without a loss from ', parts(
  part(imageAt('https://a/b.png'), { type: 'image', source: { type: 'url', url: 'https://a/b.png' } }),
  part(imageAt('data:image/jpg;base64,AA=='),
    { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AA==' } }),
  part(file({ file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' }), document(PDF, 'a.pdf')),
  part(file({ file_data: 'JVBERi0=', filename: 'a.pdf' }), document(PDF, 'a.pdf')),
  part(file({ file_data: 'data:text/plain;base64,w6k=', filename: 'a.txt' }),
    document({ ...PLAIN, data: 'é' }, 'a.txt')),
  part(file({ file_data: 'data:text/csv,a%2Cb' }), document({ ...PLAIN, data: 'a,b' })),
  part(file({ file_data: 'data:image/png;base64,AA==' }), imageBlock),
  part(file({ file_url: 'https://a/a.pdf' }), document({ type: 'url', url: 'https://a/a.pdf' })),
  part(file({ file_id: 'file_1' }), document({ type: 'file', file_id: 'file_1' })),
)),
upstreamCases('files and images for an anthropic-messages upstream',
  'are replaced by a note with a loss if the part is ', parts(
  noted(imageAt('data:image/tiff;base64,AA=='), 'image'), noted(imageAt('data:image/png,AA'), 'image'),
  noted(imageAt('ftp://a'), 'image'), noted(file({ file_data: 'data:application/zip;base64,AA==' }), 'file'),
  noted(file({ file_data: 'data:text/plain;base64,////' }), 'file'),
  noted({ type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } }, 'sound'),
)),
upstreamCases('files and images for an anthropic-messages upstream', '', {
  'drop the detail of an image with a loss': [
    becomes([user([{ ...image, detail: 'high' }])], [user([imageBlock])], 'input[0].content[0].detail'),
    becomes([user([{ ...image, detail: 'auto' }])], [user([imageBlock])]),
  ],
  'need a beta header if they are stored files': { request: { input: [user([file({ file_id: 'f' })])] },
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'files-api-2025-04-14' } },
}),
upstreamCases('reasoning for an anthropic-messages upstream', '', {
  'returns unchanged before the call that it led to': becomes(
    [user('A'), reasoning(thinking('1')), reasoning(REDACTED), assistant('B'), reasoning(thinking('')), call('c1'),
      output('c1'), reasoning(thinking('3')), call('c2'), output('c2')],
    [said('A'), assistant([thinking('1'), REDACTED, textContent('B'), thinking(''), use('c1')]), user([result('c1')]),
      assistant([thinking('3'), use('c2')]), user([result('c2')])]),
}),
upstreamCases('reasoning for an anthropic-messages upstream', 'is dropped with a loss: ', {
  'without an origin': unread(reasoning(null)),
  'of another wire': unread(reasoning(null, seal(thinking('x'), 'openai-chat'))),
  'of another family of models': unread(reasoning(null, seal(thinking('x'), 'anthropic-messages', 'gpt-5'))),
  'that are damaged': unread(reasoning(null, `${seal(thinking('x'))}x`)),
  'without a signature': unread(reasoning({ type: 'thinking', thinking: 'x' })),
  'of no known shape': unread(reasoning({ type: 'dream' })),
}),
upstreamCases('blocks of server tools for an anthropic-messages upstream', '', {
  'return at their position in the answer': searched(
    [user('A'), assistant('B'), search(RAN, FOUND), assistant('C'), user('D')],
    [said('A'), assistant([textContent('B'), RAN, FOUND, textContent('C')]), said('D')]),
  'are continued if the answer was paused': searched([user('A'), search(RAN)], [said('A'), assistant([RAN])]),
}),
upstreamCases('blocks of server tools for an anthropic-messages upstream',
  'are dropped with a loss if the search is ', {
  'without its result': lostSearch(search(RAN)),
  'without its call': lostSearch(search(FOUND)),
  'without the tool': becomes([user('A'), search(RAN, FOUND), user('B')], [said('A', 'B')], 'input[1]'),
  'of another upstream': lostSearch({ type: 'web_search_call', encrypted_content: 'gAAA' }),
  unsealed: lostSearch({ type: 'web_search_call', status: 'completed' }),
}),
upstreamCases('blocks of server tools for an anthropic-messages upstream',
  'include a compaction, which needs a beta header: ', [
  compacted({ type: 'compaction', content: 'All.' }),
  compacted({ type: 'compaction', content: null, encrypted_content: 'e', signature: 's', tool_changes: [] }),
]),
upstreamCases('system messages inside a conversation', 'stay in their place at ',
  Object.fromEntries([OPUS, 'claude-opus-5', 'claude-opus-5-5', 'claude-haiku-5-5'].map((model) => [model,
    ruled(model, [system('A'), user('B'), system('C'), assistant('D'), user('E'), system('F')],
      [said('B'), rules('C'), answered('D'), said('E'), rules('F')], ['A'])]))),
upstreamCases('system messages inside a conversation', 'move to the system prompt at ', {
  ...Object.fromEntries(['claude-opus-4-7', 'claude-sonnet-4-6', 'glm-5'].map((model) => [model,
    ruled(model, [user('B'), system('C'), assistant('D'), user('E')], [said('B'), answered('D'), said('E')], ['C'],
      [`input[1] ${MOVED}`])])),
  Google: ruled(OPUS, [user('B'), system('C')], [said('B')], ['C'], [`input[1] ${MOVED}`], { rawPredict: true }),
}),
upstreamCases('system messages inside a conversation', '', {
  'follow the results of tools': ruled(OPUS, [user('A'), call('c1'), output('c1'), system('B'), assistant('C')],
    [said('A'), assistant([use('c1')]), user([result('c1')]), rules('B'), answered('C')], []),
  'wait for the next user message where the upstream refuses them, one message for all': ruled(OPUS,
    [user('A'), system('B'), user('C'), system('D'), assistant('E'), system('F'), user('G'), system('H')],
    [said('A', 'C'), rules('B', 'D'), answered('E'), said('G'), rules('F', 'H')], [],
    [`input[1] ${LATER}`, `input[5] ${LATER}`]),
  'move to the system prompt if no user message follows': ruled(OPUS, [user('A'), assistant('B'), system('C')],
    [said('A'), answered('B')], ['C'], [`input[2] ${MOVED}`]),
}),
]

export const MESSAGES: UpstreamRequests = {
  wire: anthropicMessages,
  model: MODEL,
  base: (model) => ({ model, messages: [said('Hi')], max_tokens: 64_000 }),
  groups,
}
