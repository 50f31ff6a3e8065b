import type { FinishReason } from '../../protocol/delta.ts'
import type { Places } from '../places.ts'

/**
 * finishReason → how the response ends; null = it failed. A word that is not here (OTHER, and what Google may yet add)
 * means that the upstream finished if it had said something. Some clients' servers write enums as numbers, of which only
 * the first are the same at the Gemini API and at Vertex.
 */
export const FINISH_REASONS: Readonly<Record<string, FinishReason | null>> = {
  STOP: 'stop',
  1: 'stop',
  MAX_TOKENS: 'max_output_tokens',
  2: 'max_output_tokens',
  SAFETY: 'content_filter',
  3: 'content_filter',
  RECITATION: 'content_filter',
  4: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MALFORMED_FUNCTION_CALL: null,
  MALFORMED_RESPONSE: null,
  UNEXPECTED_TOOL_CALL: null,
  TOO_MANY_TOOL_CALLS: null,
  MISSING_THOUGHT_SIGNATURE: null,
  NO_IMAGE: null,
  IMAGE_OTHER: null,
}

/** What the tools that Google runs are called in `toolCall.toolType`, and what kind of item each becomes. */
export const SERVER_TOOLS: Readonly<Record<string, 'search' | 'open' | 'files'>> = {
  GOOGLE_SEARCH: 'search',
  GOOGLE_SEARCH_WEB: 'search',
  GOOGLE_SEARCH_IMAGE: 'search',
  GOOGLE_MAPS: 'search',
  URL_CONTEXT: 'open',
  FILE_SEARCH: 'files',
}

/** How an answer ended → finishReason. */
export const FINISH_WORDS = {
  stop: 'STOP',
  max_output_tokens: 'MAX_TOKENS',
  content_filter: 'SAFETY',
} as const satisfies Record<FinishReason, string>

/** HTTP status → Google's canonical code. Others are INVALID_ARGUMENT below 500, INTERNAL from there on. */
export const STATUS_WORDS: Readonly<Record<string, string>> = {
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  524: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
}

/** Where its clients find the conversation. All else is told as each request spells it (`fieldPlaces`). */
export const PLACES: Places = { input: 'contents' }
