import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import { encodeRequest } from '../../../../src/wires/openai-chat/upstream/request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { decodeContext, requestWith } from '../../deltas.ts'

function inputOf(...messages: readonly Json[]): Json {
  const { body, losses } = requestWith(runSteps(client.decodeRequest({ model: 'acme/m-1', messages }, decodeContext())))
  expect(losses).toEqual([])
  expect(validateRequest(body, 'strict')).toMatchObject({ ok: true })
  return body.input ?? null
}

const assistantItem = (at: number, ...content: readonly Json[]) => ({
  type: 'message',
  id: `msg_${at}`,
  status: 'completed',
  role: 'assistant',
  content,
})
const outputText = (text: string) => ({ type: 'output_text', text, annotations: [] })
const call = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } })

describe('prompts of a chat client', () => {
  it.each(['system', 'developer', 'user'])('are decoded from a message with the role %s', (role) => {
    expect(inputOf({ role, content: 'Hi' })).toEqual([
      { type: 'message', role, content: [{ type: 'input_text', text: 'Hi' }] },
    ])
  })

  it.each<[string, Json, Json]>([
    ['text', { type: 'text', text: '' }, { type: 'input_text', text: '' }],
    [
      'an image',
      { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'high' } },
      { type: 'input_image', image_url: 'https://example.org/a.png', detail: 'high' },
    ],
    [
      'an image by its bare URL',
      { type: 'image_url', image_url: 'data:image/png;base64,AA==' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
    ],
    [
      'a sound',
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
    ],
    [
      'a file',
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
    ],
    [
      'a file by its URL',
      { type: 'file', file: { file_data: 'https://example.org/a.pdf' } },
      { type: 'input_file', file_url: 'https://example.org/a.pdf' },
    ],
    ['a stored file', { type: 'file', file: { file_id: 'f1' } }, { type: 'input_file', file_id: 'f1' }],
  ])('are decoded with the content part: %s', (_, part, expected) => {
    expect(inputOf({ role: 'user', content: [part] })).toEqual([{ type: 'message', role: 'user', content: [expected] }])
  })
})

describe('assistant messages of a chat client', () => {
  it.each<[string, { readonly [field: string]: Json }, readonly Json[]]>([
    ['a text', { content: 'Yes.' }, [assistantItem(0, outputText('Yes.'))]],
    [
      'parts',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      [assistantItem(0, outputText('a'), outputText('b'))],
    ],
    ['a refusal', { content: null, refusal: 'No.' }, [assistantItem(0, { type: 'refusal', refusal: 'No.' })]],
    [
      'a refusal as a part',
      { content: [{ type: 'refusal', refusal: 'No.' }] },
      [assistantItem(0, { type: 'refusal', refusal: 'No.' })],
    ],
  ])('are decoded with this content: %s', (_, fields, expected) => {
    expect(inputOf({ role: 'assistant', ...fields })).toEqual(expected)
  })

  it('precede their calls, which precede the outputs', () => {
    const custom = { id: 'c2', type: 'custom', custom: { name: 'grep', input: 'a*' } }
    const calls = [call('c1', 'look', '{"a":1}'), custom, { id: 'c3', function: { name: 'look', arguments: { a: 1 } } }]
    expect(
      inputOf(
        { role: 'user', content: 'x' },
        { role: 'assistant', content: 'Let me look.', tool_calls: calls },
        { role: 'tool', tool_call_id: 'c1', content: '7' },
        {
          role: 'tool',
          tool_call_id: 'c2',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'tool', tool_call_id: 'c3', content: null },
      ),
    ).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      assistantItem(1, outputText('Let me look.')),
      { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'grep', input: 'a*' },
      { type: 'function_call', call_id: 'c3', name: 'look', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c1', output: '7' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'a' },
          { type: 'input_text', text: 'b' },
        ],
      },
      { type: 'function_call_output', call_id: 'c3', output: '' },
    ])
  })

  it('are followed by outputs of tools that may contain images', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } }
    expect(inputOf({ role: 'tool', tool_call_id: 'c1', content: [image] })).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [{ type: 'input_image', image_url: 'https://example.org/a.png' }],
      },
    ])
  })

  it('have legacy calls that are matched with outputs by name and order', () => {
    const old = (args: string) => ({
      role: 'assistant',
      content: null,
      function_call: { name: 'look', arguments: args },
    })
    const output = (content: string) => ({ role: 'function', name: 'look', content })
    expect(inputOf(old('{"a":1}'), output('1'), old('{"a":2}'), output('2'))).toEqual([
      { type: 'function_call', call_id: 'call_0', name: 'look', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'call_0', output: '1' },
      { type: 'function_call', call_id: 'call_2', name: 'look', arguments: '{"a":2}' },
      { type: 'function_call_output', call_id: 'call_2', output: '2' },
    ])
  })
})

describe('a chat request encoded for a chat upstream', () => {
  it('keeps its messages, tools and fields unchanged', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
        ],
      },
      { role: 'assistant', content: 'I look.', tool_calls: [call('c1', 'look', '{"a":1}'), call('c2', 'look', '{}')] },
      { role: 'tool', tool_call_id: 'c1', content: '7' },
      { role: 'tool', tool_call_id: 'c2', content: '8' },
      { role: 'assistant', content: null, refusal: 'No.' },
      { role: 'user', content: 'Why?' },
    ]
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
    const given = { messages, tools, tool_choice: 'auto', temperature: 0.5, max_tokens: 9, stop: ['x'] } as const
    const { body, stop } = requestWith(runSteps(client.decodeRequest({ model: 'acme/m-1', ...given }, decodeContext())))
    const encoded = runSteps(encodeRequest({ ...requestOf(body), stop }, targetOf('openai-chat')))
    if (!encoded.ok) return expect.unreachable()
    expect(encoded.losses).toEqual([])
    expect(encoded.body).toEqual({ model: 'some-model', ...given })
  })
})
