import { describe, expect, it } from 'vitest'
import { contentsOf, encode, MODEL, refused, SECOND } from '../histories.ts'

const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const call = (call_id: string, args = '{}', name = 'f') => ({ type: 'function_call', call_id, name, arguments: args })
const output = (call_id: string, out: unknown = 'ok') => ({ type: 'function_call_output', call_id, output: out })
const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const linked = { type: 'input_image', image_url: 'https://a.example/p.jpg?x=1' }

const userTurn = (...texts: string[]) => ({ role: 'user', parts: texts.map((text) => ({ text })) })
const modelTurn = (...texts: string[]) => ({ role: 'model', parts: texts.map((text) => ({ text })) })
const called = (name: string, args: object = {}) => ({ functionCall: { name, args } })
/** The first call of a step, with the marker that replaces the signature of its own model. */
const first = (name: string, args: object = {}) => ({
  ...called(name, args),
  thoughtSignature: 'skip_thought_signature_validator',
})
const answered = (name: string, response: object = { output: 'ok' }) => ({ functionResponse: { name, response } })
const model = (...parts: object[]) => ({ role: 'model', parts })
const users = (...parts: object[]) => ({ role: 'user', parts })

describe('contents for a gemini-generate upstream', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [userTurn('Hi')]],
    [
      'roles take turns',
      [user('A'), user('B'), assistant('C'), assistant('D'), user('E')],
      [userTurn('A', 'B'), modelTurn('C', 'D'), userTurn('E')],
    ],
    [
      'pictures, sounds and files',
      [
        user([
          { type: 'input_text', text: 'What?' },
          image,
          linked,
          { type: 'input_image', image_url: 'gs://bucket/x' },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
          { type: 'input_file', filename: 'a.csv', file_data: 'AA==' },
          { type: 'input_file', file_url: 'https://a.example/a.pdf' },
          { type: 'input_file', file_id: 'files/abc' },
        ]),
      ],
      [
        users(
          { text: 'What?' },
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/p.jpg?x=1' } },
          { fileData: { fileUri: 'gs://bucket/x' } },
          { inlineData: { mimeType: 'audio/wav', data: 'AA==' } },
          { inlineData: { mimeType: 'application/pdf', data: 'AA==' } },
          { inlineData: { mimeType: 'text/csv', data: 'AA==' } },
          { fileData: { mimeType: 'application/pdf', fileUri: 'https://a.example/a.pdf' } },
          { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
        ),
      ],
    ],
    [
      'calls and their outputs, each with the name of its function',
      [
        user('A'),
        assistant('B'),
        call('c1', '{"a":1}', 'f'),
        call('c2', '', 'g'),
        output('c2', '{"n":2}'),
        output('c1'),
        user('C'),
      ],
      [
        userTurn('A'),
        model({ text: 'B' }, first('f', { a: 1 }), called('g')),
        users(answered('f'), answered('g', { n: 2 }), { text: 'C' }),
      ],
    ],
    [
      'steps of a loop are turns',
      [call('c1'), output('c1'), call('c2', '{}', 'g'), output('c2')],
      [model(first('f')), users(answered('f')), model(first('g')), users(answered('g'))],
    ],
    [
      'an output that came late goes to its call',
      [call('c1'), user('Wait'), output('c1')],
      [model(first('f')), users(answered('f'), { text: 'Wait' })],
    ],
    [
      'a list is no answer',
      [call('c1'), output('c1', '[1]')],
      [model(first('f')), users(answered('f', { output: '[1]' }))],
    ],
    [
      'a call with text as input',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: '1' },
      ],
      [model(first('g', { input: 'x = 1' })), users(answered('g', { output: '1' }))],
    ],
    [
      'arguments that are no object',
      [call('c1', '{"a":'), call('c2', '[1]')],
      [model(first('f', { input: '{"a":' }), called('f', { input: '[1]' }))],
    ],
    ['a refusal is a text', [assistant([{ type: 'refusal', refusal: 'No' }])], [modelTurn('No')]],
    [
      'messages without content are dropped',
      [user('A'), assistant(''), user([{ type: 'input_text', text: '' }]), user('B')],
      [userTurn('A', 'B')],
    ],
    [
      'a picture that the model made',
      [user('Draw'), { type: 'image_generation_call', id: 'i', result: '/9j/AA==' }, user('Bigger')],
      [userTurn('Draw'), model({ inlineData: { mimeType: 'image/jpeg', data: '/9j/AA==' } }), userTurn('Bigger')],
    ],
    [
      'pictures of tools follow after all answers of the turn',
      [
        call('c1'),
        call('c2', '{}', 'g'),
        output('c1', [{ type: 'input_text', text: 'see' }, image]),
        output('c2', [image]),
        user('A'),
      ],
      [
        model(first('f'), called('g')),
        users(
          answered('f', { output: 'see\n[image: it follows]' }),
          answered('g', { output: '[image: it follows]' }),
          { text: 'image from the output of the tool call c1:' },
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
          { text: 'image from the output of the tool call c2:' },
          { inlineData: { mimeType: 'image/png', data: 'AA==' } },
          { text: 'A' },
        ),
      ],
    ],
  ]
  it.each(cases)('are encoded from the input: %s', (_, input, contents) => {
    const found = contentsOf(input, SECOND)
    // A conversation that begins with a call has a message of the user before it.
    expect(JSON.stringify(found[0]) === JSON.stringify(userTurn('…')) ? found.slice(1) : found).toEqual(contents)
  })

  it('have ids, and images inside a response, for Gemini 3', () => {
    const input = [user('A'), call('c1'), output('c1', [{ type: 'input_text', text: 'see' }, image, linked])]
    expect(contentsOf(input, MODEL)).toEqual([
      userTurn('A'),
      model({ functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }),
      users(
        {
          functionResponse: {
            id: 'c1',
            name: 'f',
            response: { output: 'see\n[image: it follows]' },
            parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }],
          },
        },
        { text: 'image from the output of the tool call c1:' },
        { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.example/p.jpg?x=1' } },
      ),
    ])
  })

  it('are rejected if an output has no call', () => {
    expect(refused({ input: [user('A'), output('c9')] })).toMatchObject({
      party: 'client',
      status: 400,
      param: 'input[1].call_id',
    })
  })

  it.each([
    ['an id of another service', { type: 'input_file', file_id: 'file-1' }],
    ['data that is not base64', { type: 'input_image', image_url: 'data:image/svg+xml,<svg/>' }],
    ['invalid data', { type: 'input_image', image_url: 'data:image/png' }],
  ])('have a note, and the request a loss, in place of %s', (_, part) => {
    const { body, losses } = encode({ input: [user([part])] })
    expect(body.contents[0].parts[0].text).toContain('could not be passed on')
    expect(losses).toEqual([expect.objectContaining({ path: 'input[0].content[0]', action: 'dropped' })])
  })
})

