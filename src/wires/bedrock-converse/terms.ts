import type { FinishReason } from '../../protocol/delta.ts'

/**
 * `stopReason` → how the response ends; null means that it failed. A word that is missing here counts as a normal end,
 * and is a loss.
 */
export const STOP_REASONS: Readonly<Record<string, FinishReason | null>> = {
  end_turn: 'stop',
  tool_use: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'max_output_tokens',
  model_context_window_exceeded: 'max_output_tokens',
  // The text is the guardrail's replacement for the answer.
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  malformed_model_output: null,
  malformed_tool_use: null,
  // Of gateways that pass the word of another protocol on.
  error: null,
}

/** The word for an answer that ends with calls of tools. */
export const CALL_REASONS: ReadonlySet<string> = new Set(['tool_use'])

/** Hosted tool of the Responses API → Bedrock's name of the tool that it runs itself. */
export const SYSTEM_TOOLS: Readonly<Record<string, string>> = {
  web_search: 'nova_grounding',
  code_interpreter: 'nova_code_interpreter',
}

/** Media type of an image → Bedrock's word for it. */
export const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** Media type of a document → Bedrock's word for it. */
export const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}
