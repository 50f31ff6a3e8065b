import type { GatewayError } from '../../protocol/error.ts'
import { isObject } from '../../text/json.ts'
import type { Wire } from '../contract.ts'
import { ERROR_MAPPINGS, type ErrorSchema, mapError, mapHttpError } from '../shared/upstream/error-map.ts'
import { OPENAI_ERRORS } from '../shared/upstream/openai-errors.ts'

const REFUSED = (code: string) => ({ status: 400, code })

/** Codes of this API in addition to OpenAI's other codes. Policies keep their names, because clients depend on them. */
const WORDS: ErrorSchema = {
  ...OPENAI_ERRORS,
  invalid_prompt: ERROR_MAPPINGS.badRequest,
  invalid_image: ERROR_MAPPINGS.badRequest,
  invalid_image_format: ERROR_MAPPINGS.badRequest,
  invalid_base64_image: ERROR_MAPPINGS.badRequest,
  invalid_image_url: ERROR_MAPPINGS.badRequest,
  image_too_large: ERROR_MAPPINGS.badRequest,
  image_too_small: ERROR_MAPPINGS.badRequest,
  image_parse_error: ERROR_MAPPINGS.badRequest,
  empty_image_file: ERROR_MAPPINGS.badRequest,
  image_file_too_large: ERROR_MAPPINGS.badRequest,
  image_file_not_found: ERROR_MAPPINGS.badRequest,
  failed_to_download_image: ERROR_MAPPINGS.badRequest,
  unsupported_image_media_type: ERROR_MAPPINGS.badRequest,
  invalid_image_mode: ERROR_MAPPINGS.badRequest,
  bio_policy: REFUSED('bio_policy'),
  cyber_policy: REFUSED('cyber_policy'),
  misalignment_policy_violation: REFUSED('misalignment_policy_violation'),
  data_residency_mismatch: REFUSED('data_residency_mismatch'),
  usage_not_included: { status: 429, code: 'usage_not_included' },
  vector_store_timeout: ERROR_MAPPINGS.timedOut,
  'invalid-argument': ERROR_MAPPINGS.badRequest, // xAI
  server_error: ERROR_MAPPINGS.broken,
}

/** Decodes a failure inside an answer of status 200: an `error` event, nested or flat, or the `error` of a response. */
export function upstreamErrorOf(error: unknown): GatewayError {
  if (!isObject(error) || error.type !== 'error') return mapError(error, WORDS)
  const { type, error: nested, ...flat } = error
  return mapError(nested ?? flat, WORDS)
}

export const decodeError: Wire['decodeError'] = (status, headers, body) => mapHttpError(status, headers, body, WORDS)