describe('rules for a gemini-generate upstream', () => {
  it('are the system instruction, in their order', () => {
    const input = [{ role: 'system', content: 'B' }, { role: 'developer', content: 'C' }, user('Hi')]
    const { body, losses } = encode({ instructions: 'A', input })
    expect(body).toEqual({
      contents: [userTurn('Hi')],
      systemInstruction: { parts: [{ text: 'A' }, { text: 'B' }, { text: 'C' }] },
    })
    expect(losses).toEqual([])
  })

  it('are moved to the system instruction with a loss if they come later', () => {
    const { body, losses } = encode({ input: [user('A'), { role: 'system', content: 'B' }, user('C')] })
    expect(body).toEqual({ contents: [userTurn('A', 'C')], systemInstruction: { parts: [{ text: 'B' }] } })
    expect(losses).toEqual([expect.objectContaining({ path: 'input[1]', action: 'mapped' })])
  })

  it('are text of the user for Gemma, and in a request without other content', () => {
    const gemma = encode({ instructions: 'A' }, 'gemma-3-27b-it')
    expect(gemma.body).toEqual({ contents: [userTurn('A', 'Hi')] })
    expect(gemma.losses.map(({ path, action }) => [path, action])).toEqual([['instructions', 'mapped']])
    expect(encode({ input: [{ role: 'system', content: 'A' }] }).body).toEqual({ contents: [userTurn('A')] })
  })

  it('are text only, and their images are a loss', () => {
    const { body, losses } = encode({ input: [{ role: 'system', content: [image] }, user('A')] })
    expect(body).toEqual({ contents: [userTurn('A')] })
    expect(losses.map(({ path }) => path)).toEqual(['input[0].content'])
  })
})
