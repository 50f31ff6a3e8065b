import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import { decodeContext, refusal, requestWith } from '../../deltas.ts'

const HI = { role: 'user', content: 'Hi' }

const read = (fields: JsonObject) =>
  requestWith(runSteps(client.decodeRequest({ model: 'acme/m-1', messages: [HI], ...fields }, decodeContext())))

/** Returns the fields of the decoded request except the model and the input. */
function fieldsOf(fields: JsonObject): JsonObject {
  const { body, losses } = read(fields)
  expect(losses).toEqual([])
  expect(validateRequest(body)).toMatchObject({ ok: true })
  const { model, input, ...rest } = body
  return rest
}

const lossesOf = (fields: JsonObject): readonly string[] =>
  read(fields).losses.map(({ path, action }) => `${path} ${action}`)

const refused = (fields: JsonObject) =>
  refusal(runSteps(client.decodeRequest({ model: 'acme/m-1', messages: [HI], ...fields }, decodeContext())))

const PARAMETERS = { type: 'object', properties: {} }
const LOOK = {
  type: 'function',
  function: { name: 'look', description: 'It looks.', parameters: PARAMETERS, strict: true },
}
const GREP = {
  type: 'custom',
  custom: { name: 'grep', format: { type: 'grammar', grammar: { syntax: 'regex', definition: 'a*' } } },
}

describe('the decoder of chat requests', () => {
  it.each([
    ['nothing', {}, {}],
    ['nulls', { temperature: null, stop: null, tools: null, tool_choice: null, response_format: null, n: null }, {}],
    ['one choice', { n: 1 }, {}],
    ['a stream', { stream: true }, { stream: true }],
    ['max_tokens', { max_tokens: 9 }, { max_output_tokens: 9 }],
    ['max_completion_tokens', { max_completion_tokens: 9, max_tokens: 9 }, { max_output_tokens: 9 }],
    ['sampling parameters', { temperature: 0.5, top_p: 0.9 }, { temperature: 0.5, top_p: 0.9 }],
    ['penalties', { presence_penalty: 1, frequency_penalty: -1 }, { presence_penalty: 1, frequency_penalty: -1 }],
    [
      'an account',
      { user: 'u', metadata: { a: 'b' }, service_tier: 'flex' },
      { user: 'u', metadata: { a: 'b' }, service_tier: 'flex' },
    ],
    ['keys', { safety_identifier: 's', prompt_cache_key: 'k' }, { safety_identifier: 's', prompt_cache_key: 'k' }],
    [
      'log probabilities',
      { logprobs: true, top_logprobs: 2 },
      { include: ['message.output_text.logprobs'], top_logprobs: 2 },
    ],
    ['no log probabilities', { logprobs: false }, {}],
    ['fields that other vendors reject', { store: false, logit_bias: null, modalities: ['text'] }, {}],
    ['verbosity', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
  ] as const)('decodes the fields of a request with %s', (_, fields, expected) => {
    expect(fieldsOf(fields)).toEqual(expected)
  })

  it.each([
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json_object' }, { type: 'json_object' }],
    [
      { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema: PARAMETERS, strict: true } },
      { type: 'json_schema', name: 'n', description: 'd', schema: PARAMETERS, strict: true },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'n' } },
      { type: 'json_schema', name: 'n', schema: {} },
    ],
  ])('decodes the response format %j', (response_format, format) => {
    expect(fieldsOf({ response_format })).toEqual({ text: { format } })
  })

  it.each([
    [{ reasoning_effort: 'minimal' }, { effort: 'minimal' }],
    [{ reasoning: { effort: 'high', summary: 'auto' } }, { effort: 'high', summary: 'auto' }],
    [{ reasoning: { enabled: false } }, { effort: 'none' }],
    [{ reasoning: { enabled: true } }, { effort: 'medium' }],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
  ] as const)('decodes the reasoning requested by %j', (fields, reasoning) => {
    expect(fieldsOf(fields)).toEqual({ reasoning })
  })

  it.each([
    [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, 'low'],
    [{ reasoning: { effort: 'low', max_tokens: 500 } }, 'low'],
    [{ reasoning: { enabled: false, max_tokens: 500 } }, 'none'],
    [{ reasoning: { enabled: true, max_tokens: 500 } }, 'minimal'],
    [{ reasoning_effort: 'high', thinking: { type: 'disabled' } }, 'high'],
  ])('reads the effort from the first of all fields that request reasoning: %j', (fields, effort) => {
    expect(read(fields).body.reasoning).toEqual({ effort })
  })

  it.each([
    [500, 'minimal'],
    [2000, 'low'],
    [8000, 'medium'],
    [20_000, 'high'],
    [60_000, 'xhigh'],
  ])('maps %i reasoning tokens to the effort %s', (max_tokens, effort) => {
    const { body, losses } = read({ reasoning: { max_tokens } })
    expect(body.reasoning).toEqual({ effort })
    expect(losses).toMatchObject([{ path: 'reasoning.max_tokens', action: 'mapped' }])
  })

  it.each([
    ['\n', ['\n']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[], null],
    [null, null],
  ])('decodes the stop sequences %j', (stop, expected) => {
    expect(read({ stop }).stop).toEqual(expected)
  })

  it('returns the settings that the encoder of the answer needs', () => {
    const none = { usage: false, legacy: false, hidden: false }
    expect(read({}).settings).toEqual(none)
    expect(read({ stream_options: { include_usage: true } }).settings).toEqual({ ...none, usage: true })
    expect(read({ usage: { include: true } }).settings).toEqual({ ...none, usage: true })
    expect(read({ functions: [LOOK.function] }).settings).toEqual({ ...none, legacy: true })
    expect(read({ reasoning: { exclude: true } }).settings).toEqual({ ...none, hidden: true })
    expect(read({ include_reasoning: false }).settings).toEqual({ ...none, hidden: true })
  })
})

