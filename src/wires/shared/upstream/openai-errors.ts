import { ERROR_MAPPINGS, type ErrorSchema } from './error-map.ts'

/** Error codes of OpenAI and of the many vendors that use the same ones: from `code`, `type` or `error_type`. */
export const OPENAI_ERRORS: ErrorSchema = {
  invalid_prompt: ERROR_MAPPINGS.badRequest,
  context_length_exceeded: ERROR_MAPPINGS.tooLong,
  exceed_context_size_error: ERROR_MAPPINGS.tooLong,
  max_tokens_exceeded: ERROR_MAPPINGS.tooLong,
  token_limit_exceeded: ERROR_MAPPINGS.tooLong,
  string_above_max_length: ERROR_MAPPINGS.tooLong,
  string_too_long: ERROR_MAPPINGS.tooLong,
  tokens_limit_reached: ERROR_MAPPINGS.tooLong, // GitHub
  model_max_prompt_tokens_exceeded: ERROR_MAPPINGS.tooLong, // Copilot
  invalid_encrypted_content: ERROR_MAPPINGS.badSeal,
  content_filter: ERROR_MAPPINGS.filtered,
  content_policy_violation: ERROR_MAPPINGS.filtered,
  DataInspectionFailed: ERROR_MAPPINGS.filtered, // Alibaba
  data_inspection_failed: ERROR_MAPPINGS.filtered,
  'InternalError.Algo.DataInspectionFailed': ERROR_MAPPINGS.filtered,
  image_content_policy_violation: { status: 400, code: 'image_content_policy_violation' },
  model_not_found: ERROR_MAPPINGS.noModel,
  invalid_model: ERROR_MAPPINGS.noModel,
  DeploymentNotFound: ERROR_MAPPINGS.noModel,
  model_not_available: ERROR_MAPPINGS.noModel, // Together
  model_not_supported: ERROR_MAPPINGS.noModel, // Copilot, Hugging Face
  unknown_model: ERROR_MAPPINGS.noModel, // GitHub
  resource_not_found_error: ERROR_MAPPINGS.noModel, // Moonshot
  insufficient_quota: ERROR_MAPPINGS.noMoney,
  billing_hard_limit_reached: ERROR_MAPPINGS.noMoney,
  payment_required: { status: 402, code: 'insufficient_quota' },
  usage_limit_reached: ERROR_MAPPINGS.usedUp, // ChatGPT
  rate_limit_exceeded: ERROR_MAPPINGS.tooFast,
  rate_limit_error: ERROR_MAPPINGS.tooFast,
  too_many_requests: ERROR_MAPPINGS.tooFast,
  // Z.AI (docs.z.ai, Errors): concurrency, frequency; arrears; unsafe content; a prompt that is too long.
  1302: ERROR_MAPPINGS.tooFast,
  1303: ERROR_MAPPINGS.tooFast,
  1113: ERROR_MAPPINGS.noMoney,
  1301: ERROR_MAPPINGS.filtered,
  1261: ERROR_MAPPINGS.tooLong,
  RESOURCE_EXHAUSTED: ERROR_MAPPINGS.tooFast,
  invalid_api_key: ERROR_MAPPINGS.badKey,
  wrong_api_key: ERROR_MAPPINGS.badKey, // Cerebras
  invalid_authentication_error: ERROR_MAPPINGS.badKey, // Moonshot
  authentication: ERROR_MAPPINGS.badKey,
  authentication_error: ERROR_MAPPINGS.badKey,
  permission_error: ERROR_MAPPINGS.badKey,
  permission_denied: ERROR_MAPPINGS.badKey,
  overloaded_error: ERROR_MAPPINGS.overloaded,
  provider_overloaded: ERROR_MAPPINGS.overloaded,
  server_is_overloaded: ERROR_MAPPINGS.overloaded,
  engine_overloaded: ERROR_MAPPINGS.overloaded,
  slow_down: ERROR_MAPPINGS.overloaded,
  timeout: ERROR_MAPPINGS.timedOut,
  // The model, not the client, produced a call that cannot be parsed: a retry may succeed.
  tool_use_failed: ERROR_MAPPINGS.broken,
}
