import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { JsonObject } from '../../src/protocol/json.ts'

/** What an upstream receives of a client's request, and the losses. */
function sent(
  vendor: string,
  model: string,
  body: object,
  client: 'openai' | 'openai-chat' | 'anthropic-messages' = 'openai',
) {
  const input = client === 'openai' ? { input: 'Hi' } : { messages: [{ role: 'user', content: 'Hi' }] }
  const got = explainRequest({ model, ...input, ...body }, { client, vendor, model })
  if (!got.ok) return { body: {} as JsonObject, losses: [], complaints: [], error: got.error }
  const { upstream, losses, complaints } = got
  return {
    body: upstream,
    losses: losses.map(({ path, action }) => `${path} ${action}`),
    complaints: complaints.map(({ path }) => path),
    error: null,
  }
}

const TOOLS = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }]
const TWO = [...TOOLS, { ...TOOLS[0], name: 'g' }]
const NAMED = { type: 'function', name: 'f' }
const FORMAT = { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object', properties: {} } } } }
const effort = (value: string) => ({ reasoning: { effort: value } })

describe('a forced call', () => {
  it.each<[string, string, object, object, string[]]>([
    [
      'anthropic',
      'claude-opus-5-5',
      { tool_choice: 'required', tools: TOOLS },
      { tool_choice: { type: 'auto' } },
      ['tool_choice mapped'],
    ],
    ['anthropic', 'claude-fable-5', { tool_choice: 'required', tools: TOOLS }, { tool_choice: { type: 'any' } }, []],
    [
      'anthropic',
      'claude-next',
      { tool_choice: NAMED, tools: TOOLS },
      { tool_choice: { type: 'auto' } },
      ['tool_choice mapped'],
    ],
    [
      'deepseek',
      'deepseek-v4-pro',
      { tool_choice: 'required', tools: TOOLS, ...effort('high') },
      { tool_choice: 'auto' },
      ['tool_choice mapped'],
    ],
    [
      'deepseek',
      'deepseek-v4-pro',
      { tool_choice: 'required', tools: TOOLS },
      { tool_choice: 'required', thinking: { type: 'disabled' } },
      ['reasoning.effort mapped'],
    ],
    ['moonshot', 'kimi-k3', { tool_choice: NAMED, tools: TOOLS }, { tool_choice: 'required' }, []],
    ['moonshot', 'kimi-k3', { tool_choice: NAMED, tools: TWO }, { tool_choice: 'auto' }, ['tool_choice mapped']],
    [
      'moonshot',
      'kimi-k2.7-code',
      { tool_choice: 'required', tools: TOOLS },
      { tool_choice: 'auto' },
      ['tool_choice mapped'],
    ],
    [
      'mistral',
      'mistral-large-latest',
      { tool_choice: NAMED, tools: TWO },
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      [],
    ],
  ])('reaches %s and the model %s in a form that it accepts: %j', (vendor, model, body, expected, losses) => {
    const got = sent(vendor, model, body)
    expect(got.body).toMatchObject(expected)
    expect(got.losses).toEqual(losses)
    const isSentence = JSON.stringify(got.body).match(/Call (?:the tool f|a tool) now\./) !== null
    expect(isSentence).toBe(losses.includes('tool_choice mapped'))
  })
})

describe('functions in Chat Completions', () => {
  it.each<[string, object, string | undefined, string[]]>([
    ['gpt-5.4', effort('high'), undefined, ['reasoning.effort dropped']],
    ['gpt-5.6-sol', effort('high'), 'none', ['reasoning.effort mapped']],
    ['gpt-5.6-sol', {}, 'none', ['reasoning.effort mapped']],
    ['gpt-5.1', effort('high'), 'high', []],
  ])('have the effort that %s accepts with them: %j', (model, body, expected, losses) => {
    const got = sent('openai-chat', model, { tools: TOOLS, ...body })
    expect([got.body.reasoning_effort, got.losses]).toEqual([expected, losses])
  })

  it('are an error for a model that calls none there, and a complaint for a client of the same protocol', () => {
    expect(sent('openai-chat', 'gpt-6-astra', { tools: TOOLS }).error).toMatchObject({ status: 400, param: 'tools[0]' })
    expect(sent('openai-chat', 'gpt-6-astra', { tools: TOOLS, tool_choice: 'none' }).error).toBeNull()
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect(sent('openai-chat', 'gpt-6-astra', { tools }, 'openai-chat').complaints).toContain('tools[0].function')
  })
})

describe('JSON output beside functions', () => {
  it.each([
    ['google', 'gemini-2.5-pro'],
    ['cohere', 'command-a-plus-05-2026'],
  ])('is an instruction at %s', (vendor, model) => {
    const { body, losses } = sent(vendor, model, { ...FORMAT, tools: TOOLS })
    expect(losses).toContain('text.format mapped')
    expect(JSON.stringify(body)).toContain('unless you call a tool')
    expect(JSON.stringify(sent(vendor, model, { ...FORMAT, tools: TOOLS, instructions: '' }).body)).toBe(
      JSON.stringify(body),
    )
    expect(JSON.stringify(body)).not.toMatch(/responseMimeType|response_format/)
  })

  it.each([
    ['google', 'gemini-2.5-flash', { type: 'web_search' }],
    ['vertex', 'gemini-2.5-pro', { type: 'web_search' }],
    ['google', 'gemini-2.0-flash', { type: 'code_interpreter', container: { type: 'auto' } }],
    ['google-interactions', 'gemini-2.5-flash', { type: 'web_search' }],
  ])('is an instruction at %s for %s beside its own tool %j', (vendor, model, tool) => {
    const { body, losses } = sent(vendor, model, { ...FORMAT, tools: [tool] })
    expect(losses).toContain('text.format mapped')
    expect(JSON.stringify(body)).toContain('Answer with JSON that matches this schema')
    expect(JSON.stringify(body)).not.toMatch(/responseMimeType|response_format/)
  })

  it('binds Gemini 3 beside a search, and Gemini 2.5 without one', () => {
    const search = sent('google', 'gemini-3-pro', { ...FORMAT, tools: [{ type: 'web_search' }] })
    const bare = sent('google', 'gemini-2.5-pro', FORMAT)
    for (const { body, losses } of [search, bare]) {
      expect(body).toMatchObject({ generationConfig: { responseMimeType: 'application/json' } })
      expect(losses).toEqual([])
    }
  })

  it('is an instruction for a chat client at Groq, whose body is translated then', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const body = { tools, response_format: { type: 'json_object' }, seed: 7 }
    const got = sent('groq', 'openai/gpt-oss-120b', body, 'openai-chat')
    expect(got.losses).toEqual(['response_format mapped'])
    expect(got.body).toMatchObject({ seed: 7, tools: [{ function: { name: 'f' } }] })
    expect(got.body.response_format).toBeUndefined()
  })

  it('is bound where the model has both', () => {
    expect(sent('google', 'gemini-3.8-flash', { ...FORMAT, tools: TOOLS }).losses).toEqual([])
    expect(sent('google', 'gemini-3.8-flash', { ...FORMAT, tools: TOOLS, tool_choice: 'required' }).losses).toEqual([
      'text.format mapped',
    ])
  })
})

