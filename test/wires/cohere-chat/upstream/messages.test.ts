import { describe, expect, it } from 'vitest'
import {
  assistant,
  call,
  consistent,
  encode,
  file,
  image,
  itsCall,
  itsImage,
  messagesOf,
  output,
  pdf,
  thinkingPart,
  tool,
  user,
} from '../chats.ts'
import {
  args,
  callEnd,
  decodedDeltas,
  end,
  call as itsStart,
  thinkingText as itsThought,
  plan,
  START,
} from '../decoded.ts'

describe('messages for a cohere-chat upstream', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user('Hi')]],
    ['texts are one string', [user([1, 2].map((n) => ({ type: 'input_text', text: `${n}` })))], [user('1\n2')]],
    [
      'rules are the system’s',
      [{ role: 'developer', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
      [{ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
    ],
    ['empty rules are dropped', [{ role: 'developer', content: [] }, user('C')], [user('C')]],
    [
      'images by their URL, or their data',
      [
        user([
          { type: 'input_text', text: 'What?' },
          { ...image, detail: 'original' },
          { type: 'input_image', image_url: 'data:image/png;base64,QUJD' },
        ]),
      ],
      [
        user([
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { ...itsImage.image_url, detail: 'high' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD' } },
        ]),
      ],
    ],
    [
      'an image among the rules',
      [{ role: 'system', content: [{ type: 'input_text', text: 'A' }, image] }],
      [{ role: 'system', content: 'A' }],
    ],
    [
      'a dropped part leaves a note',
      [user([pdf, consistent])],
      [user('[file: it could not be passed on]\n[sound: it could not be passed on]')],
    ],
    [
      'text before calls is the tool plan',
      [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', '', 'g'), output('c1'), output('c2'), user('C')],
      [
        user('A'),
        { role: 'assistant', tool_plan: 'B', tool_calls: [itsCall('c1', '{"a":1}'), itsCall('c2', '{}', 'g')] },
        tool('c1'),
        tool('c2'),
        user('C'),
      ],
    ],
    [
      'calls without text',
      [call('c1'), output('c1')],
      [{ role: 'assistant', tool_calls: [itsCall('c1')] }, tool('c1')],
    ],
    [
      'an output that came late goes to its call',
      [call('c1'), user('Wait'), output('c1')],
      [{ role: 'assistant', tool_calls: [itsCall('c1')] }, tool('c1'), user('Wait')],
    ],
    ['an output without its call is sent unchanged', [output('c9')], [tool('c9')]],
    [
      'reasoning is sent as blocks',
      [user('A'), thinkingPart('hm'), call('c1'), output('c1'), thinkingPart('ah'), assistant('B')],
      [
        user('A'),
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }], tool_calls: [itsCall('c1')] },
        tool('c1'),
        assistant([
          { type: 'thinking', thinking: 'ah' },
          { type: 'text', text: 'B' },
        ]),
      ],
    ],
    ['a refusal is text', [assistant([{ type: 'refusal', refusal: 'No' }])], [assistant('No')]],
    ['an assistant message without content', [user('A'), assistant(null), user('B')], [user('A'), user('B')]],
    [
      'an output of several texts',
      [
        call('c1'),
        output('c1', [
          { type: 'input_text', text: 'a' },
          { type: 'input_text', text: 'b' },
        ]),
      ],
      [{ role: 'assistant', tool_calls: [itsCall('c1')] }, tool('c1', 'a\nb')],
    ],
    [
      'a text file in an output is a document',
      [call('c1'), output('c1', [{ type: 'input_text', text: 'see' }, file])],
      [
        { role: 'assistant', tool_calls: [itsCall('c1')] },
        tool('c1', [
          { type: 'text', text: 'see' },
          { type: 'document', document: { data: { title: 'a.txt', text: 'Grüezi' } } },
        ]),
      ],
    ],
    [
      'images of tools follow after all tools of the turn',
      [call('c1'), call('c2'), output('c1', [{ type: 'input_text', text: 'see' }, image]), output('c2', [image])],
      [
        { role: 'assistant', tool_calls: [itsCall('c1'), itsCall('c2')] },
        tool('c1', 'see\n[image 1: it follows in the next user message]'),
        tool('c2', '[image 2: it follows in the next user message]'),
        user([
          { type: 'text', text: 'image 1, from the output of the tool call c1:' },
          itsImage,
          { type: 'text', text: 'image 2, from the output of the tool call c2:' },
          itsImage,
        ]),
      ],
    ],
    [
      'a call with text as input is sent as a function',
      [{ type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' }],
      [{ role: 'assistant', tool_calls: [itsCall('c1', '{"input":"x = 1"}', 'g')] }],
    ],
  ]
  it.each(cases)('are encoded from the input: %s', (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages)
  })

  it('contain no reasoning for models that do not reason, which is a recorded loss', () => {
    const { body, losses } = encode({ input: [user('A'), thinkingPart('hm'), assistant('B')] }, 'command-r-plus')
    expect(body.messages).toEqual([user('A'), assistant('B')])
    expect(losses).toEqual([expect.objectContaining({ path: 'input[1]', action: 'dropped' })])
  })

  it('begin with the instructions of the request', () => {
    expect(encode({ instructions: 'Be short' }).body.messages).toEqual([
      { role: 'system', content: 'Be short' },
      user('Hi'),
    ])
  })

  it('contain reasoning, plan and calls of an earlier answer', () => {
    const { output: items } = decodedDeltas([
      START,
      itsThought('hm'),
      plan('I will'),
      itsStart(0, 'f_1', 'f'),
      args(0, '{"a": 1}'),
      callEnd(0),
      end('TOOL_CALL'),
    ])
    expect(messagesOf([user('A'), ...items, output('f_1')])).toEqual([
      user('A'),
      {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'hm' }],
        tool_plan: 'I will',
        tool_calls: [itsCall('f_1', '{"a": 1}')],
      },
      tool('f_1'),
    ])
  })
})

describe('documents of a cohere-chat request', () => {
  const documentsOf = (part: object) => encode({ input: [user([part])] }).body.documents
  const data = (file_data: string, more: object = {}) => ({ type: 'input_file', filename: 'n', file_data, ...more })

  it('contain the text of files, with a note in the message', () => {
    const { body, losses } = encode({ input: [user([{ type: 'input_text', text: 'Read.' }, file])] })
    expect(body.messages).toEqual([user('Read.\n[file "a.txt": it is among the documents]')])
    expect(body.documents).toEqual([{ data: { title: 'a.txt', text: 'Grüezi' } }])
    expect(losses).toEqual([expect.objectContaining({ path: 'input[0].content[1]', action: 'mapped' })])
  })

  it.each([
    ['percents', data('data:text/markdown,%23%20A'), '# A'],
    ['JSON', data('data:application/json;base64,e30='), '{}'],
    ['a kind of XML', data('data:image/svg+xml,x'), undefined],
    ['a kind of JSON', data('data:application/ld+json,{}'), '{}'],
    ['a charset', data('data:text/plain;charset=utf-8;base64,QQ=='), 'A'],
    ['no text', pdf, undefined],
    ['broken base64', data('data:text/plain;base64,@'), undefined],
    ['bytes that are no text', data('data:text/plain;base64,/w=='), undefined],
    ['broken percents', data('data:text/plain,%zz'), undefined],
    ['a URL', { type: 'input_file', file_url: 'https://a.example/a.txt' }, undefined],
  ])('are made of files with readable text: %s', (_, part, text) => {
    expect(documentsOf(part)).toEqual(text === undefined ? undefined : [{ data: { title: 'n', text } }])
  })
})
