import type { FinishReason } from '../../protocol/delta.ts'

/** done_reason → how the response ends. A word that is not here, and none at all, means that the model finished. */
export const DONE_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'max_output_tokens',
  // Nothing was asked but to load the model, or to let go of it: the answer is empty.
  load: 'stop',
  unload: 'stop',
  // Not of Ollama: from a gateway such as this one, which has no better word.
  content_filter: 'content_filter',
}

export const DONE_WORDS = {
  stop: 'stop',
  max_output_tokens: 'length',
  content_filter: 'content_filter',
} as const satisfies Record<FinishReason, string>
