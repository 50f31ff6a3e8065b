import { describe, expect, it } from 'vitest'
import { learnFrom } from '../../../src/engine/rules/read-refusal.ts'
import type { RefusedRequest, Taught } from '../../../src/engine/rules/refusal.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { runSteps } from '../../../src/text/steps.ts'

const read = (text: string, body: JsonObject, more: Partial<RefusedRequest> = {}) =>
  runSteps(learnFrom({ text, param: null, body, ...more }))

const messages = [{ role: 'user', content: 'Hi' }]
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
const SEARCH = { input: 'Hi', tools: [{ type: 'web_search', external_web_access: true }] }
const schemas = (...refusesInSchemas: readonly string[]) => ({ quirks: { refusesInSchemas } }) as Taught
const NARROWING = ['minItems', 'maxItems', 'minLength', 'maxLength', 'pattern', 'format', 'uniqueItems', 'default']
const facts = (found: object): Taught => ({ facts: found })
const members = (...refusesMembers: readonly string[]): Taught => ({ quirks: { refusesMembers } })

// biome-ignore format: a row a case
const OF_MODELS: readonly (readonly [sentence: string, body: JsonObject, taught: Taught])[] = [
  ['This model always engages in thinking and does not support disabling it. Please use low, high or max.', { messages }, facts({ reasons: 'always', reasoningBy: 'effort', efforts: ['low', 'high', 'max'] })],
  ["No endpoints found that support the provided 'tool_choice' value. To learn more about provider routing, visit: https://openrouter.ai/docs", { messages, tools, tool_choice: 'required' }, facts({ forcedTools: 'none', forcedWhileReasoning: 'none' })],
  ['JSON Schema not supported: could not understand the instance `{}`.', { messages, tools }, schemas('noType', 'noValue')],
  ["Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.a': type is not defined>", { messages, tools }, schemas('noType', 'noValue')],
  ["Invalid schema for function 'f': In context=('properties', 'q', 'anyOf', '0', 'not'), schema must have a 'type' key.", { messages, tools }, schemas('noValue', 'not')],
  ["JSON schema conversion failed:\nPattern must start with '^' and end with '$'", { messages, tools }, schemas(...NARROWING)],
  ['Failed to initialize samplers: failed to parse grammar', { messages, tools }, schemas(...NARROWING)],
  ["Invalid fields for schema with types ['array']: {'minItems', 'maxItems'}", { messages, tools }, schemas('minItems', 'maxItems')],
  ['unsupported JSON schema fields: patternProperties, maxLength, response_format', { messages, tools }, schemas('maxLength')],
  ["invalid JSON schema for tool f, tools[0].function.parameters: 'required' present but 'properties' is missing", { messages, tools }, schemas('noProperties')],
  ['invalid params, function parameters is empty (2013)', { messages, tools }, schemas('noParameters')],
  ['[\n  {\n    "code": "invalid_type",\n    "expected": "object",\n    "received": "undefined",\n    "path": [\n      0,\n      "function",\n      "parameters",\n      "properties"\n    ],\n    "message": "Required"\n  }\n]', { messages, tools }, schemas('noParameters', 'noProperties')],
  ['`temperature` and `top_p` cannot both be specified for this model. Please use only one.', { messages, temperature: 1, top_p: 0.5 }, facts({ sampling: 'one' })],
  ["Last message must have role `user`", { messages }, facts({ lastRole: 'user' })],
  ['After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).', { messages }, { quirks: { strictTurns: true } }],
  ['invalid params, chat content has invalid message role: system (2013)', { messages }, facts({ oneSystem: true, lateSystem: false })],
  ['template: :48: No user query found in messages.', { messages }, facts({ needsUser: true })],
  ['<400> InternalError.Algo.InvalidParameter: The input messages do not contain elements with the role of user', { messages }, facts({ needsUser: true })],
  ["Unable to generate parser for this template. Automatic parser generation failed: \n------------\nWhile executing CallExpression at line 85, column 32 in source:\n...first %}↵ {{- raise_exception('System message must be at the beginnin...\n ^\nError: Jinja Exception: System message must be at the beginning.", { messages }, facts({ oneSystem: true })],
  ['parameter.enable_thinking must be set to false for non-streaming calls', { messages }, facts({ streamsOnly: true })],
  ["Unexpected role 'user' after role 'tool'", { messages }, { quirks: { noUserAfterTool: true } }],
  ["Function tools with reasoning_effort are not supported for gpt-9 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.", { messages, tools }, facts({ chatTools: 'with-none' })],
  ['Function tools with reasoning_effort are not supported for gpt-9 in /v1/chat/completions. Please use /v1/responses instead.', { messages, tools }, facts({ chatTools: 'without-effort' })],
  ["Tool call id was call_31886172-c376-4cae-85d6-88ca25b15ed3 but must be a-z, A-Z, 0-9, with a length of 9.", { messages }, { quirks: { callIds: 'nine' } }],
  ['Failed to deserialize the JSON body into the target type: messages[1].role: unknown variant `developer`, expected one of `system`, `user`', { messages }, { quirks: { developerRole: false } }],
  ["'type' of tool must be 'function'", SEARCH, { quirks: { refusesTools: ['web_search'] } }],
  ["Invalid 'content' type. Expected one of: ['str'], got list.", { messages }, { quirks: { plainContent: true } }],
  ['json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string', { messages }, { quirks: { plainContent: true } }],
  ['The model expects a single `text` element per message.', { messages }, { quirks: { plainContent: true } }],
  ['Argument not supported: external_web_access', SEARCH, members('tools.*.external_web_access')],
  ...["'stop' is not supported with this model.", 'stop is not supported with zephyr-3', 'stop is not supported for reasoning models',
    "'stop' is not supported with the `deepseek-reasoner` model.", "'stop' is not supported when using this model.",
    "'stop' is not supported with this model. If you believe this is a mistake, contact support.", 'stop is not supported for requests to this model', 'stop is not supported with this version'].map((text) =>
    [text, { messages, stop: ['END'] }, members('stop')] as const),
  ...['stop is not supported with deepseek-reasoner', "'stop' is not supported by Together", "'stop' is not permitted on the Messages API",
    "'stop' is not supported with this model, please retry without it", "'stop' is incompatible with this model."].map((text) =>
    [text, { model: 'deepseek/deepseek-reasoner', messages, stop: ['END'] }, members('stop')] as const),
  ["'search_parameters.mode' is not supported with this model", { messages, search_parameters: { mode: 'on' } }, members('search_parameters.mode')],
  ...["'defer_loading' is not supported for this model.", 'defer_loading is not supported with model m', 'defer_loading is not available for your organization'].map((text) =>
    [text, { messages, tools: [{ name: 'f', input_schema: {}, defer_loading: true }] }, members('tools.*.defer_loading')] as const),
]

