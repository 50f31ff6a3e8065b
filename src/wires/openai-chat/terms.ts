import type { FinishReason } from '../../protocol/delta.ts'
import type { FieldPathMap } from '../shared/client/source-map.ts'

/**
 * `finish_reason` → how the response ends; null means that it failed. A comment names the vendor of each word that is
 * not OpenAI's. A word that is missing here counts as a normal end, and is a loss.
 */
export const FINISH_REASONS: Readonly<Record<string, FinishReason | null>> = {
  stop: 'stop',
  tool_calls: 'stop',
  function_call: 'stop',
  eos: 'stop', // Together
  eos_token: 'stop', // TGI
  stop_sequence: 'stop',
  length: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  model_length: 'max_output_tokens', // Mistral
  model_context_window_exceeded: 'max_output_tokens', // Z.ai
  content_filter: 'content_filter',
  sensitive: 'content_filter', // Z.ai
  error: null, // OpenRouter, Mistral
  insufficient_system_resource: null, // DeepSeek
  network_error: null, // Z.ai
  abort: null, // vLLM, SGLang
  repetition: 'max_output_tokens', // vLLM
  repetition_truncation: 'max_output_tokens', // MiMo
}

/** The words for an answer that ends with calls of tools. */
export const CALL_REASONS: ReadonlySet<string> = new Set(['tool_calls', 'function_call'])

const FINISH_WORDS = {
  stop: 'stop',
  max_output_tokens: 'length',
  content_filter: 'content_filter',
} as const satisfies Record<FinishReason, string>

/**
 * Returns the finish reason in OpenAI's words. An answer that was cut off never ends with `tool_calls`, even if it has
 * calls.
 */
export function finishWord(reason: FinishReason, called: boolean, legacy: boolean): string {
  if (reason !== 'stop' || !called) return FINISH_WORDS[reason]
  return legacy ? 'function_call' : 'tool_calls'
}

/** Path in a Responses request → the path that chat clients use. */
export const FIELD_PATHS: FieldPathMap = {
  input: 'messages',
  instructions: 'messages',
  max_output_tokens: 'max_completion_tokens',
  include: 'logprobs',
  'reasoning.effort': 'reasoning_effort',
  'text.format': 'response_format',
  'text.format.description': 'response_format.json_schema.description',
  'text.format.name': 'response_format.json_schema.name',
  'text.format.schema': 'response_format.json_schema.schema',
  'text.format.strict': 'response_format.json_schema.strict',
  'text.verbosity': 'verbosity',
}

/** The limit of the output by which clients of llama.cpp and LM Studio request none. */
export const NO_LIMIT = -1
