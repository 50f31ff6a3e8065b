import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'
import type { Loose } from './encoded-call.ts'

function sent(client: WireName, vendor: string, model: string, body: object): { body: Loose; losses: string[] } {
  const route = routeTo(vendor, model)
  const call = encodeFrom({ model: 'acme/m', ...body } as JsonObject, protocolOf(client, route), route)
  if (!call.ok) return expect.unreachable(call.error.message)
  return { body: call.value.body, losses: call.value.losses.map(formatLoss) }
}

const chat = (vendor: string, model: string, messages: readonly object[], more: object = {}) =>
  sent('openai-chat', vendor, model, { messages, ...more })

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const system = (content: string) => ({ role: 'system', content })
const call = (id: string, name = 'f') => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
})
const output = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content })

const MESSAGES_OF: Readonly<Record<string, string>> = { google: 'contents' }
const messagesOf = (vendor: string, body: Loose): Loose[] => body[MESSAGES_OF[vendor] ?? 'messages']

/** Models of vendors that put instructions before the conversation, or have rules for its end. */
const ENDS = [
  ['anthropic', 'claude-opus-5'],
  ['anthropic', 'claude-haiku-4-5'],
  ['vertex-anthropic', 'claude-opus-5-5'],
  ['bedrock', 'anthropic.claude-sonnet-4-6'],
  ['bedrock', 'meta.llama3-3-70b-instruct-v1:0'],
  ['google', 'gemini-3-pro'],
  ['mistral', 'mistral-large-latest'],
  ['perplexity', 'sonar'],
  ['vllm', 'some-model'],
  ['together', 'Qwen/Qwen3.5-397B'],
] as const

describe('a system message at the end of a conversation', () => {
  it.each(ENDS)('is a message of the user after an answer, for %s %s', (vendor, model) => {
    const { body, losses } = chat(vendor, model, [system('A'), user('B'), assistant('C'), system('D'), system('E')])
    const last = messagesOf(vendor, body).at(-1)
    expect(last.role).toBe('user')
    expect(JSON.stringify(last)).toMatch(/D.*E|E/)
    expect(losses).toContain('messages[3] mapped: sent as a message of the user')
  })

  it('stays for OpenAI', () => {
    const { body, losses } = chat('openai-chat', 'gpt-4.1', [user('B'), assistant('C'), system('D')])
    expect(body.messages.at(-1)).toEqual(system('D'))
    expect(losses).toEqual([])
  })
})