describe('calls of the history without their reasoning', () => {
  const input = [
    { type: 'message', role: 'user', content: 'Hi' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: 'x' },
  ]
  it.each<[string, string, object, object, string[]]>([
    ['deepseek', 'deepseek-v4-pro', effort('high'), { thinking: { type: 'disabled' } }, ['reasoning.effort dropped']],
    [
      'deepseek-responses',
      'deepseek-v4-pro',
      effort('high'),
      { reasoning: { effort: 'none' } },
      ['reasoning.effort dropped'],
    ],
    ['moonshot', 'kimi-k2.6', effort('high'), { thinking: { type: 'disabled' } }, ['reasoning.effort dropped']],
    ['moonshot', 'kimi-k2.5', {}, { thinking: { type: 'disabled' } }, ['reasoning.effort mapped']],
    ['moonshot', 'kimi-k2.6', {}, { thinking: { type: 'disabled' } }, ['reasoning.effort mapped']],
    ['zai', 'glm-5', effort('high'), { thinking: { type: 'disabled' } }, ['reasoning.effort dropped']],
  ])('turn reasoning off at %s for %s', (vendor, model, body, expected, losses) => {
    const got = sent(vendor, model, { input, tools: TOOLS, ...body })
    expect(got.body).toMatchObject(expected)
    expect(got.body.reasoning_effort).toBeUndefined()
    expect(got.losses).toEqual(losses)
  })

  it.each([
    ['moonshot', 'kimi-k3'],
    ['moonshot', 'kimi-k2-thinking'],
    ['moonshot', 'kimi-k2.7-code'],
    ['zai', 'glm-5.3'],
  ])('have a blank one at %s for %s, which always reasons', (vendor, model) => {
    const before = [...input, { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'So.' }] }]
    const got = sent(vendor, model, { input: [...before, ...input.slice(1)], tools: TOOLS })
    expect(got.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', reasoning_content: ' ' },
      { role: 'tool' },
      { role: 'assistant', reasoning_content: 'So.' },
      { role: 'tool' },
    ])
    expect(got.losses).toContain('input[1] mapped')
    expect(got.losses).not.toContain('input[4] mapped')
  })
})

