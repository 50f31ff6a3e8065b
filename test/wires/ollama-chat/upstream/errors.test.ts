import { expect, it } from 'vitest'
import { decodeError } from '../../../../src/wires/ollama-chat/errors.ts'

// biome-ignore format: a row a case
const ROWS = [
  [404, '{"error":"model \'kiwi:1b\' not found"}', [404, 'model_not_found', "model 'kiwi:1b' not found"]],
  [404, '404 page not found', [502, 'upstream_not_found', '404 page not found']],
  [400, '{"error":"\\"kiwi:1b\\" does not support tools"}', [400, 'invalid_prompt', '"kiwi:1b" does not support tools']],
  [400, '{"error":"the input length exceeds the context length"}',
    [400, 'context_length_exceeded', 'the input length exceeds the context length']],
  [401, '{"error":"unauthorized"}', [502, 'upstream_authentication', 'unauthorized']],
  [429, '{"error":"too many requests"}', [429, 'rate_limit_exceeded', 'too many requests']],
  [500, '{"error":"model requires more system memory (9.1 GiB) than is available (3.4 GiB)"}',
    [502, 'server_error', 'model requires more system memory (9.1 GiB) than is available (3.4 GiB)']],
  [503, '{"error":"server busy, please try again"}', [503, 'server_is_overloaded', 'server busy, please try again']],
  [502, '', [502, 'server_error', 'The upstream returned HTTP 502 without a message.']],
] as const

it.each(ROWS)('decodes the error of Ollama with HTTP %i to status, code and message: %s', (status, body, expected) => {
  const error = decodeError(status, {}, body)
  expect([error.status, error.code, error.message]).toEqual(expected)
  expect(error.party).toBe('upstream')
})

it('decodes the retry delay of Ollama from the header retry-after', () => {
  expect(decodeError(503, { 'retry-after': '7' }, '').retryAfter).toBe(7)
})