describe('a system message inside a conversation', () => {
  const messages = [system('A'), user('B'), assistant('C'), system('D'), user('E'), system('F')]

  it.each([
    ['bedrock', 'anthropic.claude-opus-5-5'],
    ['vertex-anthropic', 'claude-opus-5-5'],
  ])('is part of the next turn of the user at %s', (vendor, model) => {
    const { body } = chat(vendor, model, messages)
    expect(body.messages.map(({ role }: Loose) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(body.system)).not.toMatch(/D|F/)
    expect(body.messages[2].content.flatMap(({ text }: Loose) => text ?? [])).toEqual(['D', 'E', 'F'])
  })

  it('is a message of the user in the own body of a client of Messages for Vertex', () => {
    const body = { max_tokens: 9, messages: [user('A'), { ...system('B'), clear_at: 'x' }] }
    const { body: upstream, losses } = sent('anthropic-messages', 'vertex-anthropic', 'claude-opus-5-5', body)
    expect(upstream.messages).toEqual([user('A'), user('B')])
    expect(losses).toContain('messages[1] mapped: sent as a message of the user')
  })

  it.each(['together', 'alibaba', 'litellm-proxy', 'groq'])('is part of the first one for Qwen at %s', (vendor) => {
    const { body } = chat(vendor, 'qwen/qwen3.5-plus', messages)
    expect(body.messages.filter(({ role }: Loose) => role === 'system')).toHaveLength(1)
    expect(body.messages[0].role).toBe('system')
  })

  it('is a message of the user for Qwen behind the Responses API', () => {
    const input = [system('A'), user('B'), assistant('C'), system('D')]
    const route = routeTo('openai', 'accounts/x/models/qwen3p8-35b')
    const found = encodeFrom({ model: 'm', instructions: 'I', input }, protocolOf('openai-responses', route), route)
    if (!found.ok) return expect.unreachable(found.error.message)
    expect(found.value.edits).toContain('one system message')
    expect(found.value.body).toMatchObject({ instructions: 'I\n\nA', input: [user('B'), assistant('C'), user('D')] })
    const translated = encodeFrom(
      { model: 'm', messages: [system('A'), user('B'), assistant('C'), system('D')] },
      protocolOf('openai-chat', route),
      route,
    )
    if (!translated.ok) return expect.unreachable(translated.error.message)
    const roles = (translated.value.body as Loose).input.map(({ role }: Loose) => role)
    expect(roles).toEqual(['user', 'assistant', 'user'])
    expect(translated.value.body.instructions).toBe('A')
  })
})

describe('an answer at the end of a conversation', () => {
  it.each([
    ['anthropic', 'claude-opus-5'],
    ['bedrock', 'anthropic.claude-sonnet-4-6'],
    ['perplexity', 'sonar'],
  ])('is followed by a message of the user for %s %s', (vendor, model) => {
    const { body, losses } = chat(vendor, model, [user('A'), assistant('B')])
    expect(body.messages.map(({ role }: Loose) => role)).toEqual(['user', 'assistant', 'user'])
    // The answer itself reaches Perplexity unchanged.
    if (vendor !== 'perplexity')
      expect(losses).toEqual([expect.stringMatching(/^messages\[1\] mapped: this model continues no answer/)])
  })

  it('has the mark of a prefix for Mistral', () => {
    const { body } = chat('mistral', 'mistral-large-latest', [user('A'), assistant('B')])
    expect(body.messages.at(-1)).toEqual({ ...assistant('B'), prefix: true })
  })

  it.each([
    ['anthropic', 'claude-haiku-4-5'],
    ['bedrock', 'anthropic.claude-haiku-4-5'],
    ['google', 'gemini-2.5-pro'],
    ['openai', 'gpt-4.1'],
  ])('has no white space at its end for %s %s', (vendor, model) => {
    const { body } = chat(vendor, model, [user('A'), assistant('B \n')])
    expect(JSON.stringify(body)).toContain('"B"')
  })
})

describe('the ids of calls', () => {
  const messages = [user('A'), call('call_0'), output('call_0', '1'), call('call_0'), output('call_0', '2')]

  it.each([
    ['anthropic', 'claude-sonnet-4-6', 'id', 'tool_use_id'],
    ['bedrock', 'anthropic.claude-sonnet-4-6', 'toolUseId', 'toolUseId'],
    ['google', 'gemini-3-pro', 'id', 'id'],
    ['openai', 'gpt-4.1', 'call_id', 'call_id'],
    ['cohere', 'command-a-03-2025', 'id', 'tool_call_id'],
  ])('are unique for %s', (vendor, model, name, answer) => {
    const text = JSON.stringify(chat(vendor, model, messages).body)
    const idsOf = (member: string) =>
      [...text.matchAll(new RegExp(`"${member}":"(call_0\\w*)"`, 'g'))].map(([, id]) => id)
    expect(new Set([...idsOf(name), ...idsOf(answer)])).toEqual(new Set(['call_0', 'call_0_2']))
  })

  it('stay in the client’s own protocol', () => {
    expect(chat('groq', 'llama-3.3', [...messages], { reasoning_effort: 'low' }).body.messages).toMatchObject(messages)
  })

  it('avoid ids that other calls have', () => {
    const { body } = chat('anthropic', 'claude-sonnet-4-6', [...messages, call('call_0_2'), output('call_0_2', '3')])
    const ids = body.messages.flatMap(({ content }: Loose) => content.flatMap(({ id }: Loose) => id ?? []))
    expect(ids).toEqual(['call_0', 'call_0_3', 'call_0_2'])
  })

  it.each([
    ['anthropic', 'claude-sonnet-4-6'],
    ['bedrock', 'anthropic.claude-sonnet-4-6'],
    ['google', 'gemini-3-pro'],
    ['openai', 'gpt-4.1'],
  ])('have one output each for %s', (vendor, model) => {
    const { body, losses } = chat(vendor, model, [
      user('A'),
      call('c1'),
      output('c1', 'one'),
      output('c1', 'two'),
      user('B'),
    ])
    const text = JSON.stringify(body)
    expect(text).toMatch(/one.*two/)
    expect(text.match(/"tool_result"|"toolResult"|"functionResponse"|"function_call_output"/g)).toHaveLength(1)
    expect(losses).toContain('messages[3] mapped: joined with the first output of its call')
  })
})

describe('a conversation that begins with a call', () => {
  it.each([
    ['google', 'gemini-3-pro'],
    ['anthropic', 'claude-sonnet-4-6'],
    ['bedrock', 'anthropic.claude-sonnet-4-6'],
  ])('begins with a message of the user for %s', (vendor, model) => {
    const { body } = chat(vendor, model, [call('c1'), output('c1', '1')])
    expect(messagesOf(vendor, body)[0].role).toBe('user')
  })
})
