import { describe, expect, it } from 'vitest'
import { ollamaChat } from '../../../../src/wires/ollama-chat/index.ts'
import { authorize } from '../../../../src/wires/ollama-chat/upstream/request.ts'
import { encodeFitted } from '../../../engine/encode-request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { output, user } from '../../hub-requests.ts'
import { testUpstreamRequests } from '../../request-cases.ts'
import { DONE, decodedDeltas, messageLine } from '../decoded.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

describe('messages for an ollama-chat upstream', () => {
  it('contain reasoning, text and calls of an earlier answer', () => {
    const { output: items } = decodedDeltas([
      messageLine({ thinking: 'hm' }),
      messageLine({ content: 'Wait.' }),
      messageLine({ tool_calls: [{ id: 'c1', function: { name: 'f', arguments: { a: [1, 'é'] } } }] }),
      DONE,
    ])
    const request = requestOf({ input: [user('A'), ...items, output('c1')] })
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: { a: [1, 'é'] } } }
    expect(encodeFitted(ollamaChat, request, targetOf('ollama-chat'))).toMatchObject({
      body: {
        messages: [
          user('A'),
          { role: 'assistant', content: 'Wait.', thinking: 'hm', tool_calls: [call] },
          { role: 'tool', content: 'ok', tool_call_id: 'c1', tool_name: 'f' },
        ],
      },
    })
  })
})

it('sends stop sequences of an ollama-chat request as options', () => {
  const encoded = encodeFitted(ollamaChat, { ...requestOf(), stop: ['a', 'b'] }, targetOf('ollama-chat'))
  expect(encoded).toMatchObject({ ok: true, body: { options: { stop: ['a', 'b'] } }, losses: [] })
})

it('sends the key of an ollama-chat request as a bearer token', () => {
  expect(authorize('k')).toEqual({ authorization: 'Bearer k' })
})
