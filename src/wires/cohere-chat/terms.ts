import type { FinishReason } from '../../protocol/delta.ts'

/** `finish_reason` → how the response ends; null: it failed. Any other word means that the model finished, and is a loss. */
export const FINISH_REASONS: Readonly<Record<string, FinishReason | null>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  TOOL_CALL: 'stop',
  MAX_TOKENS: 'max_output_tokens',
  ERROR: null,
  TIMEOUT: null,
  // Words of version 1, which some gateways still send.
  ERROR_LIMIT: 'max_output_tokens',
  ERROR_TOXIC: 'content_filter',
  USER_CANCEL: null,
}

/** The word for an answer that ends with calls of tools. */
export const CALL_REASONS: ReadonlySet<string> = new Set(['TOOL_CALL'])
