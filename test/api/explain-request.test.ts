import { describe, expect, it } from 'vitest'
import { type ExplainOptions, type Explanation, explainRequest } from '../../src/index.ts'
import { formatLoss } from '../../src/protocol/loss.ts'

const LOOK = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }

const CHAT = {
  model: 'gpt-5.1',
  max_tokens: 100,
  temperature: 1.5,
  seed: 7,
  tool_choice: 'auto',
  tools: [{ type: 'function', function: { name: 'look', description: 'Looks a word up.', parameters: LOOK } }],
  messages: [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content: 'Two words?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"word":"mill"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'a machine' },
  ],
}

function explained(body: unknown, options: ExplainOptions): Explanation {
  const found = explainRequest(body, options)
  return found.ok ? found : expect.unreachable(found.error.message)
}

const changesOf = ({ changes }: Explanation): readonly string[] =>
  changes.map(({ kind, path, upstreamPath }) => `${kind} ${path ?? ''} > ${upstreamPath ?? ''}`)

describe('the origins of a request for an upstream of its own protocol', () => {
  it('are those of all values, also of one with a member without a field in the hub', () => {
    const options = { client: 'openai-chat', vendor: 'openai-chat', model: 'm', passthrough: false } as const
    const [first, second, ...rest] = CHAT.messages
    const marked = { ...CHAT, messages: [first, { ...second, x_unknown: 1 }, ...rest] }
    const [origins, others] = [CHAT, marked].map((body) => explained(body, options).origins)
    expect(others).toEqual(origins)
    expect(others).toContainEqual(['messages[1]', 'messages[1]'])
  })
})

describe('the changes of a translated request', () => {
  const claude = explained(CHAT, { client: 'openai-chat', vendor: 'anthropic', model: 'claude-sonnet-4-5' })

  it('name for each value where it came from', () => {
    expect(claude.isPassed).toBe(false)
    expect(changesOf(claude)).toEqual([
      'changed model > model',
      'added  > system[0].type',
      'moved messages[0].content > system[0].text',
      'added  > system[0].cache_control',
      'moved messages[1].role > messages[0].role',
      'added  > messages[0].content[0].type',
      'moved messages[1].content > messages[0].content[0].text',
      'added  > messages[0].content[0].cache_control',
      'moved messages[2].role > messages[1].role',
      'changed messages[2].tool_calls[0].type > messages[1].content[0].type',
      'moved messages[2].tool_calls[0].id > messages[1].content[0].id',
      'moved messages[2].tool_calls[0].function.name > messages[1].content[0].name',
      'changed messages[2].tool_calls[0].function.arguments > messages[1].content[0].input',
      'added  > messages[2].role',
      'added  > messages[2].content[0].type',
      'moved messages[3].tool_call_id > messages[2].content[0].tool_use_id',
      'moved messages[3].content > messages[2].content[0].content',
      'added  > messages[2].content[0].cache_control',
      'changed temperature > temperature',
      'moved tools[0].function.name > tools[0].name',
      'moved tools[0].function.description > tools[0].description',
      'moved tools[0].function.parameters > tools[0].input_schema',
      'added  > tools[0].cache_control',
      'changed tool_choice > tool_choice',
      'removed seed > ',
      'removed tools[0].type > ',
      'removed messages[0].role > ',
      'removed messages[2].content > ',
      'removed messages[3].role > ',
    ])
  })

  it('have the values of both sides unless they are equal', () => {
    expect(claude.changes).toContainEqual({
      kind: 'changed',
      path: 'messages[2].tool_calls[0].function.arguments',
      upstreamPath: 'messages[1].content[0].input',
      before: '{"word":"mill"}',
      after: { word: 'mill' },
    })
    expect(claude.changes).toContainEqual({ kind: 'removed', path: 'seed', upstreamPath: null, before: 7 })
    expect(claude.losses.map(({ path, action }) => `${path} ${action}`)).toEqual(['seed dropped', 'temperature mapped'])
  })

  it('name path, headers and model of the call', () => {
    expect(claude).toMatchObject({ wire: 'anthropic-messages', model: 'claude-sonnet-4-5', path: '/v1/messages' })
    expect(claude.headers).toEqual({ 'anthropic-version': '2023-06-01' })
    const own = explained(
      { ...CHAT, model: 'openrouter/llama:online' },
      { client: 'openai-chat', vendor: 'openrouter' },
    )
    expect(own.model).toBe('llama')
  })

  it('find the data of an image inside a URL', () => {
    const data = 'iVBORw0KGgoAAAANSUhEUg=='
    const body = {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] },
      ],
    }
    const { changes } = explained(body, { client: 'anthropic-messages', vendor: 'openai-chat', model: 'gpt-4o' })
    expect(changes).toContainEqual({
      kind: 'changed',
      path: 'messages[0].content[0].source.data',
      upstreamPath: 'messages[0].content[0].image_url.url',
      before: data,
      after: `data:image/png;base64,${data}`,
    })
  })
})

