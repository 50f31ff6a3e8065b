import { describe, expect, it } from 'vitest'
import { readClientRequest } from '../../../src/engine/client-request.ts'
import { ruleFacts } from '../../../src/engine/passes/rules.ts'
import { mendRequest } from '../../../src/engine/rules/mend-request.ts'
import type { RequestRule } from '../../../src/engine/rules/rule.ts'
import { rulesFor } from '../../../src/engine/rules/rules.ts'
import { mapped } from '../../../src/protocol/loss.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { protocolOf, routeTo } from '../encode-from.ts'
import { sentBy } from '../sent-by.ts'

const HI = { role: 'user', content: 'Hi' }
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]

describe('settings of tools in a passed request without a tool', () => {
  it.each(['openai-chat', 'groq', 'deepseek', 'vllm'])('are left out at %s', (vendor) => {
    for (const asked of [
      { tools: [], tool_choice: 'auto' },
      { tool_choice: 'none', parallel_tool_calls: false },
    ]) {
      const { body, losses, edits } = sentBy('openai-chat', vendor, 'm-x', { messages: [HI], ...asked })
      expect(edits).toContain('settings of tools')
      expect(body).toEqual({ model: 'm-x', messages: [HI] })
      expect(losses).toEqual([])
    }
  })

  it('are left out at Anthropic, and stay with a tool', () => {
    const asked = { max_tokens: 100, messages: [HI], tool_choice: { type: 'auto' } }
    expect(sentBy('anthropic-messages', 'anthropic', 'claude-opus-4-8', asked).body).not.toHaveProperty('tool_choice')
    const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
    expect(sentBy('anthropic-messages', 'anthropic', 'claude-opus-4-8', { ...asked, tools }).body).toMatchObject(asked)
    const chat = { messages: [HI], tools: TOOLS, tool_choice: 'auto', parallel_tool_calls: true }
    expect(sentBy('openai-chat', 'groq', 'm-x', chat).body).toEqual({ model: 'm-x', ...chat })
  })
})

describe('parallel calls', () => {
  it.each(['o1', 'o3', 'o3-mini', 'o4-mini'])('are no setting of %s in Chat Completions', (model) => {
    const sent = (vendor: string, parallel_tool_calls: boolean) =>
      sentBy('openai-chat', vendor, model, { messages: [HI], tools: TOOLS, parallel_tool_calls })
    expect(sent('openai-chat', false).body).not.toHaveProperty('parallel_tool_calls')
    expect(sent('openai-chat', false).losses).toEqual(['parallel_tool_calls dropped'])
    expect(sent('azure-chat', true).body).not.toHaveProperty('parallel_tool_calls')
    expect(sent('azure-chat', true).losses).toEqual([])
    expect(sent('openai', false).body).toMatchObject({ parallel_tool_calls: false })
    expect(sent('openrouter', false).body).toMatchObject({ parallel_tool_calls: false })
  })
})

describe('log probabilities and biases of a passed request', () => {
  const asked = { messages: [HI], logprobs: true, top_logprobs: 5 }

  it('are all left out where one of them is refused', () => {
    const groq = sentBy('openai-chat', 'groq', 'm-x', { ...asked, logit_bias: { 5: 1 } })
    expect(groq.body).toEqual({ model: 'm-x', messages: [HI] })
    expect(groq.losses).toEqual(['top_logprobs dropped', 'logit_bias dropped'])
    const reasoner = sentBy('openai-chat', 'deepseek', 'deepseek-reasoner', asked)
    expect(reasoner.body).toEqual({ model: 'deepseek-reasoner', messages: [HI] })
    expect(sentBy('openai-chat', 'deepseek', 'deepseek-v4-pro', asked).body).toMatchObject(asked)
  })
})

describe('signatures and settings of Google', () => {
  const extra_content = { google: { thought_signature: 'c2ln' } }
  const call = { id: 'call_12345', type: 'function', function: { name: 'look', arguments: '{}' } }
  const history = (signed: object) => [
    HI,
    { role: 'assistant', content: null, tool_calls: [signed] },
    { role: 'tool', tool_call_id: 'call_12345', content: 'ok' },
  ]
  const asked = { messages: history({ ...call, extra_content }), tools: TOOLS }

  it.each(['openai-chat', 'azure-chat', 'groq', 'mistral', 'cerebras'])('are left out at %s, as losses', (vendor) => {
    const { body, losses } = sentBy('openai-chat', vendor, 'm-x', { ...asked, extra_body: { google: {} } })
    expect(JSON.stringify(body)).not.toMatch(/extra_content|extra_body/)
    expect([...losses].sort()).toEqual(['extra_body dropped', 'messages[1].tool_calls[0].extra_content dropped'])
  })

  it.each(['google-compat', 'openrouter', 'litellm-proxy'])('stay at %s, which may read them', (vendor) => {
    expect(sentBy('openai-chat', vendor, 'm-x', asked).body).toMatchObject({ messages: asked.messages })
  })

  it('leave no empty places, and nothing else changes', () => {
    const litellm = { ...call, function: { ...call.function, provider_specific_fields: { thought_signature: 'c2ln' } } }
    const { body } = sentBy('openai-chat', 'groq', 'm-x', { messages: history(litellm), tools: TOOLS })
    expect(body).toEqual({ model: 'm-x', messages: history(call), tools: TOOLS })
  })
})