describe('a forced call of a model that forces only by name, and never while it reasons', () => {
  it.each([{ tool_choice: 'required' }, { tool_choice: { type: 'function', name: 'f' } }])('%j', (choice) => {
    const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }]
    expect(sent('moonshot', 'kimi-k2.6', { input: 'Hi', tools, ...choice }).body).toMatchObject({
      tool_choice: { function: { name: 'f' } },
      thinking: { type: 'disabled' },
    })
  })
})

describe('limits of a model or its host', () => {
  it.each<[string, string, object, object, string[]]>([
    ['openai', 'gpt-5.6-sol', { user: 'u'.repeat(65) }, { user: undefined }, ['user dropped']],
    ['chatgpt', 'gpt-5.6-sol', { service_tier: 'flex' }, { service_tier: undefined }, ['service_tier dropped']],
    ['chatgpt', 'gpt-5.6-sol', { service_tier: 'auto' }, { service_tier: undefined }, []],
    ['chatgpt', 'gpt-5.6-sol', { service_tier: 'default' }, { service_tier: undefined }, []],
    ['openai', 'gpt-5.6-sol', { service_tier: 'auto' }, { service_tier: 'auto' }, []],
    ['chatgpt', 'gpt-5.6-sol', { service_tier: 'priority' }, { service_tier: 'priority' }, []],
    [
      'openai-chat',
      'gpt-5.6-sol',
      { max_output_tokens: 1 },
      { max_completion_tokens: 16 },
      ['max_output_tokens mapped'],
    ],
    ['openai-chat', 'gpt-4o', { max_output_tokens: 1 }, { max_tokens: 1 }, []],
    ['openai', 'gpt-5.2-chat-latest', { temperature: 0.5 }, { temperature: undefined }, ['temperature dropped']],
    ['openai', 'gpt-5.1', { temperature: 0.5 }, { temperature: 0.5 }, []],
    [
      'bedrock',
      'us.openai.gpt-5.6-sol',
      { temperature: 0.5, ...effort('high') },
      { additionalModelRequestFields: { reasoning: { effort: 'high' } } },
      ['temperature dropped'],
    ],
  ])('change a request to %s and %s: %j', (vendor, model, body, expected, losses) => {
    const got = sent(vendor, model, body)
    const members = Object.keys(expected).map((name) => [name, got.body[name]])
    expect(Object.fromEntries(members)).toEqual(expected)
    expect(got.losses).toEqual(losses)
  })

  it('cut the list of stop sequences', () => {
    const six = ['1', '2', '3', '4', '5', '6']
    const got = sent('google', 'gemini-3.8-flash', { stop: six }, 'openai-chat')
    expect(got.body.generationConfig).toMatchObject({ stopSequences: six.slice(0, 5) })
    expect(got.losses).toEqual(['stop mapped'])
  })

  it('do not include the note of a client in the name of a model', () => {
    expect(sent('anthropic', 'claude-opus-5-5[1m]', { max_tokens: 9 }, 'anthropic-messages').body.model).toBe(
      'claude-opus-5-5',
    )
  })
})

