import { openaiChat } from '../../../../src/wires/openai-chat/index.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { sealed } from '../../../engine/target.ts'
import * as hub from '../../hub-requests.ts'
import { quirksOf, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { chatCall, chatImage, image, reasoningChunk, tool } from '../chats.ts'

const { assistant, call, output, system, user } = hub
const text = (words: string) => ({ type: 'input_text', text: words })
const sentText = (words: string) => ({ type: 'text', text: words })
const calling = (content: unknown, ...tool_calls: readonly object[]) => ({ ...assistant(content), tool_calls })
const becomes = (input: unknown, messages: unknown, losses = '', quirks: Quirks = {}) => ({
  request: { input },
  sent: { messages },
  losses,
  quirks,
})
const developing = (model: string, role: string) => ({
  request: { input: [system('A'), user('B')], instructions: 'C' },
  quirks: quirksOf('openai-chat'),
  model,
  sent: { messages: [{ role, content: 'C' }, { role, content: 'A' }, user('B')] },
})
const PDF = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }

const LOOP = [user('A'), reasoningChunk('hm'), assistant('B'), call('c1'), output('c1')]
const TURN = [user('A'), reasoningChunk('hm'), assistant('B'), user('C')]
const DETAILS = [{ type: 'reasoning.encrypted', data: 'x', index: 0 }]
const SEALED = reasoningChunk('hm', sealed('openai-chat', DETAILS))
const inLoops = (reasoningHistory: 'reasoning_content' | 'reasoning') => [
  `returns as ${reasoningHistory} in a tool loop only`,
  [
    becomes(LOOP, [user('A'), { ...calling('B', chatCall('c1')), [reasoningHistory]: 'hm' }, tool('c1')], '', {
      reasoningHistory,
    }),
    becomes(TURN, [user('A'), assistant('B'), user('C')], 'input[1]', { reasoningHistory }),
  ],
]

