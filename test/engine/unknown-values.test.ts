import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { encodeFrom, protocolOf, routeTo } from './encode-from.ts'

/** Values that no protocol has, or that only some vendors have, as a translated request loses them. */

const MESSAGES = { model: 'acme/m', messages: [{ role: 'user', content: 'Hi' }] }
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]

const BODIES: Readonly<Partial<Record<WireName, JsonObject>>> = {
  'openai-chat': { ...MESSAGES, tools: TOOLS },
  'openai-responses': { model: 'acme/m', input: 'Hi', tools: [{ type: 'function', name: 'f' }] },
  'anthropic-messages': { ...MESSAGES, max_tokens: 99, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
  'gemini-generate': {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    tools: [{ functionDeclarations: [{ name: 'f' }] }],
  },
  'ollama-chat': { ...MESSAGES, tools: TOOLS },
}

const VALUES: readonly (readonly [WireName, string, JsonObject])[] = [
  ['openai-chat', 'reasoning_effort', { reasoning_effort: 'default' }],
  ['openai-chat', 'service_tier', { service_tier: 'on_demand' }],
  ['openai-chat', 'verbosity', { verbosity: 'terse' }],
  ['openai-chat', 'tool_choice', { tool_choice: 'validated' }],
  ['openai-chat', 'temperature', { temperature: 2.5 }],
  ['openai-chat', 'top_p', { top_p: 1.01 }],
  [
    'openai-chat',
    'messages[0]',
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.test/b.png', detail: 'ultra' } }] },
      ],
    },
  ],
  ['openai-responses', 'reasoning.effort', { reasoning: { effort: 'ultra', summary: 'auto' } }],
  ['openai-responses', 'text.verbosity', { text: { verbosity: 'terse' } }],
  ['openai-responses', 'service_tier', { service_tier: 'on_demand' }],
  ['openai-responses', 'truncation', { truncation: 'oldest' }],
  ['openai-responses', 'tool_choice', { tool_choice: 'validated' }],
  ['openai-responses', 'temperature', { temperature: 2.5 }],
  ['anthropic-messages', 'output_config.effort', { output_config: { effort: 'ultra' } }],
  ['anthropic-messages', 'thinking', { thinking: { type: 'sometimes' } }],
  ['anthropic-messages', 'service_tier', { service_tier: 'on_demand' }],
  ['anthropic-messages', 'temperature', { temperature: 1.5 }],
  [
    'gemini-generate',
    'generationConfig.thinkingConfig.thinkingLevel',
    { generationConfig: { thinkingConfig: { thinkingLevel: 'ULTRA' } } },
  ],
  ['gemini-generate', 'serviceTier', { serviceTier: 'ON_DEMAND' }],
  [
    'gemini-generate',
    'toolConfig.functionCallingConfig.mode',
    { toolConfig: { functionCallingConfig: { mode: 'LATER' } } },
  ],
  ['gemini-generate', 'generationConfig.temperature', { generationConfig: { temperature: 2.5 } }],
  ['ollama-chat', 'think', { think: 'ultra' }],
  ['ollama-chat', 'options.temperature', { options: { temperature: 2.5 } }],
]

const UPSTREAMS = [
  ['openai', 'gpt-4.1'],
  ['openai-chat', 'gpt-4.1'],
  ['anthropic', 'claude-sonnet-4-5'],
  ['bedrock', 'anthropic.claude-sonnet-4-5'],
  ['google', 'gemini-2.5-pro'],
  ['cohere', 'command-a-03-2025'],
  ['ollama', 'llama3.3'],
] as const

describe.each(UPSTREAMS)('a request to %s %s', (vendor, model) => {
  const route = routeTo(vendor, model)
  const others = VALUES.filter(([client]) => client !== route.wire.name)

  it.each(others)('of the protocol %s loses an unknown value of %s', (client, path, fields) => {
    const call = encodeFrom({ ...BODIES[client], ...fields }, protocolOf(client, route), route)
    if (!call.ok) return expect.unreachable(call.error.message)
    expect(call.value.losses.map((loss) => loss.path).filter((one) => one.startsWith(path))).not.toEqual([])
  })
})

it('a part of a message loses its unknown value alone, and is sent with the others', () => {
  const route = routeTo('anthropic', 'claude-sonnet-4-5')
  const image = { type: 'input_image', image_url: 'https://a.test/b.png', detail: 'ultra' }
  const body = { model: 'acme/m', input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }, image] }] }
  const call = encodeFrom(body, protocolOf('openai-responses', route), route)
  if (!call.ok) return expect.unreachable(call.error.message)
  expect(call.value.body.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } },
      ],
    },
  ])
  expect(call.value.losses.map(({ path }) => path)).toContain('input[0].content[1].detail')
})

it.each(['max_output_tokens', 'max_tool_calls'])('a limit beyond its range has no nearest value: %s', (name) => {
  const route = routeTo('groq', 'openai/gpt-oss-120b')
  const body = { model: 'acme/m', input: 'Hi', [name]: 0 }
  const call = encodeFrom(body, protocolOf('openai-responses', route), route)
  expect(call).toMatchObject({ ok: false, error: { param: name } })
})
