import { describe, expect, it } from 'vitest'
import { NO_OUTPUT } from '../../src/engine/rules/calls.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { formatLoss } from '../../src/protocol/loss.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { countGrowth, MOST_GROWTH } from '../complexity/growth.ts'
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

describe('reasoning behind an answer at the end of a conversation', () => {
  const input = [
    user('B'),
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'C' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'D' }] },
  ]

  it.each([
    ['anthropic', 'claude-opus-5'],
    ['bedrock', 'anthropic.claude-sonnet-4-6'],
    ['perplexity', 'sonar'],
  ])('is followed by a message of the user for %s %s', (vendor, model) => {
    const { body, losses } = sent('openai-responses', vendor, model, { input })
    expect(messagesOf(vendor, body).at(-1).role).toBe('user')
    expect(losses.join()).toContain('this model continues no answer')
  })
})

describe('an answer without text at the end of a conversation', () => {
  const EMPTY = 'messages[1] dropped: an empty assistant message'

  it.each([
    ['anthropic', 'claude-opus-5'],
    ['anthropic', 'claude-haiku-4-5'],
    ['bedrock', 'anthropic.claude-sonnet-4-6'],
    ['google', 'gemini-2.5-pro'],
    ['openai', 'gpt-4.1'],
  ])('is dropped for %s %s', (vendor, model) => {
    for (const content of [
      ' \n',
      [
        { type: 'text', text: ' ' },
        { type: 'text', text: '\n' },
      ],
    ]) {
      const { body, losses } = chat(vendor, model, [user('A'), { role: 'assistant', content }])
      expect(JSON.stringify(body)).not.toMatch(/Continue|"assistant"|"model",|\\n/)
      expect(losses).toEqual([EMPTY])
    }
  })

  it('is dropped with its reasoning, and the answer before it is the last one', () => {
    const route = routeTo('anthropic', 'claude-opus-5')
    const answer = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
    const reasoning = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'R' }] }
    const input = [user('A'), answer('B '), reasoning, answer('')]
    const call = encodeFrom({ model: 'acme/m', input }, protocolOf('openai-responses', route), route)
    if (!call.ok) return expect.unreachable(call.error.message)
    expect(call.value.losses.map(formatLoss)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^input\[1\] mapped: this model continues no answer/),
        'input[2] dropped: an empty assistant message',
        'input[3] dropped: an empty assistant message',
      ]),
    )
    const { messages } = call.value.body as Loose
    expect(messages.map(({ role }: Loose) => role)).toEqual(['user', 'assistant', 'user'])
    expect(JSON.stringify(messages[1])).toContain('"B"')
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

describe('an output of a call whose id is repeated', () => {
  const calls = (...functions: readonly (readonly [string, string])[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: functions.map(([id, name]) => ({ id, type: 'function', function: { name, arguments: '{}' } })),
  })
  /** The text of the output of each function, in the order of the calls. */
  const outputsIn = (messages: readonly object[]): [string, string][] => {
    const { input } = chat('openai', 'gpt-4.1', messages).body
    const textOf = new Map<string, string>(
      input.flatMap(({ type, call_id, output: text }: Loose) =>
        type === 'function_call_output' ? [[call_id, text]] : [],
      ),
    )
    return input.flatMap(({ type, call_id, name }: Loose) =>
      type === 'function_call' ? [[name, textOf.get(call_id) ?? '']] : [],
    )
  }

  it('belongs to the call of the latest answer', () => {
    const messages = [
      user('A'),
      call('call_0', 'delete'),
      user('stop'),
      call('call_0', 'read'),
      output('call_0', 'FILE'),
    ]
    expect(outputsIn(messages)).toEqual([
      ['delete', NO_OUTPUT],
      ['read', 'FILE'],
    ])
  })

  it('belongs to the call of the latest answer with several calls', () => {
    const first = calls(['call_0', 'a'], ['call_1', 'b'])
    const second = calls(['call_0', 'c'], ['call_1', 'd'])
    const later = [second, output('call_0', 'C'), output('call_1', 'D')]
    const expected = [
      ['a', NO_OUTPUT],
      ['b', 'B'],
      ['c', 'C'],
      ['d', 'D'],
    ]
    expect(outputsIn([user('A'), first, output('call_1', 'B'), user('stop'), ...later])).toEqual(expected)
    expect(outputsIn([user('A'), first, output('call_1', 'B'), ...later])).toEqual(expected)
  })

  it('belongs to the calls of one answer in their order', () => {
    const both = calls(['call_0', 'a'], ['call_0', 'b'])
    expect(outputsIn([user('A'), both, output('call_0', 'A'), output('call_0', 'B')])).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ])
  })

  it('is joined in linear time', () => {
    const join = (count: number) => {
      const outputs = Array.from({ length: count }, (_, at) => output('c1', `${at}`))
      return chat('anthropic', 'claude-sonnet-4-6', [user('A'), call('c1'), ...outputs]).body.messages.at(-1).content[0]
    }
    expect(join(100).content.map(({ text }: Loose) => text)).toEqual(Array.from({ length: 100 }, (_, at) => `${at}`))
    expect(countGrowth((count) => () => void join(count)).factor).toBeLessThanOrEqual(MOST_GROWTH)
  })
})

