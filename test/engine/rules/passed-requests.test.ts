import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../../src/api/explain-request.ts'
import { type Sent, sentBy } from '../sent-by.ts'

const HI = { role: 'user', content: 'Hi' }
const THINKING = { thinking: { type: 'enabled', budget_tokens: 2000 } }
const messages = (model: string, settings: object, more: readonly object[] = []): Sent =>
  sentBy('anthropic-messages', 'anthropic', model, { max_tokens: 4096, messages: [HI, ...more], ...settings })

describe('sampling of a passed Messages request', () => {
  it.each<[settings: object, sent: object, losses: readonly string[]]>([
    [{ temperature: 0.2 }, { temperature: 0.2 }, []],
    [{ top_p: 0.5 }, { top_p: 0.5 }, []],
    [{ top_k: 20 }, { top_k: 20 }, []],
    [{ temperature: 0.2, top_p: 0.5 }, { temperature: 0.2 }, ['top_p dropped']],
    [{ temperature: 1, top_p: 0.5 }, { top_p: 0.5 }, []],
    [{ temperature: 0.2, top_p: 1 }, { temperature: 0.2 }, []],
    [{ ...THINKING, temperature: 0.2 }, THINKING, ['temperature dropped']],
    [{ ...THINKING, temperature: 1 }, { ...THINKING, temperature: 1 }, []],
    [{ ...THINKING, top_p: 0.5 }, THINKING, ['top_p dropped']],
    [{ ...THINKING, top_p: 0.97 }, { ...THINKING, top_p: 0.97 }, []],
    [{ ...THINKING, top_k: 20 }, THINKING, ['top_k dropped']],
  ])('leaves out what Claude 4.5 refuses beside its reasoning, or both together: %j', (settings, sent, losses) => {
    const { body, losses: found } = messages('claude-sonnet-4-5', settings)
    expect(body).toEqual({ model: 'claude-sonnet-4-5', max_tokens: 4096, messages: [HI], ...sent })
    expect(found).toEqual(losses)
  })

  it('has no top_k for models that refuse sampling, also where the request is carried', () => {
    const tool = { name: 'files.read', input_schema: { type: 'object', properties: {} } }
    for (const more of [{}, { tools: [tool] }]) {
      const { body, losses } = messages('claude-opus-4-8', { top_k: 20, ...more })
      expect(body).not.toHaveProperty('top_k')
      expect(losses).toContain('top_k dropped')
    }
  })
})

describe('sampling of a translated request', () => {
  it.each([
    ['anthropic', 'claude-sonnet-4-5'],
    ['bedrock', 'us.anthropic.claude-sonnet-4-5-v1:0'],
    ['copilot', 'claude-sonnet-4.5'],
  ])('is left out at %s where Claude refuses it beside reasoning', (vendor, model) => {
    const { losses } = sentBy('openai-chat', vendor, model, {
      messages: [HI],
      max_tokens: 4096,
      reasoning_effort: 'high',
      temperature: 0.2,
    })
    expect(losses).toContain('temperature dropped')
  })

  it('stays at a router, which fits it to the model itself', () => {
    const asked = { messages: [HI], reasoning_effort: 'high', temperature: 0.2 }
    const { body, losses } = sentBy('openai-chat', 'openrouter', 'anthropic/claude-sonnet-4.5', asked)
    expect(body).toMatchObject({ temperature: 0.2 })
    expect(losses).toEqual([])
  })
})

