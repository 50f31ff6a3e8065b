import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../../property.ts'
import { assistant, call, output, user } from '../../hub-requests.ts'
import { testUpstreamRequests } from '../../request-cases.ts'
import { messagesOf, reasoningChunk } from '../chats.ts'
import { MESSAGES } from './messages.ts'

testUpstreamRequests(MESSAGES)

describe('messages for a chat upstream', () => {
  it('keep every call next to its output, in any order of items', () => {
    const ids = fc.constantFrom('a', 'b', 'c')
    const item = fc.oneof(
      ids.map((id) => call(id)),
      ids.map((id) => output(id)),
      fc.constantFrom(user('u'), assistant('t'), reasoningChunk('r')),
    )
    check(
      fc.property(fc.array(item, { maxLength: 12 }), (input) => {
        const messages = messagesOf([user('A'), ...input]) as unknown as { role: string; tool_calls?: unknown[] }[]
        const count = (type: string) => input.filter((it) => 'type' in it && it.type === type).length
        expect(messages.flatMap((it) => it.tool_calls ?? [])).toHaveLength(count('function_call'))
        expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(count('function_call_output'))
      }),
    )
  })
})
