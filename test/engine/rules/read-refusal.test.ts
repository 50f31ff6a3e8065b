import { describe, expect, it } from 'vitest'
import { learnFrom } from '../../../src/engine/rules/read-refusal.ts'
import type { RefusedRequest, Taught } from '../../../src/engine/rules/refusal.ts'
import type { EffortStep } from '../../../src/models/facts.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { runSteps } from '../../../src/text/steps.ts'
import { readError } from '../../../src/wires/shared/upstream/answers/read-error.ts'
import { ABOUT_OTHERS, IN_OTHER_WORDS, INVENTED, type VendorRefusal } from './vendor-refusals.ts'

const readRefusal = (refused: RefusedRequest) => runSteps(learnFrom(refused))

const FUNCTION = {
  name: 'f',
  strict: true,
  parameters: { type: 'object', properties: { name: {}, strict: {}, status: {} } },
}

const BODY: JsonObject = {
  messages: [
    {
      role: 'assistant',
      name: 'ann',
      content: [{ type: 'tool_use', name: 'f', input: { status: 1 }, cache_control: {} }],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
  ],
  input: [{ type: 'function_call', name: 'f', status: 'completed', phase: 'final_answer' }],
  tools: [{ name: 'f', strict: true, input_schema: { properties: { strict: {} } }, function: FUNCTION }],
  tool_choice: { type: 'function', name: 'f', strict: true },
  tool_config: { mode: 'any' },
  system_instruction: { parts: [] },
  cachedContent: 'c',
  cached_content: 'c',
  documents: [],
  guardrailConfig: {},
  safetySettings: [],
  safety_settings: [],
  previousResponseId: 'r',
  previous_response_id: 'r',
  conversation: 'c',
  generationConfig: { topK: 1, maxOutputTokens: 9, responseMimeType: 'application/json' },
  text: { verbosity: 'low', format: { type: 'json_object' } },
  temperature: 99,
  user: 'u',
  metadata: { secret_key: 'v', user_id: 'u' },
  prompt_cache_key: 'k',
  top_logprobs: 20,
}

const read = (text: string, body = BODY) => readRefusal({ text, param: null, body })
const model = (taught: Taught) => [{ scope: 'model', ...taught }]
const once = (...members: readonly string[]) => [{ scope: 'request', quirks: { refusesMembers: members } }]
const extra = (path: string) => read(`${path}: Extra inputs are not permitted`)

describe('a refusal', () => {
  it.each([
    'tools.0.function.name',
    'tools.0.name',
    'input.0.name',
    'messages.0.tool_calls.0.function.name',
    'messages.0.content.0.name',
    'messages.0.content.0.input.status',
    'tool_choice.name',
    'tool_choice.strict',
    'tools.0.function.parameters.properties.name',
    'tools.0.function.parameters.properties.strict',
    'tools.0.input_schema.properties.strict',
  ])('of `%s` removes nothing', (path) => {
    expect(extra(path)).toEqual([])
    expect(read(`Unknown parameter: '${path}'.`)).toEqual([])
  })

  it.each([
    ['messages.0.name', 'messages.*.name'],
    ['messages.0.content.0.cache_control', 'messages.*.content.*.cache_control'],
    ['tools.0.function.strict', 'tools.*.function.strict'],
    ['input.0.phase', 'input.*.phase'],
    ['text.verbosity', 'text.verbosity'],
    ['generationConfig.topK', 'generationConfig.topK'],
    ['metadata.user_id', 'metadata.user_id'],
    ['temperature', 'temperature'],
  ])('of `%s` removes it', (path, removed) => {
    expect(read(`Unknown parameter: '${path}'.`)).toEqual(model({ quirks: { refusesMembers: [removed] } }))
  })

  it.each([
    ...['system_instruction', 'tool_config', 'cachedContent', 'cached_content', 'documents', 'guardrailConfig'],
    ...['safetySettings', 'safety_settings', 'previousResponseId', 'previous_response_id', 'conversation'],
    ...['generationConfig', 'generationConfig.maxOutputTokens', 'generation_config.max_output_tokens', 'text'],
    ...['text.format', 'generationConfig.responseMimeType'],
  ])('of `%s`, without which the request is another one, removes nothing', (path) => {
    expect(read(`Unknown parameter: '${path}'.`)).toEqual([])
  })

  it.each([
    ['response_format', { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } }],
    ['text.format', { text: { format: { type: 'json_schema', name: 'a', schema: {} } } }],
    ['output_config', { output_config: { effort: 'low', format: { type: 'json_schema', schema: {} } } }],
    ['format', { format: { type: 'object' } }],
  ])('of the schema in `%s` makes it an instruction', (path, body) => {
    expect(read(`Unsupported parameter: '${path}'.`, body)).toEqual(model({ facts: { jsonSchema: false } }))
  })

  const FORMAT = { generationConfig: { responseMimeType: 'application/json' } }

  it.each<[string, Taught]>([
    ["This model doesn't support tool use.", { facts: { tools: false } }],
    ['registry.ollama.ai/library/gemma3:27b does not support tools', { facts: { tools: false } }],
    ['Function calling is not enabled for models/gemma-3-27b-it', { facts: { tools: false } }],
    ['Developer instruction is not enabled for models/gemma-3-27b-it', { facts: { systemInstruction: false } }],
    [
      'JSON mode is not enabled for models/gemma-3-27b-it',
      { facts: { jsonSchema: false }, quirks: { refusesMembers: ['generationConfig.responseMimeType'] } },
    ],
    [
      'Built-in tools ({google_search}) and Custom tools (Function Calling) cannot be combined in the same request.',
      { facts: { mixesTools: false } },
    ],
    [
      'You invoked an unsupported model or your request did not allow prompt caching. See the documentation.',
      { facts: { caches: 'none' } },
    ],
    ['messages[1].role: unknown variant `system`, expected `user` or `assistant`', { facts: { lateSystem: false } }],
    [
      'The `content[].thinking` in the thinking mode must be passed back to the API.',
      { facts: { needsReasoning: true } },
    ],
    [
      'invalid params, invalid thinking.type: "enabled" (allowed: adaptive, disabled) (2013)',
      { facts: { reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] } },
    ],
    ["messages.content.type 参数非法，取值范围 ['text']", { facts: { images: false } }],
    [
      'thinking level none is not supported',
      { facts: { reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] } },
    ],
    ['Thinking level HIGH is not supported', { facts: { reasoningBy: 'effort', efforts: ['low', 'medium'] } }],
  ])('in the words %j is read', (text, taught) => {
    expect(read(text, FORMAT)).toEqual(model(taught))
  })

  it('of a breakpoint inside a result removes it', () => {
    const block = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }
    const body = {
      messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [block] }] }],
    }
    const path = 'messages.0.content.0.tool_result.content.0.cache_control'
    expect(read(`${path}: cache_control may not be specified within \`tool_result.content\`.`, body)).toEqual(
      model({ quirks: { refusesMembers: ['messages.*.content.*.content.*.cache_control'] } }),
    )
  })

  it.each([
    "This model doesn't support tool use in streaming mode.",
    'This model does not support function calling when thinking is enabled.',
    'No endpoints found that support tool use.',
    'Model m does not support tools for free users.',
    'Model m does not support tool calls for streams.',
  ])('in the words %j does not turn functions off', (text) => {
    expect(read(text, FORMAT)).toEqual([])
  })

  it('of `strict` beside a schema removes it, never below the schema', () => {
    const schema = { properties: { strict: {} } }
    const body = { response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } } }
    const path = 'response_format.json_schema.strict'
    expect(read(`Unknown parameter: '${path}'.`, body)).toEqual(model({ quirks: { refusesMembers: [path] } }))
    expect(read("Unknown parameter: 'response_format.json_schema.schema.properties.strict'.", body)).toEqual(
      model({ facts: { jsonSchema: false } }),
    )
  })

  it('of another format teaches nothing, and of an effort alone removes it', () => {
    const body = { response_format: { type: 'json_object' }, output_config: { effort: 'low' } }
    expect(read("Unsupported parameter: 'response_format'.", body)).toEqual([])
    expect(read("Unsupported parameter: 'output_config'.", body)).toEqual(
      model({ quirks: { refusesMembers: ['output_config'] } }),
    )
  })

  it.each([
    ["Invalid 'user': string too long.", once('user')],
    [
      "Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 99 instead.",
      [...model({ facts: { longestUser: 64 } }), ...once('user')],
    ],
    [
      "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 0, but got one.",
      once('prompt_cache_key'),
    ],
    ['top_logprobs must be between 0 and 8', [{ scope: 'request', facts: { logprobs: false } }]],
    ["Invalid 'metadata.secret_key': string too long.", once('metadata')],
    ["Unknown parameter: 'metadata.secret_key'.", once('metadata')],
    [
      "Unsupported value: 'temperature' does not support 99 with this model. Supported values are: 0 to 2.",
      once('temperature'),
    ],
    [
      "Unsupported value: 'temperature' does not support 99 with this model. Only the default (1) value is supported.",
      model({ quirks: { refusesMembers: ['temperature'] } }),
    ],
    ['invalid temperature: only 1 is allowed for this model', model({ quirks: { refusesMembers: ['temperature'] } })],
    ['thinking level foo is not supported', []],
  ])('of a value is for one request: %s', (text, restriction) => {
    expect(read(text)).toEqual(restriction)
  })

  it.each([
    ['max_tokens is too large: 99999. This model supports at most 4096', model({ facts: { mostOutput: 4096 } })],
    ['max_tokens is too large: 99999. This model supports at most 1', []],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 5]', []],
    ["Invalid 'max_output_tokens': integer below minimum value. Expected >= 16", model({ facts: { leastOutput: 16 } })],
    ["Invalid 'max_output_tokens': integer below minimum value. Expected >= 90000", []],
  ])('with a number is read if the number is plausible: %s', (text, restriction) => {
    expect(read(text, { ...BODY, max_tokens: 99999 })).toEqual(restriction)
  })
})