// biome-ignore format: a row a case
const groups = [
upstreamCases('messages for a chat upstream', 'are encoded from the input: ', {
  'a string': becomes('Hi', [user('Hi')]),
  'texts only': becomes([user([text('1'), text('2')])], [user('1\n2')]),
  'a text and an image': becomes([user([text('What?'), { ...image, detail: 'original' }])],
    [user([sentText('What?'), { type: 'image_url', image_url: { url: image.image_url, detail: 'high' } }])]),
  'a file and a sound': becomes(
    [user([{ type: 'input_file', ...PDF }, { type: 'input_file', file_id: 'file-1' }, hub.SOUND])],
    [user([{ type: 'file', file: PDF }, { type: 'file', file: { file_id: 'file-1' } }, hub.SOUND])]),
  'rules are the system’s': becomes([{ role: 'developer', content: 'A' }, system('B'), user('C')],
    [system('A'), system('B'), user('C')]),
  'an assistant’s text and calls are one message, its outputs follow': becomes(
    [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', ''), output('c1'), output('c2'), user('C')],
    [user('A'), calling('B', chatCall('c1', '{"a":1}'), chatCall('c2', '{}')), tool('c1'), tool('c2'), user('C')]),
  'calls one after the other are two messages': becomes([call('c1'), output('c1'), call('c2'), output('c2')],
    [calling(null, chatCall('c1')), tool('c1'), calling(null, chatCall('c2')), tool('c2')]),
  'an output that came late goes to its call': becomes([call('c1'), user('Wait'), output('c1')],
    [calling(null, chatCall('c1')), tool('c1'), user('Wait')]),
  'a call id that is used again': becomes(
    [call('c1'), output('c1', 'first'), user('more'), call('c1'), output('c1', 'second')],
    [calling(null, chatCall('c1')), tool('c1', 'first'), user('more'), calling(null, chatCall('c1')),
      tool('c1', 'second')]),
  'text between and after calls': becomes([assistant('A'), call('c1'), assistant('B'), output('c1')],
    [calling('A\n\nB', chatCall('c1')), tool('c1')]),
  'two texts are two messages': becomes([assistant('A'), assistant('B')], [assistant('A'), assistant('B')]),
  'an output without its call and a call without its output are sent unchanged': becomes([call('c1'), output('c2')],
    [calling(null, chatCall('c1')), tool('c2')]),
  'an assistant message without content': becomes([user('A'), assistant(null), user('B')], [user('A'), user('B')],
    'input[1]'),
  'a refusal': becomes([assistant([{ type: 'refusal', refusal: 'No' }])], [{ ...assistant(null), refusal: 'No' }]),
  'a search of the upstream breaks no turn': becomes(
    [{ type: 'reasoning', summary: [] }, { type: 'web_search_call', id: 'ws' }, assistant('A'), call('c1'),
      output('c1')],
    [calling('A', chatCall('c1')), tool('c1')], 'input[0], input[1]'),
  'images of tools follow after all tools of the turn': becomes(
    [call('c1'), call('c2'), output('c1', [text('see'), image]), output('c2', [image]), user('A')],
    [calling(null, chatCall('c1'), chatCall('c2')), tool('c1', 'see\n[image 1: it follows in the next user message]'),
      tool('c2', '[image 2: it follows in the next user message]'),
      user([sentText('image 1, from the output of the tool call c1:'), chatImage,
        sentText('image 2, from the output of the tool call c2:'), chatImage]),
      user('A')]),
  'a call with text as input is sent as a function': becomes(
    [{ type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: '1' }],
    [calling(null, chatCall('c1', '{"input":"x = 1"}', 'g')), tool('c1', '1')], 'input[0] mapped'),
}),
upstreamCases('messages for a chat upstream', '', {
  'begin with the instructions of the request': { request: { instructions: 'Be short' },
    sent: { messages: [system('Be short'), user('Hi')] } },
  'have the role developer for rules if the model accepts that role': [
    developing('gpt-5-mini', 'developer'), developing('gpt-4o', 'system'),
  ],
}),
upstreamCases('reasoning in messages for a chat upstream', '', {
  ...Object.fromEntries([inLoops('reasoning_content'), inLoops('reasoning')]),
  'returns as a part of type thinking': becomes(TURN,
    [user('A'), assistant([{ type: 'thinking', thinking: [sentText('hm')] }, sentText('B')]), user('C')], '',
    { reasoningHistory: 'thinking' }),
  'returns as the sealed reasoning_details, or as reasoning if it was not sealed': [
    becomes([user('A'), SEALED, assistant('B')], [user('A'), { ...assistant('B'), reasoning_details: DETAILS }], '',
      { reasoningHistory: 'reasoning_details' }),
    becomes([user('A'), SEALED, call('c1'), output('c1')], [user('A'),
      { ...calling(null, chatCall('c1')), reasoning_details: DETAILS }, tool('c1')], '', { reasoningHistory: 'reasoning_details' }),
    becomes(TURN, [user('A'), { ...assistant('B'), reasoning: 'hm' }, user('C')], '',
      { reasoningHistory: 'reasoning_details' }),
    becomes([user('A'), SEALED, reasoningChunk('hm'), assistant('B')], [user('A'),
      { ...assistant('B'), reasoning_details: [...DETAILS, { type: 'reasoning.text', text: 'hm' }] }], '',
      { reasoningHistory: 'reasoning_details' }),
  ],
  'is a loss without an answer if it would be a member of it':
    becomes([user('A'), reasoningChunk('hm'), user('B')], [user('A'), user('B')], 'input[1]',
      { reasoningHistory: 'reasoning_details' }),
  'is dropped with a loss if another upstream sealed it': (['reasoning_details', 'reasoning_content'] as const).map(
    (reasoningHistory) => becomes([user('A'), reasoningChunk('', 'mr1.someone-elses'), assistant('B'), call('c1')],
      [user('A'), calling('B', chatCall('c1'))], 'input[1]', { reasoningHistory })),
}),
]

export const MESSAGES: UpstreamRequests = {
  wire: openaiChat,
  model: 'some-model',
  base: (model) => ({ model, messages: [user('Hi')] }),
  groups,
}
