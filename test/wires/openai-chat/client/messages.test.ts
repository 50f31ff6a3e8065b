import { describe, expect, it } from 'vitest'
import { runSteps } from '../../../../src/text/steps.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import { encodeRequest } from '../../../../src/wires/openai-chat/upstream/request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { decodeContext, requestWith } from '../../deltas.ts'
import { testClientRequests } from '../../request-cases.ts'
import { chatCall as call } from '../chats.ts'
import { MESSAGES } from './messages.ts'

testClientRequests(MESSAGES)

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
      { role: 'assistant', content: 'I look.', tool_calls: [call('c1', '{"a":1}', 'look'), call('c2', '{}', 'look')] },
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
