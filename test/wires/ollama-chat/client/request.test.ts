import { expect, it } from 'vitest'
import { runSteps } from '../../../../src/text/steps.ts'
import { ollamaChatClient as client } from '../../../../src/wires/ollama-chat/client/index.ts'
import { encodeRequest } from '../../../../src/wires/ollama-chat/upstream/request.ts'
import { targetOf } from '../../../engine/target.ts'
import { requestOf } from '../../../request-bodies.ts'
import { decodeContext, requestWith } from '../../deltas.ts'
import { testClientRequests } from '../../request-cases.ts'
import { REQUESTS } from './requests.ts'

testClientRequests(REQUESTS)

it('a request of an Ollama client is the same for an Ollama upstream, apart from the effort', () => {
  const called = { id: 'c1', type: 'function', function: { name: 'f', arguments: { a: 1 } } }
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What?', images: ['iVBORw0KGgo='] },
    { role: 'assistant', content: 'I look.', thinking: 'Hm.', tool_calls: [called] },
    { role: 'tool', content: '7', tool_call_id: 'c1', tool_name: 'f' },
  ]
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  const options = { num_predict: 9, temperature: 0.5, stop: ['x'] }
  const given = { messages, tools, options, format: 'json', think: true, stream: false }
  const asked = client.decodeRequest({ model: 'acme/m-1', ...given }, decodeContext())
  const { body, stop, losses } = requestWith(runSteps(asked))
  const encoded = runSteps(encodeRequest({ ...requestOf(body), stop }, targetOf('ollama-chat')))
  expect(losses).toEqual([])
  // The effort is a word of the gateway: `think` has none.
  expect(encoded).toMatchObject({ ok: true, losses: [{ path: 'reasoning.effort' }] })
  expect(encoded).toMatchObject({ body: { model: 'some-model', ...given } })
})