describe('a level that a message quotes without the name of its member', () => {
  const only = (...efforts: readonly EffortStep[]) =>
    model({ facts: { reasons: 'always', reasoningBy: 'effort', efforts } })

  it.each([
    ['medium, low, high', { generation_config: { thinking_level: 'minimal' } }, only('medium', 'low', 'high')],
    ['low, high', { generationConfig: { thinkingConfig: { thinkingLevel: 'MINIMAL' } } }, only('low', 'high')],
    ['low, high', { generation_config: { thinking_level: 'medium' } }, []],
    [
      'low, high',
      {
        generation_config: { thinking_level: 'minimal' },
        response_format: { json_schema: { schema: { title: 'minimal' } } },
      },
      only('low', 'high'),
    ],
  ])('teaches the values that it allows: %s', (list, body, restrictions) => {
    const text = `'minimal' is not a supported thinking level for this model. Allowed values are: ${list}.`
    expect(read(text, body)).toEqual(restrictions)
  })
})

it('of the name of a participant is about this name, not about names of tools', () => {
  const text =
    "Invalid 'messages[0].name': string does not match pattern. Expected a string that matches the pattern '^[^x]+$'."
  expect(read(text)).toEqual(once('messages.*.name'))
})

it('of names of parameters teaches which fit', () => {
  const text = "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
  expect(read(text)).toEqual(model({ facts: { parameterNames: 'plain' } }))
})

