import type { FinishReason } from '../../protocol/delta.ts'
import type { Places } from '../places.ts'

/** stop_reason → how the response ends. A word that is not here means that the upstream finished. */
export const STOP_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  tool_use: 'stop',
  stop_sequence: 'stop',
  compaction: 'stop',
  // Its server's own loop has reached its limit in the midst of the work: an answer, but not the whole of it.
  pause_turn: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  model_context_window_exceeded: 'max_output_tokens',
  refusal: 'content_filter',
}

/** Those of which a response only has the kind. */
export const HALF_TOLD: ReadonlySet<string> = new Set(['stop_sequence', 'pause_turn', 'model_context_window_exceeded'])

/** Where its clients find what a Responses request calls so. */
export const PLACES: Places = {
  input: 'messages',
  instructions: 'system',
  max_output_tokens: 'max_tokens',
  parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  reasoning: 'thinking',
  stop: 'stop_sequences',
  'tools[].parameters': 'tools[].input_schema',
  user: 'metadata.user_id',
}
