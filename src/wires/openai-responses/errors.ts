import type { GatewayError } from '../../protocol/error.ts'
import { isObject } from '../../text/json.ts'
import type { Wire } from '../contract.ts'
import { failureOf, httpFailureOf, VERDICTS, type Words } from '../shared/upstream/error-map.ts'
import { OPENAI_WORDS } from '../shared/upstream/openai-errors.ts'

const REFUSED = (code: string) => ({ status: 400, code })

/** Codes of this API in addition to OpenAI's other codes. Policies keep their names, because clients depend on them. */
const WORDS: Words = {
  ...OPENAI_WORDS,
  invalid_prompt: VERDICTS.badRequest,
  invalid_image: VERDICTS.badRequest,
  invalid_image_format: VERDICTS.badRequest,
  invalid_base64_image: VERDICTS.badRequest,
  invalid_image_url: VERDICTS.badRequest,
  image_too_large: VERDICTS.badRequest,
  image_too_small: VERDICTS.badRequest,
  image_parse_error: VERDICTS.badRequest,
  empty_image_file: VERDICTS.badRequest,
  image_file_too_large: VERDICTS.badRequest,
  image_file_not_found: VERDICTS.badRequest,
  failed_to_download_image: VERDICTS.badRequest,
  unsupported_image_media_type: VERDICTS.badRequest,
  bio_policy: REFUSED('bio_policy'),
  cyber_policy: REFUSED('cyber_policy'),
  usage_not_included: { status: 429, code: 'usage_not_included' },
  vector_store_timeout: VERDICTS.timedOut,
  'invalid-argument': VERDICTS.badRequest, // xAI
  server_error: VERDICTS.broken,
}

/** Decodes a failure inside an answer of status 200: an `error` event, nested or flat, or the `error` of a response. */
export function upstreamErrorOf(error: unknown): GatewayError {
  if (!isObject(error) || error.type !== 'error') return failureOf(error, WORDS)
  const { type, error: nested, ...flat } = error
  return failureOf(nested ?? flat, WORDS)
}

export const decodeError: Wire['decodeError'] = (status, headers, body) => httpFailureOf(status, headers, body, WORDS)