const readVendor = ({ error, sent }: VendorRefusal) => {
  const { text, param } = readError(error)
  return readRefusal({ text: text ?? '', param, body: sent })
}

describe('twenty sentences without a row of their own', () => {
  it.each(INVENTED)('are read: $vendor', (refusal) => {
    expect(readVendor(refusal)).toEqual([refusal.teaches])
  })
})

describe('sentences in words of no list', () => {
  it.each(IN_OTHER_WORDS)('are about the member that they name: $vendor', (refusal) => {
    expect(readVendor(refusal)).toEqual([refusal.teaches])
  })

  it.each(ABOUT_OTHERS)('teach nothing where they are about another thing: %s', (text, body) => {
    expect(read(text, body)).toEqual([])
  })

  it('teach nobody else what a client has made the vendor quote', () => {
    const said = 'top_p: acme lacks support for parameter seed'
    const body = { messages: [{ role: 'user', content: said }], seed: 1, top_p: 0.4 }
    for (const text of [said, `Refused: ${said}`, `"${said}" is no prompt`])
      expect(read(text, body).filter(({ scope }) => scope !== 'request')).toEqual([])
  })

  it.each([
    ['parameter seed obsolete', 'request'],
    ['seed obsolete', 'model'],
  ])('are a quotation from three words on: %s', (said, scope) => {
    const body = { messages: [{ role: 'user', content: `Say ${said} twice` }], seed: 1 }
    expect(read('Refused: parameter seed obsolete', body)).toEqual([{ scope, quirks: { refusesMembers: ['seed'] } }])
  })
})

