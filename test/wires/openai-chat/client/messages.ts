import { type ClientRequests, clientCases, type Fields } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

const said = (role: string, ...content: readonly Fields[]) => ({ type: 'message', role, content })
const input = (words: string) => ({ type: 'input_text', text: words })
const text = (words: string) => ({ type: 'text', text: words })
const answer = (at: number, ...content: readonly Fields[]) => ({
  type: 'message',
  id: `msg_${at}`,
  status: 'completed',
  role: 'assistant',
  content,
})
const output = (words: string) => ({ type: 'output_text', text: words, annotations: [] })
const call = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } })
const read = (call_id: string, name: string, args: string) => ({
  type: 'function_call',
  call_id,
  name,
  arguments: args,
})
const result = (call_id: string, out: unknown, kind = 'function') => ({
  type: `${kind}_call_output`,
  call_id,
  output: out,
})
const tool = (tool_call_id: string, content: unknown) => ({ role: 'tool', tool_call_id, content })
const becomes = (messages: readonly Fields[], items: readonly Fields[]) => ({
  body: { messages },
  request: { input: items },
})
const prompt = (part: Fields, item: Fields) => becomes([{ role: 'user', content: [part] }], [said('user', item)])
const answered = (message: Fields, ...content: readonly Fields[]) =>
  becomes([{ role: 'assistant', ...message }], [answer(0, ...content)])

const PNG = 'https://example.org/a.png'
const DATA = 'data:image/png;base64,AA=='
const SOUND = { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } }
const PDF = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }
const REFUSAL = { type: 'refusal', refusal: 'No.' }
const legacy = (args: string) => ({
  role: 'assistant',
  content: null,
  function_call: { name: 'look', arguments: args },
})
const legacyOutput = (content: string) => ({ role: 'function', name: 'look', content })
const GREP = { id: 'c2', type: 'custom', custom: { name: 'grep', input: 'a*' } }
const LOOK = { id: 'c3', function: { name: 'look', arguments: { a: 1 } } }

// biome-ignore format: a row a case
const groups = [
clientCases('prompts of a chat client', 'are decoded from a message with the role ',
  Object.fromEntries(['system', 'developer', 'user'].map((role) =>
    [role, becomes([{ role, content: 'Hi' }], [said(role, input('Hi'))])]))),
clientCases('prompts of a chat client', 'are decoded with the content part: ', {
  text: prompt(text(''), input('')),
  'an image': prompt({ type: 'image_url', image_url: { url: PNG, detail: 'high' } },
    { type: 'input_image', image_url: PNG, detail: 'high' }),
  'an image by its bare URL': prompt({ type: 'image_url', image_url: DATA }, { type: 'input_image', image_url: DATA }),
  'a sound': prompt(SOUND, SOUND),
  'a file': prompt({ type: 'file', file: PDF }, { type: 'input_file', ...PDF }),
  'a file by its URL': prompt({ type: 'file', file: { file_data: 'https://example.org/a.pdf' } },
    { type: 'input_file', file_url: 'https://example.org/a.pdf' }),
  'a stored file': prompt({ type: 'file', file: { file_id: 'f1' } }, { type: 'input_file', file_id: 'f1' }),
}),
clientCases('assistant messages of a chat client', 'are decoded with this content: ', {
  'a text': answered({ content: 'Yes.' }, output('Yes.')),
  parts: answered({ content: [text('a'), text('b')] }, output('a'), output('b')),
  'a refusal': answered({ content: null, refusal: 'No.' }, REFUSAL),
  'a refusal as a part': answered({ content: [REFUSAL] }, REFUSAL),
}),
clientCases('assistant messages of a chat client', '', {
  'precede their calls, which precede the outputs': becomes(
    [{ role: 'user', content: 'x' },
      { role: 'assistant', content: 'Let me look.', tool_calls: [call('c1', 'look', '{"a":1}'), GREP, LOOK] },
      tool('c1', '7'), tool('c2', [text('a'), text('b')]), tool('c3', null)],
    [said('user', input('x')), answer(1, output('Let me look.')), read('c1', 'look', '{"a":1}'),
      { type: 'custom_tool_call', call_id: 'c2', name: 'grep', input: 'a*' }, read('c3', 'look', '{"a":1}'),
      result('c1', '7'), result('c2', [input('a'), input('b')], 'custom_tool'), result('c3', '')]),
  'are followed by outputs of tools that may contain images': becomes(
    [tool('c1', [{ type: 'image_url', image_url: { url: PNG } }])],
    [result('c1', [{ type: 'input_image', image_url: PNG }])]),
  'have legacy calls that are matched with outputs by name and order': becomes(
    [legacy('{"a":1}'), legacyOutput('1'), legacy('{"a":2}'), legacyOutput('2')],
    [read('call_0', 'look', '{"a":1}'), result('call_0', '1'), read('call_2', 'look', '{"a":2}'),
      result('call_2', '2')]),
}),
]

export const MESSAGES: ClientRequests = { ...REQUESTS, history: 'strict', groups }
