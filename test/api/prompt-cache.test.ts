import { describe, expect, it } from 'vitest'
import { translateRequest } from '../../src/api/translate-request.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { formatLoss } from '../../src/protocol/loss.ts'

const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } }

/** The shape of a request of Claude Code: three breakpoints, settings of betas, tools. */
const CLAUDE_CODE: JsonObject = {
  model: 'claude-sonnet-4-5',
  max_tokens: 32_000,
  stream: true,
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' },
    { type: 'text', text: 'You are an agent.', ...HOUR },
    { type: 'text', text: 'Rules of this project.', ...HOUR },
  ],
  tools: [
    { name: 'Bash', description: 'Runs a command', input_schema: { type: 'object', properties: {} } },
    { name: 'Read', description: 'Reads a file', input_schema: { type: 'object', properties: {} } },
  ],
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  metadata: { user_id: 'user_1' },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>Today</system-reminder>' },
        { type: 'text', text: 'List the files.', cache_control: { type: 'ephemeral' } },
      ],
    },
  ],
}

function translate(body: JsonObject, options: Parameters<typeof translateRequest>[1]) {
  const translated = translateRequest(body, options)
  if (!translated.ok) throw new Error(translated.error.message)
  return { body: translated.body, losses: translated.losses.map(formatLoss) }
}

const BEDROCK = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

describe('a request of Claude Code', () => {
  it('has three cache points at Bedrock', () => {
    const { body, losses } = translate(CLAUDE_CODE, { from: 'anthropic-messages', vendor: 'bedrock', model: BEDROCK })
    const hour = { cachePoint: { type: 'default', ttl: '1h' } }
    expect(body.system).toEqual([{ text: 'You are an agent.' }, hour, { text: 'Rules of this project.' }, hour])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { text: '<system-reminder>Today</system-reminder>' },
          { text: 'List the files.' },
          { cachePoint: { type: 'default' } },
        ],
      },
    ])
    expect(losses).toEqual([expect.stringContaining('context_management dropped')])
  })

  it('has the losses of its breakpoints at an upstream without any', () => {
    const { losses } = translate(CLAUDE_CODE, { from: 'anthropic-messages', vendor: 'groq', model: 'llama' })
    const why = 'dropped: this upstream has no cache breakpoints'
    expect(losses).toEqual(
      expect.arrayContaining([
        `system[1].cache_control ${why}`,
        `system[2].cache_control ${why}`,
        `messages[0].content[1].cache_control ${why}`,
      ]),
    )
  })

  it('has breakpoints in the texts of a router', () => {
    const { body } = translate(CLAUDE_CODE, {
      from: 'anthropic-messages',
      vendor: 'openrouter',
      to: 'openai-chat',
      model: 'anthropic/claude-sonnet-4.5',
    })
    expect(body.messages).toEqual([
      {
        role: 'system',
        content: [
          { type: 'text', text: 'You are an agent.', ...HOUR },
          { type: 'text', text: 'Rules of this project.', ...HOUR },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: '<system-reminder>Today</system-reminder>' },
          { type: 'text', text: 'List the files.', cache_control: { type: 'ephemeral' } },
        ],
      },
    ])
  })
})

/** One breakpoint in every place that a client of OpenRouter has. */
const ROUTED: JsonObject = {
  model: 'm',
  cache_control: { type: 'ephemeral' },
  tools: [{ type: 'function', function: { name: 'f' }, ...HOUR }],
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Rules', ...HOUR }] },
    { role: 'user', content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }] },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f' } }] },
    { role: 'tool', tool_call_id: 'c', content: 'done' },
  ],
}

