import { describe, expect, it } from 'vitest'
import { formatLoss } from '../../src/protocol/loss.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'

// biome-ignore lint/suspicious/noExplicitAny: reads fields of bodies of every wire
type Loose = any

const callOf = (vendor: string, model: string, client: WireName, body: object, more: object = {}) => {
  const route = routeTo(vendor, model, more)
  return encodeFrom(body, protocolOf(client, route), route)
}
const sent = (...given: Parameters<typeof callOf>) => {
  const call = callOf(...given)
  if (!call.ok) return expect.unreachable(call.error.message)
  return { body: call.value.body as Loose, headers: call.value.headers, losses: call.value.losses.map(formatLoss) }
}

const USER = { role: 'user', content: 'Hi' }
const USE = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] }
const RESULT = { type: 'tool_result', tool_use_id: 'c1', content: 'x' }
const CALL = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
}
const OUTPUT = { role: 'tool', tool_call_id: 'c1', content: 'x' }

describe("Copilot's x-initiator", () => {
  const chat = (...messages: readonly object[]) => ({ model: 'm', messages })
  const messages = (...list: readonly object[]) => ({ model: 'm', max_tokens: 9, messages: list })
  const gemini = (...contents: readonly object[]) => ({ contents })

  it.each<readonly [string, WireName, object, string]>([
    ['a first message', 'openai-chat', chat(USER), 'user'],
    ['a result of a tool', 'openai-chat', chat(USER, CALL, OUTPUT), 'agent'],
    ['a question after an answer', 'openai-chat', chat(USER, { role: 'assistant', content: 'Hey' }, USER), 'user'],
    ['a question after a result', 'openai-chat', chat(USER, CALL, OUTPUT, USER), 'user'],
    ['an answer that goes on', 'openai-chat', chat(USER, { role: 'assistant', content: 'Hey' }), 'agent'],
    [
      'a late instruction after a result',
      'openai-chat',
      chat(USER, CALL, OUTPUT, { role: 'system', content: 'x' }),
      'agent',
    ],
    ['a first message', 'anthropic-messages', messages(USER), 'user'],
    ['a result', 'anthropic-messages', messages(USER, USE, { role: 'user', content: [RESULT] }), 'agent'],
    [
      'a result with a reminder',
      'anthropic-messages',
      messages(USER, USE, {
        role: 'user',
        content: [RESULT, { type: 'text', text: '<system-reminder>x</system-reminder>' }],
      }),
      'agent',
    ],
    [
      'a question after a result',
      'anthropic-messages',
      messages(USER, USE, { role: 'user', content: [RESULT] }, USER),
      'user',
    ],
    [
      'a result',
      'openai-responses',
      {
        model: 'm',
        input: [
          USER,
          { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c1', output: 'x' },
        ],
      },
      'agent',
    ],
    ['a text', 'openai-responses', { model: 'm', input: 'Hi' }, 'user'],
    [
      'a result',
      'gemini-generate',
      gemini(
        { role: 'user', parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { a: 1 } } }] },
      ),
      'agent',
    ],
  ])('for %s of a client of %s', (_, client, body, expected) => {
    for (const vendor of ['copilot', 'copilot-responses'])
      for (const passthrough of [true, false])
        expect(sent(vendor, 'gpt-5.4', client, body, { passthrough }).headers['x-initiator'], vendor).toBe(expected)
  })

  it('goes to no other vendor', () => {
    expect(sent('openai-chat', 'gpt-5.4', 'openai-chat', chat(USER)).headers['x-initiator']).toBeUndefined()
  })
})

