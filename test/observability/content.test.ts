import { describe, expect, it } from 'vitest'
import { toFinishReason } from '../../src/observability/attributes.ts'
import { contentLength, inputMessages, messagesText, outputMessages } from '../../src/observability/content.ts'
import type { Item } from '../../src/protocol/item.ts'
import type { Response } from '../../src/protocol/response.ts'
import { validateRequest } from '../../src/validation/request.ts'

const asked = (input: unknown) => {
  const valid = validateRequest({ model: 'm', input })
  if (!valid.ok) throw new Error(valid.error.message)
  return inputMessages(valid.request)
}

const CALL: Item = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: 'f',
  arguments: '{"a":1}',
  status: 'completed',
}
const MESSAGE: Item = {
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [
    { type: 'output_text', text: 'Seven.', annotations: [], logprobs: [] },
    { type: 'refusal', refusal: 'No.' },
  ],
}

describe('the content of a request', () => {
  it('is converted to messages and parts', () => {
    const input = [
      { role: 'developer', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Warm?' },
          { type: 'input_image', image_url: 'https://a.example/1.png' },
          { type: 'input_image', file_id: 'file_1' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c1', output: '7' },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Seven.', annotations: [] }],
      },
    ]
    expect(asked(input)).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'Be brief.' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'Warm?' },
          { type: 'uri', modality: 'image', uri: 'https://a.example/1.png' },
          { type: 'file', modality: 'image', file_id: 'file_1' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'reasoning', content: 'Hm.' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '7' }] },
      { role: 'assistant', parts: [{ type: 'text', content: 'Seven.' }] },
    ])
    expect(messagesText(asked(input))).toBe('Be brief.\nWarm?\nHm.\n7\nSeven.')
  })

  it('contains the type and length of a file instead of its data', () => {
    const file_data = `data:application/pdf;base64,${'QUJD'.repeat(5000)}`
    const [message] = asked([{ role: 'user', content: [{ type: 'input_file', filename: 'a.pdf', file_data }] }])
    expect(message?.parts).toEqual([
      { type: 'uri', modality: 'file', uri: 'data:application/pdf (20028 characters left out)' },
    ])
  })

  it('has no password of an address', () => {
    const image_url = 'https://ada:hunter2!x@pictures.example/a.png'
    const [message] = asked([{ role: 'user', content: [{ type: 'input_image', image_url }] }])
    expect(message?.parts).toEqual([
      { type: 'uri', modality: 'image', uri: image_url.replace('hunter2!x', '********') },
    ])
  })

  it('has its length counted in characters with instructions and output', () => {
    expect(contentLength({ instructions: 'abc', input: asked('defg'), output: outputMessages([CALL], 'stop') })).toBe(
      14,
    )
  })
})

describe('the content of an answer', () => {
  it('has no password that the error of an MCP server quotes', () => {
    const error = 'https://ada:hunter2!x@mcp.example/sse: no "answer"'
    const fields = { server_label: 'd', tools: [], error }
    const item: Item = { type: 'mcp_list_tools', id: 'l', status: 'failed', fields }
    expect(outputMessages([item], 'stop')[0]?.parts).toMatchObject([
      { name: 'mcp_list_tools', arguments: { tools: [], error: error.replace('hunter2!x', '********') } },
    ])
  })

  it('is one message with its finish reason', () => {
    expect(outputMessages([MESSAGE, CALL], 'tool_calls')).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Seven.' },
          { type: 'text', content: 'No.' },
          { type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } },
        ],
        finish_reason: 'tool_calls',
      },
    ])
    expect(outputMessages([], 'error')).toEqual([])
  })

  it.each<[string, Partial<Response> | null]>([
    ['error', null],
    ['error', { status: 'failed', output: [MESSAGE] }],
    ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['content_filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    ['tool_calls', { status: 'completed', output: [MESSAGE, CALL] }],
    ['stop', { status: 'completed', output: [MESSAGE] }],
  ])('has the finish reason %s', (reason, answer) => {
    expect(toFinishReason(answer as Response | null)).toBe(reason)
  })
})