describe('sentences of the table', () => {
  const SERVER_TOOLS = { tools: [{ type: 'function', name: 'f' }, { type: 'image_generation' }] }
  const FUNCTIONS = { tools: [{ type: 'function', function: { name: 'f.a', parameters: {} } }] }
  it.each<[text: string, body: JsonObject, taught: Taught]>([
    [
      "Invalid 'tools[3].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 2028 instead.",
      FUNCTIONS,
      { quirks: { longestDescription: 1024 } },
    ],
    ['Invalid request: unsupported image url: https://a.example/b.png', {}, { facts: { imageUrls: false } }],
    ["'url' field must be a base64 encoded image.", {}, { facts: { imageUrls: false } }],
    [
      "Invalid schema for function 'f': In context=(), object schema missing properties.",
      FUNCTIONS,
      { quirks: { refusesInSchemas: ['noProperties'] } },
    ],
    [
      "Invalid schema for function 'f': In context=('properties', 'a'), array schema missing items.",
      FUNCTIONS,
      { quirks: { refusesInSchemas: ['noItems'] } },
    ],
    [
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      { messages: [], response_format: { type: 'json_object' } },
      { facts: { jsonWord: true } },
    ],
    [
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      FUNCTIONS,
      { quirks: { toolNames: 'short' } },
    ],
    [
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
      FUNCTIONS,
      { quirks: { toolNames: 'short' } },
    ],
    [
      '* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore.',
      {},
      { quirks: { toolNames: 'letter' } },
    ],
    [
      "Invalid type for 'messages[0].content': expected a string, but got an array instead.",
      { messages: [{ role: 'user', content: [] }] },
      { quirks: { plainContent: true } },
    ],
    ['Penalty is not enabled for models/gemini-4.2', {}, { facts: { penalties: false } }],
    [
      'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      { messages: [] },
      { facts: { lastRole: 'user' } },
    ],
    ['Logprobs is not enabled for models/gemini-4.2', {}, { facts: { logprobs: false } }],
    [
      "This model does not support effort level 'max' on claude-saga-7.1. Supported levels: high, low.",
      { output_config: { effort: 'max' } },
      { facts: { reasoningBy: 'effort', efforts: ['high', 'low'] } },
    ],
    [
      "Unsupported parameter: 'max_tokens' is not supported with gpt-9.1. Use 'max_completion_tokens' instead.",
      { max_tokens: 9 },
      { quirks: { maxTokensField: 'max_completion_tokens' } },
    ],
    [
      'max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-next-4-5-20261111',
      { max_tokens: 200000 },
      { facts: { mostOutput: 64000 } },
    ],
    [
      "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 200000 instead.",
      { max_output_tokens: 200000 },
      { facts: { mostOutput: 16384 } },
    ],
    [
      'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
      { generationConfig: { maxOutputTokens: 100000 } },
      { facts: { mostOutput: 65536 } },
    ],
    [
      "Unsupported value: 'max' is not supported with the 'gpt-9.1' model. Supported values are: 'none', 'minimal', and 'high'.",
      { reasoning: { effort: 'max' } },
      { facts: { reasons: 'optional', reasoningBy: 'effort', efforts: ['minimal', 'high'] } },
    ],
    [
      "Unsupported value: 'low' is not supported with the 'gpt-9.1' model. Supported values are: 'medium'.",
      { text: { verbosity: 'low' } },
      { facts: { verbosities: ['medium'] } },
    ],
    [
      'The maximum tokens you requested exceeds the model limit of 64000. Try again with a value that is lower.',
      { inferenceConfig: { maxTokens: 99_999 } },
      { facts: { mostOutput: 64_000 } },
    ],
    [
      'stop_sequences: each stop sequence must contain non-whitespace',
      { stop_sequences: [' '] },
      { facts: { blankStops: false } },
    ],
    ['You are not allowed to request logprobs from this model.', { logprobs: true }, { facts: { logprobs: false } }],
    [
      "Tool choice 'tool_choice' must not be used: the model zeta-2.5 does not support it.",
      { tools: [], tool_choice: 'required' },
      { facts: { forcedWhileReasoning: 'none', forcedTools: 'none' } },
    ],
    ...[
      'messages[1]: unknown variant `image_url`, expected `text` at line 1 column 679289',
      'This model does not support image inputs',
      'zeta-4 is not a multimodal model',
    ].map((text): [string, JsonObject, Taught] => [text, { messages: [] }, { facts: { images: false } }]),
    [
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
      { messages: [] },
      { quirks: { strictTurns: true } },
    ],
    ...[
      'The requested tool image_generation is not supported.',
      "Tool 'image_generation' is not supported with gpt-9.1.",
      "Invalid value: 'image_generation'. Supported values are: 'function' and 'web_search'.",
      "Only 'function' tools are supported on this endpoint.",
    ].map((text): [string, JsonObject, Taught] => [
      text,
      SERVER_TOOLS,
      { quirks: { refusesTools: ['image_generation'] } },
    ]),
  ])('teach about the model: %s', (text, body, taught) => {
    expect(read(text, body)).toEqual(model(taught))
  })

  it.each([
    'Only images of type png are supported: this model does not support images larger than 20 MB',
    "Tool 'f' is not supported with gpt-9.1.",
    "Invalid value: 'medium'. Supported values are: 'low' and 'high'.",
  ])('teach nothing about images or tools that are not meant: %s', (text) => {
    expect(read(text, SERVER_TOOLS)).toEqual([])
  })

  it('teaches the words of anthropic-beta that were sent, for the model; of unnamed ones all, for the request', () => {
    const betas = ['claude-code-20250219', 'prompt-caching-scope-2026-01-05']
    const refused = { param: null, body: {}, betas }
    const text = 'Unexpected value(s) `prompt-caching-scope-2026-01-05`, `other-2026` for the `anthropic-beta` header.'
    expect(readRefusal({ ...refused, text })).toEqual(
      model({ quirks: { refusesBetas: ['prompt-caching-scope-2026-01-05'] } }),
    )
    expect(readRefusal({ ...refused, text: 'invalid beta flag' })).toEqual([
      { scope: 'request', quirks: { refusesBetas: betas } },
    ])
    expect(
      readRefusal({ ...refused, text: 'Unexpected value(s) `other-2026` for the `anthropic-beta` header.' }),
    ).toEqual([])
  })

  it('teach about the key that an organisation has no summaries', () => {
    const body = { reasoning: { effort: 'high', summary: 'auto' } }
    expect(read('Your organization must be verified to generate reasoning summaries.', body)).toEqual([
      { scope: 'key', quirks: { refusesMembers: ['reasoning.summary'] } },
    ])
  })

  it.each([
    'The compiled grammar is too large, which would cause performance issues.',
    'Schemas contains too many optional parameters (40).',
  ])('teach about one request: %s', (text) => {
    expect(read(text)).toEqual([{ scope: 'request', facts: { strictTools: false } }])
  })

  it('reads what is left of a window for one request', () => {
    const text =
      "'max_tokens' is too large: 30000. This model's maximum context length is 32768 tokens and your request has 4096 input tokens (30000 > 32768 - 4096)."
    expect(read(text, { max_tokens: 30000 })).toEqual([{ scope: 'request', facts: { mostOutput: 28672 } }])
  })
})