describe('breakpoints of a chat client', () => {
  it('become those of Anthropic', () => {
    const { body, losses } = translate(ROUTED, { from: 'openai-chat', vendor: 'anthropic', model: 'claude-opus-4-5' })
    const usual = { cache_control: { type: 'ephemeral' } }
    expect(losses).toEqual([])
    expect(body).toMatchObject({
      tools: [{ name: 'f', ...HOUR }],
      system: [{ text: 'Rules', ...HOUR }],
      messages: [
        { content: [{ text: 'Hi', ...usual }] },
        { content: [{ type: 'tool_use' }] },
        { content: [{ type: 'tool_result', content: 'done', ...usual }] },
      ],
    })
    expect(body).not.toHaveProperty('cache_control')
  })

  it('become those of OpenAI, for models that have them', () => {
    const { body, losses } = translate(ROUTED, { from: 'openai-chat', vendor: 'openai', model: 'gpt-5.6' })
    expect(losses).toEqual([
      'tools[0].cache_control dropped: this upstream accepts no cache breakpoint here',
      'messages[0].content[0].cache_control.ttl mapped: sent as 12h, the nearest lifetime that this upstream accepts',
    ])
    expect(body).toMatchObject({
      prompt_cache_options: { mode: 'implicit' },
      input: [
        { content: [{ prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }] },
        { content: [{ text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }] },
        { type: 'function_call' },
        { output: 'done' },
      ],
    })
    const older = translate(ROUTED, { from: 'openai-chat', vendor: 'openai', model: 'gpt-5.5' })
    expect(JSON.stringify(older.body)).not.toContain('cache')
    expect(older.losses).toHaveLength(4)
  })
})

describe('breakpoints of a Responses client', () => {
  const part = (text: string, ttl?: string) => ({
    type: 'input_text',
    text,
    prompt_cache_breakpoint: { mode: 'explicit', ...(ttl === undefined ? {} : { ttl }) },
  })
  const body: JsonObject = {
    model: 'm',
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    prompt_cache_options: { mode: 'explicit', ttl: '30m' },
    input: [
      { role: 'developer', content: [part('Rules', '12h')] },
      { role: 'user', content: [part('Hi')] },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [part('done')] },
    ],
  }

  it('become those of Chat Completions, with the options', () => {
    const { body: chat, losses } = translate(body, { from: 'openai', vendor: 'openai-chat', model: 'gpt-5.6' })
    expect(losses).toEqual([])
    expect(chat).toMatchObject({
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      prompt_cache_options: { mode: 'explicit', ttl: '30m' },
      messages: [
        { content: [{ type: 'text', text: 'Rules', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }] },
        { content: [{ type: 'text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit' } }] },
        { role: 'assistant' },
        { content: [{ type: 'text', text: 'done', prompt_cache_breakpoint: { mode: 'explicit' } }] },
      ],
    })
  })

  it('become those of Anthropic, and the rest of its settings are losses', () => {
    const { body: own, losses } = translate(body, { from: 'openai', vendor: 'anthropic', model: 'claude-opus-4-5' })
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    expect(own).toMatchObject({
      system: [{ text: 'Rules', ...hour }],
      messages: [{ content: [{ text: 'Hi', ...hour }] }, {}, { content: [{ type: 'tool_result', ...hour }] }],
    })
    expect(losses.map((line) => line.split(':')[0])).toEqual([
      'input[0].content[0].prompt_cache_breakpoint.ttl mapped',
      'prompt_cache_options.ttl mapped',
      'prompt_cache_key dropped',
      'prompt_cache_retention dropped',
    ])
  })

  it('keep their own name in losses', () => {
    const given = { model: 'm', input: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }
    const { losses } = translate(given, { from: 'openai', vendor: 'google', model: 'gemini-3-pro' })
    expect(losses).toEqual(['cache_control dropped: this upstream has no cache breakpoints'])
  })
})

