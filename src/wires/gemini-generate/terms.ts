import type { FinishReason } from '../../protocol/delta.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { isObject, scalarToString } from '../../text/json.ts'
import type { FieldPathMap } from '../shared/client/source-map.ts'
import { failureIn } from '../shared/upstream/answers/failure-in-success.ts'

/** Whether a chunk has a candidate, a blocked prompt or a failure. */
export const beginsAnswer = (chunk: JsonRecord): boolean =>
  [chunk.candidates].flat().some(isObject) ||
  (isObject(chunk.promptFeedback) && scalarToString(chunk.promptFeedback.blockReason) !== '') ||
  Boolean(chunk.error) ||
  failureIn(chunk) !== null

/**
 * `finishReason` → how the response ends; null: it failed. `OTHER`, and a word that is missing here, is a normal end of
 * a response with output, and a loss; a response without output is failed then. Some proxies write enums as numbers, of
 * which only the first are the same at the Gemini API and on Vertex AI.
 */
export const FINISH_REASONS: Readonly<Record<string, FinishReason | null>> = {
  STOP: 'stop',
  1: 'stop',
  MAX_TOKENS: 'max_output_tokens',
  CONTINUATION: 'max_output_tokens',
  OTHER: 'stop',
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
  ESCALATION: 'content_filter',
  PUP_LIMITED_DISABLED: 'content_filter',
  MALFORMED_FUNCTION_CALL: null,
  MALFORMED_RESPONSE: null,
  UNEXPECTED_TOOL_CALL: null,
  TOO_MANY_TOOL_CALLS: null,
  MISSING_THOUGHT_SIGNATURE: null,
  NO_IMAGE: null,
  IMAGE_OTHER: null,
}

/** `toolCall.toolType` of Google's server tools → the kind of item that the step becomes. */
export const SERVER_TOOLS: Readonly<Record<string, 'search' | 'open' | 'files'>> = {
  GOOGLE_SEARCH: 'search',
  GOOGLE_SEARCH_WEB: 'search',
  GOOGLE_SEARCH_IMAGE: 'search',
  GOOGLE_MAPS: 'search',
  URL_CONTEXT: 'open',
  FILE_SEARCH: 'files',
}

/** How an answer ended → `finishReason`. */
export const FINISH_WORDS = {
  stop: 'STOP',
  max_output_tokens: 'MAX_TOKENS',
  content_filter: 'SAFETY',
} as const satisfies Record<FinishReason, string>

/**
 * HTTP status → Google's canonical code. Other statuses are `INVALID_ARGUMENT` below 500, and `INTERNAL` from 500 on.
 */
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

/** The client's path of the conversation. All other paths follow the spelling of each request (`fieldPaths`). */
export const FIELD_PATHS: FieldPathMap = { input: 'contents' }