it('temperature and top_p together are refused by Opus 4.1 as well', () => {
  const asked = { max_tokens: 100, messages: [HI], temperature: 0.2, top_p: 0.5 }
  expect(sentBy('anthropic-messages', 'anthropic', 'claude-opus-4-1', asked).losses).toEqual(['top_p dropped'])
  expect(sentBy('anthropic-messages', 'anthropic', 'claude-opus-4-0', asked).losses).toEqual([])
})

it('a forced call beside reasoning is a sentence at Alibaba', () => {
  const asked = { messages: [HI], tools: TOOLS, tool_choice: 'required' }
  const sent = (model: string, more: object = {}) => sentBy('openai-chat', 'alibaba', model, { ...asked, ...more })
  expect(sent('qwen3.6-plus', { reasoning_effort: 'high' }).losses).toEqual(['tool_choice mapped'])
  expect(sent('qwen3-235b-a22b-thinking-2507').losses).toEqual(['tool_choice mapped'])
  expect(sent('qwen3.6-plus').body).toMatchObject({ tool_choice: 'required' })
  expect(sent('qwen3.8-max').body).toMatchObject({ tool_choice: 'required', enable_thinking: false })
})

it.each([{ type: 'image_generation' }, { type: 'mcp', server_label: 'a', server_url: 'https://a.example' }])(
  'a tool of the vendor is a sentence for a model that forces only by name: %j',
  (tool) => {
    const route = routeTo('openai', 'm-x')
    const asked = { model: 'a/m', input: 'Hi', tools: [tool], tool_choice: 'required' }
    const read = runSteps(readClientRequest(asked, protocolOf('openai-responses', route)))
    if (!read.ok) return expect.unreachable(read.error.message)
    const own = ruleFacts(route, 'openai-responses')
    const facts = { ...own, model: { ...own.model, forcedTools: 'named' as const } }
    const { request, losses } = runSteps(mendRequest(read.value.request, facts, rulesFor(facts)))
    expect(request.tool_choice).toBe('auto')
    expect(JSON.stringify(request.input)).toContain('Call a tool now.')
    expect(losses).toMatchObject([{ path: 'tool_choice', action: 'mapped' }])
  },
)

describe('the paths of losses behind rules that move items', () => {
  const INSTRUCTED = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go on.' }] } as const
  /** Adds an item before all others, which the client has not sent. */
  const adding: RequestRule = {
    name: 'an item before',
    mend: (request) => ({
      request: { ...request, input: [INSTRUCTED, ...request.input] },
      losses: [],
      toEarlier: (path) => {
        const at = Number(/^input\[(\d+)\]/.exec(path)?.[1])
        return at === 0 ? null : path.replace(`input[${at}]`, `input[${at - 1}]`)
      },
    }),
  }
  const losing: RequestRule = {
    name: 'every item',
    mend: (request) => ({ request, losses: request.input.map((_, at) => mapped(`input[${at}]`, 'lost')) }),
  }

  it('are those of the client, and what the rules have added has none', () => {
    const route = routeTo('groq', 'openai/gpt-oss-120b')
    const body = { model: 'acme/m', input: [HI, { role: 'assistant', content: 'A' }] }
    const read = runSteps(readClientRequest(body, protocolOf('openai-responses', route)))
    if (!read.ok) return expect.unreachable(read.error.message)
    const facts = ruleFacts(route, 'openai-responses')
    const { losses, toEarlier } = runSteps(mendRequest(read.value.request, facts, [adding, adding, losing]))
    expect(losses.map(({ path }) => path)).toEqual(['input[0]', 'input[1]'])
    expect([0, 1, 2, 3].map((at) => toEarlier(`input[${at}]`))).toEqual([null, null, 'input[0]', 'input[1]'])
  })
})

describe('a temperature that the upstream does not have', () => {
  const chat = { messages: [HI] }
  const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }

  it.each<
    [
      client: 'openai-chat' | 'gemini-generate' | 'ollama-chat' | 'openai',
      vendor: string,
      model: string,
      body: object,
      sent: number,
    ]
  >([
    ['openai-chat', 'mistral', 'mistral-large-4', { ...chat, temperature: 1.9 }, 1.5],
    ['openai-chat', 'moonshot', 'moonshot-v1-8k', { ...chat, temperature: 1.9 }, 1],
    ['openai-chat', 'minimax', 'minimax-m2', { ...chat, temperature: 0 }, 0.01],
    ['openai-chat', 'anthropic', 'claude-sonnet-4-5', { ...chat, temperature: 1.9 }, 1],
    ['openai', 'mistral', 'mistral-large-4', { input: [HI], temperature: 1.9 }, 1.5],
    ['ollama-chat', 'mistral', 'mistral-large-4', { ...chat, options: { temperature: 1.9 } }, 1.5],
    ['gemini-generate', 'anthropic', 'claude-sonnet-4-5', { ...CONTENTS, generationConfig: { temperature: 1.9 } }, 1],
  ])('is the nearest one for a client of %s at %s', (client, vendor, model, body, sent) => {
    const { body: got, losses } = sentBy(client, vendor, model, body)
    expect(got.temperature).toBe(sent)
    expect(losses).toEqual([expect.stringMatching(/(?:^|\.)temperature mapped$/)])
  })

  it('is dropped, and not changed, where the model refuses any', () => {
    const { body, losses } = sentBy('openai-chat', 'anthropic', 'claude-opus-4-8', { ...chat, temperature: 1.9 })
    expect(body).not.toHaveProperty('temperature')
    expect(losses).toEqual(['temperature dropped'])
  })
})