describe('the decoder of tools in chat requests', () => {
  it('decodes functions and custom tools', () => {
    expect(fieldsOf({ tools: [LOOK, GREP, { type: 'function', function: { name: 'bare' } }] })).toEqual({
      tools: [
        { type: 'function', name: 'look', description: 'It looks.', parameters: PARAMETERS, strict: true },
        { type: 'custom', name: 'grep', format: { type: 'grammar', syntax: 'regex', definition: 'a*' } },
        { type: 'function', name: 'bare' },
      ],
    })
  })

  it('passes on hosted tools unchanged', () => {
    const tools = [{ type: 'openrouter:web_search', parameters: { max_results: 3 } }]
    expect(fieldsOf({ tools })).toEqual({ tools })
  })

  it.each<[Json, Json]>([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    ['any', 'required'],
    [
      { type: 'function', function: { name: 'look' } },
      { type: 'function', name: 'look' },
    ],
    [
      { type: 'custom', custom: { name: 'grep' } },
      { type: 'custom', name: 'grep' },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [LOOK] } },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] },
    ],
  ])('decodes the tool choice %j', (tool_choice, expected) => {
    expect(fieldsOf({ tools: [LOOK, GREP], tool_choice }).tool_choice).toEqual(expected)
  })

  it('decodes legacy functions as tools without parallel calls', () => {
    const fields = fieldsOf({ functions: [LOOK.function], function_call: { name: 'look' } })
    expect(fields).toEqual({
      tools: [{ type: 'function', name: 'look', description: 'It looks.', parameters: PARAMETERS, strict: true }],
      tool_choice: { type: 'function', name: 'look' },
      parallel_tool_calls: false,
    })
    expect(fieldsOf({ functions: [LOOK.function], function_call: 'none' }).tool_choice).toBe('none')
  })

  it('maps web_search_options to the tool web_search', () => {
    const approximate = { city: 'Bern', country: 'CH' }
    const { body, losses } = read({
      web_search_options: { search_context_size: 'low', user_location: { type: 'approximate', approximate } },
    })
    const user_location = { type: 'approximate', ...approximate }
    expect(body.tools).toEqual([{ type: 'web_search', search_context_size: 'low', user_location }])
    expect(losses).toMatchObject([{ path: 'web_search_options', action: 'mapped' }])
  })

  it('maps the plugin web to the tool service:web_search', () => {
    const { body, losses } = read({
      plugins: [{ id: 'web', max_results: 3, include_domains: ['a.example'] }, { id: 'x' }],
    })
    expect(body.tools).toEqual([{ type: 'service:web_search', max_results: 3, include_domains: ['a.example'] }])
    expect(losses).toMatchObject([
      { path: 'plugins[0]', action: 'mapped' },
      { path: 'plugins[1]', action: 'dropped' },
    ])
  })

  it('decodes one search from several fields that request it and drops the others', () => {
    const fields = { tools: [{ type: 'web_search' }], plugins: [{ id: 'web' }], web_search_options: {} }
    expect(read(fields).body.tools).toEqual([{ type: 'web_search' }])
    expect(lossesOf(fields)).toEqual(['web_search_options dropped', 'plugins[0] dropped'])
  })
})