describe('the instructions of an upstream with one system message', () => {
  const responses = (input: readonly object[]) =>
    sent('openai-chat', 'openai', 'accounts/x/models/qwen3p8-35b', { messages: input })

  it('record a picture as a loss', () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/a.png' } }
    const { body, losses } = responses([{ role: 'system', content: [{ type: 'text', text: 'A' }, image] }, user('B')])
    expect(body.instructions).toBe('A')
    expect(losses).toEqual(['messages[0] dropped: this upstream accepts only text in a system message'])
  })

  it('record a picture as a loss in the own body of a client of Responses', () => {
    const content = [
      { type: 'input_text', text: 'A' },
      { type: 'input_image', image_url: 'https://a.example/a.png' },
    ]
    const input = [{ role: 'system', content }, user('B')]
    const { body, losses } = sent('openai-responses', 'openai', 'accounts/x/models/qwen3p8-35b', { input })
    expect(body).toMatchObject({ instructions: 'A', input: [user('B')] })
    expect(losses).toEqual(['input[0].content dropped: this upstream accepts only text in a system message'])
  })

  it('leave the last system message as a message of the user if there is no other message', () => {
    const { body, losses } = responses([system('A'), system('B')])
    expect(body.instructions).toBe('A')
    expect(body.input).toMatchObject([{ role: 'user' }])
    expect(JSON.stringify(body.input)).toContain('"B"')
    expect(losses).toEqual(['messages[1] mapped: sent as a message of the user'])
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

/** Models of vendors that refuse empty messages, leave them out, or continue an answer. */
const EMPTY_ENDS = [
  ...ENDS,
  ['cohere', 'command-a'],
  ['ollama', 'qwen3'],
  ['openrouter', 'google/gemini-3-pro'],
] as const

describe('an empty message of the user at the end of a conversation', () => {
  const clients = [
    ['openai-chat', (content: unknown) => ({ messages: [user('B'), assistant('C'), { role: 'user', content }] })],
    ['openai-responses', (content: unknown) => ({ input: [user('B'), assistant('C'), { role: 'user', content }] })],
    [
      'anthropic-messages',
      (content: unknown) => ({ max_tokens: 9, messages: [user('B'), assistant('C'), { role: 'user', content }] }),
    ],
    [
      'gemini-generate',
      (content: unknown) => ({
        contents: [
          { role: 'user', parts: [{ text: 'B' }] },
          { role: 'model', parts: [{ text: 'C' }] },
          { role: 'user', parts: typeof content === 'string' ? [{ text: content }] : content },
        ],
      }),
    ],
    [
      'gemini-interactions',
      (content: unknown) => ({
        input: [
          { type: 'user_input', content: [{ type: 'text', text: 'B' }] },
          { type: 'model_output', content: [{ type: 'text', text: 'C' }] },
          { type: 'user_input', content: typeof content === 'string' ? [{ type: 'text', text: content }] : content },
        ],
      }),
    ],
  ] as const
  const cases = EMPTY_ENDS.flatMap(([vendor, model]) =>
    clients.map(([client, body]) => ({ vendor, model, client, body })),
  )

  it.each(cases)('asks $vendor $model to go on, for a client of $client', ({ vendor, model, client, body }) => {
    for (const content of ['', ' \n', []]) {
      const { body: received, losses } = sent(client, vendor, model, body(content))
      const last = messagesOf(vendor, received).at(-1)
      expect(last.role, JSON.stringify(content)).toBe('user')
      expect(JSON.stringify(last)).toContain('Continue.')
      expect(losses.join()).toMatch(/\[2\] mapped: the message is empty: sent as "Continue\."/)
    }
  })

  it('is left out after other messages of the user, and where only an answer follows it', () => {
    for (const messages of [
      [user('B'), user('')],
      [user('B'), user(''), assistant('C'), user('D')],
    ])
      expect(JSON.stringify(chat('bedrock', 'anthropic.claude-sonnet-4-6', messages).body)).not.toContain('Continue')
  })

  it('stays for OpenAI', () => {
    const { body, losses } = chat('openai-chat', 'gpt-4.1', [user('B'), assistant('C'), user('')])
    expect(body.messages.at(-1)).toEqual(user(''))
    expect(losses).toEqual([])
  })
})
