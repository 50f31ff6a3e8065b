import type { GatewayError } from '../../protocol/error.ts'
import { failureOf, httpFailureOf, VERDICTS, type Words } from '../failures.ts'
import type { Wire } from '../wire.ts'

/** Their words, from `code`, `type` or `error_type`: more exact than a status. */
const WORDS: Words = {
  context_length_exceeded: VERDICTS.tooLong,
  exceed_context_size_error: VERDICTS.tooLong,
  max_tokens_exceeded: VERDICTS.tooLong,
  token_limit_exceeded: VERDICTS.tooLong,
  string_above_max_length: VERDICTS.tooLong,
  string_too_long: VERDICTS.tooLong,
  invalid_encrypted_content: VERDICTS.badSeal,
  content_filter: VERDICTS.filtered,
  content_policy_violation: VERDICTS.filtered,
  image_content_policy_violation: { status: 400, code: 'image_content_policy_violation' },
  model_not_found: VERDICTS.noModel,
  invalid_model: VERDICTS.noModel,
  DeploymentNotFound: VERDICTS.noModel,
  insufficient_quota: VERDICTS.noMoney,
  billing_hard_limit_reached: VERDICTS.noMoney,
  payment_required: { status: 402, code: 'insufficient_quota' },
  rate_limit_exceeded: VERDICTS.tooFast,
  rate_limit_error: VERDICTS.tooFast,
  too_many_requests: VERDICTS.tooFast,
  RESOURCE_EXHAUSTED: VERDICTS.tooFast,
  invalid_api_key: VERDICTS.badKey,
  authentication: VERDICTS.badKey,
  authentication_error: VERDICTS.badKey,
  permission_error: VERDICTS.badKey,
  permission_denied: VERDICTS.badKey,
  overloaded_error: VERDICTS.overloaded,
  provider_overloaded: VERDICTS.overloaded,
  server_is_overloaded: VERDICTS.overloaded,
  engine_overloaded: VERDICTS.overloaded,
  slow_down: VERDICTS.overloaded,
  timeout: VERDICTS.timedOut,
  // The model, not the client, made a call that cannot be read: another try may go well.
  tool_use_failed: VERDICTS.broken,
}

/** A failure told inside a 200: `{message, code, type, metadata}`, the same inside `error`, or a bare string. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, WORDS)

export const decodeError: Wire['decodeError'] = (status, headers, body) => httpFailureOf(status, headers, body, WORDS)
