import type { FinishReason } from '../../protocol/delta.ts'
import type { FieldPathMap } from '../shared/client/source-map.ts'
import type { FinishReasons } from '../shared/upstream/answers/finish-reasons.ts'

/**
 * `done_reason` → how the response ends. Any other word, or none, means that the model finished; another word is a loss.
 */
export const DONE_REASONS: FinishReasons = {
  stop: 'stop',
  length: 'max_output_tokens',
  // The request only loaded or unloaded the model: the answer is empty.
  load: 'stop',
  unload: 'stop',
  // Never sent by Ollama, but by gateways such as this one, because the wire has no better word.
  content_filter: 'content_filter',
  tool_calls: 'stop',
  // Of gateways that pass the failure of another protocol on.
  error: null,
}

/** Never sent by Ollama, but by gateways that pass the word of another protocol on. */
export const CALL_REASONS: ReadonlySet<string> = new Set(['tool_calls'])

export const DONE_WORDS = {
  stop: 'stop',
  max_output_tokens: 'length',
  content_filter: 'content_filter',
} as const satisfies Record<FinishReason, string>

/** Fields of a Responses request → their paths in an Ollama request. */
export const FIELD_PATHS: FieldPathMap = {
  input: 'messages',
  frequency_penalty: 'options.frequency_penalty',
  include: 'logprobs',
  max_output_tokens: 'options.num_predict',
  presence_penalty: 'options.presence_penalty',
  reasoning: 'think',
  'reasoning.effort': 'think',
  stop: 'options.stop',
  temperature: 'options.temperature',
  'text.format': 'format',
  'text.format.schema': 'format',
  top_p: 'options.top_p',
}