describe('a message that names a member', () => {
  it.each([
    ['for its missing value', "Missing required parameter: 'metadata'.", { metadata: {} }],
    [
      'in another relation',
      "'max_tokens' must be greater than 'thinking.budget_tokens'.",
      { max_tokens: 9, thinking: { type: 'enabled', budget_tokens: 1024 } },
    ],
    [
      'after one that makes the request',
      "'tools' and 'temperature' cannot be combined.",
      { tools: [], temperature: 1 },
    ],
    ['that was not sent', "Unsupported parameter: 'seed'.", { temperature: 1 }],
    ['in a quotation', `The prompt says "Unknown parameter: 'temperature'".`, { temperature: 1 }],
    ['without a refusal', 'The temperature of the data centre rises.', { temperature: 1 }],
    ['as the type of its holder', "thinking.type: Input should be 'adaptive'", { thinking: { type: 'enabled' } }],
  ])('%s teaches nothing', (_, text, body) => {
    expect(read(text, body as JsonObject)).toEqual([])
  })
})

describe('words of the client', () => {
  const learn = (text: string, body: JsonObject, param: string | null = null) =>
    runSteps(learnFrom({ text, param, body })).map(({ scope }) => scope)
  const saying = (content: string, more: JsonObject = {}): JsonObject => ({
    temperature: 0.4,
    messages: [{ role: 'user', content }],
    ...more,
  })
  const SENTENCE = "Unsupported parameter: 'temperature' is not supported with this model."

  it('do not include those of the vendor, also beside a long prompt with common words', () => {
    const prompt = 'This is not supported by the model. Use a parameter of the request. '.repeat(50)
    expect(learn(SENTENCE, saying(prompt))).toEqual(['model'])
    expect(learn("property 'temperature' is unsupported", saying('Hi'))).toEqual(['model'])
  })

  it.each([
    ['whole', saying(SENTENCE)],
    ['within others', saying(`Say this. ${SENTENCE} And more.`)],
    ['in another case and punctuation', saying('unsupported-parameter: TEMPERATURE')],
    ['in the name of a tool', saying('Hi', { tools: [{ name: 'unsupported_parameter_temperature' }] })],
    ['in the name of a member', saying('Hi', { [SENTENCE]: 1 })],
    ['in the arguments of an old call', saying('Hi', { input: [{ arguments: JSON.stringify({ a: SENTENCE }) }] })],
  ])('in the body, %s, make a restriction one for the request', (_, body) => {
    expect(learn(SENTENCE, body)).toEqual(['request'])
  })

  it('as a value or a name that is also the name of a member make it one for the request, unless `param` names it', () => {
    const message = "'temperature' is not supported."
    for (const body of [
      saying('Hi', { tool_choice: { name: 'temperature' } }),
      saying('Hi', { tools: [{ input_schema: { properties: { temperature: {} } } }] }),
    ]) {
      expect(learn(message, body)).toEqual(['request'])
      expect(learn(message, body, 'temperature')).toEqual(['model'])
    }
  })

  it('are compared in slices', () => {
    const steps = learnFrom({ text: SENTENCE, param: null, body: saying('one two three '.repeat(100_000)) })
    let slices = 0
    while (steps.next().done !== true) slices += 1
    expect(slices).toBeGreaterThan(10)
  })
})

