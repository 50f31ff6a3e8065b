import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { sentBy } from '../sent-by.ts'

describe('a conversation of system messages alone', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'system', content: 'Name a harbour.' },
  ]

  it.each([
    ['anthropic', 'claude-sonnet-4-5', 'messages'],
    ['bedrock', 'anthropic.claude-sonnet-4-5', 'messages'],
    ['google', 'gemini-2.5-flash', 'contents'],
    ['google-interactions', 'gemini-2.5-flash', 'input'],
    ['mistral', 'mistral-large-latest', 'messages'],
    ['perplexity', 'sonar', 'messages'],
  ])('asks by its last one at %s', (vendor, model, list) => {
    const { body, losses } = sentBy('openai-chat', vendor, model, { messages })
    const sent = (body[list] as readonly object[]).at(-1)
    expect(sent).toMatchObject(vendor === 'google-interactions' ? { type: 'user_input' } : { role: 'user' })
    expect(JSON.stringify(sent)).toContain('Name a harbour.')
    expect(JSON.stringify(sent)).not.toContain('Be brief.')
    expect(JSON.stringify(body)).toContain('Be brief.')
    expect(losses).toEqual(['messages[1] mapped'])
  })

  it.each(['openai', 'openai-chat', 'groq', 'ollama'])('is unchanged at %s, which answers it', (vendor) => {
    const { body, losses } = sentBy('openai-chat', vendor, 'm-x', { messages })
    expect(JSON.stringify(body)).not.toContain('"user"')
    expect(losses).toEqual([])
  })
})

describe('calls with one id, and their outputs', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c', output: 'ok' }
  const sent = (vendor: string, ...items: readonly object[]): JsonObject =>
    sentBy('openai', vendor, 'gpt-5.2', { input: [{ role: 'user', content: 'Hi' }, ...items] }).body

  it('are calls of their own if only one has an output', () => {
    const items = sent('openai', call, call, output).input as JsonObject[]
    const idsOf = (type: string) => items.flatMap((item) => (item.type === type ? [item.call_id] : [])).sort()
    expect(new Set(idsOf('function_call')).size).toBe(2)
    expect(idsOf('function_call_output')).toEqual(idsOf('function_call'))
  })

  it('have an output each at a Gemini upstream, also if only one has an output in the conversation of its client', () => {
    const named = { name: 'look', id: 'c' }
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      {
        role: 'model',
        parts: [{ functionCall: { ...named, args: { a: 1 } } }, { functionCall: { ...named, args: { a: 2 } } }],
      },
      { role: 'user', parts: [{ functionResponse: { ...named, response: { output: 'ok' } } }] },
    ]
    const { body } = sentBy('gemini-generate', 'google', 'gemini-2.5-flash', { contents })
    expect(JSON.stringify(body).match(/"functionResponse"/g)).toHaveLength(2)
  })

  it('do not end in an answer that is to be continued if the conversation begins with the call', () => {
    const input = [call, { role: 'assistant', content: 'Done.' }, output]
    const { body } = sentBy('openai', 'anthropic', 'claude-opus-4-6', { input })
    expect(JSON.stringify(body)).not.toContain('Continue your last message')
  })

  it('are one call with one output if an output comes before it and another one behind it', () => {
    const messages = sent('openai-chat', output, call, output).messages as JsonObject[]
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(1)
    expect(messages.flatMap(({ tool_calls: calls }) => calls ?? [])).toHaveLength(1)
  })
})

describe('an image in the output of a tool, of a chat client', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const messages = [
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'Here.' }, image] },
  ]

  it.each(['openai-chat', 'azure-chat'])('follows in a message of the user at %s', (vendor) => {
    const [, , output, user] = sentBy('openai-chat', vendor, 'gpt-5', { messages }).body.messages as object[]
    expect(JSON.stringify(output)).not.toContain('image_url')
    expect(user).toMatchObject({ role: 'user' })
    expect(JSON.stringify(user)).toContain('data:image/png;base64,iVBORw0KGgo=')
  })

  it('stays where other upstreams accept it', () => {
    expect(sentBy('openai-chat', 'vllm', 'm-x', { messages }).body).toMatchObject({ messages })
  })
})
