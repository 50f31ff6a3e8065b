import { expect } from 'vitest'
import { geminiGenerate } from '../../../../src/wires/gemini-generate/index.ts'
import * as hub from '../../hub-requests.ts'
import { type Fields, type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { MODEL, SECOND } from '../histories.ts'

const { assistant, call, output, system, user } = hub
const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const linked = { type: 'input_image', image_url: 'https://a.example/p.jpg?x=1' }
const text = (words: string) => ({ type: 'input_text', text: words })
const file = (fields: Fields) => ({ type: 'input_file', ...fields })
const users = (...parts: readonly Fields[]) => ({ role: 'user', parts })
const model = (...parts: readonly Fields[]) => ({ role: 'model', parts })
const said = (...words: readonly string[]) => users(...words.map((one) => ({ text: one })))
const replied = (...words: readonly string[]) => model(...words.map((one) => ({ text: one })))
const called = (name: string, args: Fields = {}) => ({ functionCall: { name, args } })
/** The first call of a step, with the marker that replaces the signature of its own model. */
const MARK = { thoughtSignature: 'skip_thought_signature_validator' }
const first = (name: string, args: Fields = {}) => ({ ...called(name, args), ...MARK })
const answered = (name: string, response: Fields = { output: 'ok' }) => ({ functionResponse: { name, response } })
const inline = (mimeType: string, data = 'AA==') => ({ inlineData: { mimeType, data } })
const SEEN = {
  functionResponse: {
    id: 'c1',
    name: 'f',
    response: { output: 'see\n[image: it follows]' },
    parts: [inline('image/png')],
  },
}
const becomes = (input: unknown, contents: readonly unknown[], losses = '') => ({
  request: { input },
  sent: { contents },
  losses,
})
/** A conversation that begins with a call has a message of the user before it. */
const begun = (input: readonly unknown[], contents: readonly unknown[], losses = 'input mapped') =>
  becomes(input, [said('…'), ...contents], losses)
const noted = (part: Fields) => ({
  ...becomes(
    [user([part])],
    [users({ text: expect.stringContaining('could not be passed on') })],
    'input[0].content[0]',
  ),
  model: MODEL,
})
const instructed = (...words: readonly string[]) => ({
  systemInstruction: { parts: words.map((one) => ({ text: one })) },
})

// biome-ignore format: a row a case
const groups = [
upstreamCases('contents for a gemini-generate upstream', 'are encoded from the input: ', {
  'a string': becomes('Hi', [said('Hi')]),
  'roles take turns': becomes([user('A'), user('B'), assistant('C'), assistant('D'), user('E')],
    [said('A', 'B'), replied('C', 'D'), said('E')]),
  'pictures, sounds and files': becomes(
    [user([text('What?'), image, linked, { type: 'input_image', image_url: 'gs://bucket/x' }, hub.SOUND,
      file({ filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }),
      file({ filename: 'a.csv', file_data: 'AA==' }), file({ file_url: 'https://a.example/a.pdf' }),
      file({ file_id: 'files/abc' })])],
    [users({ text: 'What?' }, inline('image/png'),
      { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/p.jpg?x=1' } },
      { fileData: { fileUri: 'gs://bucket/x' } }, inline('audio/wav'), inline('application/pdf'), inline('text/csv'),
      { fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/a.pdf' } },
      { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } })],
    'input[0].content[5].filename, input[0].content[6].filename'),
  'calls and their outputs, each with the name of its function': becomes(
    [user('A'), assistant('B'), call('c1', '{"a":1}', 'f'), call('c2', '', 'g'), output('c2', '{"n":2}'),
      output('c1'), user('C')],
    [said('A'), model({ text: 'B' }, first('f', { a: 1 }), called('g')),
      users(answered('f'), answered('g', { n: 2 }), { text: 'C' })]),
  'steps of a loop are turns': begun([call('c1'), output('c1'), call('c2', '{}', 'g'), output('c2')],
    [model(first('f')), users(answered('f')), model(first('g')), users(answered('g'))]),
  'an output that came late goes to its call': begun([call('c1'), user('Wait'), output('c1')],
    [model(first('f')), users(answered('f'), { text: 'Wait' })]),
  'a list is no answer': begun([call('c1'), output('c1', '[1]')],
    [model(first('f')), users(answered('f', { output: '[1]' }))]),
  'a call with text as input': begun(
    [{ type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: '1' }],
    [model(first('g', { input: 'x = 1' })), users(answered('g', { output: '1' }))], 'input[0] mapped, input mapped'),
  'arguments that are not an object': begun([call('c1', '{"a":'), call('c2', '[1]')],
    [model(first('f', { input: '{"a":' }), called('f', { input: '[1]' }))],
    'input[0].arguments mapped, input[1].arguments mapped, input mapped'),
  'a refusal is a text': becomes([assistant([{ type: 'refusal', refusal: 'No' }])], [replied('No')]),
  'messages without content are dropped': becomes([user('A'), assistant(''), user([text('')]), user('B')],
    [said('A', 'B')], 'input[1]'),
  'a picture that the model made': becomes(
    [user('Draw'), { type: 'image_generation_call', id: 'i', result: '/9j/AA==' }, user('Bigger')],
    [said('Draw'), model(inline('image/jpeg', '/9j/AA==')), said('Bigger')]),
  'pictures of tools follow after all answers of the turn': begun(
    [call('c1'), call('c2', '{}', 'g'), output('c1', [text('see'), image]), output('c2', [image]), user('A')],
    [model(first('f'), called('g')),
      users(answered('f', { output: 'see\n[image: it follows]' }), answered('g', { output: '[image: it follows]' }),
        { text: 'image from the output of the tool call c1:' }, inline('image/png'),
        { text: 'image from the output of the tool call c2:' }, inline('image/png'), { text: 'A' })]),
}),
upstreamCases('contents for a gemini-generate upstream', '', {
  'have ids, and images inside a response, for Gemini 3': { model: MODEL,
    ...becomes([user('A'), call('c1'), output('c1', [text('see'), image, linked])],
      [said('A'), model({ functionCall: { id: 'c1', name: 'f', args: {} }, ...MARK }),
        users(SEEN, { text: 'image from the output of the tool call c1:' },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/p.jpg?x=1' } })]) },
  'are rejected if an output has no call': { request: { input: [user('A'), output('c9')] }, model: MODEL,
    error: 'input[1].call_id' },
}),
upstreamCases('contents for a gemini-generate upstream', 'have a note, and the request a loss, in place of ', {
  'an id of another service': noted(file({ file_id: 'file-1' })),
  'data that is not base64': noted({ type: 'input_image', image_url: 'data:image/svg+xml,<svg/>' }),
  'invalid data': noted({ type: 'input_image', image_url: 'data:image/png' }),
}),
upstreamCases('rules for a gemini-generate upstream', '', {
  'are the system instruction, in their order': { model: MODEL, sent: instructed('A', 'B', 'C'),
    request: { instructions: 'A', input: [system('B'), { role: 'developer', content: 'C' }, user('Hi')] } },
  'are moved to the system instruction with a loss if they come later': { model: MODEL,
    request: { input: [user('A'), system('B'), user('C')] },
    sent: { contents: [said('A', 'C')], ...instructed('B') }, losses: 'input[1] mapped' },
  'are text of the user for Gemma, and in a request without other content': [
    { request: { instructions: 'A' }, model: 'gemma-3-27b-it', sent: { contents: [said('A', 'Hi')] },
      losses: 'instructions mapped' },
    { request: { input: [system('A')] }, model: MODEL, sent: { contents: [said('A')] }, losses: 'instructions mapped' },
  ],
  'are text only, and their images are a loss': { model: MODEL, request: { input: [system([image]), user('A')] },
    sent: { contents: [said('A')] }, losses: 'input[0].content' },
}),
]

export const CONTENTS: UpstreamRequests = {
  wire: geminiGenerate,
  model: SECOND,
  base: () => ({ contents: [said('Hi')] }),
  groups,
}
