import { expect, it } from 'vitest'
import { decodeError } from '../../../../src/wires/cohere-chat/errors.ts'

// biome-ignore format: a row a case
const ROWS = [
  [400, '{"id":"x","error_type":"TOO_MANY_TOKENS","message":"too many tokens: 9 over the limit"}',
    [400, 'context_length_exceeded', 'too many tokens: 9 over the limit']],
  [400, '{"id":"x","message":"invalid request: message must be at least 1 token long"}',
    [400, 'invalid_prompt', 'invalid request: message must be at least 1 token long']],
  [401, '{"id":"x","message":"no api key supplied"}', [502, 'upstream_authentication', 'no api key supplied']],
  [404, '{"id":"x","message":"model \'kiwi\' not found"}', [404, 'model_not_found', "model 'kiwi' not found"]],
  [404, '404 page not found', [502, 'upstream_not_found', '404 page not found']],
  [422, '{"message":"tools[0].parameters is missing"}', [400, 'invalid_prompt', 'tools[0].parameters is missing']],
  [429, '{"message":"You are past the limit of a trial key"}',
    [429, 'rate_limit_exceeded', 'You are past the limit of a trial key']],
  [500, '{"id":"x","message":"internal server error, this has been reported"}',
    [502, 'server_error', 'internal server error, this has been reported']],
  [503, '', [503, 'server_is_overloaded', 'The upstream returned HTTP 503 without a message.']],
] as const

it.each(ROWS)('decodes the error of Cohere with HTTP %i to status, code and message: %s', (status, body, expected) => {
  const error = decodeError(status, {}, body)
  expect([error.status, error.code, error.message]).toEqual(expected)
  expect(error.party).toBe('upstream')
})