describe('a request that is passed through', () => {
  it('has only the edits as changes', () => {
    const found = explained(CHAT, { client: 'openai-chat', vendor: 'groq', model: 'llama-3.3-70b' })
    expect(found).toMatchObject({ isPassed: true, edits: ['model'], losses: [] })
    expect(changesOf(found)).toEqual(['changed model > model'])
    const same = explained({ ...CHAT, model: 'groq/x' }, { client: 'openai-chat', vendor: 'groq', model: 'groq/x' })
    expect(same.changes).toEqual([])
  })

  it('goes to the wire of the client where the vendor has it', () => {
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
    const options = { client: 'anthropic-messages', vendor: 'deepseek' } as const
    expect(explained(body, options)).toMatchObject({ wire: 'anthropic-messages', isPassed: true })
    expect(explained(body, { ...options, passthrough: false }).isPassed).toBe(false)
    expect(explained(body, { ...options, wire: 'openai-chat' })).toMatchObject({ wire: 'openai-chat', isPassed: false })
  })
})

describe('cache breakpoints', () => {
  const options = { client: 'openai-chat', vendor: 'anthropic', model: 'claude-sonnet-4-5' } as const

  it('of the policy have no path of the client', () => {
    expect(explained(CHAT, options).breakpoints).toEqual(
      ['tools[0]', 'system[0]', 'messages[0].content[0]', 'messages[2].content[0]'].map((path) => ({
        path: `${path}.cache_control`,
        ttl: null,
        setBy: 'policy',
        clientPath: null,
      })),
    )
    expect(explained(CHAT, { ...options, cache: 'client' }).breakpoints).toEqual([])
  })

  it('of the client have the path where the client set them', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' }
    const body = {
      model: 'm',
      max_tokens: 9,
      system: [{ type: 'text', text: 'Rules', cache_control }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] }],
    }
    const client = 'anthropic-messages'
    const model = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
    expect(explained(body, { client, vendor: 'bedrock', model }).breakpoints).toEqual([
      { path: 'system[1].cachePoint', ttl: '1h', setBy: 'client', clientPath: 'system[0].cache_control' },
      {
        path: 'messages[0].content[1].cachePoint',
        ttl: '1h',
        setBy: 'client',
        clientPath: 'messages[0].content[0].cache_control',
      },
    ])
    expect(explained(body, { client, vendor: 'anthropic' }).breakpoints[0]).toMatchObject({
      path: 'system[0].cache_control',
      clientPath: 'system[0].cache_control',
    })
  })
})

describe('the shared prefix', () => {
  const options = { client: 'openai-chat', vendor: 'anthropic', model: 'claude-sonnet-4-5' } as const
  const next = { ...CHAT, messages: [...CHAT.messages, { role: 'user', content: 'And “stone”?' }] }

  it('is the whole earlier prompt where a conversation goes on', () => {
    const { sharedPrefix } = explained(next, { ...options, previous: CHAT })
    const { previous = 0, total = 0 } = sharedPrefix ?? {}
    expect(sharedPrefix).toEqual({ bytes: previous, total, previous, cached: previous, differsAt: null })
    expect(total).toBeGreaterThan(previous)
  })

  it('ends where the requests differ, in whole characters', () => {
    const other = { ...next, messages: [...CHAT.messages, { role: 'user', content: 'And “wheel”?' }] }
    const { sharedPrefix } = explained(next, { ...options, previous: JSON.stringify(other) })
    expect(sharedPrefix?.differsAt).toBe('messages[2].content[1]')
    const rest = new TextEncoder().encode('stone”?"}').length
    expect(sharedPrefix?.bytes).toBe((sharedPrefix?.total ?? 0) - rest)
    expect(sharedPrefix?.cached).toBeLessThan(sharedPrefix?.bytes ?? 0)
  })

  it('is nothing for another model, and needs no breakpoints elsewhere', () => {
    const to = { client: 'openai-chat', vendor: 'openai-chat' } as const
    const changed = { ...CHAT, model: 'gpt-4o' }
    expect(explained(next, { ...to, previous: changed }).sharedPrefix).toMatchObject({ bytes: 0, differsAt: 'model' })
    const { sharedPrefix } = explained(next, { ...to, previous: CHAT })
    expect(sharedPrefix?.cached).toBe(sharedPrefix?.bytes)
    expect(explained(next, to).sharedPrefix).toBe(null)
  })
})

