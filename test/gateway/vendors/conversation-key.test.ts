import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conversationOf } from '../../../src/gateway/vendors/conversation-key.ts'
import { check } from '../../property.ts'
import { requestOf } from '../../request-bodies.ts'

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const assistant = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
const result = { type: 'function_call_output', call_id: 'c', output: 'done' }
const tool = (name: string) => ({ type: 'function', name, parameters: { type: 'object' }, strict: false })

/** The requests of one conversation, one for each of its turns: each begins with the whole request before it. */
const turnsOf = (first: readonly object[], later: readonly string[], fields: object = {}) =>
  later
    .map((_, at) => [
      ...first,
      ...later.slice(0, at).flatMap((text) => [assistant(`answer to ${text}`), call, result, user(text)]),
    ])
    .map((input) => requestOf({ input, ...fields }))

const keyOf = (request: ReturnType<typeof requestOf>, headers = {}): number =>
  conversationOf(request, headers, null).key

describe('the key of a conversation', () => {
  it('is the same for each of its turns, by its beginning', () => {
    const beginning = fc.array(fc.string({ maxLength: 6000 }).map(user), { minLength: 1, maxLength: 4 })
    const later = fc.array(fc.string(), { minLength: 2, maxLength: 6 })
    check(
      fc.property(beginning, later, fc.string({ maxLength: 9000 }), (first, texts, instructions) => {
        const keys = turnsOf(first, texts, { instructions, tools: [tool('read'), tool('write')] }).map((one) =>
          keyOf(one),
        )
        expect(new Set(keys).size).toBe(1)
      }),
      100,
    )
  })

  it('differs between conversations with another first turn, other instructions or other tools', () => {
    const long = 'x'.repeat(100_000)
    const requests = [
      {},
      { input: 'Hi!' },
      { input: `${long}a` },
      { input: `${long}b` },
      { input: `a${long}` },
      { input: `${long}xa` },
      { instructions: 'Be brief.' },
      { instructions: `${long}Be brief.` },
      { tools: [tool('read')] },
      { tools: [tool('write')] },
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${long}` }] }] },
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file_1' }] }] },
    ].map((fields) => keyOf(requestOf(fields)))
    expect(new Set(requests).size).toBe(requests.length)
  })

  it('is that of prompt_cache_key, then that of the session header of an agent, then that of the session in its body', () => {
    const request = requestOf({ prompt_cache_key: 'thread-1' })
    expect(conversationOf(request, { 'session-id': 'a' }, 'b')).toEqual(conversationOf(request, {}, null))
    expect(conversationOf(request, {}, null).basis).toBe('prompt_cache_key')
    const bySession = (name: string) => conversationOf(requestOf(), { [name]: '0199a8d0' }, 'b')
    const names = ['x-claude-code-session-id', 'session-id', 'session_id', 'thread-id', 'conversation_id']
    const found = [...names, 'x-session-affinity', 'x-session-id'].map(bySession)
    expect(new Set(found.map(({ basis }) => basis))).toEqual(new Set(['session']))
    expect(new Set([...found, conversationOf(requestOf(), {}, '0199a8d0')].map(({ key }) => key)).size).toBe(1)
    expect(conversationOf(requestOf(), { 'x-session-id': '' }, null).basis).toBe('beginning')
  })

  it('takes no longer for a request with many messages, parts and tools', () => {
    const many = (count: number) =>
      requestOf({ input: Array.from({ length: count }, (_, at) => user(`${at}`)), tools: [] })
    expect(keyOf(many(33))).toBe(keyOf(many(900)))
  })
})
