import { clientError, type GatewayError } from '../../../protocol/error.ts'

/** The error for a model's name that cannot be part of a path. */
export const NO_PATH: GatewayError = clientError(
  'invalid_prompt',
  'model: expected a name that can be part of a URL path',
  'model',
)
