import type { GatewayError } from '../../protocol/error.ts'
import { parseJson } from '../../text/json.ts'
import type { Wire } from '../contract.ts'
import { errorText } from '../shared/upstream/answers/read-error.ts'
import {
  ERROR_MAPPINGS,
  type ErrorMapping,
  type ErrorSchema,
  mapError,
  mapHttpError,
} from '../shared/upstream/error-map.ts'
import { ownText } from '../shared/upstream/error-messages.ts'

/** Anthropic's error types, from `error.type`. */
const WORDS: ErrorSchema = {
  authentication_error: ERROR_MAPPINGS.badKey,
  permission_error: ERROR_MAPPINGS.badKey,
  billing_error: ERROR_MAPPINGS.noMoney,
  not_found_error: ERROR_MAPPINGS.noModel,
  request_too_large: ERROR_MAPPINGS.tooLarge,
  rate_limit_error: ERROR_MAPPINGS.tooFast,
  timeout_error: ERROR_MAPPINGS.timedOut,
  api_error: ERROR_MAPPINGS.broken,
  overloaded_error: ERROR_MAPPINGS.overloaded,
  content_filter: ERROR_MAPPINGS.filtered, // MiniMax
}

/** `invalid_request_error` covers many faults, which only the message distinguishes. */
const FAULTS: readonly (readonly [(text: string) => boolean, ErrorMapping])[] = [
  [(text) => /prompt is too long|exceed context limit/i.test(text), ERROR_MAPPINGS.tooLong],
  [(text) => /credit balance/i.test(text), ERROR_MAPPINGS.noMoney],
  [(text) => /content filtering policy/i.test(text), ERROR_MAPPINGS.filtered],
]

function wordsFor(error: unknown): ErrorSchema {
  const text = ownText(errorText(error))
  return {
    ...WORDS,
    invalid_request_error: FAULTS.find(([matches]) => matches(text))?.[1] ?? ERROR_MAPPINGS.badRequest,
  }
}

/** Maps a failure inside an HTTP 200: `{type, message}`. */
export const upstreamErrorOf = (error: unknown): GatewayError => mapError(error, wordsFor(error))

export const decodeError: Wire['decodeError'] = (status, headers, body) =>
  mapHttpError(status, headers, body, wordsFor(parseJson(body)))
