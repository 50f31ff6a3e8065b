import { describe, expect, it } from 'vitest'
import { runSteps } from '../../../../src/text/steps.ts'
import { encodeRequest } from '../../../../src/wires/bedrock-converse/upstream/request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { assistant, call, encode, messagesOf, output, toolResult, toolUse, user } from '../converses.ts'

const ask = (content: unknown) => ({ role: 'user', content })
const assistantTurn = (content: unknown) => ({ role: 'assistant', content })
const text = (words: string) => ({ type: 'input_text', text: words })
const PNG = 'data:image/png;base64,AA=='
const image = { type: 'input_image', image_url: PNG }
const converseImage = { image: { format: 'png', source: { bytes: 'AA==' } } }
const pdf = (filename: string) => ({ type: 'input_file', filename, file_data: 'data:application/pdf;base64,JVBE' })
const document = (name: string, format = 'pdf', bytes = 'JVBE') => ({ document: { format, name, source: { bytes } } })

describe('messages for a bedrock-converse upstream', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user({ text: 'Hi' })]],
    ['parts', [ask([text('What?'), image])], [user({ text: 'What?' }, converseImage)]],
    [
      'neighbours of one role are one message',
      [ask('A'), ask('B'), assistantTurn('C'), assistantTurn('D'), ask('E')],
      [user({ text: 'A' }, { text: 'B' }), assistant({ text: 'C' }, { text: 'D' }), user({ text: 'E' })],
    ],
    [
      'all results of a turn are one message, first in it',
      [ask('A'), assistantTurn('B'), call('c1', '{"a":1}'), call('c2', ''), output('c1'), output('c2'), ask('C')],
      [
        user({ text: 'A' }),
        assistant({ text: 'B' }, toolUse('c1', { a: 1 }), toolUse('c2')),
        user(toolResult('c1'), toolResult('c2'), { text: 'C' }),
      ],
    ],
    [
      'calls one after the other are two turns',
      [ask('A'), call('c1'), output('c1'), call('c2'), output('c2')],
      [
        user({ text: 'A' }),
        assistant(toolUse('c1')),
        user(toolResult('c1')),
        assistant(toolUse('c2')),
        user(toolResult('c2')),
      ],
    ],
    [
      'an output that came late goes to its call',
      [ask('A'), call('c1'), ask('Wait'), output('c1')],
      [user({ text: 'A' }), assistant(toolUse('c1')), user(toolResult('c1'), { text: 'Wait' })],
    ],
    [
      'a text between calls stays between them',
      [ask('A'), call('c1'), assistantTurn('B'), call('c2'), output('c1'), output('c2')],
      [
        user({ text: 'A' }),
        assistant(toolUse('c1'), { text: 'B' }, toolUse('c2')),
        user(toolResult('c1'), toolResult('c2')),
      ],
    ],
    [
      'images of tools stay in their results',
      [ask('A'), call('c1'), output('c1', [text('see'), image])],
      [user({ text: 'A' }), assistant(toolUse('c1')), user(toolResult('c1', { text: 'see' }, converseImage))],
    ],
    [
      'a tool without output',
      [ask('A'), call('c1'), output('c1', '')],
      [user({ text: 'A' }), assistant(toolUse('c1')), user(toolResult('c1', { text: '[no output]' }))],
    ],
    [
      'empty texts are left out',
      [ask([text(''), text('A'), text(' \n')]), assistantTurn(''), ask('B')],
      [user({ text: 'A' }, { text: 'B' })],
    ],
    [
      'a refusal is text',
      [ask('A'), assistantTurn([{ type: 'refusal', refusal: 'No' }])],
      [user({ text: 'A' }), assistant({ text: 'No' })],
    ],
    [
      'a user message is put before a first assistant message',
      [assistantTurn('Welcome!'), ask('A')],
      [user({ text: '[the conversation begins here]' }), assistant({ text: 'Welcome!' }), user({ text: 'A' })],
    ],
    [
      'arguments that are no object',
      [ask('A'), call('c1', '[1]'), call('c2', '{"a":'), output('c1'), output('c2')],
      [
        user({ text: 'A' }),
        assistant(toolUse('c1', { input: '[1]' }), toolUse('c2', { input: '{"a":' })),
        user(toolResult('c1'), toolResult('c2')),
      ],
    ],
    [
      'a call with text as input',
      [
        ask('A'),
        { type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'x = 1' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' },
      ],
      [user({ text: 'A' }), assistant(toolUse('c1', { input: 'x = 1' })), user(toolResult('c1'))],
    ],
    [
      'a document next to a text',
      [ask([pdf('Mill.pdf'), text('Sum up.')])],
      [user(document('Mill'), { text: 'Sum up.' })],
    ],
    [
      'a document alone gets an additional text',
      [ask([pdf('Mill.pdf')])],
      [user(document('Mill'), { text: '[see the attached document]' })],
    ],
    [
      'documents have plain, unique names',
      [
        ask([pdf('a/b: «Mühle».final.pdf'), pdf('x.pdf'), pdf('x.pdf'), pdf('???'), text('A')]),
        call('c1'),
        output('c1', [pdf('x.pdf')]),
      ],
      [
        user(document('a-b- -M-hle--final'), document('x'), document('x (2)'), document('document'), { text: 'A' }),
        assistant(toolUse('c1')),
        user(toolResult('c1', document('x (3)'))),
      ],
    ],
    [
      'files are known by their type, or their name',
      [
        ask([
          { type: 'input_file', filename: 'a', file_data: 'data:text/csv;charset=utf-8;base64,YQ==' },
          { type: 'input_file', filename: 'b.MD', file_data: 'YQ==' },
          { type: 'input_file', filename: 'c.png', file_data: PNG },
          { type: 'input_file', filename: 'd.docx', file_url: 's3://shelf/d.docx' },
          text('A'),
        ]),
      ],
      [
        user(
          document('a', 'csv', 'YQ=='),
          document('b', 'md', 'YQ=='),
          converseImage,
          { document: { format: 'docx', name: 'd', source: { s3Location: { uri: 's3://shelf/d.docx' } } } },
          { text: 'A' },
        ),
      ],
    ],
  ]
  it.each(cases)('are encoded from the input: %s', (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages)
  })

  it('have early rules in the field system', () => {
    const { body, lost } = encode({
      instructions: 'Be short.',
      input: [{ role: 'developer', content: 'Be kind.' }, ask('A'), ask('B')],
    })
    expect(body.system).toEqual([{ text: 'Be short.' }, { text: 'Be kind.' }])
    expect(body.messages).toEqual([user({ text: 'A' }, { text: 'B' })])
    expect(lost).toEqual([])
    expect(encode({}).body.system).toBeUndefined()
  })

  it('are rejected if they have no content', () => {
    for (const input of ['', [], [{ role: 'system', content: 'A' }], [ask(' ')]]) {
      const result = runSteps(encodeRequest(requestOf({ input }), targetOf('bedrock-converse')))
      expect(result).toMatchObject({ ok: false, error: { party: 'client', status: 400, param: 'input' } })
    }
  })
})