describe('complaints about the body', () => {
  const tool = (name: string, parameters: object, strict = false) => ({
    type: 'function',
    function: { name, parameters, strict },
  })
  const shown = (body: object, options: ExplainOptions) => {
    const { complaints, losses } = explained(body, options)
    return {
      complaints: complaints.map(({ path, message }) => `${path}: ${message}`),
      losses: losses.map(formatLoss),
    }
  }

  it('are none about schemas and names that the vendor refuses: they are changed', () => {
    const open = { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a'] }
    const body = { ...CHAT, tools: [tool('a.b', open), tool('c', open, true), tool('c', { anyOf: [open] })] }
    expect(shown(body, { client: 'openai-chat', vendor: 'openai-chat', model: 'gpt-4o' })).toEqual({
      complaints: [],
      losses: [
        'tools[2].function dropped: another tool has the same name',
        'tools[1].function.strict mapped: sent as false: an object allows further properties, which this upstream refuses in a strict schema',
      ],
    })
  })

  it('are none about calls without results, and settings that exclude each other: they are changed', () => {
    const body = {
      model: 'm',
      thinking: { type: 'enabled', budget_tokens: 10 },
      tool_choice: { type: 'any' },
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      ],
    }
    expect(shown(body, { client: 'anthropic-messages', vendor: 'anthropic', model: 'claude-sonnet-4-5' })).toEqual({
      complaints: [],
      losses: [
        'thinking.budget_tokens dropped: this model does not support reasoning together with a forced tool call',
        'messages[1].content[0] mapped: the call has no output: sent with one that says so',
      ],
    })
  })

  it('are none about too many cache breakpoints, of which the first and the last ones stay', () => {
    const cached = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })
    const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: [...'abcdef'].map(cached) }] }
    expect(shown(body, { client: 'anthropic-messages', vendor: 'anthropic' })).toEqual({
      complaints: [],
      losses: [1, 2].map(
        (at) => `messages[0].content[${at}].cache_control dropped: this upstream accepts at most 4 cache breakpoints`,
      ),
    })
  })

  it('name a member that the upstream requires, and functions that the model does not call', () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
    expect(explained(body, { client: 'anthropic-messages', vendor: 'anthropic' }).upstream).toHaveProperty('max_tokens')
    const tools = { ...CHAT, tools: [tool('f', { type: 'object' })] }
    const options = { client: 'openai-chat', vendor: 'openai-chat', model: 'gpt-6-astra' } as const
    expect(explained(tools, options).complaints.map(({ path }) => path)).toEqual(['tools[0].function'])
  })
})

describe('failures of an explanation', () => {
  it('are those of the server, with the path of the client', () => {
    const wrong = explainRequest({ ...CHAT, temperature: 'hot' }, { client: 'openai-chat', vendor: 'cohere' })
    expect(wrong).toMatchObject({ ok: false, error: { party: 'client', param: 'temperature' } })
    const previous = explainRequest(CHAT, { client: 'openai-chat', vendor: 'groq', previous: {} })
    expect(previous).toMatchObject({ ok: false, error: { message: expect.stringMatching(/^previous request: /) } })
  })

  it('of the program are errors of types', () => {
    expect(() => explainRequest(CHAT, { vendor: 'nobody' })).toThrow(TypeError)
    expect(() => explainRequest(CHAT, { vendor: 'groq', client: 'cohere-chat' as never })).toThrow(TypeError)
  })
})