describe('losses of a chat request', () => {
  it.each([
    [{ seed: 7, logit_bias: { 50: 1 }, top_k: 5 }, ['seed dropped', 'logit_bias dropped', 'top_k dropped']],
    [{ store: true }, ['store dropped']],
    [{ stream_options: { include_obfuscation: true } }, ['stream_options.include_obfuscation dropped']],
    [{ prediction: { type: 'content', content: 'x' } }, ['prediction dropped']],
    [{ provider: { order: ['a'] }, models: ['b/c'] }, ['provider dropped', 'models dropped']],
    [{ max_tokens: 5, max_completion_tokens: 6 }, ['max_tokens dropped']],
    [{ reasoning: { effort: 'low', max_tokens: 500 } }, ['reasoning.max_tokens dropped']],
    [{ reasoning: { enabled: false, max_tokens: 500 } }, ['reasoning.max_tokens dropped']],
    [{ reasoning: { enabled: true, max_tokens: 500 } }, ['reasoning.max_tokens mapped']],
    [{ reasoning: { effort: 'low', enabled: false } }, ['reasoning.enabled dropped']],
    [{ reasoning: { effort: 'none', enabled: true } }, ['reasoning.enabled dropped']],
    [{ reasoning: { effort: 'low', enabled: true } }, []],
    [{ reasoning_effort: 'high', reasoning: { effort: 'low' } }, ['reasoning.effort dropped']],
    [{ reasoning_effort: 'low', reasoning: { effort: 'low' } }, []],
    [{ reasoning_effort: 'high', reasoning: { max_tokens: 500 } }, ['reasoning.max_tokens dropped']],
    [{ reasoning_effort: 'high', thinking: { type: 'disabled' } }, ['thinking dropped']],
    [{ reasoning_effort: 'high', thinking: { type: 'enabled', odd: 1 } }, ['thinking.odd dropped']],
    [{ reasoning_effort: 'none', thinking: { type: 'disabled' } }, []],
    [{ thinking: 'enabled' }, ['thinking dropped']],
    [{ logit_bias: {}, prompt_cache_retention: 'in-memory', messages: [{ ...HI, name: '' }] }, []],
    [{ prompt_cache_retention: 'in_memory' }, []],
    [{ prompt_cache_retention: '24h', prompt_cache_options: { mode: 'explicit' } }, []],
    [{ thinking: { type: 'enabled', budget_tokens: 5 } }, ['thinking.budget_tokens dropped', 'thinking mapped']],
    [
      { messages: [{ ...HI, name: 'Ann', cache_control: { type: 'ephemeral' } }] },
      ['messages[0].name dropped', 'messages[0].cache_control dropped'],
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: {} }] }] },
      ['messages[0].content[0].cache_control dropped'],
    ],
    [{ messages: [{ role: 'assistant', content: 'x', audio: { id: 'a' } }] }, ['messages[0].audio dropped']],
  ])('are recorded for the fields %j', (fields, expected) => {
    expect(lossesOf(fields as JsonObject)).toEqual(expected)
  })
})

