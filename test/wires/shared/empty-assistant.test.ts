import { describe, expect, it } from 'vitest'
import { runSteps } from '../../../src/text/steps.ts'
import type { KnownWire } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { encodeFor } from '../../engine/encode-request.ts'
import { targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'

const user = (text: string) => ({ type: 'message', role: 'user', content: text })
const empty = (content: unknown) => ({ type: 'message', role: 'assistant', content })
const CALL = { type: 'function_call', call_id: 'call_123456', name: 'f', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'call_123456', output: 'x' }
const WHY = 'an empty assistant message'

describe.each(Object.values(WIRES))('an empty assistant message for an upstream of $name', (wire) => {
  const lossesOf = (input: readonly object[]) => {
    const encoded = encodeFor(wire, requestOf({ input }), targetOf(wire.name))
    return encoded.ok ? encoded.losses : encoded.error
  }

  it.each(['', [{ type: 'output_text', text: '' }]])('with the content %j is dropped with a loss', (content) => {
    expect(lossesOf([user('one'), empty(content), user('two')])).toEqual([
      { path: 'input[1]', action: 'dropped', why: WHY },
    ])
  })

  it('is no loss beside a call', () => {
    // Some upstreams require tools for the calls of a history, which is a loss of its own.
    const losses = lossesOf([user('one'), empty(''), CALL, OUTPUT])
    expect(losses).not.toContainEqual(expect.objectContaining({ path: 'input[1]' }))
  })
})

const NEXT = { role: 'user', content: 'two' }
const ONE = { name: 'f', arguments: {} }

describe('an empty assistant message of a client', () => {
  const CASES: readonly (readonly [keyof typeof WIRES, string, object])[] = [
    ['openai-chat', 'messages[0]', { messages: [{ role: 'assistant', content: '' }, NEXT] }],
    ['openai-chat', 'messages[0]', { messages: [{ role: 'assistant', content: null }, NEXT] }],
    ['ollama-chat', 'messages[0]', { messages: [{ role: 'assistant', content: '' }, NEXT] }],
    ['anthropic-messages', 'messages[0]', { max_tokens: 9, messages: [{ role: 'assistant', content: [] }, NEXT] }],
    ['gemini-generate', 'contents[0]', { contents: [{ role: 'model', parts: [] }, { parts: [{ text: 'two' }] }] }],
    [
      'gemini-generate',
      'contents[0]',
      { contents: [{ role: 'model', parts: [{ text: '' }] }, { parts: [{ text: 'x' }] }] },
    ],
  ]
  const lossesOf = (name: keyof typeof WIRES, body: object) => {
    const { client } = WIRES[name] as KnownWire
    if (client === undefined) throw new Error(name)
    const decoded = runSteps(client.decodeRequest({ model: 'm', ...body }, { model: 'm', stream: null, seal: null }))
    return decoded.ok ? decoded.losses : decoded
  }

  it.each(CASES)('of %s is dropped with the loss %s from %j', (name, path, body) => {
    expect(lossesOf(name, body)).toEqual([{ path, action: 'dropped', why: WHY }])
  })

  it('is no loss beside a call, or in a chunk of a longer turn', () => {
    const messages = [{ role: 'assistant', content: '', tool_calls: [{ id: 'a', type: 'function', function: ONE }] }]
    expect(lossesOf('ollama-chat', { messages })).toEqual([])
    const chunks = ['A', ''].map((text) => ({ role: 'model', parts: [{ text }] }))
    expect(lossesOf('gemini-generate', { contents: [{ parts: [{ text: 'x' }] }, ...chunks] })).toEqual([])
  })
})