describe('reasoning of a passed request', () => {
  it.each<[model: string, asked: number, sent: number]>([
    ['gemini-2.5-pro', 0, 128],
    ['gemini-2.5-pro', -1, -1],
    ['gemini-2.5-pro', 128, 128],
    ['gemini-2.5-flash', 0, 0],
    ['gemini-2.5-flash', 24_576, 24_576],
    ['gemini-2.5-flash', 65_535, 24_576],
    ['gemini-2.5-flash-lite', 100, 1024],
  ])('has a budget that %s accepts: %i', (model, asked, sent) => {
    const generationConfig = { thinkingConfig: { thinkingBudget: asked } }
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
    const { body } = sentBy('gemini-generate', 'google', model, { contents, generationConfig })
    expect(body.generationConfig).toEqual({ thinkingConfig: { thinkingBudget: sent } })
  })

  it('shows of it what the client wants to see, in the names that the client has', () => {
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
    const sent = (thinking_config: object) =>
      sentBy('gemini-generate', 'google', 'gemini-2.5-pro', { contents, generation_config: { thinking_config } }).body
    expect(sent({ thinking_level: 'LOW', include_thoughts: true }).generation_config).toEqual({
      thinking_config: { include_thoughts: true, thinkingBudget: 4096 },
    })
    expect(sent({ thinking_level: 'LOW' }).generation_config).toEqual({ thinking_config: { thinkingBudget: 4096 } })
  })

  const CALL = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] }
  const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'found' }] }
  const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]

  it('is left out by Claude with budgets where the last call has none', () => {
    const { body, losses } = messages('claude-sonnet-4-5', { ...THINKING, tools }, [CALL, RESULT])
    expect(body).not.toHaveProperty('thinking')
    expect(losses).toContain('thinking.budget_tokens dropped')
    const signed = { ...CALL, content: [{ type: 'thinking', thinking: 'Hm', signature: 'c2ln' }, ...CALL.content] }
    expect(messages('claude-sonnet-4-5', { ...THINKING, tools }, [signed, RESULT]).body).toMatchObject(THINKING)
    expect(messages('claude-opus-4-6', { ...THINKING, tools }, [CALL, RESULT]).body).toMatchObject(THINKING)
  })

  it('leaves no empty object where another form replaces an effort', () => {
    const { body } = messages('claude-sonnet-4-5', {
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    })
    expect(body).not.toHaveProperty('output_config')
    expect(body.thinking).toMatchObject({ type: 'enabled' })
  })
})

describe('sound in a format that OpenAI refuses', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'audio/ogg', data: 'AAAA' } }] }]
  const input = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'ogg' } }] }]

  it.each(['openai', 'azure', 'openai-chat', 'azure-chat'])('becomes a note at %s, with a loss', (vendor) => {
    const { body, losses } = sentBy('gemini-generate', vendor, 'gpt-audio', { contents })
    expect(JSON.stringify(body)).not.toContain('ogg')
    expect(JSON.stringify(body)).toContain('sound: it could not be passed on')
    expect(losses).toEqual(['contents[0].parts[1] dropped'])
  })

  it('is not passed in a request of the Responses API', () => {
    const { body, losses } = sentBy('openai-responses', 'openai', 'gpt-audio', { input })
    expect(JSON.stringify(body)).not.toContain('ogg')
    expect(losses).toEqual(['input[0].content[0] dropped'])
  })
})

it('a router to models of OpenAI receives the word JSON, as OpenAI does', () => {
  const asked = { messages: [HI], response_format: { type: 'json_object' } }
  const json = (model: string) => JSON.stringify(sentBy('openai-chat', 'openrouter', model, asked).body.messages)
  expect(json('openai/gpt-5.6-sol')).toContain('JSON')
  expect(json('mistralai/mistral-large-4')).not.toContain('JSON')
})