describe('an invalid chat request', () => {
  const content = (part: unknown) => ({ messages: [HI, { role: 'user', content: [part] }] })
  const allowing = (...tools: readonly Json[]) => ({
    tools: [LOOK],
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools } },
  })
  const assistant = (fields: object) => ({ messages: [HI, { role: 'assistant', content: null, ...fields }] })

  it.each([
    ['model', { model: '' }],
    ['messages', { messages: 'Hi' }],
    ['messages', { messages: [] }],
    ['messages[0]', { messages: ['Hi'] }],
    ['messages[0].role', { messages: [{ role: 'human', content: 'Hi' }] }],
    ['messages[0].content', { messages: [{ role: 'user' }] }],
    ['messages[1].content[0].type', content({ type: 'video_url', video_url: { url: 'x' } })],
    ['messages[1].content[0].text', content({ type: 'text' })],
    ['messages[1].content[0].image_url', content({ type: 'image_url' })],
    ['messages[1].content[0].image_url.url', content({ type: 'image_url', image_url: {} })],
    ['messages[1].content[0].input_audio.format', content({ type: 'input_audio', input_audio: { data: 'AA==' } })],
    ['messages[1].content[0].file.file_data', content({ type: 'file', file: { filename: 'a.pdf' } })],
    ['messages[1].content[0].type', assistant({ content: [{ type: 'image_url' }] })],
    ['messages[1].tool_calls[0].id', assistant({ tool_calls: [{ function: { name: 'f', arguments: '{}' } }] })],
    ['messages[1].tool_calls[0].function', assistant({ tool_calls: [{ id: 'c' }] })],
    [
      'messages[1].tool_calls[0].function.name',
      assistant({ tool_calls: [{ id: 'c', function: { arguments: '{}' } }] }),
    ],
    [
      'messages[1].tool_calls[0].custom.input',
      assistant({ tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: 1 } }] }),
    ],
    ['messages[0].tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
    ['messages[0].name', { messages: [{ role: 'function', name: 'f', content: 'x' }] }],
    ['tools', { tools: {} }],
    ['tools[0].type', { tools: [{}] }],
    ['tools[0].function.name', { tools: [{ type: 'function', function: {} }] }],
    ['tools[0].function.parameters', { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] }],
    ['tools[0].custom.name', { tools: [{ type: 'custom', custom: {} }] }],
    ['tool_choice', { tool_choice: 7 }],
    [
      'tool_choice.allowed_tools.tools[1].function.name',
      allowing(LOOK, { type: 'function', function: { name: 'other' } }),
    ],
    ['tool_choice.allowed_tools.tools[0].function.name', allowing({ type: 'function', function: {} })],
    ['tool_choice.allowed_tools.tools[0].custom.name', allowing({ type: 'custom', custom: { name: 'look' } })],
    ['tool_choice.allowed_tools.tools[0].type', allowing({ type: 'web_search' })],
    ['tool_choice.function.name', { tools: [LOOK], tool_choice: { type: 'function', function: { name: 'other' } } }],
    ['tool_choice.type', { tool_choice: { type: 'web_search' } }],
    ['function_call.name', { functions: [LOOK.function], function_call: { name: 'other' } }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_completion_tokens', { max_completion_tokens: 1.5 }],
    ['stop', { stop: 7 }],
    ['stop[1]', { stop: ['a', ''] }],
    ['n', { n: 2 }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['logprobs', { logprobs: 5 }],
    ['reasoning_effort', { reasoning_effort: 7 }],
    ['reasoning.effort', { reasoning: { effort: [] } }],
    ['reasoning', { reasoning: 'high' }],
    ['verbosity', { verbosity: true }],
    ['response_format.type', { response_format: { type: 'xml' } }],
    ['response_format.json_schema', { response_format: { type: 'json_schema' } }],
    ['response_format.json_schema.name', { response_format: { type: 'json_schema', json_schema: {} } }],
    ['stream_options.include_usage', { stream_options: { include_usage: 'yes' } }],
    ['plugins[0]', { plugins: ['web'] }],
  ])('is rejected with the path %s', (param, fields) => {
    const { param: place, message } = refused(fields as JsonObject)
    expect(place).toBe(param)
    expect(message.startsWith(`${param}: `)).toBe(true)
  })

  it('is rejected with a message that names the expected and the received value', () => {
    expect(refused({ messages: [{ role: 'human', content: 'Hi' }] }).message).toBe(
      'messages[0].role: expected one of system, developer, user, assistant, tool, function, got "human"',
    )
    expect(refused({ n: 3 }).message).toBe('n: expected 1, because only one choice is supported, got 3')
  })
})
