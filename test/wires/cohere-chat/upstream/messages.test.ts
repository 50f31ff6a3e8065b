import { describe, expect, it } from 'vitest'
import { output, user } from '../../hub-requests.ts'
import { testUpstreamRequests } from '../../request-cases.ts'
import { itsCall, messagesOf, tool } from '../chats.ts'
import { args, call, callEnd, decodedDeltas, end, plan, START, thinkingText } from '../decoded.ts'
import { MESSAGES } from './messages.ts'

testUpstreamRequests(MESSAGES)

describe('messages for a cohere-chat upstream', () => {
  it('contain reasoning, plan and calls of an earlier answer', () => {
    const called = [call(0, 'f_1', 'f'), args(0, '{"a": 1}'), callEnd(0)]
    const { output: items } = decodedDeltas([START, thinkingText('hm'), plan('I will'), ...called, end('TOOL_CALL')])
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