describe('the losses of include', () => {
  const PROBABILITIES = 'message.output_text.logprobs'
  const FILES = 'file_search_call.results'
  const CODE = 'code_interpreter_call.outputs'

  it.each([
    ['openai-chat', 'gpt-5', [PROBABILITIES, FILES], ['include dropped', 'include[1] dropped']],
    ['openai-chat', 'gpt-5', [FILES, PROBABILITIES], ['include dropped', 'include[0] dropped']],
    ['cohere', 'command-a-03-2025', [PROBABILITIES, FILES], ['include dropped', 'include[1] dropped']],
    ['google', 'gemini-3-pro', [FILES, CODE], ['include[0] dropped']],
    ['anthropic', 'claude-sonnet-4-5', [CODE, FILES], ['include[1] dropped']],
    ['bedrock', 'anthropic.claude-sonnet-4-5', [CODE], ['include[0] dropped']],
    ['ollama', 'qwen3', [FILES, CODE], ['include[0] dropped', 'include[1] dropped']],
    ['google-interactions', 'gemini-3-pro', [CODE], []],
  ])('have the places of the client, each once, for %s and %s: %j', (vendor, model, include, losses) => {
    expect(sent(vendor, model, { include }).losses).toEqual(losses)
  })
})

describe('the identifier of a user', () => {
  const VENDORS = ['anthropic', 'vertex-anthropic', 'bedrock-mantle-anthropic', 'foundry-anthropic'] as const
  const PERSONAL = ['max@example.com', 'mail: m.m+x@mail.example.org', '+49 (170) 123-4567', '(555) 123-4567']
  const OTHERS = ['user-1', '5551234567', '@max', '2026-11-28', 'max@', '0b2f-4c55-11ee', '{"device_id":"d"}']

  it.each(VENDORS)('is no mail address and no telephone number at %s, from any client', (vendor) => {
    for (const id of PERSONAL)
      for (const [got, lost] of [
        [sent(vendor, 'claude-opus-4-8', { user: id }), 'user dropped'],
        [sent(vendor, 'claude-opus-4-8', { safety_identifier: id }), 'safety_identifier dropped'],
        [sent(vendor, 'claude-opus-4-8', { user: id }, 'openai-chat'), 'user dropped'],
        [
          sent(vendor, 'claude-opus-4-8', { max_tokens: 9, metadata: { user_id: id } }, 'anthropic-messages'),
          'metadata.user_id dropped',
        ],
      ] as const) {
        expect(JSON.stringify(got.body)).not.toContain(id.slice(-8))
        expect(got.losses).toEqual([lost])
      }
  })

  it.each(OTHERS)('stays if it is another one: %s', (id) => {
    const got = sent('anthropic', 'claude-opus-4-8', { user: id })
    expect(got.body).toMatchObject({ metadata: { user_id: id } })
    expect(got.losses).toEqual([])
  })
})

describe('an array at the root of the parameters of a function', () => {
  const VENDORS = ['openai', 'anthropic', 'bedrock', 'google', 'vertex', 'google-interactions', 'cohere', 'openrouter']
  const parameters = { type: 'array', items: { type: 'string' } }

  it.each(VENDORS)('is an object for %s', (vendor) => {
    const got = sent(vendor, 'm', { tools: [{ type: 'function', name: 'f', parameters }] })
    expect(JSON.stringify(got.body)).not.toContain('"array"')
    expect(got.losses).toContain('tools[0].parameters.type mapped')
  })

  it.each(['openrouter', 'deepseek', 'moonshot'])('is an object for a Messages client of %s', (vendor) => {
    const tools = [{ name: 'f', input_schema: parameters }]
    const got = sent(vendor, 'm', { max_tokens: 9, tools }, 'anthropic-messages')
    expect(JSON.stringify(got.body)).not.toContain('"array"')
    expect(got.losses).toContain('tools[0].input_schema.type mapped')
  })
})

describe('the note of a client on a model', () => {
  it.each([
    ['bedrock', 'us.anthropic.claude-opus-4-8', '/model/us.anthropic.claude-opus-4-8/converse'],
    ['vertex-anthropic', 'claude-opus-4-8', '/claude-opus-4-8:rawPredict'],
    ['vertex', 'gemini-3-pro', '/models/gemini-3-pro:generateContent'],
    ['google', 'gemini-3-pro', '/models/gemini-3-pro:generateContent'],
  ])('reaches no path of %s', (vendor, model, path) => {
    for (const client of ['openai', 'openai-chat', 'anthropic-messages'] as const) {
      const body = client === 'openai' ? { input: 'Hi' } : { messages: [{ role: 'user', content: 'Hi' }] }
      const got = explainRequest({ model: `${model}[1m]`, ...body }, { client, vendor, model: `${model}[1m]` })
      expect(got).toMatchObject({ ok: true, model, path })
    }
  })
})

