import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/protocol/json.ts'
import { findVendor } from '../../../../src/vendors/registry.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { sealed } from '../../../engine/target.ts'
import { check } from '../../../property.ts'
import {
  assistant,
  call,
  chatCall,
  chatImage,
  encode,
  image,
  messagesOf,
  output,
  reasoningChunk,
  tool,
  user,
} from '../chats.ts'

describe('messages for a chat upstream', () => {
  const cases: [string, unknown, unknown][] = [
    ['a string', 'Hi', [user('Hi')]],
    ['texts only', [user([1, 2].map((n) => ({ type: 'input_text', text: `${n}` })))], [user('1\n2')]],
    [
      'a text and an image',
      [
        user([
          { type: 'input_text', text: 'What?' },
          { ...image, detail: 'original' },
        ]),
      ],
      [
        user([
          { type: 'text', text: 'What?' },
          { type: 'image_url', image_url: { url: image.image_url, detail: 'high' } },
        ]),
      ],
    ],
    [
      'a file and a sound',
      [
        user([
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
          { type: 'input_file', file_id: 'file-1' },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ]),
      ],
      [
        user([
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
        ]),
      ],
    ],
    [
      'rules are the system’s',
      [{ role: 'developer', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
      [{ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, user('C')],
    ],
    [
      'an assistant’s text and calls are one message, its outputs follow',
      [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', ''), output('c1'), output('c2'), user('C')],
      [
        user('A'),
        { ...assistant('B'), tool_calls: [chatCall('c1', '{"a":1}'), chatCall('c2', '{}')] },
        tool('c1'),
        tool('c2'),
        user('C'),
      ],
    ],
    [
      'calls one after the other are two messages',
      [call('c1'), output('c1'), call('c2'), output('c2')],
      [
        { ...assistant(null), tool_calls: [chatCall('c1')] },
        tool('c1'),
        { ...assistant(null), tool_calls: [chatCall('c2')] },
        tool('c2'),
      ],
    ],
    [
      'an output that came late goes to its call',
      [call('c1'), user('Wait'), output('c1')],
      [{ ...assistant(null), tool_calls: [chatCall('c1')] }, tool('c1'), user('Wait')],
    ],
    [
      'a call id that is used again',
      [call('c1'), output('c1', 'first'), user('more'), call('c1'), output('c1', 'second')],
      [
        { ...assistant(null), tool_calls: [chatCall('c1')] },
        tool('c1', 'first'),
        user('more'),
        { ...assistant(null), tool_calls: [chatCall('c1')] },
        tool('c1', 'second'),
      ],
    ],
    [
      'text between and after calls',
      [assistant('A'), call('c1'), assistant('B'), output('c1')],
      [{ ...assistant('A\n\nB'), tool_calls: [chatCall('c1')] }, tool('c1')],
    ],
    ['two texts are two messages', [assistant('A'), assistant('B')], [assistant('A'), assistant('B')]],
    [
      'an output without its call and a call without its output are sent unchanged',
      [call('c1'), output('c2')],
      [{ ...assistant(null), tool_calls: [chatCall('c1')] }, tool('c2')],
    ],
    ['an assistant message without content', [user('A'), assistant(null), user('B')], [user('A'), user('B')]],
    ['a refusal', [assistant([{ type: 'refusal', refusal: 'No' }])], [{ ...assistant(null), refusal: 'No' }]],
    [
      'a search of the upstream breaks no turn',
      [
        { type: 'reasoning', summary: [] },
        { type: 'web_search_call', id: 'ws' },
        assistant('A'),
        call('c1'),
        output('c1'),
      ],
      [{ ...assistant('A'), tool_calls: [chatCall('c1')] }, tool('c1')],
    ],
    [
      'images of tools follow after all tools of the turn',
      [
        call('c1'),
        call('c2'),
        output('c1', [{ type: 'input_text', text: 'see' }, image]),
        output('c2', [image]),
        user('A'),
      ],
      [
        { ...assistant(null), tool_calls: [chatCall('c1'), chatCall('c2')] },
        tool('c1', 'see\n[image 1: it follows in the next user message]'),
        tool('c2', '[image 2: it follows in the next user message]'),
        user([
          { type: 'text', text: 'image 1, from the output of the tool call c1:' },
          chatImage,
          { type: 'text', text: 'image 2, from the output of the tool call c2:' },
          chatImage,
        ]),
        user('A'),
      ],
    ],
    [
      'a call with text as input is sent as a function',
      [
        { type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' },
        { type: 'custom_tool_call_output', call_id: 'c1', output: '1' },
      ],
      [{ ...assistant(null), tool_calls: [chatCall('c1', '{"input":"x = 1"}', 'g')] }, tool('c1', '1')],
    ],
  ]
  it.each(cases)('are encoded from the input: %s', (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages)
  })

  it('begin with the instructions of the request', () => {
    expect(encode({ instructions: 'Be short' }).body.messages).toEqual([
      { role: 'system', content: 'Be short' },
      user('Hi'),
    ])
  })

  it('have the role developer for rules if the model accepts that role', () => {
    const openai = findVendor('openai-chat')?.quirks ?? {}
    const input = [{ role: 'system', content: 'A' }, user('B')]
    const roles = (model: string) =>
      (encode({ input, instructions: 'C' }, openai, model).body.messages as { role: string }[]).map(({ role }) => role)
    expect(roles('gpt-5-mini')).toEqual(['developer', 'developer', 'user'])
    expect(roles('gpt-4o')).toEqual(['system', 'system', 'user'])
  })

  it('keep every call next to its output, in any order of items', () => {
    const ids = fc.constantFrom('a', 'b', 'c')
    const item = fc.oneof(
      ids.map((id) => call(id)),
      ids.map((id) => output(id)),
      fc.constantFrom(user('u'), assistant('t'), reasoningChunk('r')),
    )
    check(
      fc.property(fc.array(item, { maxLength: 12 }), (input) => {
        const messages = messagesOf(input) as unknown as { role: string; tool_calls?: unknown[] }[]
        const count = (type: string) => input.filter((it) => 'type' in it && it.type === type).length
        expect(messages.flatMap((it) => it.tool_calls ?? [])).toHaveLength(count('function_call'))
        expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(count('function_call_output'))
      }),
    )
  })
})

describe('reasoning in messages for a chat upstream', () => {
  const loop = [user('A'), reasoningChunk('hm'), assistant('B'), call('c1'), output('c1')]
  const turn = [user('A'), reasoningChunk('hm'), assistant('B'), user('C')]
  const messageFor = (input: unknown, quirks: Quirks) => (messagesOf(input, quirks) as Json[])[1]

  it.each(['reasoning_content', 'reasoning'] as const)('returns as %s in a tool loop only', (field) => {
    expect(messageFor(loop, { reasoningHistory: field })).toEqual({
      ...assistant('B'),
      [field]: 'hm',
      tool_calls: [chatCall('c1')],
    })
    expect(messageFor(turn, { reasoningHistory: field })).toEqual(assistant('B'))
  })

  it('returns as a part of type thinking', () => {
    expect(messageFor(turn, { reasoningHistory: 'thinking' })).toEqual(
      assistant([
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'B' },
      ]),
    )
  })

  it('returns as the sealed reasoning_details, or as reasoning if it was not sealed', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'x', index: 0 }]
    const known = reasoningChunk('hm', sealed('openai-chat', details))
    const quirks: Quirks = { reasoningHistory: 'reasoning_details' }
    expect(messageFor([user('A'), known, assistant('B')], quirks)).toEqual({
      ...assistant('B'),
      reasoning_details: details,
    })
    expect(messageFor(turn, quirks)).toEqual({ ...assistant('B'), reasoning: 'hm' })
  })

  it('is dropped with a loss if another upstream sealed it', () => {
    const foreign = reasoningChunk('', 'mr1.someone-elses')
    const input = [user('A'), foreign, assistant('B'), call('c1')]
    for (const reasoningHistory of ['reasoning_details', 'reasoning_content'] as const) {
      const { body, losses } = encode({ input }, { reasoningHistory })
      expect(JSON.stringify(body)).not.toContain('signature')
      expect(losses).toEqual([expect.objectContaining({ path: 'input[1]', action: 'dropped' })])
    }
  })
})