describe('call ids for a bedrock-converse upstream', () => {
  it('are replaced if Bedrock would reject them, alike for a call and its output', () => {
    const odd = ['functions.add:0', 'x'.repeat(65), 'ü']
    for (const id of odd) {
      const [, called, answered] = messagesOf([ask('A'), call(id), output(id)])
      const { toolUseId } = called.content[0].toolUse
      expect(toolUseId).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(answered.content[0].toolResult.toolUseId).toBe(toolUseId)
    }
    const ids = odd.map((id) => messagesOf([ask('A'), call(id)])[1].content[0].toolUse.toolUseId)
    expect(new Set(ids).size).toBe(odd.length)
  })
})

describe('content that a bedrock-converse upstream cannot carry', () => {
  const cases: [string, unknown, string[], string][] = [
    [
      'an image by its URL',
      [ask([{ type: 'input_image', image_url: 'https://a.example/x.png' }])],
      ['input[0].content[0]'],
      'image',
    ],
    [
      'an image of another kind',
      [ask([{ type: 'input_image', image_url: 'data:image/tiff;base64,AA==' }])],
      ['input[0].content[0]'],
      'image',
    ],
    [
      'an image that is not base64',
      [ask([{ type: 'input_image', image_url: 'data:image/png,x' }])],
      ['input[0].content[0]'],
      'image',
    ],
    [
      'a file by its URL',
      [ask([{ type: 'input_file', file_url: 'https://a.example/x.pdf' }])],
      ['input[0].content[0]'],
      'file',
    ],
    ['a file by its id', [ask([{ type: 'input_file', file_id: 'file-1' }])], ['input[0].content[0]'], 'file'],
    [
      'a file of another kind',
      [ask([{ type: 'input_file', filename: 'a.exe', file_data: 'AA==' }])],
      ['input[0].content[0]'],
      'file',
    ],
    [
      'a sound',
      [ask([{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }])],
      ['input[0].content[0]'],
      'sound',
    ],
    [
      'an image that a tool gave',
      [ask('A'), call('c1'), output('c1', [{ type: 'input_image', image_url: 'https://a.example/x.png' }])],
      ['input[2].output[0]'],
      'image',
    ],
  ]
  it.each(cases)('is replaced by a note with a loss: %s', (_, input, places, name) => {
    const { body, lost } = encode({ input, tools: [{ type: 'function', name: 'f' }] })
    expect(lost).toEqual(places)
    expect(JSON.stringify(body.messages)).toContain(`[${name}: it could not be passed on]`)
  })

  it.each([
    ['an image among the rules', [{ role: 'system', content: [image] }, ask('A')], ['input[0].content[0]']],
    ['an item of another kind', [ask('A'), { type: 'mcp_call' }], ['input[1]']],
    ['the detail of an image', [ask([{ ...image, detail: 'high' }, text('A')])], ['input[0].content[0].detail']],
    ['a conversation that the assistant begins', [assistantTurn('A')], ['input']],
    ['a document alone', [ask([pdf('a.pdf')])], ['input']],
    ['arguments that are no object', [ask('A'), call('c1', '1')], ['input[1]']],
  ] as [string, unknown, string[]][])('is recorded as a loss: %s', (_, input, places) => {
    expect(encode({ input, tools: [{ type: 'function', name: 'f' }] }).lost).toEqual(places)
  })
})