describe('a refusal that names a member without a path', () => {
  const messages = [{ role: 'user', content: 'Hi' }]

  it.each<[text: string, body: JsonObject, taught: readonly object[]]>([
    [
      'Invalid reasoning effort: "xhigh". Supported: low, high.',
      { messages, reasoning_effort: 'xhigh' },
      model({ facts: { reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'high'] } }),
    ],
    [
      "output_config.effort: Input should be 'low', 'medium' or 'high'",
      { messages, output_config: { effort: 'max' } },
      model({ facts: { reasoningBy: 'effort', efforts: ['low', 'medium', 'high'] } }),
    ],
    [
      'This model does not support effort level max. Supported levels: low, high',
      { messages, output_config: { effort: 'max' } },
      model({ facts: { reasoningBy: 'effort', efforts: ['low', 'high'] } }),
    ],
    [
      'context_management.edits.0.clear_thinking_20251015: Input tag not supported',
      { messages, context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
      model({ quirks: { refusesMembers: ['context_management.edits'] } }),
    ],
    [
      'a-reasoner does not support logprobs',
      { messages, logprobs: true, top_logprobs: 2 },
      model({ facts: { logprobs: false } }),
    ],
    ['a-model does not support seed.', { messages, seed: 1 }, model({ quirks: { refusesMembers: ['seed'] } })],
    [
      'Json mode response is not supported when enable_thinking is true',
      { messages, enable_thinking: true },
      [...model({ facts: { jsonWhileReasoning: false } }), ...once('enable_thinking')],
    ],
  ])('teaches all that the member means: %s', (text, body, taught) => {
    expect(read(text, body)).toEqual(taught)
  })

  it('teaches nobody else where the client wrote the words', () => {
    const body = { messages: [{ role: 'user', content: 'a-model does not support seed' }], seed: 1 }
    expect(read('Blocked: a-model does not support seed', body)).toEqual(once('seed'))
  })
})

describe('a list of faults', () => {
  const body = { messages: [{ role: 'user', content: 'Hi', name: 'ann' }], seed: 1, temperature: 2 }
  const detail = [
    { type: 'extra_forbidden', loc: ['body', 'messages', 0, 'user', 'name'], msg: 'Extra inputs are not permitted' },
    { type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' },
  ]

  it.each([{ detail }, { object: 'error', message: { detail } }])('teaches all of them', (error) => {
    const { text, param } = readError(error)
    expect(readRefusal({ text: text ?? '', param, body })).toEqual([
      ...model({ quirks: { refusesMembers: ['messages.*.name'] } }),
      ...model({ quirks: { refusesMembers: ['seed'] } }),
    ])
  })

  it('teaches nobody else what the client has written into it', () => {
    const said = 'seed: Extra inputs are not permitted'
    const quoting = { ...body, messages: [{ role: 'user', content: said }] }
    expect(readRefusal({ text: `prompt: refused\n${said}`, param: null, body: quoting })).toEqual(once('seed'))
  })
})
