import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { readError } from '../../../src/wires/shared/upstream/answers/read-error.ts'
import { errorKindIn, ownText } from '../../../src/wires/shared/upstream/error-messages.ts'
import { anyCodePoints } from '../../arbitraries/strings.ts'
import { check } from '../../property.ts'

/**
 * A wrong key, an unknown model and a prompt that is too long, as each vendor reports them, above all vendors that have
 * one status and one code for all three.
 */

const NO_MODEL = [404, 'model_not_found'] as const
const BAD_KEY = [502, 'upstream_authentication'] as const
const TOO_LONG = [400, 'context_length_exceeded'] as const
const BAD_SEAL = [400, 'invalid_encrypted_content'] as const
const BAD_REQUEST = [400, 'invalid_prompt'] as const
const FILTERED = [400, 'content_filter'] as const
const NO_MONEY = [429, 'insufficient_quota'] as const
const TOO_MANY = [429, 'rate_limit_exceeded'] as const
const FAILED = [502, 'server_error'] as const

type Row = [
  wire: WireName,
  vendor: string,
  status: number,
  body: unknown,
  expected: readonly [status: number, code: string],
  /** Left out: one of the texts of the body, whole. */
  message?: string,
]

/** The error format of OpenAI and of most vendors that adopted it. */
const openai = (message: string, type = 'invalid_request_error', code: unknown = type): object => ({
  error: { message, type, param: null, code },
})
const anthropic = (message: string, type = 'invalid_request_error'): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
})
const google = (message: string, status = 'INVALID_ARGUMENT', code = 400, details: unknown = []): object => ({
  error: { code, message, status, details },
})
const xai = (error: string, code = 'Client specified an invalid argument'): object => ({ code, error })
const openrouter = (message: string, code = 400, metadata: unknown = { provider_name: null }): object => ({
  error: { message, code, metadata },
  user_id: 'user_1',
})
const raw = (body: object): object => ({ raw: JSON.stringify(body), provider_name: 'Other' })
const CHAT = 'openai-chat'
const [RESPONSES, MESSAGES, GEMINI] = ['openai-responses', 'anthropic-messages', 'gemini-generate'] as const
const [BEDROCK, COHERE, OLLAMA] = ['bedrock-converse', 'cohere-chat', 'ollama-chat'] as const
const LONG =
  "This model's maximum context length is 65536 tokens. However, you requested 72814 tokens (68718 in the messages, 4096 in the completion). Please reduce the length of the messages or completion."

