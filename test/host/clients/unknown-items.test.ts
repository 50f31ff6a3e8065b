import { describe, expect, it } from 'vitest'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { ASSISTANT_ANSWERS, startConversation } from '../conversation.ts'
import { json, post } from '../test-server.ts'

/** Items of an unknown type: the union of `beta` is closed, that of `openai` is open. */

const UNKNOWN = { type: 'hologram', id: 'h_1', depth: 3 }
const ask = (model: string, item: object) => ({ model, input: [{ role: 'user', content: 'x' }, item] })
const OPENAI = { path: '/openai/v1/responses' }

describe.each(Object.values(WIRE_UPSTREAMS))('an upstream of $wire', (wireUpstream) => {
  it('receives no request on beta with an unknown item, whose path is in the error', async () => {
    const { url, model, upstream } = await startConversation(wireUpstream, [ASSISTANT_ANSWERS])
    const response = await post(url, ask(model, UNKNOWN))
    expect(response.status).toBe(400)
    const { error } = await json(response)
    expect(error).toMatchObject({ code: 'invalid_prompt', param: 'input[1].type' })
    expect(error.message).toMatch(/^input\[1\]\.type: expected one of message, function_call, .*, got "hologram"$/)
    expect(upstream.received).toEqual([])
  })

  it('receives an unknown item on openai only if its wire is Responses; otherwise it is dropped', async () => {
    const { url, model, upstream } = await startConversation(wireUpstream, [ASSISTANT_ANSWERS])
    const response = await post(url, ask(model, UNKNOWN), OPENAI)
    expect(response.status).toBe(200)
    const isNative = wireUpstream.wire === 'openai-responses'
    const sent = upstream.received[0]?.body
    if (isNative) expect(sent?.input).toContainEqual(UNKNOWN)
    else expect(JSON.stringify(sent)).not.toContain('hologram')
    expect(response.headers.get('x-responses-losses')).toBe(isNative ? null : 'input[1] dropped')
  })

  it.each(['/api/v1/responses', '/openai/v1/responses'])(
    'receives the search calls of earlier answers as messages of the user, at %s',
    async (path) => {
      const { url, model, upstream } = await startConversation(wireUpstream, [ASSISTANT_ANSWERS])
      const search = {
        type: 'web_search_call',
        id: 'ws_1',
        status: 'completed',
        action: { type: 'search', query: 'q' },
      }
      const response = await post(url, ask(model, search), { path })
      expect(response.status).toBe(200)
      expect(JSON.stringify(upstream.received[0]?.body)).toContain('web_search_call: ')
      expect(response.headers.get('x-responses-losses')).toBe('input[1] mapped')
    },
  )

  it.each(['/api/v1/responses', '/openai/v1/responses'])('never receives an item_reference, at %s', async (path) => {
    const { url, model, upstream } = await startConversation(
      { ...wireUpstream, quirks: { ...wireUpstream.quirks, hostedHistory: true } },
      [ASSISTANT_ANSWERS],
    )
    const call = { type: 'function_call', call_id: 'a', name: 'find', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'a', output: 'x' }
    const input = [{ role: 'user', content: 'x' }, { type: 'item_reference', id: 'rs_1' }, call, output]
    const tools = [{ type: 'function', name: 'find', parameters: {} }]
    const response = await post(url, { model, input, tools }, { path })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-responses-losses')).toBe('input[1] dropped')
    expect(JSON.stringify(upstream.received[0]?.body)).not.toContain('rs_1')
  })
})
