import type { JsonObject } from '../../../src/protocol/json.ts'
import type { WireName } from '../../../src/wires/contract.ts'

/** A refusal as a vendor sends it, the members of the refused body that matter, and the restriction. */
export interface VendorRefusal {
  readonly vendor: string
  readonly wire: WireName
  readonly status?: number
  readonly error: unknown
  readonly sent: JsonObject
  readonly teaches: object
}

const openai = (message: string, param: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code: null },
})
const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })
const google = (message: string, field?: string) => ({
  error: {
    code: 400,
    message,
    status: 'INVALID_ARGUMENT',
    ...(field === undefined
      ? {}
      : {
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.BadRequest',
              fieldViolations: [{ field, description: message }],
            },
          ],
        }),
  },
})

export const members = (...paths: readonly string[]) => ({ scope: 'model', quirks: { refusesMembers: paths } })
export const once = (...paths: readonly string[]) => ({ scope: 'request', quirks: { refusesMembers: paths } })
const facts = (found: object) => ({ scope: 'model', facts: found })
const efforts = (...steps: readonly string[]) => facts({ reasons: 'always', reasoningBy: 'effort', efforts: steps })

/** Sentences that no table has, in the forms of their vendors. The names of models have dots. */
export const INVENTED: readonly VendorRefusal[] = [
  {
    vendor: 'OpenAI, `param`',
    wire: 'openai-chat',
    error: openai("The 'logit_bias' setting cannot be combined with gpt-9.2-mini.", 'logit_bias'),
    sent: { logit_bias: { 50256: -100 } },
    teaches: members('logit_bias'),
  },
  {
    vendor: 'OpenAI, a list of values',
    wire: 'openai-responses',
    error: openai(
      "The value 'xhigh' of 'reasoning.effort' isn't available for 'gpt-9.3-nano'; available efforts are 'low' and 'medium'.",
    ),
    sent: { reasoning: { effort: 'xhigh' } },
    teaches: efforts('low', 'medium'),
  },
  {
    vendor: 'Azure, a name in back quotes',
    wire: 'openai-chat',
    error: { error: { code: 'BadRequest', message: 'Argument `prediction` is unavailable in version 2026-11-01.' } },
    sent: { prediction: { type: 'content', content: 'a' } },
    teaches: members('prediction'),
  },
  {
    vendor: 'Anthropic, a path',
    wire: 'anthropic-messages',
    error: anthropic('top_k: not accepted by claude-next-6.1'),
    sent: { top_k: 5 },
    teaches: members('top_k'),
  },
  {
    vendor: 'Anthropic, a path with a variant',
    wire: 'anthropic-messages',
    error: anthropic('thinking.enabled.budget_tokens: Input should be greater than or equal to 2048'),
    sent: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    teaches: facts({ reasoningBy: 'budget', leastBudget: 2048 }),
  },
  {
    vendor: 'Anthropic, a limit',
    wire: 'anthropic-messages',
    error: anthropic('max_tokens: 128000 exceeds the 32000 tokens that claude-mini-7.2 can write'),
    sent: { max_tokens: 128000 },
    teaches: facts({ mostOutput: 32000 }),
  },
  {
    vendor: 'Google, details',
    wire: 'gemini-generate',
    error: google(
      'Unable to submit request: gemini-5.1-flash takes no sampling of this kind, which is not supported.',
      'generation_config.top_k',
    ),
    sent: { generationConfig: { topK: 5 } },
    teaches: members('generationConfig.topK'),
  },
  {
    vendor: 'Google, a level',
    wire: 'gemini-generate',
    error: google('The thinking level `minimal` is not offered by gemini-5.2-pro. Use one of: low, high.'),
    sent: { generationConfig: { thinkingConfig: { thinkingLevel: 'minimal' } } },
    teaches: efforts('low', 'high'),
  },
  {
    vendor: 'Google, a path',
    wire: 'gemini-generate',
    error: google('* GenerateContentRequest.generation_config.seed: a seed is not enabled for models/gemini-5.2\n'),
    sent: { generationConfig: { seed: 1 } },
    teaches: members('generationConfig.seed'),
  },
  {
    vendor: 'Bedrock, a field',
    wire: 'bedrock-converse',
    error: { message: 'The model returned the following errors: us.acme.titan-3.5-v1:0 does not take the topP field.' },
    sent: { inferenceConfig: { topP: 0.5 } },
    teaches: members('inferenceConfig.topP'),
  },
  {
    vendor: 'Bedrock, a key in brackets',
    wire: 'bedrock-converse',
    error: { message: 'Malformed input request: #: extraneous key [top_k] is not permitted, please reformat it.' },
    sent: { additionalModelRequestFields: { top_k: 5 } },
    teaches: members('additionalModelRequestFields.top_k'),
  },
  {
    vendor: 'Mistral, a list of details',
    wire: 'openai-chat',
    status: 422,
    error: {
      detail: [
        {
          type: 'literal_error',
          loc: ['body', 'reasoning_effort'],
          msg: "Input should be 'none' or 'high'",
          input: 'low',
        },
      ],
    },
    sent: { reasoning_effort: 'low' },
    teaches: facts({ reasons: 'optional', reasoningBy: 'effort', efforts: ['high'] }),
  },
  {
    vendor: 'Groq, a property of a message',
    wire: 'openai-chat',
    error: openai(
      "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
    ),
    sent: {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b', reasoning_content: 'c' },
      ],
    },
    teaches: members('messages.*.reasoning_content'),
  },
  {
    vendor: 'xAI, camel case',
    wire: 'openai-chat',
    error: {
      code: 'Client specified an invalid argument',
      error: 'Argument not supported on grok-9.1: presencePenalty',
    },
    sent: { presence_penalty: 0.5 },
    teaches: members('presence_penalty'),
  },
  {
    vendor: 'xAI, a variant',
    wire: 'openai-chat',
    status: 422,
    error:
      'Failed to deserialize the JSON body into the target type: reasoning_effort: unknown variant `max`, expected one of `low`, `medium`, `high` at line 1 column 90',
    sent: { reasoning_effort: 'max' },
    teaches: efforts('low', 'medium', 'high'),
  },
  {
    vendor: 'Cohere',
    wire: 'cohere-chat',
    error: { id: 'c', message: 'invalid request: logprobs cannot be used with command-q-2.1' },
    sent: { logprobs: true },
    teaches: { scope: 'model', facts: { logprobs: false } },
  },
  {
    vendor: 'Ollama, a level',
    wire: 'ollama-chat',
    error: { error: 'invalid think value: "max" (must be "high", "medium", "low", true, or false)' },
    sent: { think: 'max' },
    teaches: efforts('high', 'medium', 'low'),
  },
  {
    vendor: 'vLLM, an error of pydantic',
    wire: 'openai-chat',
    error: {
      object: 'error',
      message:
        '1 validation error for ChatCompletionRequest\nmin_p\n  Extra inputs are not permitted [type=extra_forbidden, input_value=0.1, input_type=float]',
      type: 'BadRequestError',
      code: 400,
    },
    sent: { min_p: 0.1 },
    teaches: members('min_p'),
  },
  {
    vendor: 'vLLM, a printed list',
    wire: 'openai-chat',
    error: {
      object: 'error',
      message:
        "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': 'Extra inputs are not permitted', 'input': 5}]",
      type: 'BadRequestError',
      code: 400,
    },
    sent: { top_k: 5 },
    teaches: members('top_k'),
  },
  {
    vendor: 'SiliconFlow, a range',
    wire: 'openai-chat',
    error: { code: 20015, message: 'max_tokens must be between 1 and 16384, but zephyr-2.5 got 90000', data: null },
    sent: { max_tokens: 90000 },
    teaches: facts({ mostOutput: 16384 }),
  },
  {
    vendor: 'Google, a range of budgets without a path',
    wire: 'gemini-generate',
    error: google('Unable to submit request because thinking_budget is out of range; integers from 640 to 12000 fit.'),
    sent: { generationConfig: { thinkingConfig: { thinkingBudget: 40_000 } } },
    teaches: facts({ reasoningBy: 'budget', mostBudget: 12_000 }),
  },
  {
    vendor: 'Anthropic, a value beside another setting',
    wire: 'anthropic-messages',
    error: anthropic('`top_p` may only be above 0.9 while claude-next-8.1 thinks'),
    sent: { top_p: 0.5 },
    teaches: once('top_p'),
  },
  {
    vendor: 'Vertex, a member of cache breakpoints behind its variant',
    wire: 'anthropic-messages',
    error: anthropic('system.0.cache_control.ephemeral.scope: Extra inputs are not permitted'),
    sent: { system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', scope: 'global' } }] },
    teaches: members('system.*.cache_control.scope'),
  },
  {
    vendor: 'OpenAI, a condition',
    wire: 'openai-responses',
    error: openai("'metadata' is only accepted when answers of gpt-9.4 are stored."),
    sent: { metadata: { a: 'b' } },
    teaches: { ...members('metadata'), scope: 'request' },
  },
  {
    vendor: 'Groq, on or off',
    wire: 'openai-chat',
    error: openai('reasoning_effort of zephyr-2.2 must be one of `none` or `default`'),
    sent: { reasoning_effort: 'low' },
    teaches: facts({ reasons: 'optional', reasoningBy: 'switch' }),
  },
  {
    vendor: 'Cohere, a short name',
    wire: 'cohere-chat',
    error: { id: 'c', message: 'invalid request: k must be between 0 and 500, command-q-2.1 got 900' },
    sent: { k: 900 },
    teaches: once('k'),
  },
  {
    vendor: 'Groq, a member of messages',
    wire: 'openai-chat',
    error: openai(
      "'messages.0' : for 'role:assistant' the following must be satisfied[('messages.0' : property 'metadata' is unsupported)]",
    ),
    sent: { messages: [{ role: 'assistant', content: 'a', metadata: {} }] },
    teaches: members('messages.*.metadata'),
  },
  {
    vendor: 'Fireworks, the index of a call',
    wire: 'openai-chat',
    error: openai("Extra inputs are not permitted, field: 'messages[0].tool_calls[0].index', value: 0"),
    sent: { messages: [{ role: 'assistant', tool_calls: [{ index: 0, id: 'c', type: 'function' }] }] },
    teaches: members('messages.*.tool_calls.*.index'),
  },
  {
    vendor: 'Alibaba, the name of a group before the member',
    wire: 'openai-chat',
    error: openai('<400> InternalError.Algo.InvalidParameter: parameter.seed must be between 0 and 2147483647'),
    sent: { seed: -4 },
    teaches: once('seed'),
  },
  {
    vendor: 'Google, candidates in words',
    wire: 'gemini-generate',
    error: google('Multiple candidates is not enabled for models/gemini-9.1-pro'),
    sent: { generationConfig: { candidateCount: 2 } },
    teaches: members('generationConfig.candidateCount'),
  },
  {
    vendor: 'OpenAI, log probabilities in words',
    wire: 'openai-chat',
    error: openai("The requested model 'gpt-9.2-mini' does not support log probabilities."),
    sent: { logprobs: true },
    teaches: facts({ logprobs: false }),
  },
  {
    vendor: 'OpenAI, the number of tools',
    wire: 'openai-chat',
    error: openai(
      "Invalid 'tools': array too long. Expected an array with maximum length 64, but got an array with length 65 instead.",
      'tools',
    ),
    sent: { tools: Array.from({ length: 65 }, () => ({ type: 'function', function: { name: 'look' } })) },
    teaches: { scope: 'model', quirks: { mostTools: 64 } },
  },
]