describe('a video', () => {
  const data = 'data:video/mp4;base64,AAAA'
  const video = [{ type: 'video_url', video_url: { url: data } }]
  const file = [{ type: 'input_file', filename: 'a.mp4', file_data: data }]
  const google = { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }] }
  const upstreamOf = (vendor: string, client: 'openai' | 'openai-chat' | 'gemini-generate', body: object) => {
    const got = explainRequest(
      { model: 'google/gemini-3-pro', ...body },
      { client, vendor, model: 'google/gemini-3-pro' },
    )
    if (!got.ok) return expect.unreachable(got.error.message)
    expect(got.losses).toEqual([])
    return got.upstream
  }

  it('is a part of its own at OpenRouter, for clients of every protocol', () => {
    expect(upstreamOf('openrouter', 'gemini-generate', google)).toMatchObject({ messages: [{ content: video }] })
    expect(upstreamOf('openrouter', 'openai-chat', { messages: [{ role: 'user', content: video }] })).toMatchObject({
      messages: [{ content: video }],
    })
    for (const [client, body] of [
      ['openai', { input: [{ role: 'user', content: file }] }],
      ['openai-chat', { messages: [{ role: 'user', content: video }] }],
      ['gemini-generate', google],
    ] as const)
      expect(upstreamOf('openrouter-responses', client, body)).toMatchObject({
        input: [{ content: [{ type: 'input_video', video_url: data }] }],
      })
  })

  it('of a chat client reaches Google', () => {
    expect(upstreamOf('google', 'openai-chat', { messages: [{ role: 'user', content: video }] })).toMatchObject({
      contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }],
    })
    const address = { type: 'video_url', video_url: { url: 'https://media.example/a.mp4' } }
    expect(upstreamOf('google', 'openai-chat', { messages: [{ role: 'user', content: [address] }] })).toMatchObject({
      contents: [{ parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'https://media.example/a.mp4' } }] }],
    })
  })
})

describe('images in a request', () => {
  const SCREENSHOT = {
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' }] }],
  }
  const isSeen = (vendor: string, model: string): boolean =>
    JSON.stringify(sent(vendor, model, SCREENSHOT).body).includes('iVBORw0KGgo=')

  it.each([
    ['openrouter', 'nvidia/llama-3.1-nemotron-nano-vl-8b-v1'],
    ['vllm', 'qresearch/llama-3.1-8B-vision-378'],
    ['vllm', 'OpenGVLab/InternVL3_5-GPT-OSS-20B-A4B-Preview'],
    ['vllm', 'xtuner/llava-llama-3.1-8b'],
    ['fireworks', 'accounts/fireworks/models/glm-4p5v'],
    ['openrouter', 'z-ai/glm-4.6v-flash'],
    ['zai', 'glm-5v-turbo'],
    ['vllm', 'zai-org/GLM-4-5V'],
    ['fireworks', 'accounts/fireworks/models/kimi-k2p5'],
    ['venice', 'kimi-k2-5'],
    ['moonshot', 'kimi-k1.5'],
    ['moonshot', 'kimi-thinking-preview'],
    ['vllm', 'deepseek-ai/deepseek-vl2-small'],
    ['groq', 'meta-llama/llama-3.2-11b-vision'],
    ['ollama', 'qwen3-vl:30b'],
  ])('reach %s as %s', (vendor, model) => {
    expect(isSeen(vendor, model)).toBe(true)
  })

  it.each([
    ['fireworks', 'accounts/fireworks/models/glm-4p6'],
    ['fireworks', 'accounts/fireworks/models/kimi-k2-instruct-0905'],
    ['fireworks', 'accounts/fireworks/models/deepseek-v3p1'],
    ['fireworks', 'accounts/fireworks/models/llama-v3p1-8b-instruct'],
    ['moonshot', 'kimi-k2-0711-preview'],
    ['openrouter', 'moonshotai/kimi-k2-thinking'],
    ['openrouter', 'openai/gpt-oss-120b'],
    ['bedrock', 'us.meta.llama3-1-8b-instruct-v1:0'],
    ['zai', 'glm-4.7'],
  ])('are a note for %s as %s, which reads none', (vendor, model) => {
    expect(isSeen(vendor, model)).toBe(false)
  })
})