describe('the key of the cache', () => {
  const SESSION = '3e1f8f6e-7a9b-4c7d-9d3a-0f4c1b2a3d4e'
  const messages = (user_id: string) => ({ model: 'm', max_tokens: 9, messages: [USER], metadata: { user_id } })
  const IDS = [
    JSON.stringify({ device_id: 'd', account_uuid: '', session_id: SESSION }),
    `user_${'a'.repeat(64)}_account__session_${SESSION}`,
  ]

  it.each([true, false])('is a header at xAI (passed: %s)', (passthrough) => {
    const chat = { model: 'm', messages: [USER], prompt_cache_key: 'a key\nof mine' }
    const { body, headers, losses } = sent('xai-chat', 'grok-4.6', 'openai-chat', chat, { passthrough })
    expect(headers['x-grok-conv-id']).toBe('a_key_of_mine')
    expect(body.prompt_cache_key).toBeUndefined()
    expect(losses).toEqual([])
    const other = sent('groq', 'llama-3.3-70b', 'openai-chat', chat, { passthrough })
    expect(other.headers['x-grok-conv-id']).toBeUndefined()
    expect(other.losses).toEqual([expect.stringContaining('prompt_cache_key')])
  })

  it.each(IDS)('is the session of Claude Code at OpenAI and xAI: %s', (id) => {
    for (const vendor of ['openai', 'azure', 'chatgpt', 'openai-chat', 'azure-chat'])
      expect(sent(vendor, 'gpt-5.4', 'anthropic-messages', messages(id)).body.prompt_cache_key, vendor).toBe(SESSION)
    expect(sent('xai-chat', 'grok-4.6', 'anthropic-messages', messages(id)).headers['x-grok-conv-id']).toBe(SESSION)
  })

  it.each(IDS)('is no loss and no field at vendors without it: %s', (id) => {
    for (const vendor of ['groq', 'google', 'bedrock', 'ollama', 'copilot-responses', 'mistral', 'cohere']) {
      const { body, losses } = sent(vendor, 'm', 'anthropic-messages', messages(id))
      expect(body.prompt_cache_key, vendor).toBeUndefined()
      expect(losses.join()).not.toContain('prompt_cache_key')
    }
  })

  it.each(['', 'somebody', 'session_', '{"session_id":7}', '{"session_id":"a b c d e f"}', '{broken'])(
    'is absent if the user names no session: %s',
    (id) => {
      expect(sent('openai', 'gpt-5.4', 'anthropic-messages', messages(id)).body.prompt_cache_key).toBeUndefined()
    },
  )
})

describe("a tool choice at Ollama's compatible API", () => {
  const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
  const chat = (tool_choice: unknown) => ({ model: 'm', messages: [USER], tools: TOOLS, tool_choice })

  it.each(['ollama-compat', 'ollama-cloud', 'ollama'])('none leaves the tools out at %s', (vendor) => {
    const { body, losses } = sent(vendor, 'qwen3', 'openai-chat', chat('none'))
    expect([body.tools, body.tool_choice]).toEqual([undefined, undefined])
    expect(losses).toEqual([])
  })

  it.each(['ollama-compat', 'ollama-cloud', 'ollama'])('auto sends them at %s', (vendor) => {
    expect(sent(vendor, 'qwen3', 'openai-chat', chat('auto')).body.tools).toHaveLength(1)
  })

  it.each(['ollama-compat', 'ollama-cloud', 'ollama'])('a choice that requires a call is refused at %s', (vendor) => {
    for (const choice of ['required', { type: 'function', function: { name: 'f' } }])
      expect(callOf(vendor, 'qwen3', 'openai-chat', chat(choice))).toMatchObject({
        ok: false,
        error: { param: 'tool_choice', message: expect.stringContaining('send auto or none') },
      })
  })
})

describe('audio at OpenAI', () => {
  const chat = (format: string) => ({
    model: 'm',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'input_audio', input_audio: { data: 'AAAA', format } },
        ],
      },
    ],
  })
  it.each(['openai-chat', 'azure-chat'])('is sent to %s as mp3 or wav only', (vendor) => {
    for (const format of ['mp3', 'wav'])
      expect(
        sent(vendor, 'gpt-audio', 'openai-chat', chat(format)).body.messages[0].content[1].input_audio.format,
      ).toBe(format)
    const { body, losses } = sent(vendor, 'gpt-audio', 'openai-chat', chat('ogg'))
    expect(JSON.stringify(body)).not.toContain('AAAA')
    expect(losses).toEqual([expect.stringContaining('mp3 or wav')])
  })

  it('is sent in any format to other vendors', () => {
    expect(
      sent('openrouter', 'gemini', 'openai-chat', chat('ogg')).body.messages[0].content[1].input_audio.format,
    ).toBe('ogg')
  })
})