const thisTime = (vendor: string, wire: WireName, error: unknown, sent: JsonObject, ...paths: readonly string[]) => ({
  vendor,
  wire,
  error,
  sent,
  teaches: once(...paths),
})
const always = (vendor: string, wire: WireName, error: unknown, sent: JsonObject, ...paths: readonly string[]) => ({
  vendor,
  wire,
  error,
  sent,
  teaches: members(...paths),
})

/** Refusals whose words no list has: they are about the member that they name, for this request, or for all if they say so. */
export const IN_OTHER_WORDS: readonly VendorRefusal[] = [
  thisTime(
    'OpenAI, a remedy',
    'openai-chat',
    openai("gpt-9.5-nano turns 'top_p' away (received 0.4)."),
    { top_p: 0.4 },
    'top_p',
  ),
  thisTime(
    'OpenAI, `param` beside a value',
    'openai-responses',
    openai("Setting 'service_tier' to 'flex' is for other models than gpt-9.5.", 'service_tier'),
    { service_tier: 'flex' },
    'service_tier',
  ),
  thisTime(
    'OpenAI, a default',
    'openai-chat',
    openai('`gpt-9.6` works with a default `presence_penalty`.'),
    { presence_penalty: 0.4 },
    'presence_penalty',
  ),
  always(
    'Azure',
    'openai-chat',
    {
      error: {
        code: 'unsupported_parameter',
        message: 'The deployment of gpt-9.1-chat has no use for `frequency_penalty`.',
      },
    },
    { frequency_penalty: 0.4 },
    'frequency_penalty',
  ),
  thisTime(
    'Anthropic, a path',
    'anthropic-messages',
    anthropic('temperature: claude-next-9.1 samples by itself; drop this field'),
    { temperature: 0.4 },
    'temperature',
  ),
  thisTime(
    'Bedrock, a constraint of AWS',
    'bedrock-converse',
    {
      message:
        "1 validation error detected: Value '1.4' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less than or equal to 1",
    },
    { inferenceConfig: { temperature: 1.4 } },
    'inferenceConfig.temperature',
  ),
  thisTime(
    'Bedrock, a path with a slash',
    'bedrock-converse',
    { message: 'inferenceConfig/topP: acme.titan-9.1 knows one value' },
    { inferenceConfig: { topP: 0.4 } },
    'inferenceConfig.topP',
  ),
  always(
    'Bedrock, a field',
    'bedrock-converse',
    { message: 'acme.titan-4.1-v1:0 takes no stopSequences.' },
    { inferenceConfig: { stopSequences: ['a'] } },
    'inferenceConfig.stopSequences',
  ),
  always(
    'Google, words',
    'gemini-generate',
    google('Frequency penalty cannot be applied by models/gemini-9.3-flash.'),
    { generationConfig: { frequencyPenalty: 0.4 } },
    'generationConfig.frequencyPenalty',
  ),
  thisTime(
    'Google, details',
    'gemini-generate',
    google('gemini-9.4 writes one candidate', 'generation_config.candidate_count'),
    { generationConfig: { candidateCount: 3 } },
    'generationConfig.candidateCount',
  ),
  thisTime(
    'Groq',
    'openai-chat',
    openai('`logit_bias` : zephyr-2.4 was served without this option'),
    { logit_bias: { 1: 2 } },
    'logit_bias',
  ),
  thisTime(
    'Mistral',
    'openai-chat',
    { detail: [{ type: 'keyword', loc: ['body', 'safe_prompt'], msg: 'This keyword went away', input: true }] },
    { safe_prompt: true },
    'safe_prompt',
  ),
  always(
    'xAI, a plain word',
    'openai-chat',
    { code: 'x', error: 'Model grok-9.2 lacks support for parameter stop.' },
    { stop: ['a'] },
    'stop',
  ),
  always(
    'xAI, camel case',
    'openai-chat',
    { code: 'x', error: 'presencePenalty is refused by grok-9.2' },
    { presence_penalty: 0.4 },
    'presence_penalty',
  ),
  {
    ...thisTime(
      'DeepSeek, a range',
      'openai-chat',
      openai('Invalid top_logprobs value, the valid range of top_logprobs is [0, 20]'),
      { logprobs: true, top_logprobs: 40 },
    ),
    teaches: { scope: 'request', facts: { logprobs: false } },
  },
  thisTime(
    'Cohere',
    'cohere-chat',
    { id: 'c', message: 'invalid request: parameter `p` of command-r-9.1 ends at 0.99' },
    { p: 1 },
    'p',
  ),
  always(
    'Together',
    'openai-chat',
    openai('Input validation error: `repetition_penalty` has no effect on zephyr-2.7', 'repetition_penalty'),
    { repetition_penalty: 1.1 },
    'repetition_penalty',
  ),
  always(
    'vLLM',
    'openai-chat',
    {
      error: { message: '`guided_json` has been removed; use structured outputs', type: 'BadRequestError', code: 400 },
    },
    { guided_json: {} },
    'guided_json',
  ),
  always(
    'llama.cpp',
    'openai-chat',
    { error: { code: 400, message: "Field 'min_keep' is obsolete in this build" } },
    { min_keep: 1 },
    'min_keep',
  ),
  always(
    'OpenRouter',
    'openai-chat',
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: '{"error":{"message":"seed: Acme declines this for zephyr-2.9"}}' },
      },
    },
    { seed: 1 },
    'seed',
  ),
  thisTime(
    'Cerebras',
    'openai-chat',
    { message: "Parameter 'logit_bias' clashes with zephyr-3.1", param: 'logit_bias', code: 'wrong_api_format' },
    { logit_bias: {} },
    'logit_bias',
  ),
  thisTime(
    'Perplexity, a printed list',
    'openai-chat',
    { error: { message: '["At body -> top_k -> Input should be less than or equal to 2048"]', code: 400 } },
    { top_k: 4000 },
    'top_k',
  ),
  always(
    'SambaNova, a remedy',
    'openai-chat',
    openai('This model has a fixed seed. Leave seed out.'),
    { seed: 3 },
    'seed',
  ),
]

/** Refusals of something else, which name a setting or a person beside it. */
export const ABOUT_OTHERS: readonly (readonly [message: string, sent: JsonObject])[] = [
  ["Your request was flagged by our safety system; the safety_identifier 'u' is blocked.", { safety_identifier: 'u' }],
  ['Your request was rejected by the safety system: remove the `user`.', { user: 'u' }],
  ['This prompt violates our policies, whatever its `temperature`.', { temperature: 1 }],
  ['The account of user_id a-b is closed', { metadata: { user_id: 'a-b' } }],
  ["This model's maximum context length is 8192 tokens; reduce `messages` or `n`.", { n: 2 }],
  ['No tool output found for function call call_1.', { tools: [], seed: 1 }],
  ["Missing required parameter: 'response_format.json_schema'.", { response_format: { type: 'json_schema' } }],
]
