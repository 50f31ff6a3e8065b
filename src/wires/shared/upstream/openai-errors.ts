import { VERDICTS, type Words } from './error-map.ts'

/** Error codes of OpenAI and of the many vendors that use the same ones: from `code`, `type` or `error_type`. */
export const OPENAI_WORDS: Words = {
  invalid_prompt: VERDICTS.badRequest,
  context_length_exceeded: VERDICTS.tooLong,
  exceed_context_size_error: VERDICTS.tooLong,
  max_tokens_exceeded: VERDICTS.tooLong,
  token_limit_exceeded: VERDICTS.tooLong,
  string_above_max_length: VERDICTS.tooLong,
  string_too_long: VERDICTS.tooLong,
  tokens_limit_reached: VERDICTS.tooLong, // GitHub
  model_max_prompt_tokens_exceeded: VERDICTS.tooLong, // Copilot
  invalid_encrypted_content: VERDICTS.badSeal,
  content_filter: VERDICTS.filtered,
  content_policy_violation: VERDICTS.filtered,
  image_content_policy_violation: { status: 400, code: 'image_content_policy_violation' },
  model_not_found: VERDICTS.noModel,
  invalid_model: VERDICTS.noModel,
  DeploymentNotFound: VERDICTS.noModel,
  model_not_available: VERDICTS.noModel, // Together
  model_not_supported: VERDICTS.noModel, // Copilot, Hugging Face
  unknown_model: VERDICTS.noModel, // GitHub
  resource_not_found_error: VERDICTS.noModel, // Moonshot
  insufficient_quota: VERDICTS.noMoney,
  billing_hard_limit_reached: VERDICTS.noMoney,
  payment_required: { status: 402, code: 'insufficient_quota' },
  rate_limit_exceeded: VERDICTS.tooFast,
  rate_limit_error: VERDICTS.tooFast,
  too_many_requests: VERDICTS.tooFast,
  RESOURCE_EXHAUSTED: VERDICTS.tooFast,
  invalid_api_key: VERDICTS.badKey,
  wrong_api_key: VERDICTS.badKey, // Cerebras
  invalid_authentication_error: VERDICTS.badKey, // Moonshot
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
  // The model, not the client, produced a call that cannot be parsed: a retry may succeed.
  tool_use_failed: VERDICTS.broken,
}
