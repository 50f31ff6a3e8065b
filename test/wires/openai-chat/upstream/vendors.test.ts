import { describe, expect, it } from 'vitest'
import { findVendor } from '../../../../src/vendors/registry.ts'
import type { Quirks } from '../../../../src/wires/quirks.ts'
import { assistant, call, output, user } from '../../hub-requests.ts'
import { chatCall, chatImage, encode, image, messagesOf, tool } from '../chats.ts'

describe('requests to vendors of openai-chat', () => {
  const quirksOf = (name: string): Quirks => findVendor(name)?.quirks ?? {}

  it.each([
    ['deepseek', 'deepseek-v4', 'none', { thinking: { type: 'disabled' } }],
    ['deepseek', 'deepseek-v4', 'xhigh', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['deepseek', 'deepseek-v4', 'max', { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['groq', 'qwen/qwen3.8-27b', 'max', { reasoning_effort: 'high' }],
    ['groq', 'openai/gpt-oss-20b', 'minimal', { reasoning_effort: 'low' }],
    ['groq', 'qwen/qwen3-32b', 'high', { reasoning_effort: 'default', reasoning_format: 'parsed' }],
    ['groq', 'llama-3.3-70b-versatile', 'high', {}],
    ['xai-chat', 'grok-3-mini', 'medium', { reasoning_effort: 'high' }],
    ['xai-chat', 'grok-4', 'medium', {}],
    ['mistral', 'magistral-medium-latest', 'low', { reasoning_effort: 'high' }],
    ['mistral', 'mistral-large-4', 'none', { reasoning_effort: 'low' }],
    ['mistral', 'codestral-latest', 'high', {}],
    ['moonshot', 'kimi-k3', 'none', { reasoning_effort: 'low' }],
    ['moonshot', 'kimi-k2.7-code', 'none', {}],
    ['xai-chat', 'grok-4.6', 'max', { reasoning_effort: 'xhigh' }],
    ['mistral', 'mistral-small-latest', 'high', { reasoning_effort: 'high' }],
    ['perplexity', 'sonar-reasoning', 'minimal', { reasoning_effort: 'minimal' }],
    ['openrouter', 'openai/gpt-5', 'medium', { reasoning: { effort: 'medium' } }],
    ['moonshot', 'kimi-k2.6', 'low', { thinking: { type: 'enabled' } }],
    ['moonshot', 'kimi-k3', 'high', { reasoning_effort: 'high' }],
    ['alibaba', 'qwen3-max', 'low', { enable_thinking: true, thinking_budget: 4096 }],
    ['alibaba', 'qwen3-max', 'none', { enable_thinking: false }],
    ['zai', 'glm-4.7', 'high', { thinking: { type: 'enabled' } }],
    ['zai', 'glm-5', 'high', { thinking: { type: 'enabled' } }],
    ['zai', 'glm-5.2', 'low', { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['zai', 'glm-5.3', 'none', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
    ['vllm', 'qwen3', 'none', { chat_template_kwargs: { enable_thinking: false } }],
    ['openai-chat', 'o4-mini', 'minimal', { reasoning_effort: 'low' }],
    ['openai-chat', 'gpt-5.1', 'none', { reasoning_effort: 'none' }],
  ])('encode for %s and the model %s the effort %s', (vendor, model, effort, expected) => {
    const { model: _, messages: __, ...rest } = encode({ reasoning: { effort } }, quirksOf(vendor), model).body
    expect(rest).toEqual(expected)
  })

  it('leave out sampling for reasoning models of OpenAI and name the limit max_completion_tokens', () => {
    const fields = { temperature: 0.5, top_p: 1, max_output_tokens: 99, top_logprobs: 1 }
    const { body, losses } = encode(fields, quirksOf('openai-chat'), 'gpt-5-mini')
    expect(body).toEqual({ model: 'gpt-5-mini', messages: [user('Hi')], max_completion_tokens: 99 })
    expect(losses.map(({ path }) => path)).toEqual(['temperature', 'top_p', 'top_logprobs'])
    expect(encode(fields, quirksOf('openai-chat'), 'gpt-4o').body).toMatchObject({ temperature: 0.5, max_tokens: 99 })
    const calm = encode({ ...fields, reasoning: { effort: 'none' } }, quirksOf('openai-chat'), 'gpt-5.1').body
    expect(calm).toMatchObject({ temperature: 0.5, max_completion_tokens: 99 })
  })

  it('have ids of nine letters for Mistral and no user message after a tool message', () => {
    const input = [call('call_long_one'), call('abcdefgh1'), output('call_long_one', [image]), output('abcdefgh1')]
    const messages = messagesOf(input, quirksOf('mistral')) as unknown as {
      role: string
      tool_calls: { id: string }[]
      tool_call_id: string
    }[]
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'assistant', 'user'])
    const ids = messages[0]?.tool_calls.map(({ id }) => id) ?? []
    expect(ids[0]).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(ids).toEqual([messages[1]?.tool_call_id, messages[2]?.tool_call_id])
    expect(ids[1]).toBe('abcdefgh1')
  })

  it('have call ids of at most 40 characters for OpenAI', () => {
    const long = 'c'.repeat(41)
    const messages = messagesOf([call(long), output(long)], quirksOf('openai-chat'))
    expect(JSON.stringify(messages)).not.toContain(long)
  })

  it('have alternating roles for Perplexity', () => {
    const input = [user('A'), user('B'), assistant('C'), assistant('D'), user([image]), user('E')]
    expect(messagesOf(input, quirksOf('perplexity'))).toEqual([
      user('A\nB'),
      assistant('C\nD'),
      user([chatImage, { type: 'text', text: 'E' }]),
    ])
  })

  it('have all rules first for Perplexity, and calls of the history in the text message before them', () => {
    const rules = { role: 'developer', content: 'R' }
    const input = [user('A'), assistant('B'), rules, assistant('C'), call('c1'), output('c1')]
    const { body, losses } = encode({ input, instructions: 'I' }, quirksOf('perplexity'))
    expect(body.messages).toEqual([
      { role: 'system', content: 'I\nR' },
      user('A'),
      { ...assistant('B\nC'), tool_calls: [chatCall('c1')] },
      tool('c1'),
    ])
    expect(losses.map(({ path, action }) => `${path} ${action}`)).toEqual(['input[2] mapped'])
  })

  it('have documents by URL and bare audio for Mistral', () => {
    const parts = [
      { type: 'input_file', filename: 'a.pdf', file_url: 'https://a/a.pdf' },
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
    ]
    expect(messagesOf([user(parts)], quirksOf('mistral'))).toEqual([
      user([
        { type: 'document_url', document_url: 'https://a/a.pdf', document_name: 'a.pdf' },
        { type: 'input_audio', input_audio: 'AA==' },
      ]),
    ])
  })
})