describe('sentences of a refusal', () => {
  it.each(OF_MODELS)('teach about the model: %s', (text, body, taught) => {
    expect(read(text, body)).toEqual([{ scope: 'model', ...taught }])
  })

  it.each<[string, JsonObject, Taught]>([
    [
      "Requests with max_tokens > 4096 must have stream=true'",
      { messages, max_tokens: 9000 },
      facts({ streamsOnly: true }),
    ],
    [
      'input length and `max_tokens` exceed context limit: 198981 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      { messages, max_tokens: 21333 },
      facts({ mostOutput: 1019 }),
    ],
    [
      'cache_control cannot be set for empty text blocks',
      { messages, tools: [{ name: 'f', input_schema: {}, cache_control: { type: 'ephemeral' } }] },
      members('tools.*.cache_control'),
    ],
    ...[
      'stop is not supported when seed is set',
      'stop is not supported for streaming requests',
      '`stop` is not available when `stream=True`.',
      'stop is incompatible with seed',
      'stop is not supported with strict tools',
      'stop is not allowed for this account tier',
      "'stop' cannot be used together with 'seed'",
      "'stop' and 'seed' cannot be used together.",
      'stop cannot be used in conjunction with seed',
      'stop is not supported on streaming requests',
      ...[
        'non-streaming requests',
        'multi-turn messages',
        'tool-calling requests',
        'gpt-5 streaming requests',
        'server-side tools',
        'sub-agent calls',
        'free-tier accounts',
      ].map((those) => `'stop' is not supported for ${those}`),
      ...[
        'built-in tools',
        'web-search',
        'function-calling',
        'json-schema output',
        'tool_choice-any',
        'pay-as-you-go billing',
      ].map((that) => `'stop' is not supported with ${that}`),
      "Invalid request. 'stop' is not supported when stream is false.",
      'stop is not supported. It is only available when stream is false.',
      "Request contains an invalid argument.\n'stop' is not supported when tools are given",
      'stop is not available with priority processing',
      "This model does not accept 'stop' and 'seed' together.",
      "If you enable streaming, 'stop' is not supported.",
      "Please do not set 'stop' when seed is set",
      "'stop' is not supported. Supported when stream is false.",
      "'stop' is not supported. Remove it or set stream to false if you need it.",
      "'stop' is not supported. Please use it only when stream is false.",
      ...['the streaming API', 'the streaming endpoint', 'the free tier project', 'the batch API'].map(
        (place) => `stop is not supported on ${place}`,
      ),
      'stop is not supported. Your plan does not include it.',
      'stop is not supported in streaming mode',
    ].map((text): [string, JsonObject, Taught] => [text, { messages, stop: ['END'], seed: 1 }, members('stop')]),
  ])('teach about the request alone: %s', (text, body, taught) => {
    expect(read(text, body)).toEqual([{ scope: 'request', ...taught }])
  })

  it('teach nothing that only a refusal means, where the status is another one', () => {
    const body = { messages, seed: 1 }
    expect(read('The setting seed is not accepted here', body)).toEqual([{ scope: 'model', ...members('seed') }])
    expect(read('The setting seed is not accepted here', body, { isRefusal: false })).toEqual([])
    expect(read('No user query found in messages.', body, { isRefusal: false })).toEqual([
      { scope: 'model', ...facts({ needsUser: true }) },
    ])
  })
})