describe('what a passed request binds the model to', () => {
  const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

  it('is not strict for Claude that enforces no schemas', () => {
    const tools = [{ name: 'look', strict: true, input_schema: SCHEMA }]
    const { body, losses } = messages('claude-3-7-sonnet-latest', { tools })
    expect(JSON.stringify(body.tools)).not.toContain('"strict"')
    expect(losses).toEqual(['tools[0].strict dropped'])
    expect(messages('claude-sonnet-4-5', { tools }).body.tools).toEqual(tools)
  })

  it('is an instruction for a model that enforces no schemas', () => {
    const output_config = { format: { type: 'json_schema', schema: SCHEMA } }
    const { body, losses } = messages('claude-3-7-sonnet-latest', { output_config })
    expect(body).not.toHaveProperty('output_config')
    expect(JSON.stringify(body.system)).toContain('Answer with JSON')
    expect(losses).toEqual(['output_config.format.schema mapped'])
    expect(messages('claude-sonnet-4-5', { output_config }).body).toMatchObject({ output_config })
  })

  it('is an instruction in chat where a refusal has shown it', () => {
    const json_schema = { name: 'a', schema: SCHEMA }
    const asked = { model: 'a/m', messages: [HI], response_format: { type: 'json_schema', json_schema } }
    const quirks = { modelFacts: { 'zephyr-2': { jsonSchema: false, strictTools: false } } }
    const got = explainRequest(asked, { client: 'openai-chat', vendor: 'together', model: 'zephyr-2', quirks })
    if (!got.ok) return expect.unreachable(got.error.message)
    expect(got.upstream).not.toHaveProperty('response_format')
    expect(JSON.stringify(got.upstream.messages)).toContain('Answer with JSON')
  })
})

describe('a seed beyond 32 bits', () => {
  const HELLO = [{ role: 'user', parts: [{ text: 'Hi' }] }]
  const CALL = [...HELLO, { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] }, ...HELLO]

  it.each<[seed: number, sent: number]>([
    [2 ** 40 + 7, 7],
    [-(2 ** 40) - 7, 2 ** 31 - 7],
    [2 ** 31, 0],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [-(2 ** 31), -(2 ** 31)],
  ])('becomes the same smaller one each time, passed and carried: %d', (seed, small) => {
    for (const [contents, name] of [
      [HELLO, 'generationConfig'],
      [HELLO, 'generation_config'],
      [CALL, 'generationConfig'],
      [CALL, 'generation_config'],
    ] as const) {
      const { body, losses } = sentBy('gemini-generate', 'google', 'gemini-2.5-pro', { contents, [name]: { seed } })
      expect(body).toMatchObject({ [name]: { seed: small } })
      expect(losses.includes(`${name}.seed mapped`)).toBe(small !== seed)
    }
    const asked = { input: 'Hi', generation_config: { seed } }
    const { body } = sentBy('gemini-interactions', 'google-interactions', 'gemini-2.5-pro', asked)
    expect(body).toMatchObject({ generation_config: { seed: small } })
  })
})

describe('the name of a participant', () => {
  const named = [{ role: 'user', content: 'Hi', name: 'Ann Lee' }]
  const called = [
    ...named,
    {
      role: 'assistant',
      content: null,
      name: 'Bob/Ray',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    ...named,
  ]
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
  const namesIn = (body: object): readonly unknown[] =>
    (body as { readonly messages: readonly { readonly name?: unknown }[] }).messages.flatMap(({ name }) => name ?? [])

  it.each(['openai-chat', 'azure-chat'])('has characters that %s accepts, passed and carried', (vendor) => {
    const passed = sentBy('openai-chat', vendor, 'gpt-5.2', { messages: named })
    expect(namesIn(passed.body)).toEqual(['Ann_Lee'])
    expect(passed.losses).toEqual(['messages[0].name mapped'])
    const carried = sentBy('openai-chat', vendor, 'gpt-5.2', { messages: called, tools })
    expect(carried.edits).toBeNull()
    expect(namesIn(carried.body)).toEqual(['Ann_Lee', 'Bob_Ray', 'Ann_Lee'])
    for (const at of [0, 1, 2]) expect(carried.losses).toContain(`messages[${at}].name mapped`)
  })

  it('stays where the upstream accepts any, passed and carried', () => {
    for (const messages of [named, called]) {
      const { body, losses } = sentBy('openai-chat', 'vllm', 'zephyr', { messages, tools })
      expect(namesIn(body)).toContain('Ann Lee')
      expect(losses.filter((loss) => loss.includes('name'))).toEqual([])
    }
  })
})
