import type { FieldPathMap } from '../shared/client/source-map.ts'
import type { FinishReasons } from '../shared/upstream/answers/finish-reasons.ts'

/** `stop_reason` → finish reason; null: a failure. Any other value means that the upstream finished, and is a loss. */
export const STOP_REASONS: FinishReasons = {
  end_turn: 'stop',
  tool_use: 'stop',
  stop_sequence: 'stop',
  compaction: 'stop',
  // The server's own loop reached its limit before the work was done: the answer is incomplete.
  pause_turn: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  model_context_window_exceeded: 'max_output_tokens',
  refusal: 'content_filter',
  // Words of compatible servers whose model has failed: a summary or an answer would be taken for a whole one.
  error: null,
  abort: null,
}

/** The types of events that are decoded, beside failures. */
export const ANSWER_EVENTS = [
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
] as const

/** The fields for tokens that were written to a cache, by the lifetime of their entry. */
export const LIFETIME_FIELDS = { '5m': 'ephemeral_5m_input_tokens', '1h': 'ephemeral_1h_input_tokens' } as const

/** Stop reasons that a finish reason expresses only in part; they are recorded as losses. */
export const PARTIAL_STOPS: ReadonlySet<string> = new Set([
  'stop_sequence',
  'compaction',
  'pause_turn',
  'model_context_window_exceeded',
])

/** Fields of a Responses request → the fields of this API, for messages to clients. */
export const FIELD_PATHS: FieldPathMap = {
  input: 'messages',
  'input[].failed': 'is_error',
  'input[].content[].cited': 'citations',
  'input[].output[].cited': 'citations',
  instructions: 'system',
  max_output_tokens: 'max_tokens',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  reasoning: 'thinking',
  stop: 'stop_sequences',
  'tools[].parameters': 'tools[].input_schema',
  user: 'metadata.user_id',
}
