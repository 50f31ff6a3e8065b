import { describe, expect, it } from 'vitest'
import { messagesClient } from '../../../../src/wires/anthropic-messages/client/index.ts'
import { decode, FUNCTION, lossesOf, USER_TURN } from '../requests.ts'

const faultOf = (fields: object): string => {
  const result = decode(fields)
  if (result.ok) return 'none'
  const { code, param, message, status, party } = result.error
  expect({ code, status, party }).toEqual({ code: 'invalid_prompt', status: 400, party: 'client' })
  expect(message.startsWith(`${param}: `)).toBe(true)
  return message
}

describe('an invalid request of an Anthropic client', () => {
  const user = (...content: readonly unknown[]) => ({ messages: [{ role: 'user', content }] })
  const assistant = (...content: readonly unknown[]) => ({ messages: [...USER_TURN, { role: 'assistant', content }] })
  const document = (source: unknown) => user({ type: 'document', source })

  it.each<[string, object]>([
    ['model: expected a string that is not empty, got nothing', { model: undefined }],
    ['messages: expected a list with at least one message, got nothing', { messages: undefined }],
    ['messages: expected at least one message', { messages: [] }],
    ['messages[0]: expected an object, got "Hi"', { messages: ['Hi'] }],
    [
      'messages[0].role: expected one of user, assistant, system, got "tool"',
      { messages: [{ role: 'tool', content: '' }] },
    ],
    [
      'messages[0].content: expected a string or a list of content blocks, got nothing',
      { messages: [{ role: 'user' }] },
    ],
    ['messages[0].content[1]: expected an object, got null', user({ type: 'text', text: 'A' }, null)],
    ['messages[0].content[0].text: expected a string, got 1', user({ type: 'text', text: 1 })],
    [
      'messages[0].content[0].type: expected one of text, image, document, search_result, tool_result, got "sound"',
      user({ type: 'sound' }),
    ],
    [
      'messages[0].content[0].content[0].type: expected one of text, image, document, search_result, got "sound"',
      user({ type: 'tool_result', tool_use_id: 'x', content: [{ type: 'sound' }] }),
    ],
    [
      'messages[0].content[0].type: expected one of text, image, document, search_result, got "tool_use"',
      { messages: [{ role: 'system', content: [{ type: 'tool_use' }] }] },
    ],
    ['messages[0].content[0].source: expected an object, got nothing', user({ type: 'image' })],
    [
      'messages[0].content[0].source.data: expected a string that is not empty, got nothing',
      user({ type: 'image', source: { type: 'base64', media_type: 'image/png' } }),
    ],
    [
      'messages[0].content[0].source.file_id: expected a string that is not empty, got nothing',
      user({ type: 'image', source: { type: 'file' } }),
    ],
    ['messages[0].content[0].source.type: expected one of base64, text, url, file, content, got nothing', document({})],
    [
      'messages[0].content[0].source.content[0].text: expected a string, got nothing',
      document({ type: 'content', content: [{ type: 'text' }] }),
    ],
    [
      'messages[0].content[0].tool_use_id: expected a string that is not empty, got nothing',
      user({ type: 'tool_result' }),
    ],
    [
      'messages[0].content[0].content[0].type: expected one of text, image, document, search_result, got "x"',
      user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'x' }] }),
    ],
    [
      'messages[1].content[0].input: expected an object, got a list',
      assistant({ type: 'tool_use', id: 'a', name: 'f', input: [] }),
    ],
    [
      'messages[1].content[0].thinking: expected a string, got nothing',
      assistant({ type: 'thinking', signature: 'x' }),
    ],
    ['max_tokens: expected a whole number of at least 1, got 0', { max_tokens: 0 }],
    ['max_tokens: expected a whole number of at least 1, got "9"', { max_tokens: '9' }],
    ['stream: expected true or false, got "yes"', { stream: 'yes' }],
    ['system[0].type: expected text, got "image"', { system: [{ type: 'image', text: '' }] }],
    ['stop_sequences[1]: expected a string that is not empty, got 1', { stop_sequences: ['a', 1] }],
    [
      'thinking.budget_tokens: expected a whole number above 0, got -1',
      { thinking: { type: 'enabled', budget_tokens: -1 } },
    ],
    [
      'output_config.format.schema: expected an object, got nothing',
      { output_config: { format: { type: 'json_schema' } } },
    ],
    ['tools[0].name: expected a string that is not empty, got nothing', { tools: [{ input_schema: {} }] }],
    ['tools[0].input_schema: expected an object, got nothing', { tools: [{ name: 'f' }] }],
    [
      'tool_choice.name: expected a tool that is in tools, got "g"',
      { tools: [FUNCTION], tool_choice: { type: 'tool', name: 'g' } },
    ],
    ['metadata.user_id: expected a string, got 7', { metadata: { user_id: 7 } }],
  ])('is rejected with the message: %s', (message, fields) => {
    expect(faultOf(fields)).toBe(message)
  })

  it.each<[string, object]>([
    ['temperature mapped', { temperature: 2 }],
    ['thinking dropped', { thinking: { type: 'toString' } }],
    ['output_config.effort dropped', { output_config: { effort: 'lots' } }],
    ['tool_choice dropped', { tool_choice: { type: 'required' } }],
    ['service_tier dropped', { service_tier: 'flex' }],
  ])('is translated without a word or a number that the hub does not have: %s', (loss, fields) => {
    expect(lossesOf(fields)).toEqual([loss])
  })

  it('is rejected with thread_not_found if it continues a conversation that is not stored', () => {
    const result = decode({ messages: [], thread: { type: 'continue', previous_message_id: 'msg_1' } })
    expect(result.ok ? null : messagesClient.encodeError(result.error, 'req_1')).toEqual({
      status: 404,
      body: {
        type: 'error',
        error: {
          type: 'not_found_error',
          message: 'thread: this service stores no conversations; send the whole conversation as messages',
          details: { error_code: 'thread_not_found' },
        },
        request_id: 'req_1',
      },
    })
    expect(lossesOf({ thread: { type: 'create' } })).toEqual(['thread dropped'])
  })

  it('is rejected with its first fault', () => {
    expect(faultOf({ model: '', messages: 1, stream: 1 })).toBe('model: expected a string that is not empty, got ""')
  })
})