describe('cache points of Bedrock', () => {
  const fields = {
    tools: [{ name: 'f', input_schema: { type: 'object' }, ...HOUR }],
    system: [{ type: 'text', text: 'R', ...HOUR }],
  }
  const body: JsonObject = { ...CLAUDE_CODE, ...fields, context_management: null }
  const at = (model: string) => translate(body, { from: 'anthropic-messages', vendor: 'bedrock', model })
  const point = { cachePoint: { type: 'default' } }
  const hour = { cachePoint: { type: 'default', ttl: '1h' } }

  it.each([
    ['anthropic.claude-opus-4-6-v1:0', [hour], [hour]],
    ['anthropic.claude-3-7-sonnet-20250219-v1:0', [point], [point]],
    ['anthropic.claude-3-5-haiku-20241022-v1:0', [point], [point]],
    ['amazon.nova-pro-v1:0', [], [point]],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', [], []],
    ['meta.llama3-1-8b-instruct-v1:0', [], []],
  ])('are sent to %s where it accepts them', (model, inTools, inSystem) => {
    const { body: converse } = at(model)
    expect(converse).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: 'f' } }, ...inTools] } })
    expect(converse.system).toEqual([{ text: 'R' }, ...inSystem])
  })

  it('stand before documents that are not PDF files, and never at the beginning of a message', () => {
    const notes = { type: 'input_file', filename: 'notes.txt', file_data: 'data:text/plain;base64,SGk=' }
    const end = { prompt_cache_breakpoint: { mode: 'explicit' } }
    const sent = (content: readonly object[]) =>
      translate({ model: 'm', input: [{ role: 'user', content }] } as JsonObject, {
        from: 'openai',
        vendor: 'bedrock',
        model: BEDROCK,
      })
    const after = sent([
      { type: 'input_text', text: 'Read:' },
      { ...notes, ...end },
    ])
    expect(after.body.messages).toMatchObject([{ content: [{ text: 'Read:' }, point, { document: {} }] }])
    expect(after.losses).toEqual([])
    const alone = sent([{ ...notes, ...end }])
    expect(JSON.stringify(alone.body)).not.toContain('cachePoint')
    expect(alone.losses[0]).toContain('input[0].content[0].prompt_cache_breakpoint dropped')
  })
})

describe('the policy of cache breakpoints', () => {
  const bare: JsonObject = {
    ...CLAUDE_CODE,
    context_management: null,
    system: 'Rules',
    messages: [{ role: 'user', content: 'Hi' }],
  }
  const chat: JsonObject = {
    model: 'm',
    tools: [{ type: 'function', function: { name: 'f' } }],
    messages: [
      { role: 'system', content: 'Rules' },
      { role: 'user', content: 'Hi' },
    ],
  }
  const target = { vendor: 'bedrock', model: BEDROCK } as const
  const points = (body: JsonObject) => JSON.stringify(body).match(/cachePoint/g)?.length ?? 0

  it('places them for clients whose own vendor caches without any, unless it says otherwise', () => {
    expect(points(translate(chat, { from: 'openai-chat', ...target }).body)).toBe(3)
    expect(points(translate(chat, { from: 'openai-chat', ...target, cache: 'client' }).body)).toBe(0)
    const responses: JsonObject = {
      model: 'm',
      input: 'Hi',
      instructions: 'Rules',
      tools: [{ type: 'function', name: 'f' }],
    }
    for (const from of ['openai', 'beta'] as const)
      expect(points(translate(responses, { from, ...target }).body)).toBe(3)
    expect(points(translate(responses, { ...target, cache: 'off' }).body)).toBe(0)
  })

  it('places none for an Anthropic client, and sends none if it is off', () => {
    expect(points(translate(bare, { from: 'anthropic-messages', ...target }).body)).toBe(0)
    expect(points(translate(CLAUDE_CODE, { from: 'anthropic-messages', ...target }).body)).toBe(3)
    const { body, losses } = translate(CLAUDE_CODE, { from: 'anthropic-messages', ...target, cache: 'off' })
    expect(points(body)).toBe(0)
    expect(losses).toContain('system[1].cache_control dropped: cache breakpoints are turned off for this upstream')
  })

  it('keeps the breakpoint of a tool with free text, which becomes a function', () => {
    const note = { type: 'custom', name: 'note' }
    const { body } = translate({ model: 'm', input: 'Hi', tools: [note] } as JsonObject, { ...target })
    expect(body.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: 'note' } }, { cachePoint: {} }] })
  })
})
