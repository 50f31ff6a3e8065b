import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sealed } from '../../../engine/target.ts'
import { check } from '../../../property.ts'
import { assistant, call, output, user } from '../../hub-requests.ts'
import { testUpstreamRequests } from '../../request-cases.ts'
import { MODEL, messagesOf } from '../bodies.ts'
import { MESSAGES } from './messages.ts'

testUpstreamRequests(MESSAGES)

describe('messages for an anthropic-messages upstream', () => {
  const thinking = { type: 'thinking', thinking: 'r', signature: 'sig of r' }
  const reasoning = { type: 'reasoning', summary: [], encrypted_content: sealed('anthropic-messages', thinking, MODEL) }

  it('alternate in role and have every result right after its call, in any order of items', () => {
    const ids = fc.constantFrom('a', 'b', 'c')
    const item = fc.oneof(
      ids.map((id) => call(id)),
      ids.map((id) => output(id)),
      fc.constantFrom(user('u'), assistant('t'), reasoning, { role: 'system', content: 's' }),
    )
    type Block = { type: string; id?: string; tool_use_id?: string }
    check(
      fc.property(fc.array(item, { maxLength: 12 }), (list) => {
        const messages = messagesOf([user('first'), ...list]) as unknown as { role: string; content: Block[] }[]
        messages.forEach(({ role, content }, i) => {
          expect(role).toBe(i % 2 === 0 ? 'user' : 'assistant')
          expect(content.length).toBeGreaterThan(0)
          const kinds = content.map(({ type }) => (type === 'tool_result' ? 0 : 1))
          expect(kinds).toEqual([...kinds].sort())
        })
        const blocks = messages.flatMap(({ content }) => content)
        const count = (type: string) => list.filter((it) => 'type' in it && it.type === type).length
        expect(blocks.filter(({ type }) => type === 'tool_use')).toHaveLength(count('function_call'))
        expect(blocks.filter(({ type }) => type === 'tool_result')).toHaveLength(count('function_call_output'))
      }),
    )
  })
})
