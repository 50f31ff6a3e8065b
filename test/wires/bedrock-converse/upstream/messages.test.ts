import { describe, expect, it } from 'vitest'
import { call, output, user } from '../../hub-requests.ts'
import { testUpstreamRequests } from '../../request-cases.ts'
import { messagesOf } from '../converses.ts'
import { MESSAGES } from './messages.ts'

testUpstreamRequests(MESSAGES)

describe('call ids for a bedrock-converse upstream', () => {
  it('are replaced if Bedrock would reject them, alike for a call and its output', () => {
    const odd = ['functions.add:0', 'x'.repeat(65), 'ü']
    for (const id of odd) {
      const [, called, answered] = messagesOf([user('A'), call(id), output(id)])
      const { toolUseId } = called.content[0].toolUse
      expect(toolUseId).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(answered.content[0].toolResult.toolUseId).toBe(toolUseId)
    }
    const ids = odd.map((id) => messagesOf([user('A'), call(id)])[1].content[0].toolUse.toolUseId)
    expect(new Set(ids).size).toBe(odd.length)
  })
})