// biome-ignore format: a row a case
const ROWS: readonly Row[] = [
  [CHAT, 'xai', 400, xai('Incorrect API key provided: xa***ng. You can obtain an API key from https://console.x.ai.'), BAD_KEY],
  [CHAT, 'xai', 400, xai('Model not found: grok-nope'), NO_MODEL],
  [CHAT, 'xai', 404,
    xai('The model grok-nope does not exist or your team 1-2 does not have access to it.', 'Some requested entity was not found'), NO_MODEL],
  [CHAT, 'xai', 400, xai("This model's maximum prompt length is 131072 but the request contains 537812 tokens."), TOO_LONG],
  [CHAT, 'xai', 400, xai('Argument not supported on this model: presencePenalty'), BAD_REQUEST],
  [RESPONSES, 'xai', 400, xai('Incorrect API key provided: xa***ng.', 'invalid-argument'), BAD_KEY],
  [RESPONSES, 'xai', 400, xai('Model not found: grok-nope', 'invalid-argument'), NO_MODEL],
  [RESPONSES, 'xai', 400,
    xai("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 'invalid-argument'), TOO_LONG],
  [RESPONSES, 'xai', 400, xai('This model does not support it', 'invalid-argument'), BAD_REQUEST],
  [RESPONSES, 'openai', 400,
    openai("The requested model 'gpt-nope' does not exist.", 'invalid_request_error', 'model_not_found'), NO_MODEL],
  [RESPONSES, 'openai', 400, openai("The requested model 'gpt-nope' does not exist.", 'invalid_request_error', null), NO_MODEL],
  [RESPONSES, 'openai', 400,
    openai('Your input exceeds the context window of this model. Please adjust your input and try again.', 'invalid_request_error', null), TOO_LONG],
  [CHAT, 'openrouter', 400, openrouter('acme/nope is not a valid model ID'), NO_MODEL],
  [CHAT, 'openrouter', 404, openrouter('No endpoints found for acme/nope.', 404), NO_MODEL],
  [CHAT, 'openrouter', 401, openrouter('User not found.', 401), BAD_KEY],
  [CHAT, 'openrouter', 400,
    openrouter("This endpoint's maximum context length is 262000 tokens. However, you requested about 263390 tokens (658 of text input, 262000 in the output). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically."), TOO_LONG],
  [CHAT, 'openrouter', 400, openrouter('Provider returned error', 400, raw(openai(LONG))), TOO_LONG, `Provider returned error: ${LONG}`],
  [CHAT, 'openrouter', 400,
    openrouter('Provider returned error', 400, raw(openai('Incorrect API key provided: sk-a***z.'))), BAD_KEY,
    'Provider returned error: Incorrect API key provided: sk-a***z.'],
  [CHAT, 'openrouter', 400, openrouter('Provider returned error', 400, raw(xai('Model not found: grok-nope'))), NO_MODEL,
    'Provider returned error: Model not found: grok-nope'],
  [CHAT, 'deepseek', 400, openai('Model Not Exist'), NO_MODEL],
  [CHAT, 'deepseek', 400,
    openai('The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed deepseek-v9-nonexistent.'), NO_MODEL],
  [CHAT, 'deepseek', 401,
    openai('Authentication Fails (no such user)', 'authentication_error', 'invalid_request_error'), BAD_KEY],
  [CHAT, 'deepseek', 400, openai('Authentication Fails, Your api key: ****1234 is invalid'), BAD_KEY],
  [CHAT, 'deepseek', 400, openai(LONG), TOO_LONG],
  [CHAT, 'deepseek', 400,
    openai('Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `human`, expected one of `system`, `user`'), BAD_REQUEST],
  [CHAT, 'perplexity', 400,
    openai("Invalid model 'nope'. Permitted models can be found in the documentation at https://docs.perplexity.ai/guides/model-cards.", 'invalid_model', 400), NO_MODEL],
  [CHAT, 'perplexity', 400,
    openai("Invalid model 'nope'. Permitted models can be found in the documentation.", 'bad_request', 400), NO_MODEL],
  [CHAT, 'perplexity', 400, openai('Invalid API key provided.', 'bad_request', 400), BAD_KEY],
  [CHAT, 'perplexity', 400,
    openai('The prompt is too long: 200000 tokens, the maximum context length is 127072.', 'bad_request', 400), TOO_LONG],
  [CHAT, 'perplexity', 400, openai('Last message must have role `user`.', 'invalid_message', 400), BAD_REQUEST],
  [CHAT, 'groq', 404,
    openai('The model `nope` does not exist or you do not have access to it.', 'invalid_request_error', 'model_not_found'), NO_MODEL],
  [CHAT, 'groq', 400,
    openai('Please reduce the length of the messages or completion.', 'invalid_request_error', 'context_length_exceeded'), TOO_LONG],
  [CHAT, 'together', 400,
    openai('Unable to access model nope. Please visit https://api.together.ai/models to view the list of supported models.', 'invalid_request_error', 'model_not_available'), NO_MODEL],
  [CHAT, 'together', 422,
    openai('Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 1 `max_new_tokens`', 'invalid_request_error', null), TOO_LONG],
  [CHAT, 'fireworks', 404,
    openai('Model not found, inaccessible, and/or not deployed', 'invalid_request_error', 'NOT_FOUND'), NO_MODEL],
  [CHAT, 'fireworks', 400, openai('The prompt is too long: 140000, model maximum context length: 131071'), TOO_LONG],
  [CHAT, 'cerebras', 401,
    { message: 'Wrong API Key', type: 'invalid_request_error', param: 'api_key', code: 'wrong_api_key' }, BAD_KEY],
  [CHAT, 'cerebras', 400,
    { message: 'Wrong API Key', type: 'invalid_request_error', param: 'api_key', code: 'wrong_api_key' }, BAD_KEY],
  [CHAT, 'mistral', 400,
    { object: 'error', message: 'Invalid model: nope', type: 'invalid_model', param: null, code: '1500' }, NO_MODEL],
  [CHAT, 'mistral', 400,
    { object: 'error', message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length', type: 'invalid_request_error', param: null, code: '3051' }, TOO_LONG],
  [CHAT, 'moonshot', 404, openai('Not found the model nope or Permission denied', 'resource_not_found_error'), NO_MODEL],
  [CHAT, 'moonshot', 400, openai('Invalid request: Your request exceeded model token limit: 131072'), TOO_LONG],
  [CHAT, 'moonshot', 400, openai('Invalid Authentication', 'invalid_authentication_error'), BAD_KEY],
  [CHAT, 'zai', 400, { error: { code: '1211', message: 'Unknown Model, please check the model code.' } }, NO_MODEL],
  [CHAT, 'zai', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }, TOO_LONG],
  [CHAT, 'zai', 400, { error: { code: '1000', message: 'Authentication Failed' } }, BAD_KEY],
  [CHAT, 'vllm', 400, openai('The decoder prompt (length 9000) is longer than the maximum model length of 4096.'), TOO_LONG],
  [CHAT, 'vllm', 400, openai('The engine prompt length 1350 exceeds the max_model_len 1024.'), TOO_LONG],
  [CHAT, 'sglang', 400, openai('Input length (40000 tokens) exceeds the maximum allowed length (32768 tokens).'), TOO_LONG],
  [CHAT, 'groq', 400, openai('Please reduce the length of the messages or completion.'), TOO_LONG],
  [CHAT, 'alibaba', 404,
    openai('The model `nope` does not exist or you do not have access to it.', 'invalid_request_error', 'model_not_found'), NO_MODEL],
  [CHAT, 'alibaba', 400,
    openai('Range of input length should be [1, 129024]', 'invalid_request_error', 'invalid_parameter_error'), TOO_LONG],
  [CHAT, 'huggingface', 400,
    openai("The requested model 'acme/nope' does not exist", 'invalid_request_error', 'model_not_found'), NO_MODEL],
  [CHAT, 'huggingface', 400,
    openai('Model acme/nope is not supported by any provider you have enabled.', 'invalid_request_error', null), NO_MODEL],
  [CHAT, 'cloudflare', 400,
    { errors: [{ message: 'AiError: No such model @cf/acme/nope or task', code: 5007 }], success: false, result: {} }, NO_MODEL],
  [CHAT, 'cloudflare', 400, { errors: [{ message: 'Authentication error', code: 10000 }], success: false }, BAD_KEY],
  [CHAT, 'cloudflare', 413,
    { errors: [{ message: 'AiError: The estimated number of input and maximum output tokens (90000) exceeded this model context window limit (24000).', code: 5021 }] }, TOO_LONG],
  [CHAT, 'siliconflow', 400, { code: 20012, message: 'Model does not exist. Please check it carefully.', data: null }, NO_MODEL],
  [CHAT, 'siliconflow', 400, 'max_total_tokens (33298) must be less than or equal to max_seq_len (32768)', TOO_LONG],
  [CHAT, 'github', 400,
    { error: { code: 'unknown_model', message: 'Unknown model: nope', details: 'Unknown model: nope' } }, NO_MODEL],
  [CHAT, 'github', 413,
    { error: { code: 'tokens_limit_reached', message: 'Request body too large for gpt-5-mini model. Max size: 4000 tokens.' } }, TOO_LONG],
  [CHAT, 'copilot', 400,
    openai('The requested model is not supported.', 'invalid_request_error', 'model_not_supported'), NO_MODEL],
  [CHAT, 'copilot', 400,
    openai('prompt token count of 70000 exceeds the limit of 64000', 'invalid_request_error', 'model_max_prompt_tokens_exceeded'), TOO_LONG],
  [CHAT, 'vllm', 404,
    { object: 'error', message: 'The model `nope` does not exist.', type: 'NotFoundError', param: null, code: 404 }, NO_MODEL],
  [CHAT, 'vllm', 400, { object: 'error', message: LONG, type: 'BadRequestError', param: null, code: 400 }, TOO_LONG],
  [CHAT, 'sglang', 400,
    { object: 'error', message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).", type: 'BadRequestError', code: 400 }, TOO_LONG],
  [CHAT, 'lmstudio', 400,
    { error: 'Trying to keep the first 4144 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.' }, TOO_LONG],
  [CHAT, 'llamacpp', 400,
    { error: { code: 400, message: 'request (2009 tokens) exceeds the available context size (512 tokens), try increasing it', type: 'exceed_context_size_error' } }, TOO_LONG],
  [CHAT, 'doubleword', 403, openai('Forbidden', 'invalid_request_error', 'forbidden'), BAD_KEY],
  [CHAT, 'llamacpp', 500, { error: { code: 500, message: 'error: cannot make GET request', type: 'server_error' } }, FAILED],
  [CHAT, 'mistral', 400,
    { object: 'error', message: 'Logprobs are not enabled for this model', type: 'invalid_request_invalid_args', code: '3051' }, BAD_REQUEST],
  [CHAT, 'ollama-cloud', 401, openai('Unauthorized', 'api_error', null), BAD_KEY],
  [CHAT, 'openrouter', 429,
    openrouter('Provider returned error', 429, { provider_name: 'Google', raw: 'x:free is temporarily rate-limited upstream.' }),
    TOO_MANY, 'Provider returned error: x:free is temporarily rate-limited upstream.'],
  [CHAT, 'openrouter', 403,
    openrouter('Input was flagged', 403, { reasons: ['violence'], flagged_input: '…' }), FILTERED],
  [CHAT, 'ollama', 404, { error: 'model "x" not found' }, NO_MODEL],
  [CHAT, 'bedrock', 400, { Message: 'The model is unknown' }, NO_MODEL],
  [CHAT, 'google', 429, [google('Quota exceeded', 'RESOURCE_EXHAUSTED', 429)], TOO_MANY],
  [CHAT, 'openai', 400,
    { error: { message: LONG, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' } }, TOO_LONG],
  [CHAT, 'openai', 429, openai('You exceeded your current quota', 'insufficient_quota'), NO_MONEY],
  [RESPONSES, 'openai', 429, openai('No money', 'insufficient_quota'), NO_MONEY],
  [CHAT, 'azure', 400,
    { error: { message: 'The response was filtered', type: null, param: 'prompt', code: 'content_filter', status: 400 } }, FILTERED],
  [CHAT, 'vllm', 422, { detail: [{ loc: ['body'], msg: 'field required' }] }, BAD_REQUEST],
  [RESPONSES, 'openai', 400, openai('Unknown parameter: x', 'invalid_request_error', 'unknown_parameter'), BAD_REQUEST],
  [RESPONSES, 'openai', 400, openai('Not mine', 'invalid_request_error', 'invalid_encrypted_content'),
    BAD_SEAL],
  [RESPONSES, 'azure', 404, { error: { code: 'DeploymentNotFound', message: 'Not there' } }, NO_MODEL],
  ...([CHAT, RESPONSES] as const).map((wire): Row => [wire, 'chatgpt', 401, { detail: 'Unauthorized' }, BAD_KEY]),
  [CHAT, 'google', 400, [google('API key not valid. Please pass a valid API key.')], BAD_KEY],
  [CHAT, 'azure', 404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } }, NO_MODEL],
  [MESSAGES, 'anthropic', 404, anthropic('model: nope', 'not_found_error'), NO_MODEL],
  [MESSAGES, 'anthropic', 400, anthropic('prompt is too long: 250000 tokens > 200000 maximum'), TOO_LONG],
  [MESSAGES, 'anthropic', 401, anthropic('invalid x-api-key', 'authentication_error'), BAD_KEY],
  [MESSAGES, 'deepseek', 400, anthropic('Model Not Exist'), NO_MODEL],
  [MESSAGES, 'moonshot', 400, anthropic('Invalid request: Your request exceeded model token limit: 131072'), TOO_LONG],
  [MESSAGES, 'zai', 400, { error: { code: '1211', message: 'Unknown Model, please check the model code.' } }, NO_MODEL],
  [MESSAGES, 'openrouter', 400, anthropic('acme/nope is not a valid model ID'), NO_MODEL],
  [MESSAGES, 'proxy', 400, anthropic('Incorrect API key provided.'), BAD_KEY],
  [GEMINI, 'google', 404,
    google('models/nope is not found for API version v1beta, or is not supported for generateContent.', 'NOT_FOUND', 404), NO_MODEL],
  [GEMINI, 'google', 400, google('* GenerateContentRequest.model: unexpected model name format\n'), NO_MODEL],
  [GEMINI, 'google', 400, google('API key not valid. Please pass a valid API key.'), BAD_KEY],
  [GEMINI, 'google', 400, google('API key expired. Please renew the API key.'), BAD_KEY],
  [GEMINI, 'google', 400, google('API Key not found. Please pass a valid API key.'), BAD_KEY],
  [GEMINI, 'google', 400,
    google('The input token count (1200001) exceeds the maximum number of tokens allowed (1048576).'), TOO_LONG],
  [GEMINI, 'vertex', 400, google('The input token count is 1200001 but model only supports up to 1048576.'), TOO_LONG],
  [GEMINI, 'google', 400, google('Request contains an invalid argument.'), BAD_REQUEST],
  [BEDROCK, 'bedrock', 400, { message: 'The provided model identifier is invalid.' }, NO_MODEL],
  [BEDROCK, 'bedrock', 400,
    { message: 'Invocation of model ID anthropic.claude-x-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.' }, NO_MODEL],
  [BEDROCK, 'bedrock', 400, { message: 'The security token included in the request is invalid.' }, BAD_KEY],
  [BEDROCK, 'bedrock', 400, { Message: 'Invalid API Key format: Must start with pre-defined prefix' }, BAD_KEY],
  [BEDROCK, 'bedrock', 403, { Message: 'Bearer Token has expired' }, BAD_KEY],
  [BEDROCK, 'bedrock', 400, { message: 'Input is too long for requested model.' }, TOO_LONG],
  [BEDROCK, 'bedrock', 400,
    { message: 'The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum' }, TOO_LONG],
  [BEDROCK, 'bedrock', 400,
    { message: 'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.' }, TOO_LONG],
  [BEDROCK, 'bedrock', 400,
    { message: 'Malformed input request: expected maxLength: 42000, actual: 46735, please reformat your input and try again.' }, TOO_LONG],
  [BEDROCK, 'bedrock', 400,
    { message: 'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.' }, BAD_REQUEST],
  [BEDROCK, 'bedrock', 400,
    { message: 'The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block' }, BAD_SEAL],
  [BEDROCK, 'bedrock', 400,
    { message: 'The model returned the following errors: messages.3.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.' }, BAD_SEAL],
  [MESSAGES, 'anthropic', 400, anthropic('messages.1.content.7.thinking: each thinking block must contain thinking'), BAD_SEAL],
  [CHAT, 'copilot', 400, openai('messages.1.content.0: Invalid `signature` in `thinking` block', 'invalid_request_body'), BAD_SEAL],
  [CHAT, 'openrouter', 400,
    openrouter('Provider returned error', 400, { provider_name: 'Google', raw: 'Unable to submit request because Thought signature is not valid.' }),
    BAD_SEAL, 'Provider returned error: Unable to submit request because Thought signature is not valid.'],
  [GEMINI, 'vertex', 400, google('Unable to submit request because Thought signature is not valid.'), BAD_SEAL],
  [COHERE, 'cohere', 400, { id: 'x', message: "invalid request: model 'nope' not found" }, NO_MODEL],
  [COHERE, 'cohere', 400, { id: 'x', message: 'invalid api token' }, BAD_KEY],
  [COHERE, 'cohere', 400, { id: 'x', message: 'too many tokens: size limit exceeded by 25836 tokens.' }, TOO_LONG],
  [OLLAMA, 'ollama', 400, { error: 'invalid model name' }, NO_MODEL],
  [OLLAMA, 'ollama', 404, { error: "model 'nope:latest' not found" }, NO_MODEL],
  [OLLAMA, 'ollama', 400, { error: 'prompt too long; exceeded max context length by 123 tokens' }, TOO_LONG],
  [OLLAMA, 'ollama', 403, { error: 'unauthorized' }, BAD_KEY],
]

it.each(ROWS)(
  'decodes the error over %s from %s with HTTP %i: %j',
  (wire, _, status, body, [expected, code], words?: string) => {
    const sent = JSON.stringify(body)
    const { message, ...error } = WIRES[wire].decodeError(status, {}, sent)
    expect(error).toEqual({ party: 'upstream', status: expected, code, param: null, retryAfter: null })
    const texts: unknown[] = []
    JSON.parse(sent, (_key, value: unknown) => texts.push(value))
    if (words === undefined) expect(texts).toContain(message)
    else expect(message).toBe(words)
  },
)

/** Text of a client that looks like an error; `REPEATED` has the ways in which vendors repeat such text. */
const CLIENT_WORDS = [
  'Why does it say Model not found: gpt-5?',
  'the model does not exist',
  'Incorrect API key provided',
  'prompt is too long',
  "this model's maximum context length is 8192 tokens",
  'messages.0: Invalid `signature` in `thinking` block',
  'your credit balance is too low',
]
const REPEATED: readonly ((words: string) => string)[] = [
  (words) => `Invalid value: "${words}". Expected an object.`,
  (words) => `messages[0].content: expected a list, got '${words}'`,
  (words) => `Input should be a valid list [type=list_type, input_value='${words}', input_type=str]`,
  (words) => `Unsupported content \`${words}\``,
  (words) => `Invalid request: {"messages":[{"role":"user","content":"${words}"}]}`,
  (words) => `Cannot parse “${words}”`,
  (words) => `The field 'content' is wrong: '${words.slice(0, -1)}…`,
]

describe("text of a client that a vendor's error message repeats", () => {
  const texts = CLIENT_WORDS.flatMap((words) => REPEATED.map((repeat) => repeat(words)))

  it.each(texts)('does not change the error code invalid_prompt: %s', (text) => {
    for (const [name, body] of [
      [CHAT, openai(text)],
      ['openai-responses', openai(text)],
      ['anthropic-messages', anthropic(text)],
      ['gemini-generate', google(text)],
      ['bedrock-converse', { message: text }],
      ['cohere-chat', { message: text }],
      ['ollama-chat', { error: text }],
    ] as const) {
      const { status, code, message } = WIRES[name].decodeError(400, {}, JSON.stringify(body))
      expect([name, status, code, message]).toEqual([name, ...BAD_REQUEST, text])
    }
  })
})

it('finds neither an unknown model nor a wrong key in messages about capabilities and fields', () => {
  for (const text of [
    'Model x does not support tools',
    'This model does not support image input',
    'Logprobs are not enabled for this model',
    "Unsupported parameter: 'temperature' is not supported with this model.",
    'The model is not supported for this kind of request',
    'Invalid model output: try again',
    'The requested model x is not supported with tools',
    'api_key is not permitted here',
    'The messages are invalid',
  ]) {
    expect([text, errorKindIn(text)]).toEqual([text, null])
  }
})

describe('an error inside an answer with status 200', () => {
  const codeOf = (error: object): string => {
    const failed = WIRES[CHAT].decodeBody({ error }, {}).find((delta) => delta.kind === 'error')
    return failed?.kind === 'error' ? failed.error.code : ''
  }

  it('has the same code as an HTTP error for a bad request', () => {
    expect(codeOf({ message: 'Model not found: x', type: 'invalid_request_error' })).toBe('model_not_found')
    expect(codeOf({ message: LONG, code: 400 })).toBe('context_length_exceeded')
  })

  it.each([
    [400, 'invalid_prompt'],
    [422, 'invalid_prompt'],
    [599, 'server_error'],
    ['400', 'invalid_prompt'],
  ])('has the status that it names: %j', (status, code) => {
    expect(readError({ error: { message: 'No.', code: status } }).status).toBe(Number(status))
    expect(codeOf({ message: 'No.', code: status })).toBe(code)
  })

  it.each([399, 600, 400.5, '0400'])('has no status that is none of an error: %j', (status) => {
    expect(readError({ error: { message: 'No.', code: status } }).status).toBeNull()
    expect(readError({ code: status, error: { message: 'No.', status: 503 } }).status).toBe(503)
  })

  it('has the code server_error if it reports only a failure of the server', () => {
    const message = 'failed to decode, try again, increasing context size or reducing parallel'
    expect(codeOf({ message })).toBe('server_error')
  })
})

it('decodes failures of servers (429, 500, 503) to codes that do not blame the request', () => {
  for (const status of [429, 500, 503]) {
    const { code } = WIRES[CHAT].decodeError(status, {}, JSON.stringify(openai('Too many tokens, please wait.', 'x')))
    expect(['rate_limit_exceeded', 'server_error', 'server_is_overloaded']).toContain(code)
  }
})

describe("the vendor's own text in an error message", () => {
  it.each([
    ["The model 'x' does not exist", "The model 'x' does not exist"],
    ['`a` and "b" are wrong: "so it is" and more', '`a` and "b" are wrong: '],
    ["the model's limit, your messages' length", "the model's limit, your messages' length"],
    ['it isn’t ‘x’', 'it isn’t ‘x’'],
    ['no end "of it', 'no end '],
  ])('is in %j the text %j', (text, own) => {
    expect(ownText(text)).toBe(own)
  })

  it('is a prefix of any message', () => {
    check(
      fc.property(anyCodePoints({ maxLength: 3000 }), (text) => {
        expect(text.startsWith(ownText(text))).toBe(true)
        errorKindIn(text)
      }),
    )
  })
})
