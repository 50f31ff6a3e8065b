import { describe, expect, it } from 'vitest'
import { clientError } from '../../src/protocol/error.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { inOwnPlaces } from '../../src/wires/places.ts'
import type { WireName } from '../../src/wires/wire.ts'
import { CLIENT_WIRES } from '../crossing.ts'

/** Messages that each say their own number, whatever they become. */
const CHAT = [
  { role: 'system', content: 'no 0' },
  { role: 'user', content: 'no 1' },
  { role: 'assistant', content: 'no 2', tool_calls: [{ id: 'c', function: { name: 'f', arguments: { n: 'no 2' } } }] },
  { role: 'tool', tool_call_id: 'c', content: 'no 3' },
  { role: 'assistant', content: 'no 4' },
]

const TALKS: Partial<Record<WireName, JsonObject>> = {
  'openai-chat': { messages: CHAT },
  'ollama-chat': { messages: CHAT },
  'anthropic-messages': {
    max_tokens: 5,
    messages: [
      { role: 'user', content: 'no 0' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'no 1', signature: 'x' },
          { type: 'text', text: 'no 1' },
          { type: 'tool_use', id: 'c', name: 'f', input: { n: 'no 1' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c', content: 'no 2' },
          { type: 'text', text: 'no 2' },
        ],
      },
      { role: 'assistant', content: 'no 3' },
    ],
  },
  'gemini-generate': {
    contents: [
      { role: 'user', parts: [{ text: 'no 0' }] },
      {
        role: 'model',
        parts: [
          { text: 'no 1', thought: true },
          { functionCall: { name: 'f', args: { n: 'no 1' } } },
          { text: 'no 1' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { n: 'no 2' } } }, { text: 'no 2' }] },
      { role: 'model', parts: [{ text: 'no 3' }] },
      { role: 'user', parts: [{ text: 'no 4' }] },
      { role: 'model', parts: [{ text: 'no 5' }] },
    ],
  },
}

describe.each(CLIENT_WIRES)('$name', ({ name, client }) => {
  it('knows of each item the message that it came from', () => {
    const body = { model: 'acme/x', ...TALKS[name] }
    const decoded = client.decodeRequest(body, { model: 'acme/x', stream: null, seal: null })
    if (!decoded.ok) return expect.unreachable(decoded.error.message)
    const items = decoded.body.input as readonly JsonObject[]
    expect(items.length).toBeGreaterThan(decoded.origins.at(-1) ?? 0)
    expect(items.map((item) => /no (\d)/.exec(JSON.stringify(item))?.[1])).toEqual(decoded.origins.map(String))
  })

  it('has its own words for the place', () => {
    const told = (param: string): string | null =>
      inOwnPlaces(clientError('invalid_prompt', `${param}: wrong`, param), client.places, [0, 2, 2]).param
    const { input } = client.places
    expect(['input', 'input[1]', 'input[2].call_id', 'input[9].content'].map(told)).toEqual([
      input,
      `${input}[2]`,
      `${input}[2]`,
      input,
    ])
    expect(told('text.format.schema')).toBe(`${client.places['text.format']}.schema`)
    expect(told('text.formatter')).toBe('text.formatter')
    expect(told('model')).toBe('model')
  })
})

it('what begins with another word, or has no place, is told as it is', () => {
  const error = clientError('invalid_prompt', 'It is wrong.', 'input')
  expect(inOwnPlaces(error, { input: 'messages' }, [])).toMatchObject({ message: 'It is wrong.', param: 'messages' })
  expect(inOwnPlaces(clientError('not_found', 'x'), { input: 'messages' }, [])).toMatchObject({ param: null })
})
